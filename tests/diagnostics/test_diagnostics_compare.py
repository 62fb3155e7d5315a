"""Two bases side by side: against SciPy, brute force and planted angles."""

from itertools import permutations

import numpy as np
import pytest
from scipy.linalg import subspace_angles

from core import diagnostics
from core.basis import Basis


def test_matching_is_the_best_of_all_pairings():
    values = np.random.default_rng(0).uniform(-1, 1, (5, 5))
    best = max(permutations(range(5)), key=lambda p: sum(abs(values[i, j]) for i, j in enumerate(p)))
    found = diagnostics.match(values)
    assert found.first.tolist() == [0, 1, 2, 3, 4]
    assert found.second.tolist() == list(best)
    assert np.array_equal(found.values, values[range(5), best])
    assert found.mean == pytest.approx(np.abs(found.values).mean())


def test_matched_cosine_finds_a_shuffled_and_flipped_basis():
    basis = Basis.random(6, 10, seed=0)
    order, signs = [4, 2, 0, 5, 1, 3], np.array([1, -1, 1, 1, -1, -1])
    found = diagnostics.matched_cosine(basis, basis.directions[order] * signs[:, None] * 7)
    assert found.second.tolist() == np.argsort(order).tolist()
    assert np.allclose(np.abs(found.values), 1, atol=1e-5)
    assert np.sign(found.values[order]).tolist() == signs.tolist()
    assert found.share(0.99) == 1


def test_matching_a_planted_dictionary_of_another_size():
    planted = Basis.random(3, 12, seed=1)
    found = Basis(np.vstack([Basis.random(4, 12, seed=2).directions, planted.directions[:2]]))
    m = diagnostics.matched_cosine(found, planted)
    assert len(m.values) == 3
    assert {(4, 0), (5, 1)} <= set(zip(m.first.tolist(), m.second.tolist(), strict=True))
    assert m.share(0.99) == pytest.approx(2 / 3)


def test_matched_correlation():
    r = np.random.default_rng(3)
    codes = r.standard_normal((200, 3))
    found = diagnostics.matched_correlation(codes, codes[:, [2, 0, 1]] * [1, -3, 2] + 5)
    assert found.second.tolist() == [1, 2, 0]
    assert np.allclose(found.values, [-1, 1, 1])


def test_principal_angles():
    angle = np.radians(20)
    a = Basis(np.eye(4)[:2])
    b = Basis([[1, 0, 0, 0], [0, np.cos(angle), np.sin(angle), 0]])
    assert np.allclose(diagnostics.principal_angles(a, b), [20, 0], atol=1e-4)
    r = np.random.default_rng(4)
    one, two = r.standard_normal((3, 9)), r.standard_normal((5, 9))
    assert np.allclose(diagnostics.principal_angles(one, two), np.degrees(subspace_angles(one.T, two.T)))
    turned = a.rotate(np.linalg.qr(r.standard_normal((2, 2)))[0])
    assert diagnostics.principal_angles(a, turned).max() < 1e-3


def test_stability_of_equal_and_of_random_bases():
    basis = Basis.random(4, 30, seed=0)
    same = diagnostics.stability([basis, basis.reorder([3, 1, 2, 0]), basis])
    assert np.allclose(same.each, 1, atol=1e-5)
    assert same.cosine == pytest.approx(1, abs=1e-5)
    assert same.angle < 0.1
    assert same.control_cosine < 0.6
    assert same.control_angle > 60
    random = diagnostics.stability([Basis.random(4, 30, seed=s) for s in range(100, 104)])
    assert random.cosine == pytest.approx(random.control_cosine, abs=0.1)


def test_stability_by_direction():
    e = np.eye(6)
    found = diagnostics.stability([Basis(e[:3]), Basis(e[[0, 1, 4]]), Basis(e[[0, 4, 5]])])
    assert np.allclose(found.each, [1, 0.5, 0])
    for wrong in ([Basis(e)], [Basis(e[:2]), Basis(e[:3])]):
        with pytest.raises(ValueError, match="equal size"):
            diagnostics.stability(wrong)


def test_control_basis():
    basis = Basis(np.random.default_rng(5).standard_normal((3, 7)), np.arange(7))
    control = diagnostics.control_basis(basis, seed=2)
    assert control.orthonormal
    assert control.directions.shape == (3, 7)
    assert np.array_equal(control.mean, basis.mean)
    wide = diagnostics.control_basis(Basis(np.random.default_rng(5).standard_normal((9, 4))))
    assert wide.directions.shape == (9, 4)
    assert np.allclose(np.linalg.norm(wide.directions, axis=1), 1, atol=1e-6)
