"""What the diagnostics take: a basis or a plain array, samples of any shape, all or some of them."""

from typing import Any

import numpy as np

from core.basis import Basis


def rows(basis: Any) -> np.ndarray:
    """The directions `(K, D)` in double precision, of a `Basis` or an array."""
    return np.asarray(basis.directions if isinstance(basis, Basis) else basis, dtype=np.float64)


def flat(samples: Any) -> np.ndarray:
    """Samples `(N, ...)` as `(N, D)`, without copying."""
    samples = np.asarray(samples)
    return samples.reshape(len(samples), -1)


def some(n: int, most: int, seed: int = 0) -> np.ndarray:
    """Indices of all of `n` samples, or of `most` drawn without repetition, in their order."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


def unit(vectors: np.ndarray, axis: int) -> np.ndarray:
    """Vectors divided by their lengths; a zero vector stays zero."""
    length = np.linalg.norm(vectors, axis=axis, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)


def halves(n: int, seed: int) -> np.ndarray:
    """Indices of half of `n` samples, drawn without repetition, in their order."""
    return some(n, max(2, n // 2), seed)
