"""Frequency fields of what is on the page, read once each, and how good they are."""

import numpy as np
import streamlit as st

from core.transport.readouts import FrequencyField, local_residual, read
from core.transport.score import FrequencyScore, agreement, score
from core.transport.signal import Signal
from core.transport.yardsticks import windowed_fft
from pages.transport.shown import Shown


def identity_of(on: Shown) -> str:
    """Names the signal: the yardsticks do not follow from the fit."""
    return on.key.split(", {")[0]


@st.cache_resource(max_entries=24, show_spinner=False)
def _read_of(key: str, kind: str, _on: Shown) -> FrequencyField:
    return read(_on.spectrum, kind)


def read_of(on: Shown, kind: str) -> FrequencyField:
    """The frequency field, read once."""
    return _read_of(on.key, kind, on)


@st.cache_resource(max_entries=24, show_spinner=False)
def _residual_of(key: str, _on: Shown) -> np.ndarray:
    return local_residual(_on.signal.values, _on.drawn, 3.0 if _on.kind != "sound" else sigma_of(_on.signal))


def residual_of(on: Shown) -> np.ndarray:
    """`(*shape)` share of the local variance that the fit misses."""
    return _residual_of(on.key, on)


@st.cache_resource(max_entries=12, show_spinner="The windowed FFT, as a yardstick ...")
def windowed_of(identity: str, _signal: Signal) -> FrequencyField:
    """The windowed FFT's field, which does not follow from the fit."""
    return windowed_fft(_signal.mono, sigma_of(_signal), most=1024)


def sigma_of(signal: Signal) -> float:
    """The window of the yardstick, in samples: 16 ms of a sound, a twentieth of a picture's side."""
    if signal.kind == "sound":
        return max(4.0, 0.016 * signal.rate)
    return max(2.0, min(6.0 * max(signal.shape) / 128, 12.0))


def draw_score(on: Shown, found: FrequencyField) -> None:
    """The read-out against the known frequency, or against the windowed FFT where none is known."""
    identity = identity_of(on)
    yardstick = windowed_of(identity, on.signal)
    if on.signal.frequency is not None:
        st.subheader("Local frequency score", anchor=False)
        rows = {
            "This read-out": score(found, on.signal.frequency),
            "Windowed FFT": score(yardstick, on.signal.frequency),
        }
        st.dataframe(_table(rows), width="stretch")
        st.caption("Against the known frequency of this made signal, away from the edge, from 3 cycles a side on.")
        ours, theirs = rows.values()
        if ours.error > theirs.error:
            st.caption("The windowed FFT reads the frequency better here.")
        return
    st.subheader("Agreement with the windowed FFT", anchor=False)
    st.dataframe(_table({"This read-out": agreement(found, yardstick)}), width="stretch")
    st.caption("No truth is known here, so the peak of the windowed FFT stands in, weighted by its energy.")


def _table(rows: dict[str, FrequencyScore]):
    import pandas as pd

    return pd.DataFrame(
        {
            "correlation": [f"{s.correlation:.3f}" for s in rows.values()],
            "median error": [f"{s.error:.1%}" for s in rows.values()],
            "within 10 %": [f"{s.within:.0%}" for s in rows.values()],
            "angle error": [f"{s.angle:.1f}°" for s in rows.values()],
            "octaves off": [f"{s.octaves:.3f}" for s in rows.values()],
        },
        index=list(rows),
    )
