"""k-means prototypes against scikit-learn and brute force."""

import numpy as np
import pytest
from sklearn.cluster import KMeans as SkKMeans
from sklearn.datasets import make_blobs

from core.datasets.dataset import Dataset
from core.diagnostics import explained_energy
from core.directions.kmeans import KMeans
from core.errors import InputError


@pytest.fixture(scope="module")
def blobs():
    x, labels, centres = make_blobs(300, 4, centers=5, cluster_std=0.5, random_state=0, return_centers=True)
    return Dataset(x, "table"), labels, centres


def test_equals_scikit_learn(blobs):
    data = blobs[0]
    model = KMeans(k=5).fit(data, seed=1)
    expected = SkKMeans(5, n_init=4, random_state=1).fit(data.matrix.astype(float))
    assert np.array_equal(model.nearest(data.samples), expected.labels_)
    assert np.allclose(model.decode(np.eye(5)), expected.cluster_centers_, atol=1e-5)
    assert model.inertia_ == pytest.approx(expected.inertia_)


def test_the_code_is_one_for_the_nearest_and_decodes_to_it(blobs):
    data, _, centres = blobs
    model = KMeans(k=5).fit(data)
    codes = model.encode(data.samples)
    assert np.array_equal(np.sort(codes, axis=1), np.tile([0, 0, 0, 0, 1], (300, 1)))
    prototypes = model.decode(np.eye(5))
    distances = ((data.matrix[:, None] - prototypes[None]) ** 2).sum(axis=2)
    assert np.array_equal(codes.argmax(axis=1), distances.argmin(axis=1))
    assert np.array_equal(model.decode(codes), prototypes[codes.argmax(axis=1)])
    assert max(np.abs(prototypes - c).sum(axis=1).min() for c in centres) < 0.5
    share = codes.mean(axis=0)
    assert np.allclose(model.basis_.scale, np.sqrt(share * (1 - share)), atol=1e-5)


def test_explained_energy_is_the_variance_between_clusters(blobs):
    data = blobs[0]
    model = KMeans(k=5).fit(data)
    x = data.matrix.astype(float)
    total = ((x - x.mean(axis=0)) ** 2).sum()
    shares = explained_energy(model.basis_, model.encode(data.samples), data.samples)
    assert shares.sum() == pytest.approx(1 - model.inertia_ / total, abs=1e-5)


def test_more_prototypes_than_different_samples():
    data = Dataset(np.repeat([[0.0, 1], [2, 3]], 5, axis=0), "table")
    assert KMeans(k=2).fit(data).inertia_ == pytest.approx(0)
    with pytest.raises(InputError, match="only 2 different samples"):
        KMeans(k=3).fit(data)
