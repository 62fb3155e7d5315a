"""The equation: F on fields whose law is known, its nulls, its paths, and the joint loss."""

import numpy as np
import pytest
import torch

from core.errors import InputError
from core.transport.fit import SpectrumSettings, fit_spectrum
from core.transport.joint import JointSettings, fit_joint
from core.transport.law import LawSettings, Transport, compare, field_along, fit_law, held_out, spectrum_field
from core.transport.paths import carry, holonomy, loop, polyline, random_paths
from core.transport.race import verdict
from core.transport.samples import photograph, warped_fringe
from core.transport.spectrum import LocalSpectrum
from core.transport.splines import Grid

QUICK = LawSettings(steps=250, width=32, batch=256, rate=1e-2)


def growing() -> LocalSpectrum:
    """Amplitudes `exp(x)` and `exp(-2 y)`, fitted by the splines: grad S = (0, S_1), (-2 S_2, 0)."""
    grid = Grid.over((40, 40), 6)
    x = (np.arange(40) + 0.5) / 40
    wanted = np.stack([np.exp(np.broadcast_to(x, (40, 40))), np.exp(-2 * np.broadcast_to(x[:, None], (40, 40)))])
    by, bx = grid.matrix(x, 0), grid.matrix(x, 1)
    maps = np.stack([np.linalg.pinv(by) @ w @ np.linalg.pinv(bx).T for w in wanted])
    s = np.concatenate([np.zeros((1, *grid.knots)), maps])[None].astype(np.complex64)
    return LocalSpectrum(np.array([[0.0, 9.0], [9.0, 0.0]]), s, grid, (40, 40))


@pytest.fixture(scope="module")
def fringe():
    return fit_spectrum(
        warped_fringe(64)[0][None].astype(np.float32), SpectrumSettings(k=8, cells=12, smoothness=1e-3)
    ).spectrum


@pytest.mark.parametrize("field", ["amplitude", "signed"])
def test_gradient_of_the_field_matches_finite_differences(fringe, field):
    got = spectrum_field(fringe, field)
    some = np.random.default_rng(0).permutation(len(got.places))[:30]
    for axis in range(2):
        move = np.eye(2)[axis] * 1e-4
        ends = [field_along(fringe, got.places[some] + m, field).astype(float) for m in (-move, move)]
        slope = (ends[1] - ends[0]) / 2e-4
        assert np.abs(slope - got.gradient[some, axis]).max() < 0.02 * np.abs(got.gradient).max()


def test_a_field_that_has_a_law_in_s_is_explained_by_s_and_carried():
    spectrum = growing()
    law = fit_law(spectrum, LawSettings(inputs="S", steps=300, width=32, batch=256, rate=1e-2))
    assert law.unexplained < 0.02 and law.size == law.transport.size
    one = carry(spectrum, law, polyline(np.array([[0.1, 0.1], [0.9, 0.9]])))
    assert one.error[-1] < 0.05 < one.constant[-1]
    assert np.allclose(one.true[:, 0], np.exp(one.points[:, 1]), rtol=0.02)
    assert one.length[-1] == pytest.approx(0.8 * np.sqrt(2))
    round_ = carry(spectrum, law, loop(np.array([0.5, 0.5]), 0.2))
    assert holonomy(round_) < 0.05 and np.allclose(round_.points[0], round_.points[-1])


def test_x_and_s_explain_more_than_x_at_equal_size(fringe):
    shares = compare(fringe, QUICK)
    both, alone = shares["x and S"], shares["x"]
    assert both.unexplained < alone.unexplained - 0.1 and both.unexplained < 0.8 and both.seen < alone.seen - 0.1
    assert abs(alone.size - both.size) < 0.1 * both.size and shares["F = 0"] == (1.0, 1.0, 0)


def test_the_carried_amplitude_field_beats_standing_still_on_the_fringe(fringe):
    law = fit_law(fringe, LawSettings(steps=300, width=48, depth=2, noise=0.1, batch=256, rate=1e-2))
    for length in (0.06, 0.25):
        one = carry(fringe, law, random_paths(fringe, length, 32))
        assert one.error[-1] < 0.8 * one.constant[-1]
    assert law.residual.shape == (len(law.length), 2) and law.held.any()


def test_held_out_places_are_whole_tiles():
    held = held_out((48, 36), 0)
    assert 0.05 < held.mean() < 0.5
    flat = held.reshape(48, 36).astype(int)
    assert np.abs(np.diff(flat, axis=0)).sum() < 0.2 * flat.size


def test_signed_paths_that_run_away_stay_finite(fringe):
    law = fit_law(fringe, LawSettings(field="signed", steps=30, width=16, batch=256))
    one = carry(fringe, law, random_paths(fringe, 0.4, 8))
    assert np.isfinite(one.carried).all()


def test_same_seed_same_law(fringe):
    one, two = (fit_law(fringe, LawSettings(steps=20, width=8, batch=128), seed=3) for _ in range(2))
    assert one.unexplained == two.unexplained


def test_a_flat_spectrum_has_nothing_to_explain():
    grid = Grid.over((16, 16), 2)
    s = np.ones((1, 2, *grid.knots), dtype=np.complex64)
    with pytest.raises(InputError, match="flat"):
        fit_law(LocalSpectrum(np.array([[0.0, 3.0]]), s, grid, (16, 16)), QUICK)


def test_inputs_reach_f_only_where_it_is_told_them():
    torch.manual_seed(0)
    x, s = torch.rand(5, 2), torch.rand(5, 3)
    for inputs, moves_x, moves_s in (("x and S", True, True), ("S", False, True), ("x", True, False)):
        net = Transport(2, 3, LawSettings(inputs=inputs, width=8))
        assert net(x, s).shape == (5, 2, 3)
        assert (not torch.allclose(net(x, s), net(x + 0.3, s))) == moves_x
        assert (not torch.allclose(net(x, s), net(x, s + 0.3))) == moves_s


def test_a_large_weight_of_the_joint_loss_flattens_s_and_costs_decibels():
    picture = photograph("camera", 48)[None]
    fitted = fit_spectrum(picture, SpectrumSettings(k=4, cells=6))
    light, heavy = (fit_joint(picture, fitted, JointSettings(weight=w, steps=150)) for w in (0.0, 1.0))
    assert heavy.gradient < 0.7 * light.gradient and heavy.psnr < light.psnr - 1
    assert heavy.unexplained < light.unexplained


@pytest.mark.parametrize("shape", [(1, 1), (12, 20)])
def test_a_flat_signal_is_told_so_and_trains_nothing(shape):
    flat = np.full((1, *shape), 0.3, dtype=np.float32)
    fitted = fit_spectrum(flat, SpectrumSettings(k=2, cells=3))
    with pytest.raises(InputError, match="flat"):
        fit_joint(flat, fitted, JointSettings(steps=10))
    assert "the same everywhere" in verdict(flat, [])
