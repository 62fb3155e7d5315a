"""Download buttons, and the recipe that reopens a view."""

import json
from collections.abc import Callable

import streamlit as st

from core.errors import InputError
from core.ui.history import History
from core.ui.text import say_error
from core.ui.view import View

_RECIPE_BYTES = 200_000


def download(page: str, label: str, make: Callable[[], bytes | str], name: str) -> None:
    """A button for a file that is made when it is pressed."""
    st.download_button(label, make, name, key=f"{page}:download:{name}", on_click="ignore", icon=":material/download:")


def recipe(history: History) -> None:
    """Save everything that was chosen as JSON, and load such a file again."""
    st.subheader("Recipe", anchor=False)
    st.caption("Everything that was chosen here, as JSON. Loading it reopens the view; so does a copy of the address.")
    with st.container(horizontal=True):
        text = json.dumps(history.now.changed(), indent=1, ensure_ascii=False)
        download(history.page, "Save the recipe", lambda: text, "recipe.json")
    turn = f"{history.page}:recipe-turn"
    st.session_state.setdefault(turn, 0)
    key = f"{history.page}:recipe:{st.session_state[turn]}"
    given = st.file_uploader("Load a recipe", type=["json"], key=key, max_upload_size=1)
    if given is None:
        return
    try:
        view = _read(given.getvalue(), type(history.now))
    except InputError as error:
        say_error(error)
        return
    st.session_state[turn] += 1
    history.open(view)
    st.rerun()


def _read(content: bytes, view: type[View]) -> View:
    try:
        if len(content) > _RECIPE_BYTES:
            raise ValueError
        values = json.loads(content)
    except (ValueError, RecursionError):
        raise InputError("This file is not a recipe; a recipe is a small JSON file saved on this page.") from None
    return view.of(values)
