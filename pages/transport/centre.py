"""The centre of the page: the picture, what the spectrum draws of it, what is missed, and the four sliders."""

import numpy as np
import streamlit as st

from core.figures import fields
from core.figures.text import number
from core.transport.carriers import coverage
from core.transport.fit import psnr
from core.ui.history import History
from pages.transport import shown
from pages.transport.data import Chosen
from pages.transport.shown import MOST_CARRIERS, Shown
from pages.transport.view import TransportView

_PRICES = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
_CARRIERS = {
    "auto": "best of both",
    "data": "from the picture",
    "cover": "to cover its spectrum",
    "log-uniform": "log-uniform",
    "random": "random",
}
_SHOWN = ("k", "cells", "smoothness", "carriers")
_COARSE_FROM = 512


def more_settings(history: History[TransportView], chosen: Chosen) -> None:
    """The settings that are not below the picture."""
    with st.expander("More of the fit", icon=":material/tune:"):
        for name, label, options in (("spline", "Spline", ("cubic", "bilinear")),):
            now = getattr(shown.settings(history, chosen.signal), name)
            history.bind(
                f"settings.{name}", st.segmented_control, label, options, value=now, required=True,
                help="How S runs between the knots; only the cubic one has a slope without jumps.",
            )  # fmt: skip
        now = shown.settings(history, chosen.signal)
        history.bind(
            "settings.mean", st.toggle, "Un-modulated grid", value=now.mean,
            help="Also fit a grid without a carrier, for slow brightness.",
        )  # fmt: skip


def draw(history: History[TransportView], chosen: Chosen) -> Shown:
    """Three pictures and the sliders; a large picture is drawn from a coarse fit until the fine one is there."""
    pictures = st.empty()
    _sliders(history, chosen)
    if max(chosen.signal.shape) >= _COARSE_FROM and not shown.is_there(history, chosen):
        with pictures.container():
            _pictures(shown.get(history, chosen, coarse=True), "A coarse fit first; the fine one is on its way.")
    on = shown.get(history, chosen)
    with pictures.container():
        _pictures(on)
    return on


def _pictures(on: Shown, note: str = "") -> None:
    left, middle, right = st.columns(3)
    signal = np.clip(on.signal.values, 0, 1)
    left.image(fields.enlarged(fields.shown(signal)), width="stretch")
    h, w = on.signal.shape
    left.caption(f"**Signal**, {w} × {h}" + (", colour" if len(signal) == 3 else ""))
    middle.image(fields.enlarged(fields.shown(on.drawn)), width="stretch")
    middle.caption(f"**{on.spectrum.k} carriers**, {' × '.join(map(str, on.spectrum.grid.knots[::-1]))} knots each")
    top = max(float(np.percentile(np.abs(on.rest), 99.5)), 1e-4)
    right.image(fields.enlarged(fields.difference(on.rest, top)), width="stretch")
    right.caption(f"**Error**, blue to orange is ±{number(top, 2)} of 1")
    _numbers(on, note)


def _numbers(on: Shown, note: str) -> None:
    samples = on.signal.values.size
    share = coverage(on.signal.mono, on.spectrum.carriers, max(on.spectrum.grid.cells))
    with st.container(horizontal=True, gap="large"):
        st.metric("PSNR", f"{on.psnr:.1f} dB", width="content")
        st.metric(
            "Stored numbers", f"{on.spectrum.stored:,}", width="content",
            help=f"Two for each carrier, knot and colour, and the un-modulated grid; the signal has {samples:,}.",
        )  # fmt: skip
        st.metric(
            "Spectrum covered", f"{share:.0%}", width="content",
            help="Share of the signal's spectral energy within half the grid's cells of a carrier or of zero.",
        )  # fmt: skip
        st.metric(
            "Solve", f"{1000 * on.fitted.solved.seconds:.0f} ms", width="content",
            help=f"Processor time of {on.fitted.solved.iterations} steps of conjugate gradients; the carriers took "
            "their own, once for each picture and number.",
        )  # fmt: skip
        st.metric(
            "DCT, as many numbers", f"{_dct(on):.1f} dB", width="content",
            help="A truncated cosine transform of the same size: the largest coefficients, their positions charged.",
        )  # fmt: skip
    sentences = [note] if note else []
    ahead = on.psnr - _dct(on)
    if ahead < -0.05:
        sentences.append(f"On this picture a truncated cosine transform of equal size is {-ahead:.1f} dB better.")
    if on.spectrum.stored >= samples:
        sentences.append("The fit stores more numbers than the picture has, so a low error says nothing here.")
    if sentences:
        st.caption(" ".join(sentences))


def _dct(on: Shown) -> float:
    return _dct_of(f"{on.key}:dct", on)


@st.cache_resource(max_entries=64, show_spinner=False)
def _dct_of(key: str, _on: Shown) -> float:
    from core.transport.codecs import truncated_dct

    coded = truncated_dct(_on.signal.values, _on.spectrum.stored)
    return psnr(_on.signal.values, np.clip(coded.values, 0, 1))


def _sliders(history: History[TransportView], chosen: Chosen) -> None:
    now = shown.settings(history, chosen.signal)
    after = dict(gains={}, kept=[])
    one, two, three, four = st.columns(4)
    with one:
        history.bind(
            "settings.k", st.slider, "Carriers K", 1, MOST_CARRIERS, value=now.k, after=after,
            help="How many global sinusoids share the picture.",
        )  # fmt: skip
    with two:
        most = max(3, min(64, max(chosen.signal.shape) // 2))
        history.bind(
            "settings.cells", st.slider, "Cells of the grid", 2, most, value=min(now.cells, most), after=after,
            help="Along the longest side; a carrier serves frequencies within half of this number around it.",
        )  # fmt: skip
    with three:
        price = min(_PRICES, key=lambda p: abs(p - now.smoothness))
        history.bind(
            "settings.smoothness", st.select_slider, "Smoothness", _PRICES, value=price,
            format_func=lambda p: f"{p:g}", help="The price of bending S.",
        )  # fmt: skip
    with four:
        history.bind(
            "settings.carriers", st.selectbox, "Where carriers come from", list(_CARRIERS), value=now.carriers,
            format_func=_CARRIERS.get, after=after,
            help="Carriers decide whether the fit can work at all; random ones show what the choice is worth.",
        )  # fmt: skip
