"""Activity, sparsity, tails and correlation of codes, against SciPy, numpy and closed forms."""

import numpy as np
import pytest
from scipy.stats import kurtosis

from core import diagnostics
from core.basis import Basis


def test_active_use_and_l0():
    codes = np.array([[3, 0, 0, 0], [1, -1, 0, 0], [1, 0.5, 0.001, 0], [0, 0, 0, 0]])
    assert diagnostics.active(codes).sum(axis=1).tolist() == [1, 2, 2, 0]  # 0.001 holds less than 1e-4 of the energy
    assert diagnostics.l0(codes).tolist() == [1, 2, 2, 0]
    assert diagnostics.l0(codes, share=1e-9).tolist() == [1, 2, 3, 0]
    assert diagnostics.use(codes).tolist() == [0.75, 0.5, 0, 0]


def test_energy_count():
    codes = np.array([[1, 1, 1, 1], [3, 1, 0, 0], [0, 0, -2, 0], [0, 0, 0, 0]])
    assert diagnostics.energy_count(codes, 0.5).tolist() == [2, 1, 1, 0]
    assert diagnostics.energy_count(codes, 0.9).tolist() == [4, 1, 1, 0]
    assert diagnostics.energy_count(codes, 0.95).tolist() == [4, 2, 1, 0]
    assert diagnostics.energy_count(codes, 1.0).tolist() == [4, 2, 1, 0]


def test_hoyer():
    codes = np.array([[1, 1, 1, 1], [0, -7, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]])
    assert np.allclose(diagnostics.hoyer(codes), [0, 1, (2 - np.sqrt(2)) / (2 - 1), 1])
    assert np.allclose(diagnostics.hoyer(codes * 1e-3), diagnostics.hoyer(codes))
    assert diagnostics.hoyer(np.array([[2.0], [0.0]])).tolist() == [1, 1]


def test_dead_directions():
    basis = Basis([[1, 0], [0, 1], [1e-6, 0], [0, 3]])
    codes = np.array([[1, 0, 5, 1e-6], [-1, 0, 5, 1e-6]])
    assert diagnostics.dead_directions(basis, codes).tolist() == [False, True, True, True]
    assert diagnostics.dead_directions(basis, np.zeros((3, 4))).all()
    assert not diagnostics.dead_directions(basis, np.ones((3, 4)))[[0, 1, 3]].any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_excess_kurtosis_is_scipys(dtype):
    r = np.random.default_rng(0)
    codes = np.column_stack([r.standard_normal(500), r.laplace(size=500) + 4, r.random(500), r.choice([-1, 1], 500)])
    codes = codes.astype(dtype)
    assert np.allclose(diagnostics.excess_kurtosis(codes), kurtosis(codes.astype(float), axis=0), atol=1e-4)


def test_excess_kurtosis_of_constant_weights_is_zero():
    codes = np.column_stack([np.zeros(9), np.full(9, 0.1), np.arange(9)]).astype(np.float32)
    found = diagnostics.excess_kurtosis(codes)
    assert found[:2].tolist() == [0, 0]
    assert found[2] == pytest.approx(kurtosis(np.arange(9)))


def test_correlation_is_numpys():
    codes = np.random.default_rng(1).standard_normal((40, 3))
    codes[:, 2] += codes[:, 0]
    assert np.allclose(diagnostics.code_correlation(codes), np.corrcoef(codes.T))
    other = np.column_stack([codes[:, 1] * -2 + 5, np.ones(40)])
    found = diagnostics.code_correlation(codes, other)
    assert found.shape == (3, 2)
    assert found[1, 0] == pytest.approx(-1)
    assert found[:, 1].tolist() == [0, 0, 0]
