"""The tabs below the pictures; only the open one runs."""

from functools import partial

import streamlit as st

from core.ui.history import History
from core.ui.tabs import draw_tabs
from pages.face.opened import Opened
from pages.face.tabs import directions, drive, how, leak, mix, takeaway, train
from pages.face.view import TABS, FaceView

_DRAW = (mix, drive, leak, directions, train, takeaway, how)


def draw(history: History[FaceView], on: Opened | None) -> None:
    """The row of tabs, in the order of the view's table."""
    draw_tabs(history, {name: partial(_one, history, on, tab) for name, tab in zip(TABS, _DRAW, strict=True)})


def _one(history: History[FaceView], on: Opened | None, tab) -> None:
    if on is None and tab not in (how, train):
        st.caption("Here as soon as there is a face.")
    else:
        tab.draw(history, on)
