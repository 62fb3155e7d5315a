"""The random control: uniform directions about the data's mean."""

import numpy as np
import pytest

from core.basis import Basis
from core.datasets.dataset import Dataset
from core.diagnostics import explained_energy
from core.directions.pca import PCA
from core.directions.random_basis import RandomBasis


@pytest.fixture(scope="module")
def data():
    r = np.random.default_rng(0)
    return Dataset((r.standard_normal((100, 30)) * np.linspace(3, 0.1, 30)).reshape(100, 5, 6) + 2, "images")


def test_directions_do_not_depend_on_the_data(data):
    model = RandomBasis(k=4).fit(data, seed=7)
    assert np.array_equal(model.basis_.directions, Basis.random(4, 30, seed=7).directions)
    assert np.allclose(model.basis_.mean, data.matrix.mean(axis=0), atol=1e-5)
    assert np.allclose(model.basis_.scale, model.encode(data.samples).std(axis=0), rtol=1e-4)
    assert model.basis_.orthonormal


def test_it_explains_its_share_of_dimensions_and_less_than_pca(data):
    shares = []
    for seed in range(40):
        model = RandomBasis(k=6).fit(data, seed=seed)
        shares.append(explained_energy(model.basis_, model.encode(data.samples), data.samples).sum())
    assert np.mean(shares) == pytest.approx(6 / 30, abs=0.03)
    pca = PCA(k=6).fit(data)
    assert explained_energy(pca.basis_, pca.encode(data.samples), data.samples).sum() > max(shares)


def test_more_directions_than_samples_are_fine():
    data = Dataset(np.random.default_rng(1).random((3, 10)), "table")
    assert RandomBasis(k=10).fit(data).basis_.orthonormal
