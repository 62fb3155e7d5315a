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
        shares: labels with their share of the group, the most frequent first; empty without labels.
    """

    indices: np.ndarray
    low: float
    high: float
    mean: np.ndarray
    shares: tuple[tuple[str, float], ...] = ()


def describe_groups(codes: Any, direction: int, samples: Any, labels: Any = None, groups: int = 5) -> list[Group]:
    """Groups of equal size by weight, smallest weights first.

    Args:
        codes: `(N, K)`.
        samples: `(N, ...)`.
        labels: `(N,)` or None.
    """
    weights, samples = np.asarray(codes)[:, direction], flat(samples)
    out = []
    for indices in quantile_groups(codes, direction, groups):
        shares: tuple[tuple[str, float], ...] = ()
        if labels is not None:
            counted = Counter(map(str, np.asarray(labels)[indices].tolist())).most_common()
            shares = tuple((name, count / len(indices)) for name, count in counted)
        mean = samples[indices].mean(axis=0, dtype=np.float64)
        out.append(Group(indices, float(weights[indices].min()), float(weights[indices].max()), mean, shares))
    return out
