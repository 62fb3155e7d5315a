"""Classical bases for curves: trapezoid scores, B-splines, principal functions, partial least squares."""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BSpline
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.linear_model import RidgeCV
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from core.datasets.dataset import Dataset
from core.errors import InputError

BASELINES = ("FPCA", "B-spline", "PLS")


def trapezoid(t: np.ndarray) -> np.ndarray:
    """Weights `(T,)` with which a sum over samples is the trapezoid rule over increasing places t."""
    step = np.diff(np.asarray(t, dtype=np.float64))
    return 0.5 * (np.append(step, 0) + np.insert(step, 0, 0))


def b_splines(t: np.ndarray, count: int, degree: int = 3) -> np.ndarray:
    """`(count, T)` B-splines on equally spaced knots over the range of t; they add up to one.

    Raises:
        InputError: fewer splines than the degree plus one.
    """
    if count <= degree:
        raise InputError(f"Splines of degree {degree} come at least {degree + 1} at a time, not {count}.")
    inner = np.linspace(t[0], t[-1], count - degree + 1)
    knots = np.concatenate([np.full(degree, t[0]), inner, np.full(degree, t[-1])])
    return BSpline.design_matrix(np.asarray(t, dtype=np.float64), knots, degree).toarray().T


@dataclass(frozen=True, eq=False)
class Baseline:
    """A classical basis with a regression on its scores.

    Attributes:
        kind: one of `BASELINES`.
        functions: `(K, T)`.
        rmse, r2: on the test curves.
        predicted: `(M,)` for the test curves.
    """

    kind: str
    functions: np.ndarray
    rmse: float
    r2: float
    predicted: np.ndarray


def baseline(
    kind: str, x: np.ndarray, y: np.ndarray, test_x: np.ndarray, test_y: np.ndarray, k: int, *,
    network: bool = False, t: np.ndarray | None = None, seed: int = 0,
) -> Baseline:  # fmt: skip
    """Fit K functions and predict a number from the scores of curves on them.

    Args:
        x, test_x: `(N, T)`, `(M, T)`.
        y, test_y: `(N,)`, `(M,)`.
        network: a small network on the scores, as AdaFNN has, instead of linear regression.
        t: `(T,)` places; evenly from 0 to 1 when left out.

    Raises:
        InputError: an unknown kind, or more functions than the curves allow.
    """
    t = np.linspace(0, 1, x.shape[1]) if t is None else t
    if k > min(len(x) - 1, x.shape[1]):
        raise InputError(
            f"{len(x)} curves of {x.shape[1]} points allow {min(len(x) - 1, x.shape[1])} functions, not {k}."
        )
    mean = x.mean(axis=0)
    if kind == "FPCA":
        root = np.sqrt(trapezoid(t))  # principal functions are orthonormal under the integral
        functions = PCA(k, random_state=seed).fit((x - mean) * root).components_ / root
    elif kind == "B-spline":
        functions = b_splines(t, max(k, 4))
        if k < 4:
            functions = b_splines(t, k, degree=k - 1)
    elif kind == "PLS":
        functions = PLSRegression(k, scale=False).fit(x - mean, y).x_rotations_.T / trapezoid(t)
    else:
        raise InputError(f"There is no baseline {kind!r}; there are {', '.join(BASELINES)}.")
    weighted = functions * trapezoid(t)
    scores, test_scores = (x - mean) @ weighted.T, (test_x - mean) @ weighted.T
    if kind == "B-spline":  # least-squares coefficients rather than raw integrals, as is usual
        solve = np.linalg.pinv(weighted @ functions.T)
        scores, test_scores = scores @ solve.T, test_scores @ solve.T
    head = (
        MLPRegressor(hidden_layer_sizes=(64, 64), max_iter=400, early_stopping=True, random_state=seed)
        if network
        else RidgeCV(np.geomspace(1e-10, 1e2, 25))
    )
    model = make_pipeline(StandardScaler(), head)
    centre, spread = y.mean(), y.std() or 1.0
    predicted = model.fit(scores, (y - centre) / spread).predict(test_scores) * spread + centre
    error = float(np.mean((predicted - test_y) ** 2))
    return Baseline(kind, functions, error**0.5, 1 - error / max(float(np.var(test_y)), 1e-300), predicted)


def case_three(curves: int = 4000, points: int = 51, seed: int = 0) -> tuple[Dataset, np.ndarray]:
    """Noisy random curves whose target is the square of the score on one cosine (case 3 of Yao and others 2021).

    `X(t) = sum_k c_k phi_k(t)`, `phi_1 = 1`, `phi_k = sqrt(2) cos((k-1) pi t)`, 50 terms, c_k uniform with standard
    deviation z_k (5 for k = 1, 3; 3 for k = 5, 10; else 1); noise of variance 1 on the samples; `y = <phi_5, X>^2` with
    noise of variance 0.2. The function that matters is one of the four of largest variance, so that four principal
    functions and a network do well here too.

    Returns:
        The curves with their targets as labels, and `phi_5 (T,)`.
    """
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, points)
    phi = np.sqrt(2) * np.cos(np.pi * np.arange(50)[:, None] * t)
    phi[0] = 1
    z = np.ones(50)
    z[[0, 2]], z[[4, 9]] = 5, 3
    c = z * rng.uniform(-np.sqrt(3), np.sqrt(3), (curves, 50))
    y = c[:, 4] ** 2
    y = y + np.sqrt(0.2) * rng.standard_normal(curves)
    x = c @ phi + rng.standard_normal((curves, points))
    made = Dataset(
        x,
        "curves",
        title="Squared score (synthetic)",
        labels=y,
        axis="t",
        source="Case 3 of Yao, Mueller and Wang 2021, drawn here.",
        licence="made by the app",
    )
    return made, phi[4]
