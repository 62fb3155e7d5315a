"""Tab *Field* of a solid: local frequency, what is missed, and the amplitude of each carrier, slice by slice."""

import numpy as np
import streamlit as st

from core.figures import fields
from core.figures.text import number
from core.transport.readouts import KINDS, TITLES, local_residual, read
from core.ui.frame import abreast
from core.ui.history import History
from pages.transport.shown import Shown
from pages.transport.view import TransportView


def draw(history: History[TransportView], on: Shown) -> None:
    """One slice: the distance, its frequency, what is missed, and below it the carriers."""
    depth = on.signal.shape[0]
    kind = history.now.entry("field", "readout", "tensor")
    kind = kind if kind in KINDS else "tensor"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        at = history.now.entry("field", "slice", depth // 2, 0, depth - 1)
        history.bind("field.slice", st.slider, "Slice, from below", 0, depth - 1, value=at, width=300)
        history.bind(
            "field.readout", st.selectbox, "Read-out", list(KINDS), value=kind, width=420,
            format_func=lambda k: f"{k.capitalize()}: {TITLES[k]}",
        )  # fmt: skip
    box = (slice(at, at + 1), slice(None), slice(None))
    field = read(on.spectrum, kind, box=box)
    size, energy = field.magnitude[0], field.energy[0]
    missed = local_residual(on.signal.values[:, at], on.drawn[:, at])
    strong = size[energy >= 0.05 * np.percentile(energy, 99)]
    low = max(float(np.percentile(strong, 2)), 0.25) if strong.size else 0.5
    high = max(float(np.percentile(strong, 98)), 2 * low) if strong.size else 1.0
    reach = float(np.abs(on.signal.values).max()) or 1.0
    weak = (energy < 0.01 * np.percentile(energy, 99)).astype(float)
    panels = (
        (fields.distance(on.signal.values[0, at], reach), "**Distance**, signal"),
        (fields.distance(on.drawn[0, at], reach), "**Distance**, drawn by the carriers"),
        (
            fields.dimmed(fields.octaves(size, low, high), np.maximum(missed, weak)),
            f"**Frequency**, {number(low, 2)} (dark) to {number(high, 2)} cycles a side; grey: missed or empty",
        ),
        (fields.sequential(missed), "**Missed** share of the variance around; yellow is all of it"),
    )
    for column, (image, caption) in zip(st.columns(4), panels, strict=True):
        column.image(fields.enlarged(image, 256), width="stretch", caption=caption)
    st.caption(
        "A distance is smooth nearly everywhere, so most of it lies in the un-modulated grid; the carriers add the "
        "edges and the thin parts."
    )
    st.subheader("Amplitude of each carrier in this slice", anchor=False)
    maps = np.sqrt((np.abs(on.spectrum.maps(box=box)) ** 2).sum(0))[:, 0]
    order = np.argsort(-on.spectrum.weight, kind="stable")[:16]
    top = float(np.percentile(maps[order], 99.8)) or 1.0
    columns = abreast("transport-carriers", 8)
    for j, i in enumerate(order):
        caption = f"{np.linalg.norm(on.spectrum.carriers[i]):.1f} cycles"
        columns[j % 8].image(fields.enlarged(fields.sequential(maps[i] / top), 128), width="stretch", caption=caption)
