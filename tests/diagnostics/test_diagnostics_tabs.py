import itertools

import numpy as np
import pytest

from core import diagnostics
from core.basis import Basis


def data(n=60, d=10, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)


def test_groups_are_quantiles_with_means_and_shares():
    codes, x = data(20, 3), data(20, 4)
    labels = np.where(codes[:, 1] > np.median(codes[:, 1]), "high", "low")
    groups = diagnostics.describe_groups(codes, 1, x, labels, 4)
    assert [len(g.indices) for g in groups] == [5, 5, 5, 5]
    assert all(a.high <= b.low for a, b in itertools.pairwise(groups))
    assert groups[0].shares == (("low", 1.0),) and groups[3].shares == (("high", 1.0),)
    assert np.allclose(groups[2].mean, x[groups[2].indices].mean(axis=0), atol=1e-6)
    assert sorted(np.concatenate([g.indices for g in groups]).tolist()) == list(range(20))


def test_measured_labels_are_quartiles():
    codes = np.arange(10.0)[:, None]
    (group,) = diagnostics.describe_groups(codes, 0, codes, np.arange(10) / 2, 1)
    assert group.quartiles == pytest.approx(np.percentile(np.arange(10) / 2, (25, 50, 75))) and group.shares == ()


def test_error_path_of_an_orthonormal_basis_is_what_its_weights_leave():
    x, basis = data(1, 10)[0], Basis.random(6, 10)
    code = basis.encode(x)
    order = diagnostics.own_order(basis, code)
    path = diagnostics.error_path(basis.decode, code, x, order, range(7))
    expected = 1 - np.concatenate([[0], np.sort(code**2)[::-1].cumsum()]) / (x**2).sum()
    assert np.allclose(path, expected, atol=1e-5) and path[0] == pytest.approx(1)


def test_error_path_agrees_with_the_error_of_the_whole_data():
    x, basis = data(5, 10), Basis(data(7, 10, seed=3))
    codes, order = basis.encode(x), np.random.default_rng(1).permutation(7)
    rms = diagnostics.reconstruction_error(basis, codes, x, order)[2]
    path = diagnostics.error_path(basis.decode, codes[2], x[2], order, range(8))
    assert np.allclose(path, (rms / rms[0]) ** 2, atol=1e-5)


def test_contributions_count_the_length_of_directions():
    assert np.allclose(diagnostics.contributions(np.array([[3.0, 4.0], [1.0, 0.0]]), [-1, 2]), [5, 2])


def test_counts_double_and_end_with_all():
    assert diagnostics.first_counts(1) == [1] and diagnostics.first_counts(8) == [1, 2, 4, 8]
    assert diagnostics.first_counts(11) == [1, 2, 4, 8, 11]


GOOD = dict(explained_energy=0.9, coherence=0.1, dead=0, hoyer=0.6, kurtosis=3.0, kurtosis_high=0.5)
RANDOM = dict(explained_energy=0.4, coherence=0.2, dead=0, hoyer=0.3)


@pytest.mark.parametrize(
    "change, pca, word",
    [
        (dict(explained_energy=0.3), None, "random directions of equal number explain 40.0%"),
        ({}, 0.95, "PCA with as many directions explains 95.0%"),
        (dict(coherence=0.9), None, "more alike"),
        (dict(dead=2), None, "2 of its directions are hardly used"),
        (dict(hoyer=0.2), None, "no sparser"),
        (dict(kurtosis=0.1), None, "not special"),
    ],
)
def test_the_verdict_says_what_is_worse_and_nothing_else(change, pca, word):
    assert diagnostics.verdict(GOOD, RANDOM, 0.9) == []
    (sentence,) = diagnostics.verdict({**GOOD, **change}, RANDOM, pca)
    assert word in sentence


def test_halves_are_half_of_all_and_repeat():
    half = diagnostics.halves(101, 3)
    assert len(set(half.tolist())) == 50 and np.array_equal(half, diagnostics.halves(101, 3))
