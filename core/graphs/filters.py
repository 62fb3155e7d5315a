"""Spectral filters: gains over the eigenvalues 0 to 2 of the normalised Laplacian, and their exact action."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.interpolate import PchipInterpolator

from core.errors import InputError

Filter = Callable[[np.ndarray], np.ndarray]

TARGETS: dict[str, Filter] = {
    "low-pass": lambda x: np.exp(-10 * x**2),
    "high-pass": lambda x: 1 - np.exp(-10 * x**2),
    "band-pass": lambda x: np.exp(-10 * (x - 1) ** 2),
    "band-reject": lambda x: 1 - np.exp(-10 * (x - 1) ** 2),
    "comb": lambda x: np.abs(np.sin(np.pi * x)),
}
"""The five test filters of BernNet (He and others 2021)."""

DENSE_NODES = 2000


def drawn(points: Sequence[tuple[float, float]]) -> Filter:
    """A filter through points (eigenvalue, gain) without overshoot (monotone cubic); constant outside them.

    Raises:
        InputError: fewer than two different eigenvalues, values outside 0 to 2, or numbers that are not finite.
    """
    table = np.array(sorted(map(tuple, points)), dtype=float).reshape(-1, 2)
    if len(table) < 2 or not np.isfinite(table).all() or table[0, 0] < 0 or table[-1, 0] > 2:
        raise InputError("A drawn filter needs two or more points with eigenvalues 0 to 2 and finite gains.")
    if (np.diff(table[:, 0]) <= 0).any():
        raise InputError("A drawn filter may have only one gain at each eigenvalue.")
    curve = PchipInterpolator(table[:, 0], table[:, 1])
    return lambda x: curve(np.clip(x, table[0, 0], table[-1, 0]))


@dataclass(frozen=True, eq=False)
class Filtered:
    """A filtered signal.

    Attributes:
        signal: `(N,)`.
        how: `eigenvectors` (exact) or `chebyshev`.
        degree: of the polynomial, 0 for eigenvectors.
        error: for a polynomial, the largest difference from the filter on a fine grid of eigenvalues; the filtered
            signal is off by at most that times the length of the signal.
    """

    signal: np.ndarray
    how: str
    degree: int
    error: float


def apply_filter(
    p: sp.csr_array, x: np.ndarray, g: Filter, *, degree: int = 400, tolerance: float = 1e-10, exact: bool | None = None
) -> Filtered:
    """`g(I - P) x`: by eigenvectors on small graphs, by a Chebyshev series of high degree on others.

    Args:
        degree: highest degree; the series ends earlier where its coefficients are below `tolerance`.
        exact: eigenvectors or not; None decides by the number of nodes.
    """
    x = np.asarray(x, dtype=np.float64)
    if exact if exact is not None else len(x) <= DENSE_NODES:
        value, vector = scipy.linalg.eigh(p.toarray())
        return Filtered(vector @ (g(np.clip(1 - value, 0, 2)) * (vector.T @ x)), "eigenvectors", 0, 0.0)
    nodes = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    series = np.polynomial.chebyshev.Chebyshev(np.polynomial.chebyshev.chebfit(nodes, g(1 - nodes), degree))
    big = np.flatnonzero(np.abs(series.coef) > tolerance * max(1e-300, np.abs(series.coef).max()))
    c = series.coef[: (big[-1] if len(big) else 0) + 1]
    before, now = x, p @ x
    out = c[0] * x + (c[1] * now if len(c) > 1 else 0)
    for k in range(2, len(c)):
        before, now = now, 2 * (p @ now) - before
        out += c[k] * now
    grid = np.linspace(-1, 1, 4001)
    error = float(np.abs(np.polynomial.chebyshev.chebval(grid, c) - g(1 - grid)).max())
    return Filtered(out, "chebyshev", len(c) - 1, error)
