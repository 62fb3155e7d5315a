"""The page *Graph spectra*."""
