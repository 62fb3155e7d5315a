"""What the server process needs once, before the first page is drawn."""

import gc

import streamlit as st

from core.device import use_one_thread


@st.cache_resource(show_spinner=False)
def prepare_server() -> None:
    """One torch thread, and everything imported so far taken out of garbage collection.

    Streamlit collects all generations after every rerun; with torch and scikit-learn imported that alone takes longer
    than drawing a page. Frozen objects are skipped.
    """
    import core.models

    use_one_thread()
    core.models.families("directions")
    gc.collect()
    gc.freeze()
