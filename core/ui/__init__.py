"""Streamlit pieces that pages share."""
