"""What a direction means: attribution, extreme samples, groups, neighbours."""

from itertools import pairwise

import numpy as np
import pytest

from core import diagnostics
from core.basis import Basis


@pytest.fixture
def basis():
    r = np.random.default_rng(0)
    return Basis(r.standard_normal((4, 6)), r.standard_normal(6))


def test_attribution_adds_up_to_the_weight(basis):
    x = np.random.default_rng(1).standard_normal((5, 2, 3))
    parts = diagnostics.attribution(basis, x, 2)
    assert parts.shape == (5, 6)
    assert np.allclose(parts.sum(axis=1), basis.encode(x)[:, 2], atol=1e-5)
    assert np.allclose(diagnostics.attribution(basis, x[0].ravel(), 2), parts[0])
    assert np.allclose(diagnostics.attribution(basis, basis.mean, 1), 0)


def test_attribution_is_the_effect_of_putting_a_feature_back_to_the_mean(basis):
    x = np.random.default_rng(2).standard_normal(6)
    without = x.copy()
    without[3] = basis.mean[3]
    effect = basis.encode(x)[1] - basis.encode(without)[1]
    assert diagnostics.attribution(basis, x, 1)[3] == pytest.approx(effect, abs=1e-5)


def test_extremes():
    codes = np.array([[0, 5], [0, -2], [0, 9], [0, 1]])
    low, high = diagnostics.extremes(codes, 1, n=2)
    assert low.tolist() == [1, 3]
    assert high.tolist() == [2, 0]
    low, high = diagnostics.extremes(codes, 1, n=99)
    assert len(low) == len(high) == 4


def test_quantile_groups():
    weights = np.random.default_rng(3).standard_normal(23)
    groups = diagnostics.quantile_groups(weights[:, None], 0, groups=5)
    assert sorted(np.concatenate(groups).tolist()) == list(range(23))
    assert {len(g) for g in groups} == {4, 5}
    assert all(weights[a].max() <= weights[b].min() for a, b in pairwise(groups))
    assert len(diagnostics.quantile_groups(weights[:3, None], 0, groups=5)) == 3


def test_most_similar():
    basis = Basis([[1, 0, 0], [0.6, 0.8, 0], [-0.9, 0, np.sqrt(0.19)], [0, 1, 0]])
    found = diagnostics.most_similar(basis, 0, n=2)
    assert [i for i, _ in found] == [2, 1]
    assert [c for _, c in found] == pytest.approx([-0.9, 0.6], abs=1e-6)
    assert len(diagnostics.most_similar(basis, 0, n=99)) == 3


def test_most_correlated():
    r = np.random.default_rng(4)
    codes = r.standard_normal((300, 4))
    codes[:, 3] = -codes[:, 1] + 0.1 * r.standard_normal(300)
    (index, value), *_ = diagnostics.most_correlated(codes, 1)
    assert index == 3
    assert value == pytest.approx(np.corrcoef(codes[:, 1], codes[:, 3])[0, 1])
