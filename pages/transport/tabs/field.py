"""Tab *Field*: local orientation and frequency, the carriers behind them, and the spectrum of one place."""

import numpy as np
import streamlit as st

from core.figures import fields
from core.figures.text import number
from core.transport.places import Place, global_spectrum, place
from core.transport.readouts import KINDS, TITLES, FrequencyField
from core.transport.yardsticks import windowed_spectrum
from core.ui.frame import abreast
from core.ui.history import History
from pages.transport import look
from pages.transport.reading import draw_score, read_of, residual_of, sigma_of
from pages.transport.shown import Shown
from pages.transport.tabs import field_solid, field_sound
from pages.transport.view import TransportView

_LAYERS = {"ticks": "Strokes", "orientation": "Orientation", "frequency": "Frequency", "residual": "Missed"}
_ALONG = {"stripes": "along the stripes", "wave": "along the wave vector"}


def draw(history: History[TransportView], on: Shown) -> None:
    """The field on the left, one place on the right, the carriers below."""
    if on.kind in ("sound", "solid"):
        (field_sound if on.kind == "sound" else field_solid).draw(history, on)
        return
    now = history.now
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = now.entry("field", "readout", "reassigned")
        kind = kind if kind in KINDS else "reassigned"
        history.bind(
            "field.readout", st.selectbox, "Read-out", list(KINDS), value=kind, format_func=_read_name, width=380,
            help="How one frequency is read from the carriers at a place.",
        )  # fmt: skip
        layer = now.entry("field", "layer", "ticks")
        layer = layer if layer in _LAYERS else "ticks"
        history.bind(
            "field.layer", st.segmented_control, "Shown", list(_LAYERS), value=layer, format_func=_LAYERS.get,
            required=True,
        )  # fmt: skip
        along = now.entry("field", "along", "stripes")
        along = along if along in _ALONG else "stripes"
        if layer == "ticks":
            history.bind(
                "field.along", st.segmented_control, "Strokes", list(_ALONG), value=along, format_func=_ALONG.get,
                required=True,
            )  # fmt: skip
    found = read_of(on, kind)
    missed = residual_of(on)
    left, right = st.columns([5, 4], gap="large")
    with left:
        at = _map(history, on, found, missed, layer, along)
    with right:
        _one_place(on, at, found, missed)
    draw_score(on, found)
    _carriers(history, on)


def _read_name(kind: str) -> str:
    return f"{kind.capitalize()}: {TITLES[kind]}"


def _map(history, on: Shown, found: FrequencyField, missed: np.ndarray, layer: str, along: str) -> tuple[int, int]:
    h, w = on.signal.shape
    row = history.now.entry("field", "row", h // 2, 0, h - 1)
    column = history.now.entry("field", "column", w // 2, 0, w - 1)
    low, high = frequency_range(found)
    if layer == "orientation":
        image = fields.dimmed(fields.orientation(found.angle, found.energy), missed)
    elif layer == "frequency":
        image = fields.dimmed(fields.octaves(found.magnitude, low, high), np.maximum(missed, _weak(found)))
    elif layer == "residual":
        image = fields.sequential(missed)
    else:
        image = look.faded(on.signal)
    fig = fields.over_picture(image)
    if layer == "ticks":
        fields.add_ticks(fig, found.frequency, np.where(missed > 0.5, 0, found.energy), step=_step(h, w), along=along)
    fields.add_mark(fig, row, column)
    fields.add_places(fig, (h, w))
    key = f"transport:places:{on.signal.title}:{h}:{w}:{st.session_state.get('transport:clicks', 0)}"
    st.plotly_chart(
        fig, key=key, on_select=lambda: _clicked(history, key), selection_mode="points",
        config=dict(displayModeBar=False),
    )  # fmt: skip
    _legend(layer, low, high)
    with st.container(horizontal=True):
        history.bind(
            "field.row", st.number_input, "Row", value=row, min_value=0, max_value=h - 1, step=1,
            help="The place, counted from the top; a click on the picture sets it, too.",
        )  # fmt: skip
        history.bind("field.column", st.number_input, "Column", value=column, min_value=0, max_value=w - 1, step=1)
    return row, column


def _clicked(history: History[TransportView], key: str) -> None:
    chosen = st.session_state[key].selection.points
    if chosen:
        row, column = round(chosen[0]["y"]), round(chosen[0]["x"])
        st.session_state["transport:clicks"] = (
            st.session_state.get("transport:clicks", 0) + 1
        )  # lets go of the selection
        history.change(field={**history.now.field, "row": row, "column": column})


def _step(h: int, w: int) -> int:
    return max(4, max(h, w) // 16)


def _weak(found: FrequencyField) -> np.ndarray:
    return (found.energy < 0.01 * np.percentile(found.energy, 99)).astype(float)


def frequency_range(found: FrequencyField) -> tuple[float, float]:
    """Cycles a side at the ends of the colour scale: the middle 96 % where there is energy, at least an octave."""
    strong = found.magnitude[found.energy >= 0.05 * np.percentile(found.energy, 99)]
    low, high = np.percentile(strong, (2, 98)) if strong.size else (1.0, 2.0)
    low = max(float(low), 0.5)
    return low, max(float(high), 2 * low)


def _legend(layer: str, low: float, high: float) -> None:
    if layer == "orientation":
        with st.container(horizontal=True, vertical_alignment="center"):
            st.image(fields.wheel(), width=56)
            st.caption("Hue: direction of the wave vector, modulo 180°. Brightness: energy. Grey: what the fit misses.")
    elif layer == "frequency":
        steps = np.exp2(np.linspace(np.log2(low), np.log2(high), 256))
        st.image(np.repeat(fields.octaves(steps[None], low, high), 10, axis=0), width="stretch")
        st.caption(
            f"From {number(low, 2)} (left) to {number(high, 2)} cycles a side (right), by octaves. Grey: missed by the "
            "fit, or without energy."
        )
    elif layer == "residual":
        st.caption("Share of the local variance that the fit misses: dark 0, yellow 1, where the field means little.")
    else:
        st.caption("Strokes have no heads, since w and −w are one wave. None stand where the fit misses over half.")


def _one_place(on: Shown, at: tuple[int, int], found: FrequencyField, missed: np.ndarray) -> None:
    here: Place = place(on.spectrum, at)
    freqs, power = windowed_spectrum(on.signal.mono, at, sigma=sigma_of(on.signal))
    reach = 1.25 * max(float(np.abs(on.spectrum.carriers).max()), float(np.abs(found.frequency[:, *at]).max()), 4.0)
    st.markdown(f"**Local spectrum at row {at[0]}, column {at[1]}**")
    fig = fields.local_plane(
        freqs, power, on.spectrum.carriers, here.amplitude, here.moved, min(reach, max(on.signal.shape))
    )
    st.plotly_chart(fig, key="transport:place", config=dict(displayModeBar=False))
    w = found.frequency[:, *at]
    size, angle = float(np.hypot(*w)), float(np.degrees(np.arctan2(w[0], w[1])) % 180)
    st.caption(
        f"Direction of the wave vector, octaves outwards (cycles a side), every wave twice. Discs: carriers by "
        f"amplitude; lines: where the slope of their phase moves them; contours: the windowed FFT. "
        f"Read here: {number(size)} cycles a side at {angle:.0f}°. The fit misses {missed[at]:.0%} of the variance."
        + (" The field means little at this place." if missed[at] > 0.5 else "")
    )


def _carriers(history: History[TransportView], on: Shown) -> None:
    left, right = st.columns([5, 4], gap="large")
    spectrum, cells = on.spectrum, max(on.spectrum.grid.cells)
    with left:
        st.subheader("Amplitude of each carrier", anchor=False)
        maps = np.sqrt((np.abs(spectrum.maps(min(1.0, 96 / max(spectrum.shape)))) ** 2).sum(0))
        order = np.argsort(-spectrum.weight, kind="stable")[:16]
        top = float(np.percentile(maps[order], 99.8)) or 1.0
        columns = abreast("transport-carriers", 4)
        for j, i in enumerate(order):
            w = spectrum.carriers[i]
            columns[j % 4].image(
                fields.enlarged(fields.sequential(maps[i] / top), 128), width="stretch",
                caption=f"{np.hypot(*w):.1f} cycles, {np.degrees(np.arctan2(w[0], w[1])) % 180:.0f}°",
            )  # fmt: skip
        if spectrum.k > len(order):
            st.caption(f"The {len(order)} strongest of {spectrum.k}.")
    with right:
        st.subheader("Carriers over the spectrum", anchor=False)
        reach = int(min(max(spectrum.shape) // 2, 1.2 * np.abs(spectrum.carriers).max() + cells / 2 + 4))
        fig = fields.carrier_plane(
            global_spectrum(on.signal.mono, max(reach, 4)), spectrum.carriers, cells / 2, spectrum.weight
        )
        st.plotly_chart(fig, key="transport:plane", config=dict(displayModeBar=False))
        st.caption(
            "Grey: the picture's spectrum, dark is strong. Each carrier serves its disc, half the grid's cells wide; "
            "what lies in no disc is missed."
        )
