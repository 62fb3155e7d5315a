"""Groups of samples by the weight of one direction, and what is in them."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.diagnostics.arrays import flat
from core.diagnostics.look import quantile_groups


@dataclass(frozen=True)
class Group:
    """Samples with about the same weight on a direction.

    Attributes:
        indices: of the samples.
        low, high: smallest and largest weight among them.
        mean: `(D,)` mean sample.
        shares: labels with their share of the group, the most frequent first; empty without labels, or where they
            are measured numbers.
        quartiles: of labels that are measured numbers; None otherwise.
    """

    indices: np.ndarray
    low: float
    high: float
    mean: np.ndarray
    shares: tuple[tuple[str, float], ...] = ()
    quartiles: tuple[float, float, float] | None = None


def describe_groups(codes: Any, direction: int, samples: Any, labels: Any = None, groups: int = 5) -> list[Group]:
    """Groups of equal size by weight, smallest weights first.

    Args:
        codes: `(N, K)`.
        samples: `(N, ...)`.
        labels: `(N,)` or None.
    """
    weights, samples = np.asarray(codes)[:, direction], flat(samples)
    labels = None if labels is None else np.asarray(labels)
    out = []
    for indices in quantile_groups(codes, direction, groups):
        mean = samples[indices].mean(axis=0, dtype=np.float64)
        ends = float(weights[indices].min()), float(weights[indices].max())
        out.append(Group(indices, *ends, mean, *_labels(labels, indices)))
    return out


def _labels(labels: np.ndarray | None, indices: np.ndarray) -> tuple:
    if labels is None:
        return (), None
    inside = labels[indices]
    if labels.dtype.kind == "f":
        return (), tuple(float(q) for q in np.percentile(inside, (25, 50, 75)))
    counted = Counter(map(str, inside.tolist())).most_common()
    return tuple((name, count / len(indices)) for name, count in counted), None
