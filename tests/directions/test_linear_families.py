"""What all families of one affine basis keep to."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from core.datasets.dataset import Dataset
from core.directions.factor_analysis import FactorAnalysis
from core.directions.ica import ICA
from core.directions.kmeans import KMeans
from core.directions.nmf import NMF
from core.directions.pca import PCA
from core.directions.random_basis import RandomBasis
from core.directions.varimax import Varimax
from core.errors import InputError
from core.models import families

LINEAR = [PCA, Varimax, ICA, NMF, FactorAnalysis, KMeans, RandomBasis]
ORTHONORMAL = [PCA, Varimax, RandomBasis]


@pytest.fixture(scope="module")
def digits():
    return Dataset(load_digits().images[:300] / 16, "images", "digits")


def table(rows):
    return Dataset(np.asarray(rows, dtype=np.float32), "table")


def test_they_are_registered():
    known = families("directions")
    assert all(known[c.family] is c for c in LINEAR)


@pytest.mark.parametrize("family", LINEAR)
def test_encode_decode_and_scale(family, digits):
    model = family(k=6).fit(digits, seed=1)
    codes = model.encode(digits.samples)
    (basis,) = model.bases().values()
    assert codes.shape == (300, 6)
    assert np.allclose(model.decode(codes), basis.mean + codes @ basis.directions, atol=1e-5)
    assert np.allclose(basis.scale, codes.std(axis=0), rtol=2e-2, atol=1e-4)
    assert np.allclose(model.encode(digits.matrix[:5]), codes[:5], atol=2e-2)
    assert model.decode(codes[0]).shape == (1, 64)
    assert (family in ORTHONORMAL) == basis.orthonormal
    if basis.orthonormal:
        assert np.abs(basis.directions @ basis.directions.T - np.eye(6)).max() < 1e-5
    assert model.affine
    assert 0 < model.seconds(digits) < 10


@pytest.mark.parametrize("family", LINEAR)
def test_one_seed_one_result(family, digits):
    one, two = (family(k=5).fit(digits, seed=3) for _ in range(2))
    for name, array in one.arrays().items():
        assert np.array_equal(array, two.arrays()[name])


@pytest.mark.parametrize("family", LINEAR)
def test_arrays_round_trip(family, digits):
    model = family(k=5).fit(digits, seed=0)
    arrays = {name: array.copy() for name, array in model.arrays().items()}
    assert all(a.dtype.kind in "fiu" for a in arrays.values())
    again = family.from_arrays(model.get_params(), arrays, model.shape_)
    codes = model.encode(digits.samples)
    assert np.array_equal(again.encode(digits.samples), codes)
    assert np.array_equal(again.decode(codes), model.decode(codes))
    cut, recut = (m.bases()["directions"].subset([3, 1]) for m in (model, again))
    assert np.array_equal(cut.encode(digits.samples), recut.encode(digits.samples))
    with pytest.raises(InputError, match=family.family):
        family.from_arrays(model.get_params(), {}, model.shape_)


@pytest.mark.parametrize("family", LINEAR)
def test_the_smallest_data(family):
    two = table([[0, 1, 5], [2, 4, 5]])
    model = family(k=1).fit(two)
    assert np.isfinite(model.decode(model.encode(two.samples))).all()
    if family in (PCA, Varimax, ICA):  # one direction is enough for two samples
        assert np.allclose(model.decode(model.encode(two.samples)), two.samples, atol=1e-4)
    column = table([[1], [2], [4], [8]])
    model = family(k=1).fit(column)
    assert np.isfinite(model.decode(model.encode(column.samples))).all()


@pytest.mark.parametrize("family", LINEAR)
def test_one_clear_sentence_for_what_cannot_be(family):
    for data, word in (
        (table(np.ones((5, 3))), "the same"),
        (table([[1, np.inf], [0, 1]]), "finite"),
        (Dataset(np.array(["a", "b"]), "text"), "text"),
        (table([[1, 2, 3]]), "two samples"),
        (table(np.random.default_rng(0).random((4, 3))), "asked for"),
    ):
        with pytest.raises(InputError, match=word) as caught:
            family(k=5).fit(data)
        assert str(caught.value).count(". ") == 0


@pytest.mark.parametrize("family", LINEAR)
def test_the_most_directions_can_be_fitted(family):
    data = table(np.random.default_rng(0).random((6, 3)))
    most = family(k=1).most(data)
    model = family(k=most).fit(data)
    assert np.isfinite(model.encode(data.samples)).all()
    with pytest.raises(InputError):
        family(k=most + 1).fit(data)


@pytest.mark.parametrize("family", [PCA, Varimax, ICA, KMeans, RandomBasis, FactorAnalysis])
def test_columns_without_variance_do_no_harm(family):
    x = np.random.default_rng(0).standard_normal((50, 6))
    x[:, 2] = 7
    model = family(k=3).fit(table(x))
    codes = model.encode(x)
    assert np.isfinite(codes).all()
    assert np.allclose(model.decode(codes)[:, 2], 7, atol=1e-3) or family is RandomBasis
