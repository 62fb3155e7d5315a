"""Basis Explorer: learn, look at, move and take away bases of directions."""
