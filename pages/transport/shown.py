"""The local spectrum that is on the page: fitted once for each choice, kept by what it follows from."""

import json
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from core.progress import Run
from core.transport.carriers import find_carriers, spectral_peaks
from core.transport.fit import Fitted, SpectrumSettings, fit_spectrum, psnr, snr
from core.transport.signal import KINDS, Signal
from core.transport.spectrum import LocalSpectrum
from core.transport.splines import Grid
from core.ui.background import background
from core.ui.history import History
from core.ui.newest import newest
from core.ui.settings_form import settings_of
from pages.transport.data import Chosen
from pages.transport.view import TransportView

COARSE = 128
FIRST_STEPS = 12  # of the solve: what is left to do after them is hardly seen
MOST_CARRIERS = 48
SETTINGS = {k: "settings" if k == "picture" else f"{k}_settings" for k in KINDS}  # the field of the view, by kind
_DEFAULTS = {"sound": dict(k=16, cells=120), "outline": dict(k=4, cells=12), "solid": dict(k=8, cells=8)}
_MOST_CELLS = {"picture": 64, "sound": 1000, "outline": 64, "solid": 16}
MOST_REFINED = 200


@dataclass(frozen=True, eq=False)
class Shown:
    """A signal and its local spectrum.

    Attributes:
        key: names everything the spectrum follows from.
        drawn: `(C, *shape)` what the spectrum draws, not clipped.
        psnr: in dB: of a picture the peak, clipped to 0..1; of all else the power of the signal over that of the error.
    """

    signal: Signal
    source: str
    settings: SpectrumSettings
    fitted: Fitted
    drawn: np.ndarray
    psnr: float
    key: str
    seed: int

    @property
    def spectrum(self) -> LocalSpectrum:
        """The local spectrum."""
        return self.fitted.spectrum

    @property
    def kind(self) -> str:
        """Of the signal."""
        return self.signal.kind

    @property
    def rest(self) -> np.ndarray:
        """`(C, *shape)`: what the fit missed."""
        return self.signal.values - self.drawn


def quality(signal: Signal, drawn: np.ndarray) -> float:
    """Decibels, as in `Shown.psnr`."""
    if signal.kind == "picture":
        return psnr(signal.values, np.clip(drawn, 0, 1))
    return snr(signal.values, drawn)


def most_cells(signal: Signal) -> int:
    """The finest grid that is offered: no finer than every second sample."""
    return max(3, min(_MOST_CELLS[signal.kind], max(signal.shape) // 2))


def settings(history: History[TransportView], signal: Signal) -> SpectrumSettings:
    """The settings as they stand for this kind of signal."""
    most = {"k": MOST_CARRIERS, "cells": most_cells(signal), "refine": MOST_REFINED}
    values = {**_DEFAULTS.get(signal.kind, {}), **getattr(history.now, SETTINGS[signal.kind])}
    found = settings_of(SpectrumSettings, values, most)
    return replace(found, iterations=min(found.iterations, 300))


def get(history: History[TransportView], chosen: Chosen, *, coarse: bool = False) -> Shown:
    """The exact fit of the choices; or a coarse one that is there sooner, of a smaller copy where that is large."""
    signal, identity = chosen.signal, chosen.identity
    made = replace(settings(history, signal), refine=0)
    if coarse:
        made = replace(made, iterations=min(made.iterations, FIRST_STEPS))
        if made.carriers == "auto":  # of its two searches the one that takes a sixth of the time
            made = replace(made, carriers="cover")
        if is_large(signal):
            signal, identity = _smaller(identity, signal), f"{identity}:coarse"
    with newest("transport:fit"):
        return _fit(_key(identity, made, history), signal, chosen.source, made, history.now.seed, identity)


def is_large(signal: Signal) -> bool:
    """Whether a smaller copy is fitted first."""
    return signal.kind == "picture" and max(signal.shape) >= 4 * COARSE


def refined(history: History[TransportView], on: Shown) -> Shown:
    """The fit with its carriers moved, where that was asked for and is done; until then progress, and the exact fit."""
    steps = settings(history, on.signal).refine
    if not steps:
        return on
    found = background(
        "transport:refine", f"{on.key}:{steps}",
        lambda run: _moved(on, steps, run), f"Moving the carriers, {steps} steps",
    )  # fmt: skip
    return found or on


def _moved(on: Shown, steps: int, run: Run) -> Shown | None:
    from core.transport.refine import refine

    made = replace(on.settings, refine=steps)
    fitted = refine(on.signal.values, on.fitted, made, steps=steps, run=run)
    if run.should_stop():
        return None
    return _shown(on.signal, on.source, made, fitted, f"{on.key}:refined {steps}", on.seed)


def _key(identity: str, made: SpectrumSettings, history: History[TransportView]) -> str:
    return json.dumps([identity, made.as_dict(), history.now.seed])


def is_there(history: History[TransportView], chosen: Chosen) -> bool:
    """Whether this session has seen the spectrum of these choices already; notes that it has."""
    seen = st.session_state.setdefault("transport:seen", [])
    key = _key(chosen.identity, replace(settings(history, chosen.signal), refine=0), history)
    known = key in seen
    if not known:
        seen.append(key)
        del seen[:-16]
    return known


@st.cache_resource(max_entries=24, show_spinner=False)
def _fit(key: str, _signal: Signal, _source: str, _settings: SpectrumSettings, seed: int, identity: str) -> Shown:
    cells = max(Grid.over(_signal.shape, _settings.cells).cells)  # that of a sound has a few more than were asked for
    # the search for carriers costs more than the solve, and does not follow from smoothness or spline
    key_of_them = json.dumps([identity, _settings.k, _settings.carriers, cells, seed])
    found = _carriers(key_of_them, identity, _signal, _settings, cells, seed)
    fitted = fit_spectrum(_signal.values, _settings, carriers=found, seed=seed)
    return _shown(_signal, _source, _settings, fitted, key, seed)


def _shown(signal: Signal, source: str, made: SpectrumSettings, fitted: Fitted, key: str, seed: int) -> Shown:
    drawn = fitted.spectrum.synthesise()
    return Shown(signal, source, made, fitted, drawn, quality(signal, drawn), key, seed)


@st.cache_resource(max_entries=64, show_spinner=False)
def _carriers(
    key: str, identity: str, _signal: Signal, _settings: SpectrumSettings, cells: int, seed: int
) -> np.ndarray:
    peaks = _peaks(identity, _signal) if _settings.carriers in ("auto", "data") else None
    return find_carriers(_signal.mono, _settings.k, kind=_settings.carriers, cells=cells, seed=seed, peaks=peaks)


@st.cache_resource(max_entries=16, show_spinner=False)
def _peaks(identity: str, _signal: Signal) -> tuple[np.ndarray, np.ndarray]:
    return spectral_peaks(_signal.mono)


@st.cache_resource(max_entries=8, show_spinner=False)
def _smaller(identity: str, _signal: Signal) -> Signal:
    from core.transport.signal import picture_signal

    return picture_signal(np.moveaxis(_signal.values, 0, -1), longest=COARSE, title=_signal.title)
