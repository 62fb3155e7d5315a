"""Gram matrix, coherence, ranks: closed forms."""

import numpy as np
import pytest

from core import diagnostics
from core.basis import Basis


def test_two_directions_at_an_angle():
    angle = np.radians(35)
    basis = Basis([[1, 0, 0], [2 * np.cos(angle), 2 * np.sin(angle), 0]])
    assert np.allclose(diagnostics.gram(basis), [[1, 2 * np.cos(angle)], [2 * np.cos(angle), 4]], atol=1e-6)
    assert np.allclose(diagnostics.cosines(basis), [[1, np.cos(angle)], [np.cos(angle), 1]], atol=1e-6)
    assert diagnostics.coherence(basis) == pytest.approx(np.cos(angle), abs=1e-6)
    assert diagnostics.orthogonality_error(basis) == pytest.approx(3, abs=1e-6)


def test_mercedes_frame_has_coherence_one_half():
    angles = np.radians([90, 210, 330])
    assert diagnostics.coherence(np.column_stack([np.cos(angles), np.sin(angles)])) == pytest.approx(0.5)


def test_orthonormal_and_degenerate_bases():
    basis = Basis.random(10, 40, seed=0)
    assert diagnostics.orthogonality_error(basis) < 1e-5
    assert diagnostics.coherence(basis) < 1e-5
    assert diagnostics.coherence(Basis([[3, 4]])) == 0
    assert diagnostics.coherence(Basis([[0, 0], [3, 4]])) == 0


def test_effective_rank():
    assert diagnostics.effective_rank(np.ones(7)) == pytest.approx(7)
    assert diagnostics.effective_rank([5, 0, 0]) == pytest.approx(1)
    assert diagnostics.effective_rank(Basis.random(6, 9)) == pytest.approx(6)
    p = np.array([0.5, 0.25, 0.25])  # entropy 1.5 bits
    assert diagnostics.effective_rank(3 * p) == pytest.approx(2**1.5)
    rotated = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0] * p @ np.eye(3)
    assert diagnostics.effective_rank(rotated) == pytest.approx(2**1.5)
    assert diagnostics.effective_rank(np.zeros((2, 3))) == 0


def test_participation_ratio():
    assert diagnostics.participation_ratio(np.ones(5)) == pytest.approx(5)
    assert diagnostics.participation_ratio([2, 0, 0]) == pytest.approx(1)
    assert diagnostics.participation_ratio([3, 1]) == pytest.approx(16 / 10)
    assert diagnostics.participation_ratio([0, 0]) == 0


@pytest.mark.parametrize(("k", "d"), [(3, 8), (8, 3)])
def test_span_variances_are_the_pca_of_the_rebuild(k, d):
    r = np.random.default_rng(1)
    basis = Basis(r.standard_normal((k, d)), r.standard_normal(d))
    codes = r.standard_normal((50, k)) + 2
    expected = np.linalg.eigvalsh(np.cov(basis.decode(codes).T.astype(float), bias=True))[::-1][: min(k, d)]
    assert np.allclose(diagnostics.span_variances(basis, codes), expected, atol=1e-5)
