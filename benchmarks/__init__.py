"""Measurements to run by hand; `python -m benchmarks` lists and runs them."""
