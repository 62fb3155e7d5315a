"""The terminal: the same core as the pages, with the same names of settings."""
