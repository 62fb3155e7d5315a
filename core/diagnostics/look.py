"""What one direction means: its features, its samples, and the directions most like it."""

from typing import Any

import numpy as np

from core.basis import Basis
from core.diagnostics.arrays import flat
from core.diagnostics.codes import code_correlation
from core.diagnostics.geometry import cosines


def attribution(basis: Basis, samples: Any, direction: int) -> np.ndarray:
    """What each feature adds to the weight of a direction: `dual_k * (x - mean)`, which sums to the weight.

    Exact where encoding is linear. `samples` is `(D,)` or `(N, ...)`; the result `(D,)` or `(N, D)`.
    """
    samples = np.asarray(samples, dtype=np.float64)
    samples = samples if samples.ndim == 1 else flat(samples)
    return (samples - basis.mean) * basis.dual[direction].astype(np.float64)


def extremes(codes: Any, direction: int, n: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the `n` samples with the smallest and of the `n` with the largest weight, the most extreme first."""
    order = np.argsort(np.asarray(codes)[:, direction], kind="stable")
    return order[:n], order[::-1][:n]


def quantile_groups(codes: Any, direction: int, groups: int = 5) -> list[np.ndarray]:
    """Indices of the samples in groups of (nearly) equal size by the weight, the smallest weights first.

    With fewer samples than groups there are as many groups as samples.
    """
    order = np.argsort(np.asarray(codes)[:, direction], kind="stable")
    return np.array_split(order, max(1, min(groups, len(order))))


def most_similar(basis: Any, direction: int, n: int = 5) -> list[tuple[int, float]]:
    """The other directions with the largest |cosine|, as (index, cosine), largest first."""
    return _nearest(cosines(basis)[direction], direction, n)


def most_correlated(codes: Any, direction: int, n: int = 5) -> list[tuple[int, float]]:
    """The other directions whose weights have the largest |correlation|, as (index, correlation), largest first."""
    codes = np.asarray(codes)
    return _nearest(code_correlation(codes[:, [direction]], codes)[0], direction, n)


def _nearest(values: np.ndarray, direction: int, n: int) -> list[tuple[int, float]]:
    order = [int(i) for i in np.argsort(-np.abs(values), kind="stable") if i != direction]
    return [(i, float(values[i])) for i in order[:n]]
