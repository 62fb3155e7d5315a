"""Facial motion: banks of mouth, pose and expression on a face (EDTalk, Tan et al. 2024)."""
