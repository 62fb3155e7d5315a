"""Scores of the tab *Compare* against closed forms."""

import numpy as np
import pytest
from sklearn.decomposition import PCA as SkPCA

from core.datasets import Dataset
from core.directions import comparison
from core.errors import InputError
from core.models import family


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return Dataset(rng.standard_normal((200, 6)) * [5, 3, 2, 1, 0.5, 0.1] + 4, "table")


def test_error_of_pca_on_its_own_data_is_the_unexplained_variance(data):
    model = family("directions.pca")(k=3, device="cpu").fit(data)
    score = comparison.score(model, data.matrix.mean(axis=0), data, 0.0)
    expected = 1 - SkPCA(3).fit(data.matrix).explained_variance_ratio_.sum()
    assert score.error == pytest.approx(expected, rel=1e-4)
    assert (score.k, score.stored_basis, score.stored_sample) == (3, 3 * 6 + 6, 3)


def test_one_hot_codes_cost_two_numbers(data):
    model = family("directions.kmeans")(k=5, device="cpu").fit(data)
    score = comparison.score(model, data.matrix.mean(axis=0), data, 0.0)
    assert score.stored_sample == 2
    assert 0 < score.error < 1


def test_split_is_disjoint_complete_and_seeded(data):
    train, held = comparison.split(data, seed=3)
    again, _ = comparison.split(data, seed=3)
    assert len(held) == 40 and set(train.names).isdisjoint(held.names) and len(train) + len(held) == 200
    assert train.fingerprint == again.fingerprint
    assert [len(part) for part in comparison.split(data.take([0, 1, 2]))] == [2, 1]
    with pytest.raises(InputError, match="three samples"):
        comparison.split(data.take([0, 1]))


def test_the_largest_k_within_a_budget():
    k = comparison.equal_numbers_k(10_000, d=64, n=100)
    assert k * (64 + 100) + 64 <= 10_000 < (k + 1) * (64 + 100) + 64
