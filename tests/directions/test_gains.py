"""Factors of an edit."""

import numpy as np

from core.directions.gains import gains


def test_factors_give_the_edit_back_and_zero_weights_stay():
    own = np.array([2.0, -1.0, 0.0, 4.0, 0.0])
    edited = np.array([1.0, 1.0, 0.0, 0.0, 3.0])
    factors = gains(own, edited)
    assert np.allclose(factors, [0.5, -1.0, 1.0, 0.0, 1.0])
    assert np.allclose(factors[:4] * own[:4], edited[:4])


def test_factors_are_bounded():
    assert gains(np.array([1e-3, 1.0]), np.array([5.0, 1.0]))[0] == 10.0


def test_an_untouched_code_has_factors_one():
    assert (gains(np.zeros(3), np.zeros(3)) == 1).all()
