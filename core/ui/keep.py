"""Put the model that a page shows into one's own place of the library."""

from collections.abc import Callable

import streamlit as st

from core.errors import InputError
from core.models import Model
from core.store import Card, new_folder, places, save
from core.ui.owner import owner_key
from core.ui.server_runs import runs
from core.ui.text import escape, say_error


def keep(page: str, ref: str, model: Model, title: str, card: Callable[[str], Card], *, key: str) -> None:
    """A name and a button; a model that came from the library says so instead.

    Args:
        page: prefix of the keys.
        ref: `run:<id>` of a training, whose own card is kept with its curve; `model:...` of the library; or empty.
        title: of the data, for the suggested name.
        card: makes the card of a model that no run has trained, from the name.
        key: of the name's field, another one for every model.
    """
    st.subheader("Keep the model", anchor=False)
    if ref.startswith("model:"):
        st.caption("This model is in the library already.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", f"{model.title} of {title}"[:120], max_chars=120, key=f"{page}:keep-name:{key}")
        pressed = st.button("Keep in my library", icon=":material/bookmark:", key=f"{page}:keep")
    if not pressed:
        return
    try:
        kept = _into_library(ref, model, name, card)
    except InputError as error:
        say_error(error)
    else:
        st.success(f"*{escape(kept)}* is in the library now.", icon=":material/inventory_2:")


def _into_library(ref: str, model: Model, name: str, card: Callable[[str], Card]) -> str:
    place = places(owner_key())["own"]
    if ref.startswith("run:"):
        return runs().keep(ref.removeprefix("run:"), place, name=name).card.name
    made = card(name)
    save(model, new_folder(place, made.name), made)
    return made.name
