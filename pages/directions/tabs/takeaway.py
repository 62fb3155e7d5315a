"""Tab *Take away*: files, recipe, figures and a snippet that computes the same again."""

import streamlit as st

from core.directions import takeaway
from core.errors import InputError
from core.figures.sheet import sheet
from core.store import Card, new_folder, places, save
from core.ui.data_picker import FALLBACK
from core.ui.history import History
from core.ui.owner import owner_key
from core.ui.server_runs import runs
from core.ui.takeaway import download, recipe
from core.ui.text import escape, say_error
from core.ui.uploads import uploads
from pages.directions.shown import Fitted, names_of
from pages.directions.view import DirectionsView


@st.fragment
def draw(history: History[DirectionsView], fitted: Fitted) -> None:
    """Downloads on the left; the recipe and the snippet on the right."""
    files, code = st.columns([2, 3], gap="large")
    names = names_of(fitted, history.now.names)
    with files:
        _keep(history, fitted)
        _files(history, fitted, names)
        _figures(history, fitted, names)
        recipe(history)
    with code:
        st.subheader("The same in Python", anchor=False)
        st.caption("Run it from the project's folder; it prints the shape of the basis and of the codes.")
        st.code(_snippet(history, fitted))


def _keep(history: History[DirectionsView], fitted: Fitted) -> None:
    st.subheader("Keep the model", anchor=False)
    now = history.now
    if now.model.startswith("model:"):
        st.caption("This model is in the library already.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        suggested = f"{fitted.model.title} of {fitted.dataset.title}"
        name = st.text_input("Name", suggested, max_chars=200, key=f"directions:keep-name:{fitted.key}")
        pressed = st.button("Keep in my library", icon=":material/bookmark:", key="directions:keep")
    if pressed:
        try:
            kept = _into_library(now, fitted, name)
        except InputError as error:
            say_error(error)
        else:
            st.success(f"*{escape(kept)}* is in the library now.", icon=":material/inventory_2:")


def _into_library(now: DirectionsView, fitted: Fitted, name: str) -> str:
    """Keep a run's model with its curve, or save one that was fitted at once; returns its name."""
    place = places(owner_key())["own"]
    if now.model.startswith("run:"):
        return runs().keep(now.model.removeprefix("run:"), place, name=name).card.name
    origin = fitted.origin
    more = {"kind": origin.kind, "preparation": origin.preparation, "data": now.data}
    metrics = {"explained_energy": float(fitted.energy.sum())}
    card = Card.of(fitted.model, fitted.dataset, name=name or fitted.model.title, metrics=metrics, more=more)
    save(fitted.model, new_folder(place, card.name), card)
    return card.name


def _files(history: History[DirectionsView], fitted: Fitted, names: list[str]) -> None:
    st.subheader("Directions and codes", anchor=False)
    data, codes, basis = fitted.dataset, fitted.codes, fitted.basis
    files = {
        "npz": ("basis.npz", lambda: takeaway.basis_npz(basis, codes, data, names)),
        "safetensors": ("basis.safetensors", lambda: takeaway.basis_safetensors(basis, codes, names)),
        "Directions as csv": ("directions.csv", lambda: takeaway.directions_csv(basis, data, names)),
        "Codes as csv": ("codes.csv", lambda: takeaway.codes_csv(codes, data, names)),
    }
    with st.container(horizontal=True):
        for label, (name, make) in files.items():
            download(history.page, label, make, name)
    if not fitted.model.affine:
        st.caption(
            "This model does not decode linearly: its directions here are how much one scale of each weight moves the "
            "decoded mean code. The whole model is in the *Library*, once it is saved."
        )


def _figures(history: History[DirectionsView], fitted: Fitted, names: list[str]) -> None:
    st.subheader("Figures", anchor=False)
    order = fitted.order(history.now.order, names)
    directions, titles = fitted.basis.directions[order], [f"{names[i]} ({fitted.energy[i]:.1%})" for i in order]
    with st.container(horizontal=True):
        for ending in ("png", "svg", "html"):
            download(
                history.page,
                ending.upper(),
                lambda e=ending: sheet(directions, fitted.form, titles, e),
                f"directions.{ending}",
            )
    st.caption("All directions on one sheet. Every chart of the page also has its own camera button.")


def _snippet(history: History[DirectionsView], fitted: Fitted) -> str:
    origin, data = fitted.origin, history.now.data
    files, options = uploads().sources.get(data.removeprefix("upload:"), (None, {}))
    source = files or (data if data.startswith("sample:") else f"sample:{FALLBACK}")
    return takeaway.snippet(
        fitted.model, source=source, kind=origin.kind, preparation=origin.preparation, options=options
    )
