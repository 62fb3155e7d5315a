"""Learned transforms: what a task makes of Fourier, wavelets, splines and operators."""
