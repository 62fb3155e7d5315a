"""What the part *Wavelets* draws: this wavelet and the classical ones of its length on the data."""

import json
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from core.datasets import Dataset
from core.errors import InputError
from core.figures.text import number, percent
from core.transforms.look import Look, bank_of, look, presets
from core.transforms.wavelet_model import WaveletModel, WaveletSettings
from core.transforms.wavelets import Bank, Shape, classical, shape
from core.ui.history import History
from pages.transforms.view import TransformsView

PART = "wavelets"


@dataclass(frozen=True, eq=False)
class Shown:
    """What is drawn.

    Attributes:
        bank, shape: of the present angles or of the trained model.
        angles: `(M,)` in degrees, None where the model has none.
        looks: by wavelet, this one first.
    """

    dataset: Dataset
    settings: WaveletSettings
    model: WaveletModel | None
    bank: Bank
    shape: Shape
    angles: list[float] | None
    index: int
    looks: dict[str, Look]

    @property
    def this(self) -> Look:
        return next(iter(self.looks.values()))

    @property
    def title(self) -> str:
        return next(iter(self.looks))


def shown_of(history: History[TransformsView], dataset: Dataset, s: WaveletSettings, model, angles) -> Shown:
    index = history.now.entry(PART, "sample", 0, 0, len(dataset) - 1)
    if angles is not None:
        bank = bank_of(np.radians(angles))
    elif model is not None:
        bank = model.module_.bank()
    else:
        bank = _start(json.dumps([s.as_dict(), history.now.seed]), s, dataset, history.now.seed).module_.bank()
    if not _finite(bank):
        raise InputError("These filters hold numbers that are not finite; start again from a classical wavelet.")
    common = [dataset.identity, index, s.levels, s.keep]
    title = (
        "Learned" if model is not None and (angles is None or "angles" not in history.now.wavelets) else "This wavelet"
    )
    where = angles or [s.as_dict(), history.now.models.get(PART, ""), history.now.seed]
    looks = {title: _look(json.dumps([*common, where]), dataset, index, bank, s.levels, s.keep)}
    for name in presets(s.taps):
        looks[name] = _look(json.dumps([*common, name]), dataset, index, classical(name), s.levels, s.keep)
    return Shown(dataset, s, model, bank, shape(bank), angles, index, looks)


def _finite(bank: Bank) -> bool:
    tensors = [bank.pair] if hasattr(bank, "pair") else [*bank.steps, bank.scale]
    return all(bool(t.isfinite().all()) for t in tensors)


@st.cache_resource(max_entries=256, show_spinner=False)
def _look(key: str, _dataset: Dataset, _index: int, _bank: Bank, _levels: int, _keep: int) -> Look:
    return look(_dataset.samples, _index, _bank, _levels, _keep)


@st.cache_resource(max_entries=8, show_spinner=False)
def _start(key: str, _settings: WaveletSettings, _dataset: Dataset, _seed: int) -> WaveletModel:
    """The filters before any training."""
    return WaveletModel(replace(_settings, steps=0)).fit(_dataset, seed=_seed)


def equal(a: float, b: float) -> bool:
    """Whether two shares of energy are the same for a reader."""
    return abs(a - b) <= 1e-3 * max(a, b)


def worth(on: Shown) -> str:
    """One sentence: this wavelet against the classical ones at equal counts."""
    others = {n: lk.at for n, lk in on.looks.items() if n != on.title}
    mine, keep = on.this.at, min(on.settings.keep, on.dataset.d)
    listed = ", ".join(f"{n} {number(100 * v)} %" for n, v in others.items())
    if not others:
        return f"With the {keep} largest coefficients {number(100 * mine)} % of the energy is lost."
    best = min(others, key=others.get)
    said = f"With the {keep} largest coefficients it loses {number(100 * mine)} % of the energy; {listed}."
    if equal(mine, others[best]):
        return f"{said} It is as good as {best}."
    if mine > others[best]:
        return f"{said} On this data {best} does better."
    return f"{said} That is {percent(1 - mine / others[best])} less than {best}."
