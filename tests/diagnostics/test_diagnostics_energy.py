"""Energy and error against scikit-learn's PCA, plain loops and least squares."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from core import diagnostics
from core.basis import Basis


@pytest.fixture
def samples():
    r = np.random.default_rng(0)
    return (r.standard_normal((80, 5)) * [5, 4, 3, 2, 1]) @ r.standard_normal((5, 12)) + r.random(12)


@pytest.fixture
def oblique(samples):
    return Basis(np.random.default_rng(1).standard_normal((4, 12)), samples.mean(axis=0))


def share_left(basis, codes, samples, chosen):
    centred = samples - basis.mean
    rest = centred - codes[:, chosen] @ basis.directions[chosen]
    return (rest**2).sum() / (centred**2).sum()


@pytest.mark.parametrize("order", ["greedy", [3, 1, 0, 2]])
def test_explained_energy_is_pcas_variance_ratio_in_any_order(samples, order):
    pca = PCA(4).fit(samples)
    basis = Basis.from_estimator(pca)
    shares = diagnostics.explained_energy(basis, basis.encode(samples), samples, order)
    assert np.allclose(shares, pca.explained_variance_ratio_, atol=1e-6)
    assert np.allclose(diagnostics.span_energy(basis, samples, order), pca.explained_variance_ratio_, atol=1e-6)
    assert diagnostics.energy_order(basis, basis.encode(samples), samples).tolist() == [0, 1, 2, 3]


def test_explained_energy_of_oblique_codes_is_what_each_addition_removes(oblique, samples):
    codes = np.random.default_rng(2).standard_normal((80, 4))  # any codes, not only least-squares ones
    order = [2, 0, 3, 1]
    left = [share_left(oblique, codes, samples, order[:i]) for i in range(5)]
    shares = diagnostics.explained_energy(oblique, codes, samples, order)
    assert np.allclose(shares[order], -np.diff(left), atol=1e-6)
    greedy = diagnostics.energy_order(oblique, codes, samples)
    assert greedy[0] == np.argmin([share_left(oblique, codes, samples, [k]) for k in range(4)])
    rest = [k for k in range(4) if k != greedy[0]]
    assert greedy[1] == min(rest, key=lambda k: share_left(oblique, codes, samples, [greedy[0], k]))
    assert diagnostics.explained_energy(oblique, codes, samples).sum() == pytest.approx(shares.sum())


def test_span_energy_is_least_squares_on_the_first_directions(oblique, samples):
    order = [1, 3, 0, 2]
    shares = diagnostics.span_energy(oblique, samples, order)
    centred = samples - oblique.mean
    for i in range(1, 5):
        d = oblique.directions[order[:i]].astype(float)
        fitted = np.linalg.lstsq(d.T, centred.T, rcond=None)[0].T @ d
        assert shares[order[:i]].sum() == pytest.approx((fitted**2).sum() / (centred**2).sum(), abs=1e-6)


def test_a_repeated_direction_adds_no_span_energy(samples):
    pca = PCA(2).fit(samples)
    twice = Basis(np.vstack([pca.components_, pca.components_[:1], np.zeros((1, 12))]), pca.mean_)
    shares = diagnostics.span_energy(twice, samples, [0, 1, 2, 3])
    assert np.allclose(shares, [*pca.explained_variance_ratio_, 0, 0], atol=1e-6)


def test_samples_at_the_mean_have_no_energy():
    basis = Basis(np.eye(2), [1, 2])
    still = np.tile([1.0, 2.0], (3, 1))
    assert diagnostics.explained_energy(basis, basis.encode(still), still).tolist() == [0, 0]
    assert diagnostics.span_energy(basis, still).tolist() == [0, 0]
    assert diagnostics.explained_share(still, still) == 0


def test_explained_share(samples):
    pca = PCA(3).fit(samples)
    rebuilt = pca.inverse_transform(pca.transform(samples))
    assert diagnostics.explained_share(samples, rebuilt) == pytest.approx(pca.explained_variance_ratio_.sum())
    assert diagnostics.explained_share(samples, samples) == 1
    assert diagnostics.explained_share(samples, np.zeros_like(samples)) < 0


def test_blocks_do_not_matter():
    r = np.random.default_rng(3)
    x = r.standard_normal((5000, 4))  # more than one block
    basis = Basis(r.standard_normal((3, 4)), x.mean(axis=0))
    codes = basis.encode(x)
    assert diagnostics.explained_energy(basis, codes, x).sum() == pytest.approx(
        diagnostics.explained_share(x, basis.decode(codes)), abs=1e-5
    )
    assert diagnostics.span_energy(basis, x).sum() == pytest.approx(
        diagnostics.explained_share(x, basis.decode(codes)), abs=1e-5
    )
    errors = diagnostics.reconstruction_error(basis, codes, x)
    assert np.allclose(errors[:, -1], np.sqrt(((x - basis.decode(codes)) ** 2).mean(axis=1)), atol=1e-5)


@pytest.mark.parametrize("order", [None, [3, 0, 2, 1]])
def test_reconstruction_error_curve(oblique, samples, order):
    codes = oblique.encode(samples)
    found = diagnostics.reconstruction_error(oblique, codes, samples, order)
    assert found.shape == (80, 5)
    chosen = order or [0, 1, 2, 3]
    for i in range(5):
        rebuilt = oblique.mean + codes[:, chosen[:i]] @ oblique.directions[chosen[:i]]
        assert np.allclose(found[:, i], np.sqrt(((samples - rebuilt) ** 2).mean(axis=1)), atol=1e-5)


def test_a_perfect_rebuild_ends_at_zero():
    basis = Basis.random(6, 6, seed=0)
    x = np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32)
    assert np.abs(diagnostics.reconstruction_error(basis, basis.encode(x), x)[:, -1]).max() < 1e-3


def test_a_wrong_order_is_refused(oblique, samples):
    for order in ("best", [0, 1], [0, 0, 1, 2]):
        with pytest.raises(ValueError, match="order"):
            diagnostics.explained_energy(oblique, oblique.encode(samples), samples, order)
