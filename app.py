"""Basis Explorer: navigation and theme, nothing else."""

import streamlit as st

from core.ui.start import prepare_server
from pages import HOME, PAGES

if __name__ == "__main__":  # worker processes import this file again
    prepare_server()
    st.set_page_config(page_title="Basis Explorer", page_icon=":material/scatter_plot:", layout="wide")
    start = st.Page(HOME.script, title=HOME.title, icon=HOME.icon, default=True)
    st.navigation([start, *(st.Page(p.script, title=p.title, icon=p.icon, url_path=p.name) for p in PAGES)]).run()
