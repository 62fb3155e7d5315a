"""Frequency transport: a signal as a few global sinusoids whose amplitudes change over space, and what moves them."""
