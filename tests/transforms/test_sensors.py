"""Dead sensors of an operator's input."""

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid

from core.transforms.operators import operator_pairs
from core.transforms.sensors import DRAWS, SHARES, draw_dead, dropout_errors, without


def test_dead_sensors_are_filled_from_the_mean_or_from_their_neighbours():
    u = np.arange(12.0).reshape(2, 6) ** 2
    dead = np.array([True, False, False, True, False, True])
    filled = without(u, dead, "neighbours", np.zeros(6))
    assert np.allclose(filled[0], [1, 1, 4, 10, 16, 16]) and np.allclose(filled[:, ~dead], u[:, ~dead])
    assert np.allclose(without(u, dead, "mean", np.full(6, 7.0))[:, dead], 7)
    assert draw_dead(10, 4, 1).sum() == 4 and draw_dead(10, 99, 1).sum() == 9
    assert (draw_dead(10, 6, 1) | ~draw_dead(10, 4, 1)).all()  # who is dead stays dead


def test_an_exact_operator_errs_only_by_what_the_dead_sensors_hid():
    data = operator_pairs("antiderivative", 30)
    inputs = data.extra["inputs"]
    exact = lambda u: cumulative_trapezoid(u, dx=1 / 99, axis=1, initial=0)  # noqa: E731
    outputs, mean = exact(inputs), inputs.mean(axis=0)
    by_line, by_mean = (dropout_errors(exact, inputs, outputs, fill, mean) for fill in ("neighbours", "mean"))
    assert by_line.shape == (len(SHARES), DRAWS) and np.allclose(by_line[0], 0) and np.allclose(by_mean[0], 0)
    assert by_line[4].mean() < 0.01 < 0.1 < by_mean[4].mean()  # a fifth dead: smooth inputs are known from the rest
    assert (np.diff(by_mean.mean(axis=1)) > 0).all()
    dead = draw_dead(100, 10, 0)
    truth = np.linalg.norm(exact(without(inputs, dead, "mean", mean)) - outputs, axis=1) / np.linalg.norm(
        outputs, axis=1
    )
    assert by_mean[3, 0] == pytest.approx(truth.mean())
