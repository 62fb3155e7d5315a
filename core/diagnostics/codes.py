"""How codes use their directions: activity, sparsity, tails, correlation. Codes are `(N, K)`."""

from typing import Any

import numpy as np

from core.diagnostics.arrays import rows, unit

ACTIVE_SHARE = 1e-4


def active(codes: Any, share: float = ACTIVE_SHARE) -> np.ndarray:
    """`(N, K)` bool: the weight holds more than `share` of the energy `sum c^2` of its code.

    For codes that are exactly sparse that is, but for tiny weights, where they are not zero.
    """
    energy = np.square(np.asarray(codes, dtype=np.float64))
    return energy > share * energy.sum(axis=1, keepdims=True)


def use(codes: Any, share: float = ACTIVE_SHARE) -> np.ndarray:
    """`(K,)` share of samples in which a direction is active (see `active`)."""
    return active(codes, share).mean(axis=0)


def l0(codes: Any, share: float = ACTIVE_SHARE) -> np.ndarray:
    """`(N,)` number of active weights of each code (see `active`)."""
    return active(codes, share).sum(axis=1)


def energy_count(codes: Any, share: float = 0.9) -> np.ndarray:
    """`(N,)` smallest number of weights that hold `share` of a code's energy; 0 for a zero code."""
    energy = -np.sort(-np.square(np.asarray(codes, dtype=np.float64)), axis=1)
    total = energy.sum(axis=1, keepdims=True)
    reached = energy.cumsum(axis=1) >= share * total * (1 - 1e-12)
    return np.where(total[:, 0] > 0, reached.argmax(axis=1) + 1, 0)


def hoyer(codes: Any) -> np.ndarray:
    """`(N,)` sparsity `(sqrt K - |c|_1 / |c|_2) / (sqrt K - 1)`: 0 for equal weights, 1 for a single weight.

    A zero code, and any code of a single direction, counts as 1.

    Source: Hoyer 2004.
    """
    codes = np.abs(np.asarray(codes, dtype=np.float64))
    k = codes.shape[1]
    length = np.linalg.norm(codes, axis=1)
    if k == 1:
        return np.ones(len(codes))
    ratio = np.divide(codes.sum(axis=1), length, out=np.ones(len(codes)), where=length > 0)
    return np.clip((np.sqrt(k) - ratio) / (np.sqrt(k) - 1), 0, 1)


def dead_directions(basis: Any, codes: Any, size: float = 1e-4) -> np.ndarray:
    """`(K,)` bool: the direction's typical contribution is below `size` times the largest one.

    The contribution is the root mean square weight times the direction's length.
    """
    contribution = np.sqrt(np.square(np.asarray(codes, dtype=np.float64)).mean(axis=0))
    contribution = contribution * np.linalg.norm(rows(basis), axis=1)
    largest = contribution.max()
    return contribution < size * largest if largest > 0 else np.ones(len(contribution), dtype=bool)


def excess_kurtosis(codes: Any) -> np.ndarray:
    """`(K,)` fourth central moment over squared variance, minus 3: 0 for normal weights, 0 for constant ones."""
    codes = np.asarray(codes)
    codes = codes if codes.dtype == np.float32 else codes.astype(np.float64)
    centred = codes - codes.mean(axis=0)
    squares = centred * centred
    variance = squares.mean(axis=0, dtype=np.float64)
    fourth = np.einsum("nk,nk->k", squares, squares) / len(codes)
    level = 1e-10 * np.maximum(np.square(codes.mean(axis=0, dtype=np.float64)), np.finfo(np.float32).tiny)
    varies = variance > level  # what is left of a constant column is rounding
    return np.divide(fourth, variance**2, out=np.full(len(variance), 3.0), where=varies) - 3


def code_correlation(codes: Any, others: Any = None) -> np.ndarray:
    """`(K, K)` Pearson correlations of the weights, or `(K, L)` with other codes; constant ones have 0."""
    codes = np.asarray(codes, dtype=np.float64)
    a = unit(codes - codes.mean(axis=0), axis=0)
    if others is None:
        return np.clip(a.T @ a, -1, 1)
    others = np.asarray(others, dtype=np.float64)
    return np.clip(a.T @ unit(others - others.mean(axis=0), axis=0), -1, 1)
