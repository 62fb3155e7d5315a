"""PCA against scikit-learn and the eigenvectors of the covariance."""

import numpy as np
import pytest
from sklearn.decomposition import PCA as SkPCA
from sklearn.decomposition import IncrementalPCA

from core import linear
from core.datasets.dataset import Dataset
from core.directions import pca
from core.directions.pca import PCA


@pytest.fixture(scope="module")
def data():
    r = np.random.default_rng(0)
    x = (r.standard_normal((200, 12)) * np.linspace(6, 1, 12)) @ np.linalg.qr(r.standard_normal((12, 12)))[0] + 2
    return Dataset(x, "table")


@pytest.mark.parametrize("solver", ["auto", "full", "randomized"])
def test_equals_scikit_learn(data, solver):
    model = PCA(k=5, solver=solver).fit(data, seed=2)
    expected = SkPCA(5, svd_solver=solver, random_state=2).fit(data.matrix.astype(float))
    assert np.allclose(model.basis_.directions, expected.components_, atol=1e-5)
    assert np.allclose(model.basis_.mean, expected.mean_, atol=1e-5)
    codes = model.encode(data.samples)
    assert np.allclose(codes, expected.transform(data.matrix), atol=1e-4)
    assert np.allclose(model.decode(codes), expected.inverse_transform(expected.transform(data.matrix)), atol=1e-4)
    assert np.allclose(model.basis_.scale, np.sqrt(expected.explained_variance_ * 199 / 200), rtol=1e-4)


def test_directions_are_eigenvectors_of_the_covariance(data):
    basis = PCA(k=12).fit(data).basis_
    values, vectors = np.linalg.eigh(np.cov(data.matrix.T.astype(float), bias=True))
    assert np.allclose(basis.scale**2, values[::-1], rtol=1e-3)
    assert np.allclose(np.abs(np.sum(basis.directions * vectors.T[::-1], axis=1)), 1, atol=1e-4)


def test_signs_make_the_largest_entry_positive(data):
    for solver in ("full", "randomized", "incremental"):
        d = PCA(k=5, solver=solver).fit(data).basis_.directions
        assert (d[np.arange(5), np.abs(d).argmax(axis=1)] > 0).all()


def test_incremental_equals_scikit_learn_and_reports(data):
    reports = []
    model = PCA(k=4, solver="incremental", batch=50).fit(data, on_progress=lambda p: reports.append(p) and None)
    expected = IncrementalPCA(4, batch_size=50).fit(data.matrix.astype(float))
    assert np.allclose(model.basis_.directions, expected.components_, atol=1e-5)
    assert [(p.step, p.total) for p in reports] == [(i, 4) for i in range(1, 5)]
    exact = PCA(k=4, solver="full").fit(data).basis_
    assert np.abs(np.sum(exact.directions[0] * model.basis_.directions[0])) > 0.99


def test_incremental_stops_and_keeps_what_it_has(data):
    model = PCA(k=4, solver="incremental", batch=50).fit(data, on_progress=lambda p: p.step == 1)
    expected = SkPCA(4).fit(data.matrix[:50].astype(float))
    assert np.allclose(np.abs(np.sum(model.basis_.directions * expected.components_, axis=1)), 1, atol=1e-4)


def test_very_large_data_is_taken_in_batches(data, monkeypatch):
    for module in (linear, pca):
        monkeypatch.setattr(module, "DOUBLE_ENTRIES", 1000)
    model = PCA(k=3, batch=64).fit(data)
    assert np.allclose(model.basis_.directions, PCA(k=3, solver="incremental", batch=64).fit(data).basis_.directions)
