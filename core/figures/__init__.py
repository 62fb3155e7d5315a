"""Plotly figures and image arrays out of plain data. No Streamlit."""
