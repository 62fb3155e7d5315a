"""Polynomial bases of a graph and a signal, against QR, eigenvectors and each other."""

import numpy as np
import pytest
import scipy.linalg

from core.errors import InputError
from core.graphs.filters import TARGETS, apply_filter, drawn
from core.graphs.polynomials import KINDS, basis_columns, coordinates, optimal, orthogonality_loss
from core.graphs.regression import RegressionSettings, regress
from core.graphs.samples import image_grid, sample
from core.progress import CallbackRun


@pytest.fixture(scope="module")
def grid():
    made = image_grid(np.random.default_rng(0).random((12, 11)))
    return made.propagation(), made.numbers("grey") - 0.5


def test_optimal_basis_equals_qr_of_the_krylov_matrix(grid):
    p, x = grid
    krylov = np.stack([np.linalg.matrix_power(p.toarray(), k) @ x for k in range(7)], axis=1)
    q, r = np.linalg.qr(krylov)
    ours = optimal(p, x, 6)
    assert np.abs(ours.columns - q * np.sign(np.diag(r))).max() < 1e-10
    assert np.abs(ours.columns.T @ ours.columns - np.eye(7)).max() < 1e-12
    assert np.abs(ours.columns.T @ (p @ ours.columns) - ours.tridiagonal).max() < 1e-12


def test_orthogonality_is_lost_at_high_degree_only_without_reorthogonalisation(grid):
    p, x = grid
    drift = orthogonality_loss(optimal(p, x, 100, reorthogonalise=False).columns)
    kept = orthogonality_loss(optimal(p, x, 100).columns)
    assert drift[5] < 1e-10 and drift[-1] > 1e-3 and (np.diff(drift) >= 0).all()
    assert kept[-1] < 1e-12


def test_a_signal_of_few_eigenvectors_ends_the_basis(grid):
    p, _ = grid
    value, vector = np.linalg.eigh(p.toarray())
    ours = optimal(p, vector[:, [3, 40, 90]].sum(axis=1), 20)
    assert ours.columns.shape[1] == 3
    assert np.abs(np.linalg.eigvalsh(ours.tridiagonal) - value[[3, 40, 90]]).max() < 1e-10


@pytest.mark.parametrize("kind", KINDS)
def test_columns_are_the_polynomials_of_the_eigenvalues(grid, kind):
    p, x = grid
    value, vector = np.linalg.eigh(p.toarray())
    favard = np.linspace(-0.2, 0.2, 5), np.linspace(0.6, 1.2, 6)
    columns = basis_columns(p, x, kind, 5, favard=favard)
    theta = np.arccos(np.clip(value, -1, 1))
    if kind == "monomial":
        h = [value**k for k in range(6)]
    elif kind == "chebyshev":
        h = [np.cos(k * theta) for k in range(6)]
    elif kind == "bernstein":
        from scipy.interpolate import BPoly

        h = [BPoly(np.eye(6)[:, [k]], [0, 2])(1 - value) for k in range(6)]
    elif kind == "favard":  # orthonormal polynomials of the Jacobi matrix, by its characteristic three-term relation
        gamma, root = favard
        h = [np.ones_like(value) / root[0]]
        for k in range(5):
            h.append(((value - gamma[k]) * h[-1] - (root[k] * h[-2] if k else 0)) / root[k + 1])
    else:
        h = list(np.linalg.lstsq(vector.T @ x * np.eye(len(x)), vector.T @ columns, rcond=None)[0].T)
    assert np.abs(columns - vector @ (np.stack(h, 1) * (vector.T @ x)[:, None])).max() < 1e-10
    krylov = optimal(p, x, 5)
    assert np.abs(krylov.columns @ coordinates(krylov, kind, favard=favard) - columns).max() < 1e-10


def test_all_bases_give_one_least_squares_error(grid):
    p, x = grid
    y = apply_filter(p, x, TARGETS["comb"]).signal
    found = regress(p, x, y, RegressionSettings(degree=8, steps=20))
    errors = []
    for kind, fit in found.fits.items():
        favard = (fit.gamma, fit.root_beta) if kind == "favard" else None
        columns = basis_columns(p, x, kind, 8, favard=favard)
        answer, *_ = np.linalg.lstsq(columns, y, rcond=None)
        errors.append(np.mean((columns @ answer - y) ** 2))
        assert fit.error == pytest.approx(errors[-1], rel=1e-6)
        assert fit.condition == pytest.approx(np.linalg.cond(columns), rel=1e-6)
        assert np.abs(columns @ fit.coefficients - found.fitted).max() < 1e-8
        value, vector = np.linalg.eigh(p.toarray())
        gain = np.interp(1 - value, found.eigenvalues, fit.gain)
        assert np.abs(vector @ (gain * (vector.T @ x)) - found.fitted).max() < 1e-2
    assert np.ptp(errors) < 1e-9 * max(errors)


@pytest.mark.parametrize("method", ["gradient", "adam"])
def test_descent_is_fastest_in_the_optimal_basis(grid, method):
    p, x = grid
    y = apply_filter(p, x, TARGETS["band-pass"]).signal
    found = regress(p, x, y, RegressionSettings(degree=8, steps=400, method=method), kinds=("monomial", "optimal"))
    ends = {k: f.curve[-1] for k, f in found.fits.items()}
    assert found.fits["optimal"].condition == pytest.approx(1) and found.fits["monomial"].condition > 100
    assert ends["optimal"] < 1.01 * found.floor + 1e-12 < ends["monomial"]
    assert found.fits["monomial"].curve[0] == pytest.approx(np.mean(y**2))


def test_gradient_descent_equals_a_plain_loop_on_the_full_columns(grid):
    p, x = grid
    y = apply_filter(p, x, TARGETS["low-pass"]).signal
    fit = regress(p, x, y, RegressionSettings(degree=4, steps=30), kinds=("chebyshev",)).fits["chebyshev"]
    columns = basis_columns(p, x, "chebyshev", 4)
    w, rate = np.zeros(5), 1 / np.linalg.norm(columns, 2) ** 2
    for _ in range(30):
        w -= rate * columns.T @ (columns @ w - y)
    assert fit.steps[-1] == 30 and fit.curve[-1] == pytest.approx(np.mean((columns @ w - y) ** 2))


def test_favard_learns_its_recurrence_and_can_be_stopped(grid):
    p, x = grid
    y = apply_filter(p, x, TARGETS["band-pass"]).signal
    settings = RegressionSettings(degree=6, steps=600, lr=0.02)
    fit = regress(p, x, y, settings, kinds=("favard",)).fits["favard"]
    assert np.abs(fit.gamma).max() > 0.01 and (fit.root_beta > 0).all()
    assert fit.curve[-1] < 0.02 * fit.curve[0]
    stopped = regress(p, x, y, settings, kinds=("favard",), run=CallbackRun(lambda _: True)).fits["favard"]
    assert stopped.steps[-1] < 600


def test_filters_by_series_equal_filters_by_eigenvectors(grid):
    p, x = grid
    value, vector = scipy.linalg.eigh(p.toarray())
    for name, g in TARGETS.items():
        exact = vector @ (g(1 - value) * (vector.T @ x))
        dense = apply_filter(p, x, g)
        series = apply_filter(p, x, g, exact=False)
        assert np.abs(dense.signal - exact).max() < 1e-10
        assert np.linalg.norm(series.signal - exact) <= 1.01 * series.error * np.linalg.norm(x) + 1e-9
        assert series.error < (0.02 if name == "comb" else 1e-8)


def test_a_drawn_filter_goes_through_its_points():
    g = drawn([(2, 0), (0, 1), (1, 0.5)])
    assert np.allclose(g(np.array([0, 1, 2])), [1, 0.5, 0]) and (np.diff(g(np.linspace(0, 2, 50))) <= 1e-12).all()
    for bad in ([(0, 1)], [(0, 1), (3, 1)], [(0, 1), (0, 2)], [(0, float("nan")), (1, 1)]):
        with pytest.raises(InputError):
            drawn(bad)


def test_signals_that_do_not_suit_are_refused(grid):
    p, x = grid
    for bad, words in ((x[:-1], "one number for each"), (x * np.nan, "not finite"), (x * 0, "zero")):
        with pytest.raises(InputError, match=words):
            optimal(p, bad, 3)
    with pytest.raises(InputError, match="monomial"):
        basis_columns(p, x, "legendre", 3)
    with pytest.raises(InputError, match="target"):
        regress(p, x, x[:-1])


def test_the_optimal_basis_is_a_basis_of_the_ground_floor():
    roads = sample("roads")
    basis = optimal(roads.propagation(), roads.numbers("pulse"), 8).basis()
    assert basis.orthonormal and basis.d == len(roads)
