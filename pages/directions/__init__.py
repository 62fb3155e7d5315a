"""The page *Basis directions*."""
