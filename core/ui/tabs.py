"""A row of tabs of which only the open one runs, remembered in the address."""

from collections.abc import Callable, Mapping

import streamlit as st

from core.ui.history import History


def draw_tabs(history: History, tabs: Mapping[str, Callable[[], None]]) -> None:
    """Draw the open tab of those named; which one that is stands in the field `tab` of the view."""
    names, key = list(tabs), f"{history.page}:tabs"
    if st.session_state.get(key) != history.now.tab:
        st.session_state[key] = history.now.tab if history.now.tab in names else names[0]
    places = st.tabs(names, key=key, on_change=lambda: history.correct(tab=st.session_state[key]))
    for place, draw in zip(places, tabs.values(), strict=True):
        if place.open:
            with place:
                draw()
