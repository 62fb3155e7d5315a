"""The tabs below the mixer; only the open one runs."""

import streamlit as st

from core.ui.history import History
from pages.directions.shown import Fitted
from pages.directions.tabs import (
    compare,
    diagnostics,
    gallery,
    how,
    map,
    one_direction,
    one_sample,
    takeaway,
    training,
)
from pages.directions.view import TABS, DirectionsView

_DRAW = {
    "Directions": gallery.draw,
    "One direction": one_direction.draw,
    "One sample": one_sample.draw,
    "Map": map.draw,
    "Diagnostics": diagnostics.draw,
    "Training": training.draw,
    "Compare": compare.draw,
    "Take away": takeaway.draw,
    "How it works": how.draw,
}


def draw_tabs(history: History[DirectionsView], fitted: Fitted) -> None:
    """The row of tabs, the open one remembered in the address."""
    key = "directions:tabs"
    if st.session_state.get(key) != history.now.tab:
        st.session_state[key] = history.now.tab if history.now.tab in TABS else TABS[0]
    tabs = st.tabs(TABS, key=key, on_change=lambda: history.correct(tab=st.session_state[key]))
    for name, tab in zip(TABS, tabs, strict=True):
        if tab.open and name in _DRAW:
            with tab:
                _DRAW[name](history, fitted)
