"""Rotations that make a matrix simple: the orthomax family (quartimax, varimax, equamax) by planar rotations."""

from collections.abc import Callable, Iterator

import numpy as np


def criterion(a: np.ndarray, gamma: float = 1.0) -> float:
    """The orthomax criterion of loadings `(D, K)`: `sum a^4 - gamma / D * sum_k (sum_d a_dk^2)^2`."""
    squares = np.asarray(a, dtype=np.float64) ** 2
    return float((squares**2).sum() - gamma / len(squares) * (squares.sum(axis=0) ** 2).sum())


def orthomax(
    loadings: np.ndarray,
    gamma: float = 1.0,
    *,
    sweeps: int = 100,
    tolerance: float = 1e-10,
    on_sweep: Callable[[int, float], bool | None] | None = None,
) -> np.ndarray:
    """The orthogonal matrix `R (K, K)` for which `loadings @ R` has a largest orthomax criterion.

    In the plane of two columns the best angle has a closed form, so the criterion never falls, and a start at a
    symmetric point (two equal blocks, mixed by 45 degrees), where iterations by singular values rest on a minimum,
    is left at once. Disjoint pairs of columns do not touch each other: each round of a sweep turns K / 2 pairs.

    Args:
        loadings: `(D, K)`.
        gamma: 0 quartimax, 1 varimax, K / 2 equamax.
        sweeps: at most this many passes over all pairs.
        tolerance: stop when a sweep raises the criterion by less than this share of it, or no pair turns any more.
        on_sweep: told the sweep (from 1) and the criterion; returning True ends there.

    Source: Kaiser 1958 (varimax, planar rotations); Harman 1976 (orthomax).
    """
    a = np.asarray(loadings, dtype=np.float64).T
    k, d = a.shape
    turned = np.hstack([a, np.eye(k)])  # a row for each column of the loadings; the rotation is carried along
    value = criterion(a.T, gamma)
    for sweep in range(1, sweeps + 1):
        largest = 0.0
        for left, right in _rounds(k):
            x, y = turned[left], turned[right]
            angle = _angles(x[:, :d], y[:, :d], gamma)
            cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
            turned[left], turned[right] = x * cos + y * sin, y * cos - x * sin
            largest = max(largest, float(np.abs(angle).max()))
        before, value = value, criterion(turned[:, :d].T, gamma)
        if (on_sweep and on_sweep(sweep, value)) or largest < 1e-7 or value - before <= tolerance * abs(value):
            break
    return turned[:, d:].T


def _angles(x: np.ndarray, y: np.ndarray, gamma: float) -> np.ndarray:
    """The angle, in -45..45 degrees, that maximises the criterion for each pair of rows `(P, D)`."""
    u, v = (x - y) * (x + y), 2 * x * y
    su, sv = u.sum(axis=1), v.sum(axis=1)
    uu, vv, uv = (np.einsum("pd,pd->p", a, b) for a, b in ((u, u), (v, v), (u, v)))
    sine = 2 * uv - 2 * gamma / x.shape[1] * su * sv
    cosine = uu - vv - gamma / x.shape[1] * (su**2 - sv**2)
    # A plane in which every angle is equally good stays as it is: what is left there is rounding.
    flat = np.hypot(sine, cosine) <= 1e-14 * (uu + vv)
    return np.where(flat, 0.0, np.arctan2(sine, cosine) / 4)


def _rounds(k: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Every pair of `0 .. k-1` once, as rounds of disjoint pairs (the circle method of a tournament)."""
    players = list(range(k)) + ([-1] if k % 2 else [])
    half = len(players) // 2
    for _ in range(len(players) - 1):
        pairs = [(p, q) for p, q in zip(players[:half], reversed(players[half:]), strict=True) if p >= 0 and q >= 0]
        if pairs:
            left, right = np.array(pairs).T
            yield left, right
        players = [players[0], players[-1], *players[1:-1]]
