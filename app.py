"""Basis Explorer: navigation and theme, nothing else."""

import streamlit as st

from core.ui.start import prepare_server
from pages import PAGES

if __name__ == "__main__":  # worker processes import this file again
    prepare_server()
    st.set_page_config(page_title="Basis Explorer", page_icon=":material/scatter_plot:", layout="wide")
    # Streamlit has a start page at / alone: its own path leads there too, and is not listed twice
    start = [page for page in PAGES if page.get("default")]
    pages = [st.Page(**({**page, "url_path": None} if page in start else page)) for page in PAGES]
    pages += [st.Page(**{**page, "default": False}, visibility="hidden") for page in start]
    st.navigation(pages).run()
