"""Fit a filter with each polynomial basis: one least-squares answer, very different roads to it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.errors import InputError
from core.graphs.polynomials import KINDS, Krylov, coordinates, optimal, polynomials
from core.progress import Run
from core.settings import Settings, setting
from core.training import steps as loop

CURVE_POINTS = 200
LEAST_ROOT = 0.01  # roots of beta must stay positive


@dataclass(frozen=True)
class RegressionSettings(Settings):
    degree: int = setting(10, "Degree of the polynomials.", low=1, high=200)
    steps: int = setting(500, "Steps of descent.", low=10, high=20_000)
    method: str = setting(
        "gradient", "Plain gradient descent at its best constant step size, or Adam.", choices=("gradient", "adam")
    )
    lr: float = setting(0.01, "Learning rate of Adam, also for Favard's coefficients.", low=1e-5, high=1.0, log=True)
    learn_favard: bool = setting(True, "Learn Favard's recurrence together with the filter, by Adam.", more=True)


@dataclass(frozen=True, eq=False)
class Fit:
    """One basis fitted to one pair of signals.

    Attributes:
        kind: which basis.
        coefficients: `(K+1,)` of the least-squares answer.
        error: mean over the nodes of the squared residual of that answer.
        relative: that residual's length over the target's length.
        condition: condition number of the basis columns.
        steps: `(S,)` step numbers, curve: `(S,)` the same mean squared residual during descent from zero.
        descended: `(K+1,)` coefficients at the end of the descent.
        gain, descended_gain: `(R,)` of the least-squares filter and of the descended one at `eigenvalues`.
        gamma, root_beta: Favard's recurrence after learning, else None.
    """

    kind: str
    coefficients: np.ndarray
    error: float
    relative: float
    condition: float
    steps: np.ndarray
    curve: np.ndarray
    descended: np.ndarray
    gain: np.ndarray
    descended_gain: np.ndarray
    gamma: np.ndarray | None = None
    root_beta: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Regression:
    """All bases on one pair of signals.

    Attributes:
        fits: by kind.
        eigenvalues: `(R,)` of the normalised Laplacian, 0 to 2, where the gains are given.
        krylov: the signal's own basis with its recurrence coefficients.
        fitted: `(N,)` the least-squares answer, the same for all bases.
        floor: its mean squared residual.
        degree: the degree reached, smaller than asked for when the signal's span is complete before.
    """

    fits: dict[str, Fit]
    eigenvalues: np.ndarray
    krylov: Krylov
    fitted: np.ndarray
    floor: float
    degree: int

    def signal(self, kind: str, weights: np.ndarray) -> np.ndarray:
        """`(N,)` the filtered signal for weights `(K+1,)` of that basis."""
        fit = self.fits[kind]
        favard = None if fit.gamma is None else (fit.gamma, fit.root_beta)
        return self.krylov.columns @ (coordinates(self.krylov, kind, favard=favard) @ weights)

    def light(self) -> "Regression":
        """The same without the columns, which are the only thing that is large."""
        return replace(self, krylov=replace(self.krylov, columns=np.empty((0, self.degree + 1))))


def regress(
    p, x: np.ndarray, y: np.ndarray, settings: RegressionSettings | None = None, *, kinds: Sequence[str] = KINDS,
    run: Run | None = None,
) -> Regression:  # fmt: skip
    """Find `y` as a polynomial in P of `x`.

    Everything happens in coordinates of the signal's own basis, where the columns of any basis are a small matrix (see
    `coordinates`); the numbers are those of the full columns.

    Args:
        p: `(N, N)` propagation matrix of a graph.
        x, y: `(N,)` source and target signal.
        kinds: which bases, of `KINDS`.
        run: told of the learning of Favard's coefficients, and asked to stop.

    Raises:
        InputError: signals that do not suit the graph.
    """
    settings = settings or RegressionSettings()
    krylov = optimal(p, x, settings.degree)
    y = np.asarray(y, dtype=np.float64)
    if y.shape != (len(krylov.columns),) or not np.isfinite(y).all():
        raise InputError("The target must have one finite number for each node.")
    n, target = len(y), krylov.columns.T @ y
    size = (
        float(np.linalg.norm(target)) or 1.0
    )  # descents see signals of unit length, so that Adam's rate means the same
    outside = max(float(y @ y - target @ target), float(np.sum((y - krylov.columns @ target) ** 2)))
    grid = np.linspace(0, 2, 401)
    degree = len(target) - 1
    fits = {}
    for kind in kinds:
        favard, learned = None, None
        if kind == "favard" and settings.learn_favard:
            learned = learn_favard(krylov, target / size, settings, run=run)
            favard = learned.gamma, learned.root_beta
        c = coordinates(krylov, kind, favard=favard)
        best, *_ = np.linalg.lstsq(c, target, rcond=None)
        inside = float(np.sum((c @ best - target) ** 2))
        # descents see columns of the signal at unit length
        length = 1.0 if kind == "optimal" else krylov.norm
        if learned is not None:
            descended, number, curve = learned.weights, learned.steps, learned.curve
        else:
            descended, number, curve = descent(c / length, target / size, settings)
        descended = descended * size / (1.0 if learned is not None else length)
        fits[kind] = Fit(
            kind=kind,
            coefficients=best,
            error=(outside + inside) / n,
            relative=float(np.sqrt((outside + inside) / max(y @ y, 1e-300))),
            condition=float(np.linalg.cond(c)),
            steps=number,
            curve=(outside + size**2 * curve) / n,
            descended=descended,
            gain=response(krylov, kind, best, grid, favard=favard),
            descended_gain=response(krylov, kind, descended, grid, favard=favard),
            gamma=None if favard is None else favard[0],
            root_beta=None if favard is None else favard[1],
        )
    return Regression(fits, grid, krylov, krylov.columns @ target, outside / n, degree)


def descent(
    c: np.ndarray, target: np.ndarray, settings: RegressionSettings
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights `w` after descending from zero on `|c w - target|^2`, step numbers, and values at most 200 of them.

    Plain descent uses the step size 1 / L, L the largest curvature.
    """
    w = np.zeros(c.shape[1])
    gram, right = c.T @ c, c.T @ target
    rate = 1 / max(float(np.linalg.eigvalsh(gram)[-1]), 1e-300)
    adam = _Adam(settings.lr, (w,))
    kept = set(np.unique(np.round(np.geomspace(1, settings.steps, CURVE_POINTS)).astype(int)).tolist())
    number, curve = [0], [float(target @ target)]
    for step in range(1, settings.steps + 1):
        slope = gram @ w - right
        if settings.method == "gradient":
            w -= rate * slope
        else:
            adam.step((slope,))
        if step in kept:
            number.append(step)
            curve.append(float(np.sum((c @ w - target) ** 2)))
    return w, np.array(number), np.array(curve)


@dataclass(frozen=True, eq=False)
class _Learned:
    gamma: np.ndarray
    root_beta: np.ndarray
    weights: np.ndarray
    steps: np.ndarray
    curve: np.ndarray


def learn_favard(
    krylov: Krylov, target: np.ndarray, settings: RegressionSettings, *, run: Run | None = None
) -> _Learned:
    """Learn recurrence and filter together (FavardGNN: Guo and Wei 2023).

    Any gamma and any positive beta give polynomials that are orthonormal for some measure (Favard 1935).
    """
    t, many = krylov.tridiagonal, len(target)
    # gamma 0 and beta 1/4 are the recurrence of the Chebyshev polynomials of the second kind, which live on -1 to 1
    gamma, root, weight = np.zeros(max(many - 1, 1)), np.full(many, 0.5), np.zeros(many)
    root[0] = 1.0
    adam = _Adam(settings.lr, (gamma, root, weight))
    kept = set(np.unique(np.round(np.geomspace(1, settings.steps, CURVE_POINTS)).astype(int)).tolist())
    number, curve, metrics, done = [], [], {}, 0
    for step in loop(run or Run(), settings.steps, metrics=metrics):
        residual, slopes = favard_slopes(t, target, gamma, np.maximum(root, LEAST_ROOT), weight)
        if step in kept or step == 0:  # the residual is that of the steps before
            number.append(step)
            curve.append(residual)
        adam.step((slopes[0], np.where(root >= LEAST_ROOT, slopes[1], 0), slopes[2]))
        metrics["residual"], done = residual, step + 1
    number.append(done)
    curve.append(favard_slopes(t, target, gamma, np.maximum(root, LEAST_ROOT), weight)[0])
    return _Learned(
        gamma, _first_scaled(np.maximum(root, LEAST_ROOT), krylov.norm), weight, np.array(number), np.array(curve)
    )


def favard_slopes(
    t: np.ndarray, target: np.ndarray, gamma: np.ndarray, root: np.ndarray, weight: np.ndarray
) -> tuple[float, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The squared residual of Favard's basis in coordinates, and its slopes.

    Written out, because automatic differentiation of so many tiny steps takes ten times as long.

    Args:
        t: `(K+1, K+1)` of `Krylov.tridiagonal`.
        target: `(K+1,)`.
        gamma, root, weight: `(K,)`, `(K+1,)`, `(K+1,)` recurrence (roots of beta) and filter.

    Returns:
        `|sum_k w_k h_k - target|^2` and its derivatives by gamma, root and weight.
    """
    many = len(target)
    h = np.zeros((many, many))  # row k holds h_k
    h[0, 0] = 1 / root[0]
    for k in range(many - 1):
        v = t @ h[k] - gamma[k] * h[k]
        if k:
            v -= root[k] * h[k - 1]
        h[k + 1] = v / root[k + 1]
    rest = weight @ h - target
    back = 2 * np.outer(weight, rest)  # row k becomes the slope by h_k
    by_gamma, by_root = np.zeros_like(gamma), np.zeros_like(root)
    for k in range(many - 2, -1, -1):
        u = back[k + 1] / root[k + 1]
        back[k] += t @ u - gamma[k] * u
        by_gamma[k] -= u @ h[k]
        by_root[k + 1] -= u @ h[k + 1]
        if k:
            back[k - 1] -= root[k] * u
            by_root[k] -= u @ h[k - 1]
    by_root[0] -= back[0] @ h[0] / root[0]
    return float(rest @ rest), (by_gamma, by_root, 2 * h @ rest)


class _Adam:
    """Adam (Kingma and Ba 2015) on arrays, in place."""

    def __init__(self, lr: float, values: tuple[np.ndarray, ...]):
        self.lr, self.values, self.count = lr, values, 0
        self.first, self.second = [np.zeros_like(v) for v in values], [np.zeros_like(v) for v in values]

    def step(self, slopes: tuple[np.ndarray, ...]) -> None:
        """One step against the slopes."""
        self.count += 1
        for value, slope, m, v in zip(self.values, slopes, self.first, self.second, strict=True):
            m += 0.1 * (slope - m)
            v += 0.001 * (slope**2 - v)
            value -= self.lr * (m / (1 - 0.9**self.count)) / (np.sqrt(v / (1 - 0.999**self.count)) + 1e-8)


def _first_scaled(root: np.ndarray, norm: float) -> np.ndarray:
    root[0] *= norm  # h_0 = x / root[0]: the columns are those of the signal as it is
    return root


def response(krylov: Krylov, kind: str, weights: np.ndarray, eigenvalues: np.ndarray, *, favard=None) -> np.ndarray:
    """The gain `sum_k w_k p_k(1 - eigenvalue)` of a filter at eigenvalues of the Laplacian."""
    at = 1 - eigenvalues
    one = np.ones_like(at)
    if kind == "optimal":
        h = [one / krylov.norm]
        for k in range(len(weights) - 1):
            v = (at - krylov.alpha[k]) * h[-1]
            if k:
                v = v - krylov.beta[k - 1] * h[-2]
            h.append(v / krylov.beta[k])
        return np.stack(h, axis=1) @ weights
    return polynomials(lambda v: at * v, one, kind, len(weights) - 1, favard=favard) @ weights
