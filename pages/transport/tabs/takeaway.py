"""Tab *Take away*: the field, the signal at any resolution, the model, the recipe, and a snippet that fits it again."""

import numpy as np
import streamlit as st

from core.transport import takeaway
from core.transport.samples import MADE, PACKAGED
from core.transport.signal import Signal
from core.ui.brought import Brought
from core.ui.history import History
from core.ui.keep import keep
from core.ui.takeaway import download, recipe
from pages.transport import edits, look, saved
from pages.transport.data import SHAPES, SOUNDS_MADE, window
from pages.transport.reading import read_of, residual_of
from pages.transport.shown import Shown
from pages.transport.view import FIRST, TransportView

_FILES = {"picture": "png", "outline": "png", "sound": "wav", "solid": "obj"}


def draw(history: History[TransportView], on: Shown) -> None:
    """Downloads, the library and the recipe on the left, code on the right."""
    files, code = st.columns([2, 3], gap="large")
    with files:
        st.subheader("Field and signal", anchor=False)
        scales = (1, 2, 4) if on.spectrum.d == 2 else (1, 2) if on.kind == "solid" else (1,)
        scale = 1
        if len(scales) > 1:
            scale = st.segmented_control(
                "Resolution", scales, default=1, required=True, key="transport:scale",
                format_func=lambda v: f"{v}×",
                help="The spectrum is a function of place, so it can be drawn at any resolution. That adds no detail.",
            )  # fmt: skip
        ending = _FILES[on.kind]
        with st.container(horizontal=True):
            download(history.page, "Field as npz", lambda: _field(on), "field.npz")
            download(
                history.page,
                "Reconstruction",
                lambda: _file(on, on.spectrum.synthesise(scale)),
                f"reconstruction.{ending}",
            )
            download(
                history.page,
                f"Edited {on.kind}",
                lambda: _file(on, edits.rendered(on, history.now, scale)),
                f"edited.{ending}",
            )
        st.caption(
            "The npz holds the carriers, S on its grid, the reassigned frequency field, its energy, and the share that "
            f"the fit misses at each sample. The edited {on.kind} is that of *Band gains*."
        )
        model = saved.model_of(on)
        keep(
            "transport", history.now.model if history.now.model.startswith("model:") else "", model, on.signal.title,
            lambda name: saved.card_of(history, on, model, name), key=on.key,
        )  # fmt: skip
        recipe(history)
    with code:
        st.subheader("The same in Python", anchor=False)
        st.caption("Run it from the project's folder; a file of yours lies beside it.")
        st.code(_snippet(history, on), language="python")


def _file(on: Shown, values: np.ndarray) -> bytes | str:
    if on.kind == "sound":
        return look.listenable(values, on.signal.rate)
    if on.kind == "solid":
        from core.transport.meshes import obj
        from core.transport.shapes import surface

        return obj(*surface(values[0]))
    if on.kind == "outline":
        reach = float(np.abs(on.signal.values).max()) or 1.0
        return takeaway.png(0.5 + 0.5 * values / reach)  # grey is the edge, dark is inside
    return takeaway.png(values)


def _field(on: Shown) -> bytes:
    found = read_of(on, "reassigned")
    return takeaway.field_npz(
        on.spectrum,
        frequency=found.frequency.astype(np.float32),
        energy=found.energy.astype(np.float32),
        missed=residual_of(on).astype(np.float32),
    )


def _snippet(history: History[TransportView], on: Shown) -> str:
    now = history.now
    place, _, name = now.data.partition(":")
    own = Brought[Signal].of("transport")
    if place == "upload" and name in own.things:
        source = f"file:{own.files[name][0]}"
    else:
        name = name if name in (*MADE, *PACKAGED, *SHAPES, *SOUNDS_MADE) else FIRST.removeprefix("sample:")
        kind = "made" if name in MADE else "packaged" if name in PACKAGED else on.kind
        source = f"{kind}:{name}"
    cut = window(now, np.inf) if on.kind == "sound" else None
    colour = len(on.signal.values) == 3
    return takeaway.snippet(source, now.size, colour, on.settings, now.seed, kind=on.kind, window=cut)
