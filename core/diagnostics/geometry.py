"""How the directions of one basis lie to each other, and how many count."""

from typing import Any

import numpy as np

from core.diagnostics.arrays import rows, unit


def gram(basis: Any) -> np.ndarray:
    """`(K, K)` inner products of the directions, in double precision."""
    directions = rows(basis)
    return directions @ directions.T


def cosines(basis: Any) -> np.ndarray:
    """`(K, K)` cosines between the directions; a zero direction has cosine 0 to all."""
    directions = unit(rows(basis), axis=1)
    return np.clip(directions @ directions.T, -1, 1)


def coherence(basis: Any) -> float:
    """The largest `|cosine|` between two directions (mutual coherence; 0 for one direction).

    Source: Donoho and Huo 2001.
    """
    c = np.abs(cosines(basis))
    np.fill_diagonal(c, 0)
    return float(c.max())


def orthogonality_error(basis: Any) -> float:
    """The largest entry of `|directions @ directions.T - identity|`."""
    g = gram(basis)
    return float(np.abs(g - np.eye(len(g))).max())


def effective_rank(matrix: Any) -> float:
    """`exp(-sum p log p)` with `p = s / sum s` of the singular values: from 1 to the rank.

    Args:
        matrix: a `Basis` or `(N, D)` array, whose singular values are taken; or `(R,)`, the values themselves.

    Source: Roy and Vetterli 2007.
    """
    p = _shares(_spectrum(matrix))
    p = p[p > 0]
    return float(np.exp(-(p * np.log(p)).sum())) if len(p) else 0.0


def participation_ratio(eigenvalues: Any) -> float:
    """`(sum v)^2 / sum v^2` of variances `(R,)`: how many share the variance about equally."""
    p = _shares(np.maximum(np.asarray(eigenvalues, dtype=np.float64), 0))
    return float(1 / (p**2).sum()) if p.any() else 0.0


def span_variances(basis: Any, codes: Any) -> np.ndarray:
    """Variances of the rebuilt samples along their principal axes, largest first, at most K of them.

    For an orthonormal basis these are the eigenvalues of the covariance of the codes `(N, K)`.
    """
    codes = np.asarray(codes, dtype=np.float64)
    centred = codes - codes.mean(axis=0)
    root = np.linalg.qr(rows(basis).T, mode="r")  # directions = root.T @ q.T with orthonormal rows q.T
    rebuilt = root @ (centred.T @ centred / len(codes)) @ root.T
    return np.maximum(np.linalg.eigvalsh(rebuilt)[::-1], 0)


def _spectrum(matrix: Any) -> np.ndarray:
    values = rows(matrix)
    return np.abs(values) if values.ndim == 1 else np.linalg.svd(values, compute_uv=False)


def _shares(values: np.ndarray) -> np.ndarray:
    total = values.sum()
    return values / total if total > 0 else np.zeros_like(values)
