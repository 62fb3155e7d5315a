"""Rotations to simple structure: planted ones, closed form in the plane, scikit-learn's varimax."""

import numpy as np
import pytest
from scipy.linalg import block_diag
from sklearn.decomposition import FactorAnalysis

from core.basis import Basis
from core.datasets.dataset import Dataset
from core.diagnostics import matched_cosine, principal_angles
from core.directions.pca import PCA
from core.directions.varimax import Varimax
from core.orthomax import criterion, orthomax


def rotation(k, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((k, k)))[0]


def blocks(k, width, seed=0):
    """Orthonormal directions `(k, k * width)`, each on features of its own."""
    parts = np.random.default_rng(seed).uniform(0.5, 1.5, (k, 1, width))
    return block_diag(*(parts / np.linalg.norm(parts, axis=2, keepdims=True)))


@pytest.mark.parametrize("k", [2, 3, 5, 8])
@pytest.mark.parametrize("gamma", [0.0, 1.0])
def test_a_planted_rotation_is_undone(k, gamma):
    planted = blocks(k, 4)
    found = orthomax((rotation(k) @ planted).T, gamma)
    assert np.abs(found @ found.T - np.eye(k)).max() < 1e-12
    assert matched_cosine(found.T @ rotation(k) @ planted, planted).share(1 - 1e-6) == 1


def test_two_equal_blocks_mixed_by_45_degrees():
    planted = blocks(2, 3, seed=1)
    planted = np.array([planted[0], np.roll(planted[0], 3)])
    mixed = np.array([[1, 1], [1, -1]]) / np.sqrt(2) @ planted
    assert matched_cosine(orthomax(mixed.T).T @ mixed, planted).share(1 - 1e-6) == 1


@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0, 2.0])
def test_in_the_plane_it_is_the_best_of_all_angles(gamma):
    loadings = np.random.default_rng(2).standard_normal((9, 2)) * [2, 1]
    found = criterion(loadings @ orthomax(loadings, gamma), gamma)
    angles = np.linspace(0, np.pi / 2, 20001)
    turned = [loadings @ [[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]] for a in angles]
    assert found == pytest.approx(max(criterion(t, gamma) for t in turned), rel=1e-7)


@pytest.mark.parametrize("gamma", [0.0, 1.0, 4.0])
def test_the_criterion_never_falls(gamma):
    loadings = np.random.default_rng(3).standard_normal((40, 9))
    values = [criterion(loadings, gamma)]
    found = orthomax(loadings, gamma, on_sweep=lambda _, value: values.append(value))
    assert len(values) > 3
    assert (np.diff(values) >= -1e-9 * abs(values[0])).all()
    assert values[-1] == pytest.approx(criterion(loadings @ found, gamma))


def test_nothing_is_left_to_gain():
    loadings = np.random.default_rng(4).standard_normal((30, 6))
    turned = loadings @ orthomax(loadings)
    # At a maximum L^T dQ/dL is symmetric
    gradient = turned**3 - turned * (turned**2).mean(axis=0)
    moment = turned.T @ gradient
    assert np.abs(moment - moment.T).max() < 1e-5 * np.abs(moment).max()


@pytest.mark.parametrize("name", ["varimax", "quartimax"])
def test_agrees_with_scikit_learns_factor_rotation(name):
    r = np.random.default_rng(5)
    x = r.standard_normal((400, 4)) @ (rotation(4) @ blocks(4, 3) * 3) + 0.3 * r.standard_normal((400, 12))
    plain = FactorAnalysis(4, random_state=0).fit(x).components_
    expected = FactorAnalysis(4, rotation=name, random_state=0).fit(x).components_
    gamma = 1.0 if name == "varimax" else 0.0
    found = orthomax(plain.T, gamma).T @ plain
    match = matched_cosine(found, expected)
    assert np.abs(match.values).min() > 1 - 1e-4
    assert criterion(found.T, gamma) >= criterion(expected.T, gamma) * (1 - 1e-9)


def test_one_direction_stays():
    assert orthomax(np.ones((4, 1))).tolist() == [[1]]


@pytest.fixture(scope="module")
def planted_data():
    r = np.random.default_rng(6)
    planted = blocks(4, 5, seed=6)
    weights = r.standard_normal((600, 4)) @ (rotation(4, 7) * np.array([3, 2.5, 2, 1.5])).T
    return planted, Dataset(weights @ planted + 0.05 * r.standard_normal((600, 20)) + 1, "table")


def test_the_family_finds_planted_directions_where_pca_does_not(planted_data):
    planted, data = planted_data
    model = Varimax(k=4).fit(data)
    assert matched_cosine(model.basis_, planted).share(0.99) == 1
    assert matched_cosine(PCA(k=4).fit(data).basis_, planted).share(0.99) < 1


def test_the_family_is_pcas_span_in_order_of_variance(planted_data):
    _, data = planted_data
    for settings in (dict(), dict(weighted=True), dict(weighted=True, gamma=0.0)):
        model = Varimax(k=3, **settings).fit(data)
        pca = PCA(k=3).fit(data)
        assert model.basis_.orthonormal
        assert principal_angles(model.basis_, pca.basis_).max() < 0.05
        assert (np.diff(model.basis_.scale) <= 0).all()
        d = model.basis_.directions
        assert (d[np.arange(3), np.abs(d).argmax(axis=1)] > 0).all()
        assert np.allclose(model.decode(model.encode(data.samples)), pca.decode(pca.encode(data.samples)), atol=1e-3)


def test_weighting_is_orthomax_of_the_loadings(planted_data):
    _, data = planted_data
    pca = PCA(k=3).fit(data).basis_
    turned = orthomax((pca.directions * pca.scale[:, None]).T).T @ pca.directions
    assert matched_cosine(Varimax(k=3, weighted=True).fit(data).basis_, turned).share(1 - 1e-5) == 1


def test_it_stops_when_asked(planted_data):
    _, data = planted_data
    seen = []
    model = Varimax(k=4).fit(data, on_progress=lambda p: seen.append(p.step) or True)
    assert seen == [1]
    assert model.basis_.orthonormal


def test_unit_directions_do_not_see_gamma():
    d = Basis.random(4, 15, seed=8).directions.T
    one, two = (matched_cosine(orthomax(d, g).T @ d.T, orthomax(d, 0.0).T @ d.T) for g in (1.0, 2.0))
    assert one.share(1 - 1e-6) == two.share(1 - 1e-6) == 1
