"""Fit a filter with each polynomial basis: one least-squares answer, very different roads to it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from core.errors import InputError
from core.graphs.polynomials import KINDS, Krylov, coordinates, optimal, polynomials
from core.progress import Run
from core.settings import Settings, setting
from core.training import steps as loop

CURVE_POINTS = 200


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
        gain: `(R,)` of the least-squares filter at `eigenvalues`.
        gamma, root_beta: Favard's recurrence after learning, else None.
    """

    kind: str
    coefficients: np.ndarray
    error: float
    relative: float
    condition: float
    steps: np.ndarray
    curve: np.ndarray
    gain: np.ndarray
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
        if learned is not None:
            number, curve = learned.steps, learned.curve
        else:
            start = c if kind == "optimal" else c / krylov.norm
            number, curve = descent(start, target / size, settings)
        fits[kind] = Fit(
            kind=kind,
            coefficients=best,
            error=(outside + inside) / n,
            relative=float(np.sqrt((outside + inside) / max(y @ y, 1e-300))),
            condition=float(np.linalg.cond(c)),
            steps=number,
            curve=(outside + size**2 * curve) / n,
            gain=response(krylov, kind, best, grid, favard=favard),
            gamma=None if favard is None else favard[0],
            root_beta=None if favard is None else favard[1],
        )
    return Regression(fits, grid, krylov, krylov.columns @ target, outside / n, degree)


def descent(c: np.ndarray, target: np.ndarray, settings: RegressionSettings) -> tuple[np.ndarray, np.ndarray]:
    """Squared residuals `|c w - target|^2` while `w` descends from zero; step numbers and values at most 200 of them.

    Plain descent uses the step size 1 / L, L the largest curvature.
    """
    w = np.zeros(c.shape[1])
    gram, right = c.T @ c, c.T @ target
    rate = 1 / max(float(np.linalg.eigvalsh(gram)[-1]), 1e-300)
    first, second = np.zeros_like(w), np.zeros_like(w)
    kept = set(np.unique(np.round(np.geomspace(1, settings.steps, CURVE_POINTS)).astype(int)).tolist())
    number, curve = [0], [float(target @ target)]
    for step in range(1, settings.steps + 1):
        slope = gram @ w - right
        if settings.method == "gradient":
            w = w - rate * slope
        else:
            first = 0.9 * first + 0.1 * slope
            second = 0.999 * second + 0.001 * slope**2
            unbiased = first / (1 - 0.9**step), second / (1 - 0.999**step)
            w = w - settings.lr * unbiased[0] / (np.sqrt(unbiased[1]) + 1e-12)
        if step in kept:
            number.append(step)
            curve.append(float(np.sum((c @ w - target) ** 2)))
    return np.array(number), np.array(curve)


@dataclass(frozen=True, eq=False)
class _Learned:
    gamma: np.ndarray
    root_beta: np.ndarray
    steps: np.ndarray
    curve: np.ndarray


def learn_favard(
    krylov: Krylov, target: np.ndarray, settings: RegressionSettings, *, run: Run | None = None
) -> _Learned:
    """Learn recurrence and filter together (FavardGNN: Guo and Wei 2023).

    Any gamma and any positive beta give polynomials that are orthonormal for some measure (Favard 1935).
    """
    t = torch.as_tensor(krylov.tridiagonal)
    y = torch.as_tensor(target)
    many = len(target)
    first = torch.zeros(many, dtype=torch.float64)
    first[0] = 1.0
    gamma = torch.zeros(max(many - 1, 1), dtype=torch.float64, requires_grad=True)
    # gamma 0 and beta 1/4 are the recurrence of the Chebyshev polynomials of the second kind, which live on -1 to 1
    root = torch.full((many,), 0.5, dtype=torch.float64)
    root[0] = 1.0
    root.requires_grad_()
    weight = torch.zeros(many, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([gamma, root, weight], lr=settings.lr)
    kept = set(np.unique(np.round(np.geomspace(1, settings.steps, CURVE_POINTS)).astype(int)).tolist())
    number, curve, metrics = [0], [float(y @ y)], {}
    for step in loop(run or Run(), settings.steps, metrics=metrics):
        r = root.clamp(min=0.01)
        h = [first / r[0]]
        for k in range(many - 1):
            v = t @ h[-1] - gamma[k] * h[-1]
            if k:
                v = v - r[k] * h[-2]
            h.append(v / r[k + 1])
        loss = ((torch.stack(h, 1) @ weight - y) ** 2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        metrics["residual"] = loss.detach()
        if step + 1 in kept:
            number.append(step + 1)
            curve.append(float(loss.detach()))
    return _Learned(
        gamma.detach().numpy().copy(),
        _first_scaled(root.detach().clamp(min=0.01).numpy().copy(), krylov.norm),
        np.array(number),
        np.array(curve),
    )


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
