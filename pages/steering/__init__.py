"""The page *Steer generations*."""
