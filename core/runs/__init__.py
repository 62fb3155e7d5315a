"""Trainings in the background, on this machine or on a cluster."""
