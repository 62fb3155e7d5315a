"""ICA against scikit-learn, and planted independent sources."""

import numpy as np
import pytest
from sklearn.decomposition import FastICA

from core.datasets.dataset import Dataset
from core.diagnostics import matched_correlation, matched_cosine
from core.directions.ica import ICA
from core.directions.pca import PCA
from core.errors import InputError


@pytest.fixture(scope="module")
def planted():
    r = np.random.default_rng(0)
    sources = np.column_stack([r.laplace(size=2000), r.uniform(-1, 1, 2000), r.choice([-1, 1], 2000)])
    mixing = r.standard_normal((3, 8))
    return sources, mixing, Dataset(sources @ mixing + 4, "table")


def test_equals_scikit_learn(planted):
    _, _, data = planted
    model = ICA(k=3).fit(data, seed=1)
    expected = FastICA(3, whiten="unit-variance", max_iter=300, random_state=1).fit(data.matrix.astype(float))
    assert np.allclose(model.basis_.directions, expected.mixing_.T, atol=1e-4)
    assert np.allclose(model.encode(data.samples), expected.transform(data.matrix.astype(float)), atol=1e-3)
    codes = model.encode(data.samples)
    assert np.allclose(model.decode(codes), expected.inverse_transform(codes.astype(float)), atol=1e-3)
    assert np.allclose(codes.std(axis=0), 1, atol=1e-3)
    assert np.allclose(model.basis_.scale, 1, atol=1e-3)
    assert model.converged_
    assert model.iterations_ == expected.n_iter_


@pytest.mark.parametrize("algorithm", ["parallel", "deflation"])
def test_planted_sources_are_found(planted, algorithm):
    sources, mixing, data = planted
    model = ICA(k=3, algorithm=algorithm).fit(data)
    assert matched_cosine(model.basis_, mixing).share(0.99) == 1
    assert matched_correlation(model.encode(data.samples), sources).share(0.99) == 1
    assert matched_cosine(PCA(k=3).fit(data).basis_, mixing).share(0.99) < 1


def test_a_planted_rotation_is_found():
    r = np.random.default_rng(2)
    rotation = np.linalg.qr(r.standard_normal((4, 4)))[0]
    model = ICA(k=4).fit(Dataset(r.laplace(size=(4000, 4)) @ rotation, "table"))
    assert matched_cosine(model.basis_, rotation).share(0.99) == 1


def test_no_more_directions_than_the_data_spans(planted):
    _, _, data = planted
    assert data.d == 8
    with pytest.raises(InputError, match="at most 3 directions"):
        ICA(k=4).fit(data)


def test_not_settled_is_said(planted):
    _, _, data = planted
    reports = []
    model = ICA(k=3, iterations=1).fit(data, on_progress=lambda p: reports.append(p) and None)
    assert not model.converged_
    assert reports[-1].metrics["converged"] == 0
