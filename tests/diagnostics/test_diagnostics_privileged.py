"""Is the basis special: normal data says no, planted sparse weights say yes, whatever the span."""

import numpy as np
import pytest

from core import diagnostics
from core.basis import Basis


def test_normal_weights_are_not_privileged():
    basis = Basis.random(8, 20, seed=0)
    found = diagnostics.privileged(basis, np.random.default_rng(0).standard_normal((2000, 8)), rotations=100)
    assert not found.privileged
    assert found.p > 0.05
    assert found.low < 0 < found.high
    assert np.abs(found.draws).max() < 0.3


def test_sparse_weights_are_privileged_until_they_are_turned():
    r = np.random.default_rng(1)
    codes = r.standard_normal((1500, 8)) * (r.random((1500, 8)) < 0.2)
    basis = Basis.random(8, 20, seed=1)
    found = diagnostics.privileged(basis, codes)
    # a normal weight that is there with chance q has kurtosis 3 / q
    assert found.here == pytest.approx(3 / 0.2 - 3, rel=0.15)
    assert found.privileged
    assert found.p == pytest.approx(1 / 51)
    turned = basis.rotate(np.linalg.qr(r.standard_normal((8, 8)))[0])
    again = diagnostics.privileged(turned, turned.encode(basis.decode(codes)))
    assert again.here < found.high
    assert again.p > 1 / 51


def test_the_span_decides_the_band_not_the_basis():
    r = np.random.default_rng(2)
    oblique = Basis(r.standard_normal((5, 9)))
    codes = r.laplace(size=(800, 5))
    orthonormal = Basis(np.linalg.qr(oblique.directions.T)[0].T)
    same = diagnostics.privileged(orthonormal, orthonormal.encode(oblique.decode(codes)), rotations=200)
    band = diagnostics.privileged(oblique, codes, rotations=200)
    assert np.mean(same.draws) == pytest.approx(np.mean(band.draws), abs=0.05)


def test_band_is_the_stated_quantiles_and_seeded():
    r = np.random.default_rng(3)
    basis, codes = Basis.random(4, 6), r.standard_normal((5000, 4))
    found = diagnostics.privileged(basis, codes, rotations=40, band=(0.25, 0.75), most=300)
    assert found.samples == 300
    assert len(found.draws) == 40
    assert (found.low, found.high) == tuple(np.quantile(found.draws, [0.25, 0.75]))
    again = diagnostics.privileged(basis, codes, rotations=40, band=(0.25, 0.75), most=300)
    assert np.array_equal(found.draws, again.draws)
    assert not np.array_equal(found.draws, diagnostics.privileged(basis, codes, rotations=40, seed=1, most=300).draws)


@pytest.mark.parametrize(("k", "d"), [(1, 1), (1, 4), (6, 2)])
def test_small_and_overcomplete_bases(k, d):
    r = np.random.default_rng(4)
    found = diagnostics.privileged(Basis(r.standard_normal((k, d))), 1e6 * r.standard_normal((50, k)))
    assert np.isfinite([found.here, found.low, found.high]).all()
    constant = diagnostics.privileged(Basis(r.standard_normal((k, d))), np.ones((50, k)))
    assert constant.here == 0
    assert not constant.privileged
