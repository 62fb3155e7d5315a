"""The table of the diagnostics tab: every number agrees with its function, beside the random control."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF, PCA

from core import diagnostics
from core.basis import Basis


@pytest.fixture(scope="module")
def digits():
    return load_digits().images[:600] / 16


@pytest.fixture(scope="module")
def pca(digits):
    return Basis.from_estimator(PCA(10).fit(digits.reshape(600, -1)))


def test_numbers_and_labels(digits, pca):
    codes = pca.encode(digits)
    table = diagnostics.summary(pca, codes, digits)
    assert set(table["here"]) == set(table["control"]) == set(diagnostics.LABELS)
    assert table["samples"] == 600
    here = table["here"]
    flat = digits.reshape(600, -1)
    assert here["explained_energy"] == pytest.approx(PCA(10).fit(flat).explained_variance_ratio_.sum(), abs=1e-5)
    assert here["orthogonality_error"] < 1e-5
    assert here["effective_rank"] == pytest.approx(10)
    variances = codes.var(axis=0)
    assert here["participation_ratio"] == pytest.approx(variances.sum() ** 2 / (variances**2).sum(), rel=1e-3)
    assert here["dead"] == 0
    assert here["hoyer"] == pytest.approx(diagnostics.hoyer(codes).mean())


def test_pca_beats_its_control(digits, pca):
    table = diagnostics.summary(pca, pca.encode(digits), digits)
    assert table["here"]["explained_energy"] > 3 * table["control"]["explained_energy"]
    control = diagnostics.control_basis(pca)
    rebuilt = control.decode(control.encode(digits))
    share = diagnostics.explained_share(digits, rebuilt, pca.mean)
    assert table["control"]["explained_energy"] == pytest.approx(share, abs=1e-5)


def test_a_control_of_ones_own_and_a_rebuild_of_the_model(digits, pca):
    codes = pca.encode(digits)
    table = diagnostics.summary(pca, codes, digits, control=pca, rebuilt=digits)
    assert table["here"]["explained_energy"] == 1
    assert table["control"]["hoyer"] == pytest.approx(table["here"]["hoyer"])


def test_part_of_the_samples_is_stated_and_seeded(digits, pca):
    codes = pca.encode(digits)
    one, two = (diagnostics.summary(pca, codes, digits, most=200, seed=4) for _ in range(2))
    assert one["samples"] == 200
    assert one["here"] == two["here"]
    assert one["control"] == two["control"]


@pytest.mark.parametrize(("k", "d"), [(1, 1), (7, 3)])
def test_any_size_gives_finite_numbers(k, d):
    r = np.random.default_rng(0)
    basis, x = Basis(r.standard_normal((k, d))), r.standard_normal((2, d))
    table = diagnostics.summary(basis, basis.encode(x), x)
    assert np.isfinite([*table["here"].values(), *table["control"].values()]).all()


def test_a_basis_without_a_mean_is_compared_about_the_mean_of_the_data(digits):
    flat = digits.reshape(600, -1)
    nmf = NMF(6, random_state=0, max_iter=500).fit(flat)
    basis = Basis.from_estimator(nmf)
    table = diagnostics.summary(basis, nmf.transform(flat), digits)
    error = ((flat - nmf.inverse_transform(nmf.transform(flat))) ** 2).sum()
    total = ((flat - flat.mean(axis=0)) ** 2).sum()
    assert table["here"]["explained_energy"] == pytest.approx(1 - error / total, abs=1e-5)
    assert 0 < table["control"]["explained_energy"] < 0.3
