"""The exact fit against dense least squares, and what S promises: derivatives, nesting, storage."""

import numpy as np
import pytest
import torch

from core.errors import InputError
from core.transport.carriers import KINDS, coverage, find_carriers
from core.transport.fit import SpectrumSettings, fit_spectrum, psnr
from core.transport.penalty import LinePenalty, Penalty
from core.transport.samples import crossed, warped_fringe
from core.transport.solve import solve
from core.transport.spectrum import LocalSpectrum, gradient_energy
from core.transport.splines import Grid, positions
from core.transport.synthesis import LineSynthesis, Synthesis, synthesis

EXACT = dict(iterations=2000, tolerance=1e-13)


def dense(operator) -> tuple[np.ndarray, list[int]]:
    """The matrix of a synthesis, a column for each real number of the coefficients that does anything."""
    zero = operator.adjoint(torch.zeros(1, *operator.shape, dtype=torch.float64))
    columns, at = [], []
    for i in range(zero.numel()):
        for unit in (1.0, 1j):
            s = torch.zeros_like(zero)
            s.view(-1)[i] = unit
            column = operator.forward(s).numpy().ravel()
            if np.abs(column).max() > 0:
                columns.append(column)
                at.append(2 * i + (unit == 1j))
    return np.array(columns).T, at


def small(shape=(16, 14), cells=2, degree=3):
    grid = Grid.over(shape, cells, degree)
    return Synthesis(grid, np.array([[2.0, 1.0], [-1.0, 3.0]]), positions(shape), dtype=torch.float64)


@pytest.mark.parametrize("degree", [1, 3])
@pytest.mark.parametrize("lam", [0.0, 0.3])
def test_the_exact_fit_is_the_dense_least_squares_solution(degree, lam):
    operator, rho = small(degree=degree), 1e-2
    signal = np.random.default_rng(0).standard_normal((1, 16, 14))
    matrix, at = dense(operator)
    price = Penalty(operator.grid, operator.places, rho, lam, dtype=torch.float64)
    n = matrix.shape[1]
    square = np.zeros((n, n))
    zero = operator.adjoint(torch.zeros(1, 16, 14, dtype=torch.float64))
    for column, i in enumerate(at):
        s = torch.zeros_like(zero)
        torch.view_as_real(s).view(-1)[i] = 1.0
        square[:, column] = torch.view_as_real(price.apply(s)).reshape(-1).numpy()[at]
    assert np.allclose(square, square.T, atol=1e-12)
    expected = np.linalg.solve(matrix.T @ matrix + square, matrix.T @ signal.ravel())
    got = solve(operator, torch.tensor(signal), rho=rho, lam=lam, **EXACT)
    numbers = torch.view_as_real(got.coefficients).reshape(-1).numpy()[at]
    assert np.abs(numbers - expected).max() < 1e-6
    without = solve(operator, torch.tensor(signal), rho=0.0, **EXACT)
    plain = matrix @ np.linalg.lstsq(matrix, signal.ravel(), rcond=None)[0]
    assert np.abs(operator.forward(without.coefficients).numpy().ravel() - plain).max() < 1e-6


def test_the_price_of_bending_is_the_sum_of_squared_second_derivatives():
    grid, places = Grid.over((11, 9), 3), positions((11, 9))
    price = Penalty(grid, places, 0.0, 1.0, dtype=torch.float64)
    s = torch.randn(1, 1, *grid.knots, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    y0, x0 = grid.matrix(places[0], 0), grid.matrix(places[1], 1)
    y2, x2 = grid.matrix(places[0], 0, 2), grid.matrix(places[1], 1, 2)
    c, h4 = s[0, 0].numpy(), grid.spacing**4
    expected = h4 * (((y2 @ c @ x0.T) ** 2).sum() + ((y0 @ c @ x2.T) ** 2).sum())
    assert float((s * price.apply(s)).sum()) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("shape", [(40,), (12, 17), (6, 7, 5)])
def test_adjoint_is_the_adjoint(shape):
    grid = Grid.over(shape, 4)
    rng = np.random.default_rng(1)
    operator = Synthesis(grid, rng.uniform(-5, 5, (3, len(shape))), positions(shape), dtype=torch.float64)
    s = torch.tensor(rng.standard_normal((2, 4, *grid.knots)) + 1j * rng.standard_normal((2, 4, *grid.knots)))
    s[:, 0].imag.zero_()
    f = torch.tensor(rng.standard_normal((2, *shape)))
    left = (operator.forward(s) * f).sum()
    right = (torch.view_as_real(s) * torch.view_as_real(operator.adjoint(f))).sum()
    assert float(left) == pytest.approx(float(right), rel=1e-9)


@pytest.mark.parametrize("degree", [1, 3])
def test_a_long_line_gives_what_the_general_synthesis_gives(degree):
    n = 1020
    grid, carriers = Grid.over((n,), 60, degree), np.array([[7.0], [61.5], [200.0]])
    rng = np.random.default_rng(2)
    s = torch.tensor(rng.standard_normal((2, 4, *grid.knots)) + 1j * rng.standard_normal((2, 4, *grid.knots)))
    s[:, 0].imag.zero_()
    line = synthesis(grid, carriers, positions((n,)), dtype=torch.float64)
    general = Synthesis(grid, carriers, positions((n,)), dtype=torch.float64)
    assert isinstance(line, LineSynthesis)
    assert torch.allclose(line.forward(s), general.forward(s), atol=1e-9)
    f = torch.tensor(rng.standard_normal((2, n)))
    assert torch.allclose(line.adjoint(f), general.adjoint(f), atol=1e-8)
    bands = LinePenalty(grid, line.places, 0.1, 0.2, dtype=torch.float64)
    square = Penalty(grid, line.places, 0.1, 0.2, dtype=torch.float64)
    assert torch.allclose(bands.apply(s), square.apply(s), rtol=1e-5, atol=1e-5)
    signal = torch.tensor(rng.standard_normal((1, n)))
    one = solve(line, signal, rho=1e-2, **EXACT)
    two = solve(general, signal, rho=1e-2, **EXACT)
    assert torch.allclose(line.forward(one.coefficients), line.forward(two.coefficients), atol=1e-5)


def test_more_carriers_or_a_finer_grid_never_lower_the_optimum():
    signal = crossed(24)[0][None] - 0.5

    def error(carriers, cells):
        settings = SpectrumSettings(k=len(carriers), cells=cells, ridge=0.0, smoothness=0.0, iterations=2000)
        spectrum = fit_spectrum(signal, settings, carriers=carriers, dtype=torch.float64).spectrum
        return float(np.mean((spectrum.synthesise() - signal) ** 2))

    few = np.array([[0.0, 11.0]])
    more = np.array([[0.0, 11.0], [8.0, 0.0]])
    coarse, wide, fine = error(few, 2), error(more, 2), error(few, 4)
    assert wide <= coarse * (1 + 1e-6) and fine <= coarse * (1 + 1e-6)
    assert wide < 0.9 * coarse and fine < 0.9 * coarse


@pytest.fixture(scope="module")
def fringe() -> LocalSpectrum:
    return fit_spectrum(warped_fringe(48)[0][None], SpectrumSettings(k=4, cells=8)).spectrum


def test_derivatives_of_s_match_finite_differences(fringe):
    rng = np.random.default_rng(3)
    points = rng.uniform(0.1, 0.9, (20, 2))
    h = 1e-5
    s = fringe.coefficients[:, 1:].reshape(1, fringe.k, -1)
    for axis in range(2):
        move = np.eye(2)[axis] * h
        before, after = (s @ fringe.grid.scattered(points + m).T for m in (-move, move))
        exact = s @ fringe.grid.scattered(points, tuple(int(a == axis) for a in range(2))).T
        assert np.abs((after - before) / (2 * h) - exact).max() < 1e-4 * np.abs(exact).max()
    ends = fringe.gradient()
    assert np.allclose(gradient_energy(fringe), (np.abs(ends) ** 2).sum((0, 1, 2)), rtol=1e-5)


def test_signal_is_the_sum_of_its_parts_at_any_resolution(fringe):
    for scale in (1, 2):
        parts = (fringe.maps(scale) * fringe.waves(scale)).sum(1).real
        mean = fringe.synthesise(scale, gains=np.zeros(fringe.k))
        assert np.allclose(mean + parts, fringe.synthesise(scale), atol=1e-4)
    box = (slice(10, 30), slice(4, 9))
    assert np.allclose(fringe.synthesise(2, box=box), fringe.synthesise(2)[:, 10:30, 4:9], atol=1e-4)
    x, y = 0.3, 0.6
    k = fringe.at(np.array([y, x]))
    assert k.shape == (1, 4)


def test_a_wave_of_its_own_carrier_needs_nothing_else():
    y, x = np.meshgrid(*positions((30, 40)), indexing="ij")
    signal = 0.3 + 0.2 * np.cos(2 * np.pi * (4 * x + 6 * y) + 1.0)
    settings = SpectrumSettings(k=1, cells=2, ridge=0.0, smoothness=0.0)
    fitted = fit_spectrum(signal[None], settings, carriers=np.array([[6.0, 4.0]]), dtype=torch.float64)
    assert psnr(signal[None], fitted.spectrum.synthesise()) > 100
    assert np.allclose(np.abs(fitted.spectrum.maps()), 0.2, atol=1e-3)
    assert np.allclose(np.angle(fitted.spectrum.maps()), 1.0, atol=1e-2)
    numbers = 3 * fitted.spectrum.grid.size + 2
    assert fitted.spectrum.stored == numbers


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_carriers_is_finite_repeatable_and_on_one_side(kind):
    signal = warped_fringe(48)[0]
    one, two = (find_carriers(signal, 5, kind=kind, cells=8, seed=4) for _ in range(2))
    assert one.shape == (5, 2) and np.isfinite(one).all() and np.array_equal(one, two) and (one[:, 1] >= 0).all()


def test_carriers_from_the_data_cover_the_fringe_and_random_ones_do_not():
    signal = warped_fringe(64)[0]
    data = coverage(signal, find_carriers(signal, 6, kind="data", cells=12), 12)
    drawn = coverage(signal, find_carriers(signal, 6, kind="random", cells=12), 12)
    assert data > 0.8 and data > drawn + 0.3


def test_flat_tiny_and_broken_signals():
    flat = fit_spectrum(np.full((1, 20, 20), 0.4)).spectrum
    assert np.allclose(flat.synthesise(), 0.4, atol=1e-5)
    assert np.allclose(fit_spectrum(np.full((3, 1, 1), 0.7)).spectrum.synthesise(), 0.7, atol=1e-5)
    with pytest.raises(InputError, match="finite"):
        fit_spectrum(np.full((1, 4, 4), np.nan))


def test_a_saved_spectrum_is_the_same(fringe):
    again = LocalSpectrum.from_arrays(fringe.arrays())
    assert np.array_equal(again.synthesise(), fringe.synthesise()) and again.stored == fringe.stored
    with pytest.raises(ValueError):
        LocalSpectrum.from_arrays({**fringe.arrays(), "cells": np.array([3, 3])})
