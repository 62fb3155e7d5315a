"""The basis as a value: against numpy, scikit-learn and the equations."""

import copy
import pickle

import numpy as np
import pytest
import torch
from sklearn.decomposition import NMF, PCA, DictionaryLearning, FastICA, IncrementalPCA, TruncatedSVD

from core.basis import Basis


@pytest.fixture
def samples():
    r = np.random.default_rng(0)
    return r.standard_normal((60, 4)) @ r.standard_normal((4, 9)) + 0.2 * r.standard_normal((60, 9)) + 3


@pytest.fixture
def oblique():
    r = np.random.default_rng(1)
    return Basis(r.standard_normal((4, 9)), r.standard_normal(9), r.random(4) + 0.5, names="abcd")


@pytest.mark.parametrize(("k", "d"), [(1, 1), (1, 7), (5, 5), (40, 300), (256, 512)])
def test_random_is_orthonormal_and_says_so(k, d):
    basis = Basis.random(k, d, seed=3)
    assert basis.directions.dtype == np.float32
    assert np.abs(basis.directions @ basis.directions.T - np.eye(k)).max() < 1e-5
    assert basis.orthonormal
    assert len(basis) == basis.k == k
    assert basis.d == d


def test_random_is_seeded_and_bounded():
    assert np.array_equal(Basis.random(3, 8, seed=5).directions, Basis.random(3, 8, seed=5).directions)
    assert not np.allclose(Basis.random(3, 8, seed=5).directions, Basis.random(3, 8, seed=6).directions)
    with pytest.raises(ValueError, match="do not fit"):
        Basis.random(9, 8)


def test_random_is_uniform():
    first = np.array([Basis.random(2, 3, seed=s).directions[0] for s in range(600)])
    # a uniform unit vector in D dimensions has mean 0 and covariance I / D
    assert np.abs(first.mean(axis=0)).max() < 0.1
    assert np.abs(first.T @ first / 600 - np.eye(3) / 3).max() < 0.06


def test_orthonormal_is_false_where_it_is_not(oblique):
    assert not oblique.orthonormal
    assert not Basis(2 * np.eye(3)).orthonormal
    assert not Basis([[1, 0], [0, 1], [1, 0]]).orthonormal
    assert Basis(2 * np.eye(3)).orthogonality_error() == 3.0
    assert np.allclose(oblique.gram(), oblique.directions @ oblique.directions.T)


def test_encode_is_least_squares(oblique, samples):
    expected = np.linalg.lstsq(oblique.directions.T.astype(float), (samples - oblique.mean).T, rcond=None)[0].T
    assert np.allclose(oblique.encode(samples), expected, atol=1e-4)
    assert np.allclose(oblique.encode(samples[0]), expected[0], atol=1e-4)


def test_more_directions_than_dimensions_give_the_smallest_code():
    basis = Basis(np.random.default_rng(0).standard_normal((7, 3)))
    x = np.random.default_rng(1).standard_normal((5, 3))
    code = basis.encode(x)
    assert np.allclose(basis.decode(code), x, atol=1e-5)
    assert np.allclose(code, (np.linalg.pinv(basis.directions.T.astype(float)) @ x.T).T, atol=1e-5)


def test_decode_and_round_trip(oblique):
    codes = np.random.default_rng(2).standard_normal((6, 4))
    decoded = oblique.decode(codes)
    assert np.allclose(decoded, oblique.mean + codes @ oblique.directions, atol=1e-5)
    assert np.allclose(oblique.encode(decoded), codes, atol=1e-4)
    assert np.allclose(oblique.decode(codes[0]), decoded[0], atol=1e-6)


def test_samples_of_any_shape():
    basis = Basis.random(3, 12, seed=0)
    images = np.random.default_rng(0).random((5, 3, 4))
    assert np.array_equal(basis.encode(images), basis.encode(images.reshape(5, 12)))


def test_edit_keeps_what_lies_outside_the_span(samples):
    basis = Basis.random(3, 9, seed=1, mean=samples.mean(axis=0)).with_scale([1.0, 2.0, 4.0])
    edited = basis.edit([1, -1, 0.5], samples)
    moved = edited - samples
    assert np.allclose(basis.encode(edited) - basis.encode(samples), [1, -2, 2], atol=1e-4)
    assert np.allclose(moved - moved @ basis.directions.T @ basis.directions, 0, atol=1e-5)
    assert np.allclose(basis.edit([0, 0, 1]), basis.mean + 4 * basis.directions[2], atol=1e-6)
    each = basis.edit(np.eye(3), samples[0])
    assert np.allclose(each[1], samples[0] + 2 * basis.directions[1], atol=1e-5)


def test_subset_and_reorder(oblique, samples):
    some = oblique.subset([2, 0])
    assert some.names == ("c", "a")
    assert np.array_equal(some.directions, oblique.directions[[2, 0]])
    assert np.array_equal(some.scale, oblique.scale[[2, 0]])
    expected = np.linalg.lstsq(some.directions.T.astype(float), (samples - some.mean).T, rcond=None)[0].T
    assert np.allclose(some.encode(samples), expected, atol=1e-4)
    assert np.array_equal(oblique.subset(np.array([True, False, False, True])).directions, oblique.directions[[0, 3]])
    turned = oblique.reorder([3, 2, 1, 0])
    assert np.allclose(turned.encode(samples), oblique.encode(samples)[:, ::-1], atol=1e-4)
    for wrong in ([0, 1, 2], [0, 0, 1, 2], [1, 2, 3, 4]):
        with pytest.raises(ValueError, match="every direction once"):
            oblique.reorder(wrong)
    with pytest.raises(ValueError, match="K, D >= 1"):
        oblique.subset([])


def test_rotate_keeps_the_span_and_turns_the_codes(oblique, samples):
    rotation = np.linalg.qr(np.random.default_rng(3).standard_normal((4, 4)))[0]
    turned = oblique.rotate(rotation)
    assert np.allclose(turned.decode(turned.encode(samples)), oblique.decode(oblique.encode(samples)), atol=1e-3)
    assert np.allclose(turned.encode(samples), oblique.encode(samples) @ rotation.T, atol=1e-3)
    assert np.allclose(turned.scale**2, rotation**2 @ oblique.scale**2, atol=1e-5)
    assert Basis.random(4, 9, seed=0).rotate(rotation).orthonormal
    for wrong in (np.eye(3), 2 * np.eye(4), np.full((4, 4), np.nan)):
        with pytest.raises(ValueError, match=r"rotation|finite"):
            oblique.rotate(wrong)


def test_a_given_dual_is_carried_along(samples):
    r = np.random.default_rng(4)
    basis = Basis(r.standard_normal((3, 9)), dual=r.standard_normal((3, 9)))
    rotation = np.linalg.qr(r.standard_normal((3, 3)))[0]
    assert np.allclose(basis.encode(samples), samples @ basis.dual.T, atol=1e-4)
    assert np.array_equal(basis.subset([1]).dual, basis.dual[[1]])
    assert np.allclose(basis.rotate(rotation).dual, rotation @ basis.dual, atol=1e-5)
    assert np.array_equal(basis.with_scale([1, 2, 3]).dual, basis.dual)
    assert basis.has_own_dual
    assert not Basis(basis.directions).has_own_dual


def test_it_does_not_change(oblique):
    source = np.eye(3, dtype=np.float32)
    basis = Basis(source)
    source[0, 0] = 9
    assert basis.directions[0, 0] == 1
    for array in (oblique.directions, oblique.mean, oblique.scale, oblique.dual):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    for name in ("directions", "mean", "dual", "other"):
        with pytest.raises(AttributeError, match="does not change"):
            setattr(oblique, name, 1)
    with pytest.raises(AttributeError, match="stays"):
        del oblique.mean


def test_copies_are_equal_and_stay_read_only(oblique):
    for again in (pickle.loads(pickle.dumps(oblique)), copy.deepcopy(oblique)):
        assert np.array_equal(again.directions, oblique.directions)
        assert again.names == oblique.names
        assert not again.directions.flags.writeable


def test_names_and_scale():
    basis = Basis.random(3, 5)
    assert basis.names == ("1", "2", "3")
    assert basis.rename({1: "smile"}).names == ("1", "smile", "3")
    assert (basis.with_scale([0.0, 1.0, 2.0]).scale > 0).all()


@pytest.mark.parametrize(
    "arguments",
    [
        dict(directions=np.zeros((0, 3))),
        dict(directions=np.zeros(3)),
        dict(directions=[[np.nan, 1]]),
        dict(directions=np.eye(2), mean=[1, 2, 3]),
        dict(directions=np.eye(2), mean=[np.inf, 0]),
        dict(directions=np.eye(2), scale=[1, 0]),
        dict(directions=np.eye(2), scale=[1]),
        dict(directions=np.eye(2), names=["one"]),
        dict(directions=np.eye(2), dual=np.eye(3)),
    ],
)
def test_what_does_not_fit_is_refused(arguments):
    with pytest.raises(ValueError, match=r"directions|mean|scale|names|dual"):
        Basis(**arguments)


def test_samples_and_codes_of_another_size_are_refused(oblique):
    with pytest.raises(ValueError, match="9 entries"):
        oblique.encode(np.zeros((2, 8)))
    with pytest.raises(ValueError, match="4 weights"):
        oblique.decode(np.zeros((2, 5)))


@pytest.mark.parametrize("estimator", [PCA(4), IncrementalPCA(4), TruncatedSVD(4, random_state=0), PCA(4, whiten=True)])
def test_from_a_projection(estimator, samples):
    estimator.fit(samples)
    for basis in (Basis.from_estimator(estimator), Basis.from_estimator(estimator, samples)):
        assert basis.orthonormal
        codes = basis.encode(samples)
        spread = codes.std(axis=0)
        whitened = getattr(estimator, "whiten", False)
        assert np.allclose(
            codes / (codes.std(axis=0, ddof=1) if whitened else 1), estimator.transform(samples), atol=1e-3
        )
        assert np.allclose(basis.scale, spread, rtol=0.02)
        assert np.allclose(basis.decode(codes), estimator.inverse_transform(estimator.transform(samples)), atol=1e-3)


def test_from_ica(samples):
    ica = FastICA(4, whiten="unit-variance", random_state=0).fit(samples)
    basis = Basis.from_estimator(ica, samples)
    assert np.allclose(basis.encode(samples), ica.transform(samples), atol=1e-4)
    assert np.allclose(basis.decode(basis.encode(samples)), ica.inverse_transform(ica.transform(samples)), atol=1e-4)
    assert np.allclose(basis.scale, 1, atol=1e-4)


def test_from_nmf_and_dictionary(samples):
    positive = np.abs(samples)
    nmf = NMF(3, random_state=0, max_iter=1000).fit(positive)
    basis = Basis.from_estimator(nmf, positive)
    assert np.allclose(basis.decode(nmf.transform(positive)), nmf.inverse_transform(nmf.transform(positive)), atol=1e-4)
    assert np.allclose(basis.scale, nmf.transform(positive).std(axis=0), rtol=1e-4)
    dictionary = DictionaryLearning(5, random_state=0, max_iter=5).fit(samples)
    assert Basis.from_estimator(dictionary, names="abcde").names == tuple("abcde")


def test_an_estimator_without_directions_is_refused():
    with pytest.raises(ValueError, match="no components_"):
        Basis.from_estimator(PCA(2))


def test_from_a_tensor():
    weight = torch.eye(3, requires_grad=True)
    assert np.array_equal(Basis(weight).directions, np.eye(3))
