"""The page *Frequency transport*."""
