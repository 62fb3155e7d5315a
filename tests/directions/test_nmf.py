"""NMF against scikit-learn, non-negativity, and the shift for data with negative values."""

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF as SkNMF

from core.datasets.dataset import Dataset
from core.diagnostics import matched_cosine
from core.directions.nmf import NMF
from core.errors import InputError


@pytest.fixture(scope="module")
def digits():
    return Dataset(load_digits().images[:200] / 16, "images")


def test_equals_scikit_learn(digits):
    model = NMF(k=5, iterations=500).fit(digits, seed=1)
    x = digits.matrix.astype(float)
    expected = SkNMF(5, init="nndsvda", max_iter=500, random_state=1).fit(x)
    assert np.allclose(model.basis_.directions, expected.components_, atol=1e-5)
    assert np.allclose(model.encode(digits.samples), expected.transform(x), atol=1e-4)
    assert np.allclose(
        model.decode(expected.transform(x)), expected.inverse_transform(expected.transform(x)), atol=1e-4
    )
    assert not model.basis_.mean.any()


def test_nothing_is_negative_and_codes_are_least_squares(digits):
    model = NMF(k=4, tolerance=1e-7, iterations=3000).fit(digits)
    codes = model.encode(digits.samples[:20])
    assert codes.min() >= 0
    assert model.basis_.directions.min() >= 0
    best = [nnls(model.basis_.directions.T.astype(float), x.ravel().astype(float))[0] for x in digits.samples[:20]]
    assert np.allclose(codes, best, atol=1e-2)


def test_planted_parts_are_found():
    r = np.random.default_rng(0)
    parts = np.kron(np.eye(3), r.uniform(0.5, 1, (1, 4)))
    data = Dataset(r.random((100, 3)) * (r.random((100, 3)) < 0.6) @ parts, "table")
    assert matched_cosine(NMF(k=3).fit(data).basis_, parts).share(0.99) == 1


def test_negative_values_need_shift(digits):
    data = Dataset(digits.matrix - 0.5, "table")
    with pytest.raises(InputError, match="switch on shift"):
        NMF(k=3).fit(data)
    model = NMF(k=3, shift=True).fit(data)
    assert np.allclose(model.basis_.mean, data.matrix.min(axis=0))
    plain = NMF(k=3).fit(Dataset(data.matrix - data.matrix.min(axis=0), "table"))
    assert np.allclose(model.basis_.directions, plain.basis_.directions, atol=1e-5)
    codes = model.encode(data.samples)
    assert codes.min() >= 0
    assert np.allclose(model.decode(codes), model.basis_.mean + codes @ model.basis_.directions, atol=1e-5)
    below = data.samples[:2] - 10  # below everything seen in training: counts as the offset
    assert np.allclose(model.encode(below), 0)
    fitted = NMF(k=3).fit(digits)
    with pytest.raises(InputError, match="not negative"):
        fitted.encode(-digits.samples[:2])


def test_sparsity_makes_weights_smaller(digits):
    plain, sparse = (NMF(k=6, sparsity=s).fit(digits) for s in (0.0, 0.01))
    assert (sparse.encode(digits.samples) == 0).mean() > (plain.encode(digits.samples) == 0).mean()


def test_not_settled_is_said(digits):
    assert not NMF(k=5, iterations=2).fit(digits).converged_
    assert NMF(k=2, iterations=1000).fit(digits).converged_
