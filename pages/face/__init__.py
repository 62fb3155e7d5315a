"""The page *Facial motion*."""
