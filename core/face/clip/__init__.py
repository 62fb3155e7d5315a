"""Clips: frames and sound out of a video, code curves over time, and videos that say they were synthesised."""
