"""Factor analysis against scikit-learn and the posterior mean."""

import numpy as np
import pytest
from sklearn.decomposition import FactorAnalysis as SkFactorAnalysis

from core.datasets.dataset import Dataset
from core.diagnostics import principal_angles
from core.directions.factor_analysis import FactorAnalysis
from core.directions.pca import PCA


@pytest.fixture(scope="module")
def planted():
    r = np.random.default_rng(0)
    loadings = r.standard_normal((2, 10))
    noise = np.linspace(0.1, 3, 10)
    x = r.standard_normal((3000, 2)) @ loadings + noise * r.standard_normal((3000, 10)) + 5
    return loadings, noise, Dataset(x, "table")


@pytest.mark.parametrize("rotation", ["none", "varimax", "quartimax"])
@pytest.mark.parametrize("solver", ["randomized", "lapack"])
def test_equals_scikit_learn(planted, rotation, solver):
    data = planted[2]
    model = FactorAnalysis(k=2, rotation=rotation, solver=solver).fit(data, seed=1)
    x = data.matrix.astype(float)
    expected = SkFactorAnalysis(
        2, rotation=None if rotation == "none" else rotation, svd_method=solver, max_iter=500, random_state=1
    ).fit(x)
    assert np.allclose(model.basis_.directions, expected.components_, atol=1e-5)
    assert np.allclose(model.noise_variance_, expected.noise_variance_, rtol=1e-5)
    assert np.allclose(model.encode(data.samples), expected.transform(x), atol=1e-4)


def test_the_code_is_the_posterior_mean(planted):
    data = planted[2]
    model = FactorAnalysis(k=2).fit(data)
    w, noise = model.basis_.directions.astype(float), model.noise_variance_.astype(float)
    # E[z | x] = W C^-1 (x - mean), with the covariance C = W^T W + diag(noise) of x
    gain = w @ np.linalg.inv(w.T @ w + np.diag(noise))
    assert np.allclose(model.encode(data.samples), (data.matrix - model.basis_.mean) @ gain.T, atol=1e-4)


def test_planted_loadings_are_found_under_unequal_noise_where_pca_is_misled(planted):
    loadings, noise, data = planted
    model = FactorAnalysis(k=2, tolerance=1e-4).fit(data)
    found = principal_angles(model.basis_, loadings).max()
    assert found < 8
    assert found < 0.5 * principal_angles(PCA(k=2).fit(data).basis_, loadings).max()
    assert np.allclose(np.sqrt(model.noise_variance_), noise, atol=0.15)


def test_not_settled_is_said(planted):
    assert not FactorAnalysis(k=2, iterations=1).fit(planted[2]).converged_
    assert FactorAnalysis(k=2).fit(planted[2]).converged_


def test_noise_is_kept(planted):
    model = FactorAnalysis(k=2).fit(planted[2])
    again = FactorAnalysis.from_arrays(model.get_params(), model.arrays(), model.shape_)
    assert np.array_equal(again.noise_variance_, model.noise_variance_)
