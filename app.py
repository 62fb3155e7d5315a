"""Basis Explorer: navigation and theme, nothing else."""

import streamlit as st

from core.ui.start import prepare_server
from pages import PAGES

if __name__ == "__main__":  # worker processes import this file again
    prepare_server()
    st.set_page_config(page_title="Basis Explorer", page_icon=":material/scatter_plot:", layout="wide")
    st.navigation([st.Page(**page) for page in PAGES]).run()
