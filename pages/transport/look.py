"""How a signal of each kind is drawn: a picture, a spectrogram that can be heard, a distance, a surface."""

import numpy as np
import streamlit as st

from core.figures import fields
from core.figures.text import number
from core.transport.signal import Signal
from core.ui.frame import abreast

_PLAIN = dict(displayModeBar=False)
_QUIETEST = 70.0  # decibels below the loudest that a spectrogram still shows


def panels(signal: Signal, name: str) -> list:
    """Places for three drawings of a signal; pictures stay beside each other on a phone."""
    return abreast(f"transport-{name}", 3) if signal.kind in ("picture", "outline") else st.columns(3)


def values(place, signal: Signal, drawn: np.ndarray, caption: str, key: str) -> None:
    """A signal `(C, *shape)` of the same kind as another one, with a caption below.

    Args:
        place: where to draw, a container.
        signal: says what kind it is, and its rate or scale.
        key: of the figure.
    """
    with place:
        if signal.kind == "picture":
            st.image(fields.enlarged(fields.shown(drawn)), width="stretch")
        elif signal.kind == "outline":
            st.image(fields.enlarged(fields.distance(drawn[0], _reach(signal))), width="stretch")
        elif signal.kind == "sound":
            st.plotly_chart(spectrogram(drawn, signal.rate), key=f"transport:{key}", config=_PLAIN)
            st.audio(listenable(drawn, signal.rate), format="audio/wav")
        else:
            _surface(drawn, key)
        st.caption(caption)


def error(place, signal: Signal, rest: np.ndarray, name: str, key: str, more: str = "") -> None:
    """A difference of two such signals: blue to orange, or the wave of a sound, or the middle slice of a solid."""
    top = max(float(np.percentile(np.abs(rest), 99.5)), 1e-4)
    with place:
        if signal.kind == "sound":
            st.plotly_chart(_wave(signal, rest), key=f"transport:{key}", config=_PLAIN)
            st.audio(listenable(rest, signal.rate), format="audio/wav")
            st.caption(f"**{name}**, as a wave, over the signal in grey{more}")
            return
        flat = rest if signal.kind != "solid" else rest[:, rest.shape[1] // 2]
        where = ", middle slice" if signal.kind == "solid" else ""
        unit = " of 1" if signal.kind == "picture" else " of the box's side"
        st.image(fields.enlarged(fields.difference(flat, top)), width="stretch")
        st.caption(f"**{name}**{where}, blue to orange is ±{number(top, 2)}{unit}{more}")


def faded(signal: Signal) -> np.ndarray:
    """A picture or outline `(H, W, 3)` as bytes, pale, to draw on."""
    if signal.kind == "outline":
        return fields.dimmed(fields.distance(signal.values[0], _reach(signal)), np.full(signal.shape, 0.3))
    return fields.shown(0.45 + 0.4 * signal.values)


def listenable(wave: np.ndarray, rate: float) -> bytes:
    """A wav of a sound `(C, n)`."""
    from core.transport.sound import wav

    return wav(wave, rate)


def spectrogram(wave: np.ndarray, rate: float, *, height: int = 260):
    """The spectrogram of a sound `(C, n)` as a figure."""
    from core.figures.sounds import time_frequency
    from core.transport.sound import spectrogram as transform

    _, hertz, decibels = transform(wave.mean(0), rate)
    return time_frequency(1 + decibels / _QUIETEST, wave.shape[1] / rate, float(hertz[-1]), height=height)


def _reach(signal: Signal) -> float:
    """The distance at the ends of the colour scale."""
    return max(float(np.abs(signal.values).max()), 1e-6)


def _surface(drawn: np.ndarray, key: str) -> None:
    from core.figures.solids import solid
    from core.transport.shapes import surface

    vertices, faces = surface(drawn[0])
    if len(faces):
        st.plotly_chart(solid(vertices, faces), key=f"transport:{key}", config=_PLAIN)
    else:
        st.caption("There is no surface: the distance nowhere changes its sign.")


def _wave(signal: Signal, rest: np.ndarray):
    from core.figures.chart import figure
    from core.figures.palette import CONTROL, REFERENCE

    fig = figure("time, s", "", height=260)
    n = rest.shape[1]
    at = np.arange(n) / signal.rate
    each = max(1, n // 600)
    for wave, colour in ((signal.values[0], CONTROL), (rest[0], REFERENCE)):
        full = wave[: n // each * each].reshape(-1, each)  # the envelope: lowest and highest of some samples
        ends = np.stack([full.min(1), full.max(1)], 1).ravel()
        x = at[: len(full) * each : each].repeat(2)
        fig.add_scatter(x=x, y=ends, mode="lines", line=dict(color=colour, width=1), hoverinfo="skip")
    return fig
