"""Polynomial bases of a graph and a signal: columns `p_k(P) x`, k = 0 .. K."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.special import comb

from core.basis import Basis
from core.errors import InputError

KINDS = ("monomial", "chebyshev", "bernstein", "favard", "optimal")
BREAKDOWN = 1e-12


@dataclass(frozen=True, eq=False)
class Krylov:
    """The signal's own orthonormal polynomial basis (OptBasis: Guo and Wei 2023), which is Lanczos's recurrence.

    `P h_k = beta_{k+1} h_{k+1} + alpha_k h_k + beta_k h_{k-1}`, started at `h_0 = x / |x|`.

    Attributes:
        columns: `(N, K+1)`, orthonormal; fewer than asked for when the signal holds fewer eigenvalues.
        alpha: `(K+1,)`, beta: `(K,)` the recurrence coefficients.
        norm: `|x|`.
    """

    columns: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray
    norm: float

    @property
    def tridiagonal(self) -> np.ndarray:
        """`(K+1, K+1)`: what P does inside the span."""
        return np.diag(self.alpha) + np.diag(self.beta, 1) + np.diag(self.beta, -1)

    def basis(self, mean: np.ndarray | None = None) -> Basis:
        """The columns as directions in the space of all signals on the graph."""
        return Basis(self.columns.T, mean, names=[f"degree {k}" for k in range(self.columns.shape[1])])


def optimal(p: sp.csr_array, x: np.ndarray, degree: int, *, reorthogonalise: bool = True) -> Krylov:
    """The orthonormal basis by the three-term recurrence.

    Args:
        p: `(N, N)` symmetric.
        x: `(N,)`, not zero.
        degree: K >= 0.
        reorthogonalise: take out, twice, what rounding brings back of all earlier columns. Without it the basis is what
            the published layer computes, and loses its orthogonality at high degree.

    Raises:
        InputError: a signal of zeros, of another length, or not finite.
    """
    x = _signal(p, x)
    norm = float(np.linalg.norm(x))
    if norm == 0:
        raise InputError("The signal is zero on every node; a basis of its own needs some other value somewhere.")
    columns = np.empty((len(x), degree + 1), order="F")
    columns[:, 0] = x / norm
    alpha, beta = np.zeros(degree + 1), np.zeros(degree)
    for k in range(degree + 1):
        v = p @ columns[:, k]
        alpha[k] = v @ columns[:, k]
        if k == degree:
            break
        v -= alpha[k] * columns[:, k]
        if k:
            v -= beta[k - 1] * columns[:, k - 1]
        if reorthogonalise:
            for _ in range(2):
                v -= columns[:, : k + 1] @ (columns[:, : k + 1].T @ v)
        beta[k] = np.linalg.norm(v)
        if beta[k] < BREAKDOWN:  # the span is complete: the signal is made of k + 1 eigenvectors
            return Krylov(columns[:, : k + 1].copy(), alpha[: k + 1], beta[:k], norm)
        columns[:, k + 1] = v / beta[k]
    return Krylov(columns, alpha, beta, norm)


def basis_columns(
    p: sp.csr_array, x: np.ndarray, kind: str, degree: int, *, favard: tuple[np.ndarray, np.ndarray] | None = None
) -> np.ndarray:
    """`(N, K+1)` columns `p_k(P) x` of one of `KINDS`.

    Args:
        favard: `gamma (K,)` and `root_beta (K+1,)` of Favard's recurrence; zeros and ones when left out.

    Raises:
        InputError: an unknown kind, or a signal that does not suit.
    """
    x = _signal(p, x)
    if kind == "optimal":
        return optimal(p, x, degree).columns
    return polynomials(lambda v: p @ v, x, kind, degree, favard=favard)


def polynomials(apply, x: np.ndarray, kind: str, degree: int, *, favard=None) -> np.ndarray:
    """The columns for any symmetric operator with spectrum in -1 to 1, `apply(v)`; arguments as in `basis_columns`."""
    h = [x]
    if kind == "monomial":
        for _ in range(degree):
            h.append(apply(h[-1]))
    elif kind == "chebyshev":
        for k in range(degree):
            h.append(apply(h[-1]) if k == 0 else 2 * apply(h[-1]) - h[-2])
    elif kind == "bernstein":  # of the Laplacian I - P over 0 to 2: C(K, k) 2^-K (2I - L)^(K-k) L^k
        h = []
        power = x
        for k in range(degree + 1):
            v = power
            for _ in range(degree - k):
                v = v + apply(v)
            h.append(comb(degree, k) * 2.0**-degree * v)
            power = power - apply(power)
    elif kind == "favard":
        gamma, root = favard if favard is not None else (np.zeros(degree), np.ones(degree + 1))
        h = [x / root[0]]
        for k in range(degree):
            v = apply(h[-1]) - gamma[k] * h[-1]
            if k:
                v = v - root[k] * h[-2]
            h.append(v / root[k + 1])
    else:
        raise InputError(f"There is no polynomial basis {kind!r}; there are {', '.join(KINDS)}.")
    return np.stack(h, axis=1)


def coordinates(krylov: Krylov, kind: str, *, favard=None) -> np.ndarray:
    """`(K+1, K+1)`: the columns of a basis, written in the orthonormal one: `columns = krylov.columns @ C`.

    Exact, because a polynomial of degree up to K in P acts on the signal as the same polynomial in the tridiagonal
    matrix acts on the first unit vector. Everything about fitting can then be asked of a small matrix, whatever the
    graph's size.
    """
    t = krylov.tridiagonal
    first = np.zeros(len(t))
    first[0] = krylov.norm
    if kind == "optimal":
        return np.eye(len(t))
    return polynomials(lambda v: t @ v, first, kind, len(t) - 1, favard=favard)


def orthogonality_loss(columns: np.ndarray) -> np.ndarray:
    """`(K+1,)`: for each k the largest entry of `|G - I|` among the first k + 1 columns."""
    off = np.abs(columns.T @ columns - np.eye(columns.shape[1]))
    return np.maximum.accumulate([off[: k + 1, k].max() for k in range(len(off))])


def _signal(p: sp.csr_array, x: np.ndarray) -> np.ndarray:
    x = np.asarray(x, dtype=np.float64)
    if x.shape != (p.shape[0],):
        raise InputError(f"The graph has {p.shape[0]} nodes; the signal must have one number for each, not {x.size}.")
    if not np.isfinite(x).all():
        raise InputError("The signal holds values that are not finite; fill or remove those nodes first.")
    return x
