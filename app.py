"""Basis Explorer: navigation and theme, nothing else."""

from pathlib import Path

import streamlit as st

from core.ui.start import prepare_server
from pages import HOME, PAGES

# a file of the project: the symbol of a named icon would be asked from a server of Google at every visit
ICON = Path(__file__).parent / "assets" / "icon.svg"

if __name__ == "__main__":  # worker processes import this file again
    prepare_server()
    st.set_page_config(page_title="Basis Explorer", page_icon=ICON, layout="wide")
    start = st.Page(HOME.script, title=HOME.title, icon=HOME.icon, default=True)
    st.navigation([start, *(st.Page(p.script, title=p.title, icon=p.icon, url_path=p.name) for p in PAGES)]).run()
