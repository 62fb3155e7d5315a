"""Tab *Field* of a sound: amplitudes of the carriers beside the spectrogram, the ridge, the spectrum of one moment."""

import numpy as np
import streamlit as st

from core.figures import chart
from core.figures.palette import BASIS, CONTROL, REFERENCE
from core.figures.sounds import add_ridge, on_hertz, time_frequency
from core.figures.text import number
from core.transport.places import place
from core.transport.readouts import KINDS, TITLES
from core.transport.sound import amplitudes, hertz, ridge
from core.transport.yardsticks import windowed_spectrum
from core.ui.history import History
from pages.transport import look
from pages.transport.reading import draw_score, read_of, residual_of, sigma_of
from pages.transport.shown import Shown
from pages.transport.view import TransportView

_PLAIN = dict(displayModeBar=False)


def draw(history: History[TransportView], on: Shown) -> None:
    """Spectrogram with the ridge and |S_i(t)| side by side, one moment below, then the score."""
    signal, rate = on.signal, on.signal.rate
    length = signal.shape[0] / rate
    moment = history.now.entry("field", "time", round(length / 2, 3), 0.0, length)
    left, right = st.columns(2, gap="large")
    with left:
        fig = look.spectrogram(signal.values, rate, height=320)
        top = fig.layout.yaxis.range[1]
        add_ridge(fig, *ridge(on.spectrum, rate), "ridge")
        fig.add_vline(x=moment, line=dict(color="white", width=1))
        st.plotly_chart(fig, key="transport:sound:spectrogram", config=_PLAIN)
        st.caption("**Spectrogram** of the signal; line: the strongest carrier, moved by the slope of its phase.")
    with right:
        _, rows, maps = amplitudes(on.spectrum, rate)
        loud = float(np.percentile(maps, 99.5)) or 1.0
        decibels = 1 + 20 * np.log10(np.maximum(maps / loud, 1e-6)) / 60
        fig = time_frequency(on_hertz(rows, decibels, top), length, top, height=320)
        fig.add_scatter(
            x=np.zeros(len(rows)), y=rows, mode="markers",
            marker=dict(color=REFERENCE, size=7, symbol="triangle-right"),
            hovertemplate="carrier at %{y:.0f} Hz<extra></extra>",
        )  # fmt: skip
        fig.add_vline(x=moment, line=dict(color="white", width=1))
        st.plotly_chart(fig, key="transport:sound:amplitudes", config=_PLAIN)
        st.caption("**|S(t)| of each carrier** over 60 dB, in the band around it; triangles: the carriers.")
    history.bind(
        "field.time", st.slider, "Moment, s", 0.0, float(length), value=moment, step=0.005, format="%.3f",
        help="The moment whose spectrum stands below.",
    )  # fmt: skip
    kind = history.now.entry("field", "readout", "reassigned")
    kind = kind if kind in KINDS else "reassigned"
    history.bind(
        "field.readout", st.selectbox, "Read-out of the score", list(KINDS), value=kind,
        format_func=lambda k: f"{k.capitalize()}: {TITLES[k]}", width=420,
    )  # fmt: skip
    spectrum, score = st.columns([3, 2], gap="large")
    with spectrum:
        _one_moment(on, moment, top)
    with score:
        draw_score(on, read_of(on, kind))


def _one_moment(on: Shown, moment: float, top: float) -> None:
    signal, unit = on.signal, hertz(on.spectrum, on.signal.rate)
    at = min(int(moment * signal.rate), signal.shape[0] - 1)
    here = place(on.spectrum, (at,))
    freqs, power = windowed_spectrum(signal.mono, (at,), sigma=sigma_of(signal))
    heard = freqs >= 0
    size = np.sqrt(power[heard])
    fig = chart.figure("frequency, Hz", "share of the largest", height=280, legend=True)
    fig.add_scatter(
        x=freqs[heard] * unit, y=size / max(float(size.max()), 1e-12), mode="lines", name="windowed FFT",
        line=dict(color=CONTROL, width=2),
    )  # fmt: skip
    share = here.amplitude / max(float(here.amplitude.max()), 1e-12)
    moved = np.abs(here.moved[:, 0]) * unit
    gap = np.full(len(share), np.nan)
    fig.add_scatter(
        x=np.stack([moved, moved, gap], 1).ravel(), y=np.stack([0 * share, share, gap], 1).ravel(), mode="lines",
        line=dict(color=BASIS, width=3), name="carriers, moved by the slope of their phase",
    )  # fmt: skip
    fig.update_xaxes(range=[0, top])
    st.plotly_chart(fig, key="transport:sound:moment", config=_PLAIN)
    missed = float(residual_of(on)[at])
    st.caption(
        f"At {moment:.3f} s: strongest at {number(moved[here.strongest])} Hz. The fit misses {missed:.0%} of the power "
        "around it." + (" The frequencies mean little at this moment." if missed > 0.5 else "")
    )
