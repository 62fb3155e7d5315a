"""The local spectrum that is on the page: fitted once for each choice, kept by what it follows from."""

import json
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from core.transport.carriers import find_carriers
from core.transport.fit import Fitted, SpectrumSettings, fit_spectrum, psnr
from core.transport.signal import Signal
from core.transport.spectrum import LocalSpectrum
from core.ui.history import History
from core.ui.newest import newest
from core.ui.settings_form import settings_of
from pages.transport.data import Chosen
from pages.transport.view import TransportView

COARSE = 128
MOST_CARRIERS = 48


@dataclass(frozen=True, eq=False)
class Shown:
    """A signal and its local spectrum.

    Attributes:
        key: names everything the spectrum follows from.
        drawn: `(C, H, W)` what the spectrum draws, not clipped.
        psnr: of the clipped drawing, in dB.
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
    def rest(self) -> np.ndarray:
        """`(C, H, W)`: what the fit missed."""
        return self.signal.values - self.drawn


def settings(history: History[TransportView], signal: Signal) -> SpectrumSettings:
    """The settings as they stand; the grid cannot be finer than every second sample."""
    most = {"k": MOST_CARRIERS, "cells": max(2, max(signal.shape) // 2)}
    found = settings_of(SpectrumSettings, history.now.settings, most)
    return replace(found, refine=0, iterations=min(found.iterations, 300))


def get(history: History[TransportView], chosen: Chosen, *, coarse: bool = False) -> Shown:
    """The spectrum of the choices, or that of a smaller copy of the picture, which is there sooner."""
    signal, identity = chosen.signal, chosen.identity
    made = settings(history, signal)
    if coarse:
        signal, identity = _smaller(identity, signal), f"{identity}:coarse"
    with newest("transport:fit"):
        return _fit(json.dumps([identity, made.as_dict(), history.now.seed]), signal, chosen.source, made,
                    history.now.seed, identity)  # fmt: skip


def is_there(history: History[TransportView], chosen: Chosen) -> bool:
    """Whether this session has seen the spectrum of these choices already; notes that it has."""
    seen = st.session_state.setdefault("transport:seen", [])
    key = json.dumps([chosen.identity, settings(history, chosen.signal).as_dict(), history.now.seed])
    known = key in seen
    if not known:
        seen.append(key)
        del seen[:-16]
    return known


@st.cache_resource(max_entries=24, show_spinner=False)
def _fit(key: str, _signal: Signal, _source: str, _settings: SpectrumSettings, seed: int, identity: str) -> Shown:
    grid = min(_settings.cells, max(_signal.shape))
    # the search for carriers costs more than the solve, and does not follow from smoothness or spline
    found = _carriers(json.dumps([identity, _settings.k, _settings.carriers, grid, seed]), _signal, _settings, seed)
    fitted = fit_spectrum(_signal.values, _settings, carriers=found, seed=seed)
    drawn = fitted.spectrum.synthesise()
    decibels = psnr(_signal.values, np.clip(drawn, 0, 1))
    return Shown(_signal, _source, _settings, fitted, drawn, decibels, key, seed)


@st.cache_resource(max_entries=64, show_spinner=False)
def _carriers(key: str, _signal: Signal, _settings: SpectrumSettings, seed: int) -> np.ndarray:
    cells = min(_settings.cells, max(_signal.shape))
    return find_carriers(_signal.mono, _settings.k, kind=_settings.carriers, cells=cells, seed=seed)


@st.cache_resource(max_entries=8, show_spinner=False)
def _smaller(identity: str, _signal: Signal) -> Signal:
    from core.transport.signal import picture_signal

    return picture_signal(np.moveaxis(_signal.values, 0, -1), longest=COARSE, title=_signal.title)
