"""Small networks trained in the page, for the tabs *Versions* and *Simplex heads*."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import streamlit as st

from core.compatible.samples import digits, few_digits
from core.compatible.versions import Version, VersionSettings, train_versions
from core.errors import InputError
from core.progress import Run
from core.ui.background import background
from core.ui.history import History
from core.ui.settings_form import label
from pages.compatible.view import CompatibleView


@dataclass(frozen=True, eq=False)
class Trained:
    """Versions and the held-out items their features belong to."""

    versions: list[Version]
    y: np.ndarray
    test_y: np.ndarray


def version_settings(
    history: History[CompatibleView], field: str, names: Sequence[str], base: VersionSettings
) -> VersionSettings:
    """Widgets for some of the settings, bound to the dictionary `field` of the view."""
    values = {}
    for f in (f for f in fields(VersionSettings) if f.name in names):
        value = getattr(history.now, field).get(f.name, getattr(base, f.name))
        try:
            VersionSettings.of({f.name: value})
        except InputError:  # an edited link
            value = getattr(base, f.name)
        common = dict(value=value, help=f.metadata["help"])
        if f.metadata["choices"]:
            history.bind(f"{field}.{f.name}", st.selectbox, label(f), f.metadata["choices"], **common)
        elif isinstance(value, int):
            low, high = int(f.metadata["low"]), min(int(f.metadata["high"]), 1000)
            history.bind(f"{field}.{f.name}", st.number_input, label(f), low, high, step=50, **common)
        else:
            low, high = float(f.metadata["low"]), float(f.metadata["high"])
            history.bind(f"{field}.{f.name}", st.number_input, label(f), low, high, **common)
        values[f.name] = value
    return replace(base, **values)


def known_of(text: str) -> tuple[int, ...]:
    """`"5, 10"` as numbers."""
    return tuple(int(n) for n in text.split(","))


def trained(
    place: str, known: tuple[int, ...], settings: VersionSettings, seed: int, *, classes: int = 10, ask: str = ""
) -> Trained | None:
    """The versions, trained in the background once for equal settings; None until they are there."""
    key = "compatible:trained:" + json.dumps([known, settings.as_dict(), seed, classes], sort_keys=True)

    def compute(run: Run) -> Trained | None:
        data = digits(seed) if classes == 10 else few_digits(classes, seed)
        versions = train_versions(*data, known, settings, seed=seed, run=run)
        return None if len(versions) < len(known) else Trained(versions, data[1], data[3])

    what = f"Training {len(known)} small networks on the digits"
    return background(f"compatible:{place}", key, compute, what, ask=ask)
