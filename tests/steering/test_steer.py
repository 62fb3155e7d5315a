"""What a steer does to activations, against the same written out in numpy."""

import numpy as np
import pytest
import torch

from core.basis import Basis
from core.errors import InputError
from core.steering.steer import RED, Steer

W = 48


@pytest.fixture
def d():
    return Basis.random(3, W, seed=1).directions.astype(np.float64)


@pytest.fixture
def x():
    return np.random.default_rng(2).normal(size=(5, W)) * 3


def _applied(steer, x):
    return steer.apply(torch.tensor(x, dtype=torch.float32)).numpy()


def test_adding_is_the_sum_of_strength_times_unit_direction(d, x):
    steer = Steer(0, [(5 * d[0], 2.0), (d[1], -0.5)])
    np.testing.assert_allclose(steer.vector(), 2 * d[0] - 0.5 * d[1], atol=1e-6)
    np.testing.assert_allclose(_applied(steer, x), x + 2 * d[0] - 0.5 * d[1], atol=1e-5)


def test_keeping_the_norm_turns_a_token_without_making_it_longer(d, x):
    out = _applied(Steer(0, [(d[0], 4.0)], "keep_norm"), x)
    np.testing.assert_allclose(np.linalg.norm(out, axis=1), np.linalg.norm(x, axis=1), rtol=1e-5)
    moved = x + 4 * d[0]
    cosine = (out * moved).sum(1) / np.linalg.norm(out, axis=1) / np.linalg.norm(moved, axis=1)
    np.testing.assert_allclose(cosine, 1, atol=1e-5)


def test_capping_brings_projections_to_the_strength_from_one_side_only(d, x):
    centre = np.random.default_rng(3).normal(size=W)
    before = (x - centre) @ d.T
    out = _applied(Steer(0, [(d[0], 1.0), (d[1], -2.0)], "cap", centre=centre), x)
    after = (out - centre) @ d.T
    np.testing.assert_allclose(after[:, 0], np.maximum(before[:, 0], 1.0), atol=1e-5)
    np.testing.assert_allclose(after[:, 1], np.minimum(before[:, 1], -2.0), atol=1e-5)
    np.testing.assert_allclose(after[:, 2], before[:, 2], atol=1e-5)


def test_ablating_leaves_nothing_along_directions_that_need_not_be_orthogonal(d, x):
    skew = d[0] + 0.8 * d[1]
    out = _applied(Steer(0, [(d[0], 1.0), (skew, 1.0)], "ablate"), x)
    np.testing.assert_allclose(out @ np.stack([d[0], d[1]]).T, 0, atol=1e-5)
    np.testing.assert_allclose(out @ d[2], x @ d[2], atol=1e-5)


def test_ablating_twice_the_same_direction_is_ablating_it_once(d, x):
    out = _applied(Steer(0, [(d[0], 1.0), (d[0], 2.0)], "ablate"), x)
    np.testing.assert_allclose(out, x - np.outer(x @ d[0], d[0]), atol=1e-5)


def test_a_steer_against_another_direction_changes_nothing_along_it(d, x):
    mixed = 0.6 * d[0] + 0.8 * d[1]
    steer = Steer(0, [(mixed, 2.0)], against=3 * d[1])
    np.testing.assert_allclose(steer.vector(), 2 * 0.6 * d[0], atol=1e-6)
    np.testing.assert_allclose(_applied(steer, x) @ d[1], x @ d[1], atol=1e-5)
    both = Steer(0, [(mixed, 2.0)], against=np.stack([d[0], d[1]]))
    np.testing.assert_allclose(both.vector(), 0, atol=1e-6)


@pytest.mark.parametrize("method", ["add", "keep_norm", "cap", "ablate"])
def test_strength_zero_is_no_steer_at_all(d, method):
    steer = Steer(0, [(d[0], 0.0), (d[1], 0.0)], method)
    assert not steer.active and not steer.vector().any()


def test_a_direction_of_a_file_keeps_its_length(d):
    np.testing.assert_allclose(Steer.of_vector(0, 7.5 * d[0]).vector(), 7.5 * d[0], atol=1e-6)
    assert not Steer.of_vector(0, np.zeros(W)).active


def test_the_length_ratio_is_stopped_at_one_half(tiny, d):
    norm = tiny.token_norm(2)
    steer = Steer(2, [(d[0], 0.3 * norm), (d[1], 0.4 * norm)])
    assert steer.length_ratio(tiny) == pytest.approx(0.5, abs=1e-5)
    far = steer.scaled(4.0).within(tiny)
    assert far.length_ratio(tiny) == pytest.approx(RED) and far.terms[0][1] / far.terms[1][1] == pytest.approx(0.75)
    assert steer.scaled(0.1).within(tiny).strengths == pytest.approx(steer.scaled(0.1).strengths)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda d: Steer(0, [(d[0], 1.0)], "push"), "add, keep_norm, cap, ablate"),
        (lambda d: Steer(0, [(d[0], 1.0)], where="nowhere"), "both, prompt, generated"),
        (lambda d: Steer(0, [(d[0], 1.0), (d[0][:9], 1.0)]), "same width"),
        (lambda d: Steer(0, [(0 * d[0], 1.0)]), "not all zero"),
        (lambda d: Steer(0, [(d[0] * np.nan, 1.0)]), "finite"),
        (lambda d: Steer(0, [(d[0], float("inf"))]), "finite"),
    ],
)
def test_what_is_no_steer_is_refused(d, make, says):
    with pytest.raises(InputError, match=says):
        make(d)


def test_a_steer_for_another_model_is_refused(tiny, d):
    with pytest.raises(InputError, match="blocks 0 to 3"):
        Steer(9, [(d[0], 1.0)]).check(tiny)
    with pytest.raises(InputError, match=r"7 numbers.*have 48"):
        Steer(1, [(d[0][:7], 1.0)]).check(tiny)
