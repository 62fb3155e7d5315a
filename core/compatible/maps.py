"""Linear maps from the space of a new model to that of an old one, from rigid to free."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy.linalg
from scipy.optimize import brentq

from core.compatible.pairs import Pairs
from core.errors import InputError


@dataclass(frozen=True, eq=False)
class LinearMap:
    """`y = (x - mean_in) @ weight + mean_out`, rows in, rows out.

    Attributes:
        name: `none`, `procrustes`, `affine`, `linear`, `lambda` or `bt2`.
        weight: `(d_in, d_out)` float64.
        mean_in, mean_out: `(d_in,)` and `(d_out,)`; zeros for a map without translation.
        width: how many of the first output columns are compared with the old space; the rest are extra dimensions.
        details: further numbers (`lambda`, steps taken).
    """

    name: str
    weight: np.ndarray
    mean_in: np.ndarray
    mean_out: np.ndarray
    width: int
    details: dict[str, float] = field(default_factory=dict)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Rows `(N, d_in)` to `(N, d_out)` float32, not normalised."""
        weight = self.weight.astype(np.float32)
        return x @ weight + (self.mean_out - self.mean_in @ self.weight).astype(np.float32)

    @property
    def singular_values(self) -> np.ndarray:
        """Largest first: all one for a rigid map."""
        return np.linalg.svd(self.weight, compute_uv=False)

    @property
    def deviation(self) -> float:
        """How far from rigid: the Frobenius norm of `W^T W - I` (`W W^T - I` when the map goes to more dimensions)."""
        return float(np.sqrt(np.sum((self.singular_values**2 - 1) ** 2)))


@dataclass(frozen=True, eq=False)
class Moments:
    """All that a least-squares map needs of the pairs, so that many maps cost one pass over the data.

    Attributes:
        xx: `(d_new, d_new)` mean of `x x^T`, xy: `(d_new, d_old)` mean of `x y^T`, yy: mean of `|y|^2`.
        x, y: means of both sides.
        mean_in, mean_out: what is subtracted before mapping and added after it (zeros when not centred).
    """

    xx: np.ndarray
    xy: np.ndarray
    yy: float
    x: np.ndarray
    y: np.ndarray
    mean_in: np.ndarray
    mean_out: np.ndarray

    def centred(self) -> "Moments":
        """The moments about the means; a map from these has a translation."""
        if self.mean_in is self.x:
            return self
        return Moments(
            self.xx - np.outer(self.x, self.x),
            self.xy - np.outer(self.x, self.y),
            self.yy - float(self.y @ self.y),
            *(self.x, self.y) * 2,
        )

    def loss(self, weight: np.ndarray) -> float:
        """Mean of `|x W - y|^2`."""
        return float(np.sum(weight * (self.xx @ weight - 2 * self.xy)) + self.yy)


def moments(pairs: Pairs, *, centre: bool = False) -> Moments:
    """One pass over the pairs: float32 products of blocks, added up in float64 (float64 throughout for small data).

    Args:
        centre: subtract the means of both sides; the map then has a translation.
    """
    x, y = pairs.new, pairs.old
    small = len(x) * x.shape[1] <= 2**24
    kind = np.float64 if small else np.float32
    xx, xy, yy = np.zeros((x.shape[1],) * 2), np.zeros((x.shape[1], y.shape[1])), 0.0
    for i in range(0, len(x), 4096):
        a, b = x[i : i + 4096].astype(kind, copy=False), y[i : i + 4096].astype(kind, copy=False)
        xx += a.T @ a
        xy += a.T @ b
        yy += float(np.sum(b * b, dtype=np.float64))
    n = len(x)
    mean_x, mean_y = x.mean(axis=0, dtype=np.float64), y.mean(axis=0, dtype=np.float64)
    zeros = np.zeros(x.shape[1]), np.zeros(y.shape[1])
    plain = Moments(xx / n, xy / n, yy / n, mean_x, mean_y, *zeros)
    return plain.centred() if centre else plain


def no_map(d_new: int, d_old: int) -> LinearMap:
    """The new embeddings as they are, cut or continued with zeros to the old width."""
    return LinearMap("none", np.eye(d_new, d_old), np.zeros(d_new), np.zeros(d_old), d_old)


def procrustes(m: Moments) -> LinearMap:
    """The rigid map closest to the pairs (Schönemann 1966): `U V^T` of the singular value decomposition of `X^T Y`.

    Where the widths differ, rows or columns are orthonormal instead, as if the narrower side went on with zeros.
    """
    u, _, vt = scipy.linalg.svd(m.xy, full_matrices=False)
    return LinearMap("procrustes", u @ vt, m.mean_in, m.mean_out, m.xy.shape[1], {"loss": m.loss(u @ vt)})


def least_squares(m: Moments) -> LinearMap:
    """The free map: `W` with the smallest `|X W - Y|`, of smallest norm where there are several.

    Affine when the moments are centred, linear when they are not.
    """
    value, vector = scipy.linalg.eigh(m.xx)
    keep = value > value[-1] * len(value) * np.finfo(float).eps
    weight = (vector[:, keep] / value[keep]) @ (vector[:, keep].T @ m.xy)
    name = "affine" if m.mean_in.any() or m.mean_out.any() else "linear"
    return LinearMap(name, weight, m.mean_in, m.mean_out, m.xy.shape[1], {"loss": m.loss(weight)})


def lambda_orthogonal(
    m: Moments,
    limits: Sequence[float],
    *,
    steps: int = 40,
    tolerance: float = 1e-7,
    start: np.ndarray | None = None,
) -> list[LinearMap]:
    """Maps between rigid and free: the best `W` whose deviation `|W^T W - I|` stays within each limit lambda.

    A penalty that acts only beyond lambda and is made strong enough is this constraint. It is solved by alternating
    directions (Boyd and others 2011): a ridge problem in closed form, then the nearest matrix within the limit, which
    only moves singular values. Limits are taken from small to large, each started from the one before and the first
    from Procrustes, so that the loss never rises along the slider. Limit 0 is Procrustes itself, and a limit that the
    least-squares map keeps gives that map. After "lambda-orthogonality" (2025), whose smooth gate is not used here.

    Args:
        m: of the pairs; `d_new >= d_old` or the other way round.
        limits: values of lambda, at least 0, in any order; the maps come back in that order.
        steps: of the alternation, at most, for each limit.
        tolerance: relative change of the loss under which a limit is done.
        start: `(d_new, d_old)` the answer for a smaller limit, where there is one, in place of Procrustes.

    Raises:
        InputError: a limit that is negative or not a number.
    """
    limits = np.asarray(limits, dtype=float)
    if not (limits >= 0).all():
        raise InputError("The allowed deviation lambda must be zero or larger.")
    rigid, free = procrustes(m), least_squares(m)
    value, vector = scipy.linalg.eigh(m.xx)
    best, found = rigid.weight if start is None else start, {}
    for limit in np.unique(limits):
        if limit == 0:
            found[limit] = rigid
            continue
        if free.deviation <= limit:
            found[limit] = LinearMap(
                "lambda", free.weight, m.mean_in, m.mean_out, m.xy.shape[1], {"lambda": float(limit), **free.details}
            )
            continue
        cut = within(free.weight, float(limit))  # near the free end this is almost the answer
        if m.loss(cut) < m.loss(best):
            best = cut
        best, taken = _alternate(m, value, vector, best, float(limit), steps, tolerance)
        found[limit] = LinearMap(
            "lambda",
            best,
            m.mean_in,
            m.mean_out,
            m.xy.shape[1],
            {"lambda": float(limit), "loss": m.loss(best), "steps": taken},
        )
    return [found[limit] for limit in limits]


def _alternate(m, value, vector, start, limit, steps, tolerance) -> tuple[np.ndarray, int]:
    """The best feasible matrix met on the way, and how many steps it took."""
    z, dual = start, np.zeros_like(start)
    best, loss, before = start, m.loss(start), np.inf
    rho = 2 * float(np.mean(np.maximum(value, 0))) + 1e-12
    taken = 0
    for taken in range(1, steps + 1):
        w = vector @ ((vector.T @ (m.xy + rho * (z - dual))) / (value + rho)[:, None])
        last, z = z, within(w + dual, limit)
        dual += w - z
        now = m.loss(z)
        if now < loss:
            best, loss = z, now
        apart, moved = np.linalg.norm(w - z), np.linalg.norm(z - last)
        if abs(before - now) <= tolerance * m.yy and apart <= 1e-4 * np.linalg.norm(z):
            break
        before = now
        if taken % 5 == 0:  # keep the two residuals of the alternation within a factor of each other
            factor = 2.0 if apart > 5 * moved else 0.5 if moved > 5 * apart else 1.0
            rho, dual = rho * factor, dual / factor
    return best, taken


def within(weight: np.ndarray, limit: float) -> np.ndarray:
    """The matrix nearest to `weight` whose singular values s keep `sum (s^2 - 1)^2 <= limit^2`.

    The singular vectors stay; each value solves `s - s0 + 2 mu s (s^2 - 1) = 0` with one multiplier mu for all,
    found by root search.
    """
    tall = weight.shape[0] >= weight.shape[1]
    # eigenvectors of the small Gram matrix: several times faster than a full decomposition, as exact as needed here
    square, v = scipy.linalg.eigh(weight.T @ weight if tall else weight @ weight.T, check_finite=False)
    s0 = np.sqrt(np.maximum(square, 0))
    if s0[0] < 1e-6 * s0[-1]:
        u, s0, vt = scipy.linalg.svd(weight, full_matrices=False, check_finite=False)
    else:
        u = vt = None
    if np.sum((s0**2 - 1) ** 2) <= limit**2:
        return weight

    def excess(log_mu: float) -> float:
        return float(np.sqrt(np.sum((_shrunk(s0, np.exp(log_mu)) ** 2 - 1) ** 2)) / limit - 1)

    high = 0.0
    while excess(high) > 0:
        high += 5
    s = _shrunk(s0, np.exp(brentq(excess, -40, high, xtol=1e-10)))
    norm = np.sqrt(np.sum((s**2 - 1) ** 2))
    if norm > limit:  # the root is found to rounding only; stay inside
        s = np.sqrt(1 + (s**2 - 1) * (limit / norm))
    if u is not None:
        return (u * s) @ vt
    change = (v * (s / s0)) @ v.T
    return weight @ change if tall else change @ weight


def _shrunk(s0: np.ndarray, mu: float) -> np.ndarray:
    """The minimiser of `(s - s0)^2 + mu (s^2 - 1)^2` over `s >= 0`, by Newton's method from above."""
    s = np.maximum(s0, 1.0)
    for _ in range(100):
        slope = (s - s0) + 2 * mu * s * (s**2 - 1)
        curve = 1 + 2 * mu * (3 * s**2 - 1)
        step = slope / curve
        s = s - step
        if np.abs(step).max() < 1e-14:
            break
    return s
