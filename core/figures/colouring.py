"""Which colour each sample gets, by its label or by a number."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.figures.palette import MOST_CLASSES, marks, sequential_stops
from core.figures.text import number

OTHER = "other"


@dataclass(frozen=True)
class Colouring:
    """Colours of N samples.

    Attributes:
        colour: `(N,)` index into `classes`, or a share 0..1 along the scale.
        texts: N values in words.
        classes: name, colour and symbol of each class; empty when the colour is a scale.
        scale: title, low, high and colours of the scale, or None.
    """

    colour: np.ndarray
    texts: list[str]
    classes: tuple[tuple[str, str, str], ...] = ()
    scale: dict[str, Any] | None = None


def colouring(values: Any, title: str) -> Colouring:
    """Classes for few different values, else a scale from the 2nd to the 98th percentile of the numbers.

    Of more classes than there are marks the most frequent keep theirs; the rest share one.

    Args:
        values: `(N,)` numbers or texts.
        title: what the values are, with unit.
    """
    values = np.asarray(values)
    numeric = values.dtype.kind in "fiu"
    different = np.unique(values)
    if numeric and (values.dtype.kind == "f" or len(different) > MOST_CLASSES):
        return _scale(values.astype(np.float64), title)
    names, inverse, counts = np.unique(values.astype(str), return_inverse=True, return_counts=True)
    texts = [f"{title} {v}" for v in values.astype(str)]
    order = sorted(range(len(names)), key=lambda i: _natural(names[i]))
    if len(names) > MOST_CLASSES:
        kept = set(np.argsort(-counts, kind="stable")[: MOST_CLASSES - 1].tolist())
        order = [i for i in order if i in kept]
    place = np.full(len(names), len(order))
    place[order] = np.arange(len(order))
    shown = [str(names[i]) for i in order] + ([OTHER] if len(order) < len(names) else [])
    classes = tuple((name, *mark) for name, mark in zip(shown, marks(len(shown)), strict=True))
    return Colouring(place[inverse].astype(np.float64), texts, classes)


def _scale(values: np.ndarray, title: str) -> Colouring:
    low, high = (float(v) for v in np.percentile(values, (2, 98)))
    if not high > low:
        low, high = float(values.min()), float(values.max())
    shares = np.clip((values - low) / ((high - low) or 1.0), 0, 1)
    scale = dict(title=title, low=low, high=high, stops=list(sequential_stops()))
    return Colouring(shares, [f"{title} {number(v)}" for v in values], scale=scale)


def _natural(name: str) -> tuple[int, float, str]:
    try:
        return 0, float(name), name
    except ValueError:
        return 1, 0.0, name
