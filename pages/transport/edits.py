"""The edits of the view, as the core wants them."""

import numpy as np
import streamlit as st

from core.transport import masks
from core.transport.gains import PRESETS, Edit, Mixer, bands, edit, preset
from core.ui.view import entry
from pages.transport.shown import Shown
from pages.transport.view import decibels

LARGEST_DB = 24.0
LARGEST_PITCH = 12  # semitones
WHERE = {
    "picture": ("everywhere", "rectangle", "drawn"),
    "outline": ("everywhere", "rectangle", "drawn"),
    "sound": ("everywhere", "times"),
    "solid": ("everywhere",),
}


def where(on: Shown, choices: dict) -> str:
    """Where an edit acts."""
    found = entry(choices, "where", "everywhere")
    return found if found in WHERE[on.kind] else "everywhere"


def mask_of(on: Shown, choices: dict) -> np.ndarray | None:
    """`(*shape)` 0..1 where an edit acts, or None where it acts everywhere."""
    found = where(on, choices)
    if found == "everywhere":
        return None
    if found == "drawn":
        return masks.soft(drawn_cells(on, choices), on.signal.shape)
    out = np.zeros(on.signal.shape, dtype=np.float32)
    names = ("rows", "columns") if found == "rectangle" else ("times",)
    spans = (span(choices, name) for name in names)
    out[tuple(slice(round(a * n / 100), round(b * n / 100)) for (a, b), n in zip(spans, out.shape, strict=True))] = 1
    if on.kind == "sound":  # a fade of some milliseconds, which is not heard as a click
        from scipy.ndimage import gaussian_filter1d

        out = gaussian_filter1d(out, 0.005 * on.signal.rate, mode="nearest")
    return out


def drawn_cells(on: Shown, choices: dict) -> np.ndarray:
    """The cells of the region that was drawn by hand."""
    return masks.read(entry(choices, "mask", ""), on.signal.shape)


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
    size = np.linalg.norm(on.spectrum.carriers, axis=1)
    middle = round(float(np.median(size)), 1)
    return entry(choices, "cut", middle, 0.0, float(max(on.signal.shape)))


def presets(on: Shown) -> list[str]:
    """Those that this kind of signal has."""
    return [p for p in PRESETS if p != "one orientation" or on.spectrum.d == 2]


def pitch(on: Shown, choices: dict) -> int:
    """Semitones."""
    return entry(choices, "pitch", 0, -LARGEST_PITCH, LARGEST_PITCH) if on.kind == "sound" else 0


def made(on: Shown, gains: dict, choices: dict, seed: int) -> Edit:
    """One edit from sliders or a preset."""
    mask = mask_of(on, choices)
    name = entry(choices, "preset", "")
    if name in presets(on):
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


def pitches(on: Shown, view) -> np.ndarray | None:
    """`(n,)` factor of the frequencies at each sample, of all edits together; None where none of them moves them."""
    factor = None
    for choices in [*(k.get("edit") or {} for k in view.kept if _whole(k)), view.edit]:
        if steps := pitch(on, choices):
            mask = mask_of(on, choices)
            one = 1 + (2 ** (steps / 12) - 1) * (np.ones(on.signal.shape) if mask is None else mask)
            factor = one if factor is None else factor * one
    return factor


def rendered(on: Shown, view, scale: float = 1.0) -> np.ndarray:
    """`(C, *shape)` the edited signal; at another pitch what the fit missed is left out."""
    factor = pitches(on, view)
    if factor is not None:
        from core.transport.sound import pitched

        return pitched(on.spectrum, factor, edits=every(on, view))
    with_rest = entry(view.edit, "rest", True)
    return _mixer(on.key, with_rest, scale, on).render(every(on, view))


@st.cache_resource(max_entries=4, show_spinner=False)
def _mixer(key: str, with_rest: bool, scale: float, _on: Shown) -> Mixer:
    return Mixer(_on.spectrum, scale, _on.rest if with_rest else None)
