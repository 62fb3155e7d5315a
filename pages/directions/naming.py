"""What samples and features are called on the page."""

from typing import Any

import numpy as np

from core.diagnostics import Group
from core.figures.text import number, percent
from pages.directions.shown import Fitted


def has_names(fitted: Fitted) -> bool:
    """Whether the samples have names of their own, and not just numbers."""
    return any(name != str(i) for i, name in enumerate(fitted.dataset.names))


def sample_name(fitted: Fitted, index: int, word: str = "") -> str:
    """A sample's name, or `word` and the number it has in the mixer, with its label."""
    own, label = fitted.dataset.names[index], fitted.dataset.labels
    name = f"{word} {index}".strip() if own == str(index) else own
    return name if label is None else f"{name} · {label_text(label[index])}"


def label_text(label: Any) -> str:
    """A label as people read it; a measured number with three digits."""
    return number(label) if isinstance(label, (float, np.floating)) else str(label)


def labels_of(group: Group) -> str:
    """The labels of a group: the most frequent ones, or the middle half of measured numbers."""
    if group.quartiles is not None:
        low, middle, high = map(number, group.quartiles)
        return f"median {middle} (half from {low} to {high})"
    return ", ".join(f"{name}: {percent(share)}" for name, share in group.shares[:4])


def feature_names(fitted: Fitted) -> list[str]:
    """Names of the entries of a sample."""
    return list(fitted.dataset.features or [f"entry {i + 1}" for i in range(fitted.dataset.d)])
