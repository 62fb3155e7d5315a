"""Operators between functions on 0..1, as pairs of sampled inputs and outputs."""

from collections.abc import Callable

import numpy as np
from scipy.integrate import cumulative_trapezoid
from scipy.interpolate import CubicSpline

from core.datasets.dataset import Dataset
from core.errors import InputError

FINE = 1001


def random_functions(count: int, length: float = 0.2, *, seed: int = 0, points: int = FINE) -> np.ndarray:
    """`(count, points)` draws of a Gaussian process on 0..1, covariance `exp(-d^2 / (2 length^2))`."""
    grid = np.linspace(0, 1, 101)
    covariance = np.exp(-((grid[:, None] - grid) ** 2) / (2 * length**2)) + 1e-10 * np.eye(101)
    root = np.linalg.cholesky(covariance)
    coarse = np.random.default_rng(seed).standard_normal((count, 101)) @ root.T
    return CubicSpline(grid, coarse, axis=1)(np.linspace(0, 1, points))


def antiderivative(u: np.ndarray) -> np.ndarray:
    """`s(x) = integral of u from 0 to x`, of `(N, points)` on 0..1."""
    return cumulative_trapezoid(u, dx=1 / (u.shape[1] - 1), axis=1, initial=0)


def pendulum(u: np.ndarray) -> np.ndarray:
    """Angle of a pendulum at rest that is pushed by u: `s'' = -sin s + u`."""
    n = u.shape[1]
    h = 1 / (n - 1)
    middle = CubicSpline(np.linspace(0, 1, n), u, axis=1)(np.linspace(0, 1, n)[:-1] + h / 2)
    state = np.zeros((2, len(u)))
    out = np.zeros_like(u)

    def slope(s: np.ndarray, force: np.ndarray) -> np.ndarray:
        return np.stack([s[1], force - np.sin(s[0])])

    for i in range(n - 1):  # the classical Runge-Kutta rule, all functions at once
        k1 = slope(state, u[:, i])
        k2 = slope(state + h / 2 * k1, middle[:, i])
        k3 = slope(state + h / 2 * k2, middle[:, i])
        k4 = slope(state + h * k3, u[:, i + 1])
        state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        out[:, i + 1] = state[0]
    return out


def heat(u: np.ndarray, time: float = 0.01) -> np.ndarray:
    """Temperature after `time` of a bar that starts at u less its straight line, its ends kept at zero."""
    n = u.shape[1]
    x = np.linspace(0, 1, n)
    start = u - (u[:, :1] + (u[:, -1:] - u[:, :1]) * x)
    k = np.arange(1, n - 1)
    sines = np.sin(np.pi * np.outer(k, x))
    modes = 2 / (n - 1) * start @ sines.T
    return (modes * np.exp(-((np.pi * k) ** 2) * time)) @ sines


OPERATORS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "antiderivative": antiderivative,
    "pendulum": pendulum,
    "heat": heat,
}


def operator_pairs(
    name: str, count: int = 1150, *, sensors: int = 100, points: int = 100, length: float = 0.2, seed: int = 0
) -> Dataset:
    """Output functions as samples, with the input functions beside them in `extra["inputs"]`.

    Args:
        name: one of `OPERATORS`.
        sensors, points: where inputs and outputs are sampled, evenly on 0..1.
        length: correlation length of the inputs.

    Raises:
        InputError: an unknown operator.
    """
    if name not in OPERATORS:
        raise InputError(f"There is no operator {name!r}; there are {', '.join(OPERATORS)}.")
    fine = random_functions(count, length, seed=seed)
    out = OPERATORS[name](fine)
    t = np.linspace(0, 1, fine.shape[1])
    return Dataset(
        CubicSpline(t, out, axis=1)(np.linspace(0, 1, points)),
        "curves",
        title=f"Operator: {name}",
        axis="x",
        source="Gaussian random inputs, solved by the app; the examples of Lu and others 2021.",
        licence="made by the app",
        extra={"inputs": CubicSpline(t, fine, axis=1)(np.linspace(0, 1, sensors)).astype(np.float32)},
    )


def uploaded_pairs(inputs: np.ndarray, outputs: np.ndarray, title: str = "function pairs") -> Dataset:
    """Pairs out of two matrices, one row a function.

    Raises:
        InputError: another number of rows, too few, or entries that are not finite.
    """
    inputs, outputs = np.asarray(inputs, dtype=np.float32), np.asarray(outputs, dtype=np.float32)
    if inputs.ndim != 2 or outputs.ndim != 2 or len(inputs) != len(outputs):
        raise InputError(
            "Inputs and outputs must be two matrices with one row for each function, the same number in both."
        )
    if len(inputs) < 10 or min(inputs.shape[1], outputs.shape[1]) < 3:
        raise InputError("At least ten pairs of functions with three or more points are needed.")
    if not (np.isfinite(inputs).all() and np.isfinite(outputs).all()):
        raise InputError("The functions hold entries that are not finite; remove those rows first.")
    return Dataset(outputs, "curves", title=title, axis="x", extra={"inputs": inputs})
