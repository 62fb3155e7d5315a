"""Tab *Take away*: the field, pictures at any resolution, the recipe, and a snippet that fits the same again."""

import numpy as np
import streamlit as st

from core.transport import takeaway
from core.transport.samples import MADE, PACKAGED
from core.transport.signal import Signal
from core.ui.brought import Brought
from core.ui.history import History
from core.ui.takeaway import download, recipe
from pages.transport import edits
from pages.transport.reading import read_of, residual_of
from pages.transport.shown import Shown
from pages.transport.view import FIRST, TransportView


def draw(history: History[TransportView], on: Shown) -> None:
    """Downloads and the recipe on the left, code on the right."""
    files, code = st.columns([2, 3], gap="large")
    with files:
        st.subheader("Field and pictures", anchor=False)
        scale = st.segmented_control(
            "Resolution of the pictures", (1, 2, 4), default=1, required=True, key="transport:scale",
            format_func=lambda v: f"{v}×",
            help="The spectrum is a function of place, so it can be drawn at any resolution. That adds no detail.",
        )  # fmt: skip
        with st.container(horizontal=True):
            download(history.page, "Field as npz", lambda: _field(on), "field.npz")
            download(
                history.page,
                "Reconstruction",
                lambda: takeaway.png(on.spectrum.synthesise(scale)),
                "reconstruction.png",
            )
            download(
                history.page,
                "Edited picture",
                lambda: takeaway.png(edits.rendered(on, history.now, scale)),
                "edited.png",
            )
        st.caption(
            "The npz holds the carriers, S on its grid, the reassigned frequency field, its energy, and the share that "
            "the fit misses at each sample. The edited picture is that of *Band gains*."
        )
        recipe(history)
    with code:
        st.subheader("The same in Python", anchor=False)
        st.caption("Run it from the project's folder; a picture of yours lies beside it.")
        st.code(_snippet(history, on), language="python")


def _field(on: Shown) -> bytes:
    found = read_of(on, "reassigned")
    return takeaway.field_npz(
        on.spectrum,
        frequency=found.frequency.astype(np.float32),
        energy=found.energy.astype(np.float32),
        missed=residual_of(on).astype(np.float32),
    )


def _snippet(history: History[TransportView], on: Shown) -> str:
    place, _, name = history.now.data.partition(":")
    own = Brought[Signal].of("transport")
    if place == "upload" and name in own.things:
        source = f"file:{own.files[name][0]}"
    else:
        name = name if name in MADE or name in PACKAGED else FIRST.removeprefix("sample:")
        source = f"{'made' if name in MADE else 'packaged'}:{name}"
    colour = len(on.signal.values) == 3
    return takeaway.snippet(source, history.now.size, colour, on.settings, history.now.seed)
