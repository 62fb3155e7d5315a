"""The page *Learned transforms*."""
