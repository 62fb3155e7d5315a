"""The page *Compatible spaces*."""
