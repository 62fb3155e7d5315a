"""Units and spaces of two networks, against SciPy and planted answers."""

import numpy as np
import scipy.linalg
from sklearn.cross_decomposition import CCA

from core.compatible.convergent import match_units, one_to_many, shared_subspaces
from core.compatible.pairs import pairs


def test_a_planted_permutation_is_found_and_sorted_onto_the_diagonal():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((500, 8))
    order = rng.permutation(8)
    b = -a[:, order] + 0.1 * rng.standard_normal((500, 8))
    found = match_units(pairs(a, b, unit=False))
    assert all(order[j] == i for i, j in found.pairs)
    assert (found.best == np.argsort(order)).all()
    assert np.abs(np.diag(found.sorted)).min() > 0.95
    expected = np.corrcoef(a.T, b.T)[:8, 8:]
    assert np.abs(found.correlation - expected).max() < 1e-6


def test_one_to_one_never_beats_semi_matching_and_constant_units_match_nothing():
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((200, 5)), rng.standard_normal((200, 7))
    a[:, 2] = 4.0
    found = match_units(pairs(a, b, unit=False))
    assert found.pair_value.sum() <= found.best_value.sum() + 1e-12
    assert found.best_value[2] == 0 and sorted(found.order_b) == list(range(7))


def test_one_to_many_finds_the_units_a_sum_is_made_of():
    rng = np.random.default_rng(2)
    b = rng.standard_normal((600, 10))
    a = (b[:, [3]] + b[:, [7]]) + 0.05 * rng.standard_normal((600, 1))
    found = one_to_many(pairs(a, b, unit=False), 0.05)
    assert set(np.flatnonzero(found.weights[0])) == {3, 7} and found.r2[0] > 0.95
    assert one_to_many(pairs(a, b, unit=False), 1.0).used[0] == 0


def test_subspaces_equal_scipy_and_scikit_learn():
    rng = np.random.default_rng(3)
    shared = rng.standard_normal((400, 3))
    a = np.hstack([shared, rng.standard_normal((400, 2))]) @ rng.standard_normal((5, 5))
    b = np.hstack([shared, rng.standard_normal((400, 3))]) @ rng.standard_normal((6, 6))
    p = pairs(a, b, unit=False)
    found = shared_subspaces(p, keep=1.0, k=5)
    ca, cb = (x.astype(float) - x.mean(0, dtype=float) for x in (p.new, p.old))
    angles = np.sort(scipy.linalg.subspace_angles(ca, cb))
    assert found.kept == (5, 6)
    assert np.abs(np.cos(angles) - found.canonical).max() < 1e-6 and (found.canonical[:3] > 0.999).all()
    sk = CCA(n_components=1, max_iter=2000).fit(ca, cb)
    u, v = sk.transform(ca, cb)
    assert abs(np.corrcoef(u[:, 0], v[:, 0])[0, 1] - found.canonical[0]) < 1e-3
    first = [np.linalg.svd(c, full_matrices=False)[0][:, :5] for c in (ca, cb)]
    assert np.abs(np.sort(found.angles) - np.sort(scipy.linalg.subspace_angles(*first))).max() < 1e-5
    gram_a, gram_b = ca @ ca.T, cb @ cb.T
    assert abs(found.cka - np.sum(gram_a * gram_b) / (np.linalg.norm(gram_a) * np.linalg.norm(gram_b))) < 1e-9


def test_a_rotated_copy_is_the_same_space_whatever_its_units():
    rng = np.random.default_rng(4)
    a = rng.standard_normal((300, 6))
    q = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    p = pairs(a, a @ q, unit=False)
    found = shared_subspaces(p, k=6)
    assert found.cka > 0.999999 and found.canonical.min() > 0.99999 and found.angles.max() < 1e-3
    assert match_units(p).pair_value.mean() < 0.95
