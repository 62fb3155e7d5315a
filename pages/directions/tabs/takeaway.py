"""Tab *Take away*: files, recipe, figures and a snippet that computes the same again."""

from dataclasses import asdict
from functools import partial

import streamlit as st

from core.directions import takeaway
from core.figures.sheet import sheet
from core.figures.text import percent
from core.store import Card, export_file, find
from core.ui.history import History
from core.ui.keep import keep
from core.ui.owner import owner_key
from core.ui.server_runs import runs
from core.ui.takeaway import download, recipe
from core.ui.uploads import uploads
from pages.directions.shown import Fitted, names_of
from pages.directions.view import DirectionsView

EXPORTED = "model.basis.zip"


@st.fragment
def draw(history: History[DirectionsView], fitted: Fitted) -> None:
    """Downloads on the left; the recipe and the snippet on the right."""
    files, code = st.columns([2, 3], gap="large")
    names = names_of(fitted, history.now.names)
    with files:
        keep(
            "directions", history.now.model, fitted.model, fitted.dataset.title, partial(_card, fitted), key=fitted.key
        )
        _files(history, fitted, names)
        _model(history)
        _figures(history, fitted, names)
        recipe(history)
    with code:
        st.subheader("The same in Python", anchor=False)
        exported = EXPORTED if history.now.model else ""
        beside = f" Put *The model* ({exported}) beside it." if exported else ""
        st.caption(f"Run it from the project's folder; it prints the shape of the basis and of the codes.{beside}")
        st.code(_snippet(fitted, exported), wrap_lines=True)


def _card(fitted: Fitted, name: str) -> Card:
    """The card of a model that was fitted at once."""
    metrics = {"explained_energy": float(fitted.energy.sum())}
    return Card.of(
        fitted.model, fitted.dataset, name=name or fitted.model.title, metrics=metrics, more=asdict(fitted.origin)
    )


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


def _model(history: History[DirectionsView]) -> None:
    """The model itself, where it is more than what the settings give at once."""
    kind, _, name = history.now.model.partition(":")
    if not kind:
        return
    all_runs, owner = runs(), owner_key()  # the file is made outside the page's own run

    def export() -> bytes:
        return all_runs.export(name) if kind == "run" else export_file(find(name, owner).folder)

    download(history.page, "The model", export, EXPORTED)


def _figures(history: History[DirectionsView], fitted: Fitted, names: list[str]) -> None:
    st.subheader("Figures", anchor=False)
    order = fitted.order(history.now.order, names)
    directions, titles = fitted.basis.directions[order], [f"{names[i]} ({percent(fitted.energy[i])})" for i in order]
    with st.container(horizontal=True):
        for ending in ("png", "svg", "html"):
            download(
                history.page,
                ending.upper(),
                lambda e=ending: sheet(directions, fitted.form, titles, e),
                f"directions.{ending}",
            )
    st.caption("All directions on one sheet. Every chart of the page also has its own camera button.")


def _snippet(fitted: Fitted, exported: str) -> str:
    origin = fitted.origin
    files, options = uploads().sources.get(origin.data.removeprefix("upload:"), (None, {}))
    source = files or origin.data
    return takeaway.snippet(
        fitted.model,
        source=source,
        kind=origin.kind,
        preparation=origin.preparation,
        options=options,
        exported=exported,
    )
