"""Tab *Drive*: the face follows a clip or speaks; a preview first, then the clip."""

import streamlit as st

from core.errors import InputError
from core.face.editing.actor import MeshActor
from core.ui.history import History
from core.ui.text import say_error
from pages.face import second
from pages.face.drive import curves, render, source
from pages.face.opened import Opened, edit_of, final_code
from pages.face.view import FaceView


def draw(history: History[FaceView], on: Opened) -> None:
    """What drives the face on the left, what comes of it on the right."""
    if not isinstance(on.actor, MeshActor):
        st.caption("Clips are driven by mesh motion; choose it at the left.")
        return
    base = final_code(on, edit_of(on, history.now, second.taken(on, history.now)))
    left, right = st.columns([2, 3], gap="large")
    with left:
        driver = source.choose(history, on, base)
        if driver is None:
            return
        try:
            made = curves.made(history, on, base, driver)
        except InputError as error:
            say_error(error)
            return
        st.caption("The face starts from what the sliders above say.")
    with right:
        render.preview(on, made, driver.key)
        curves.draw(history, on, driver, made)
        render.draw(history, on, driver, made)
