"""Graph spectra: polynomial bases of a graph and a signal on it."""
