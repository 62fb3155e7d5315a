"""The edits of the view, as the core wants them."""

import numpy as np
import streamlit as st

from core.transport.gains import PRESETS, Edit, Mixer, bands, edit, preset
from pages.transport.shown import Shown
from pages.transport.view import decibels, entry

LARGEST_DB = 24.0


def rectangle(on: Shown, choices: dict) -> np.ndarray | None:
    """`(H, W)` 1 inside the rectangle of an edit, or None where it acts everywhere."""
    if not entry(choices, "inside", False):
        return None
    out = np.zeros(on.signal.shape, dtype=np.float32)
    (top, bottom), (left, right) = (span(choices, name) for name in ("rows", "columns"))
    h, w = out.shape
    out[round(top * h / 100) : round(bottom * h / 100), round(left * w / 100) : round(right * w / 100)] = 1
    return out


def span(choices: dict, name: str) -> tuple[int, int]:
    """First and last percent of one side of the rectangle."""
    value = choices.get(name)
    fine = (
        isinstance(value, (list, tuple))
        and len(value) == 2
        and all(isinstance(v, int) and not isinstance(v, bool) and 0 <= v <= 100 for v in value)
        and value[0] <= value[1]
    )
    return (value[0], value[1]) if fine else (25, 75)


def frequency_of(on: Shown, choices: dict) -> float:
    """Where a preset cuts, in cycles a side."""
    size = np.hypot(*on.spectrum.carriers.T)
    middle = round(float(np.median(size)), 1)
    return entry(choices, "cut", middle, 0.0, float(max(on.signal.shape)))


def made(on: Shown, gains: dict, choices: dict, seed: int) -> Edit:
    """One edit from sliders or a preset."""
    mask = rectangle(on, choices)
    name = entry(choices, "preset", "")
    if name in PRESETS:
        angle = entry(choices, "angle", 0.0, 0.0, 180.0)
        return preset(on.spectrum, name, frequency=frequency_of(on, choices), angle=angle, seed=seed, mask=mask)
    known = {b.name for b in bands(on.spectrum)}
    return edit(on.spectrum, {n: v for n, v in decibels(gains).items() if n in known}, mask=mask)


def every(on: Shown, view) -> list[Edit]:
    """All edits of a view, those that were kept first."""
    before = [made(on, k.get("gains") or {}, k.get("edit") or {}, view.seed) for k in view.kept if _whole(k)]
    return [*before, made(on, view.gains, view.edit, view.seed)]


def _whole(kept: dict) -> bool:
    return all(isinstance(kept.get(n, {}), dict) for n in ("gains", "edit"))


def rendered(on: Shown, view, scale: float = 1.0) -> np.ndarray:
    """`(C, H, W)` the edited picture."""
    with_rest = entry(view.edit, "rest", True)
    return _mixer(on.key, with_rest, scale, on).render(every(on, view))


@st.cache_resource(max_entries=4, show_spinner=False)
def _mixer(key: str, with_rest: bool, scale: float, _on: Shown) -> Mixer:
    return Mixer(_on.spectrum, scale, _on.rest if with_rest else None)
