"""Search, recall, mean average precision and re-indexing, against scikit-learn and plain loops."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score
from sklearn.neighbors import NearestNeighbors

from core.compatible.matrix import average_compatibility, compatibility
from core.compatible.pairs import unit_rows
from core.compatible.reindex import ORDERS, reindexing
from core.compatible.retrieval import retrieval
from core.compatible.search import InvertedLists, nearest
from core.errors import InputError


def clouds(n=300, d=6, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 5, n)
    centres = rng.standard_normal((5, d))
    return unit_rows((centres[labels] + 0.7 * rng.standard_normal((n, d))).astype(np.float32)), labels


def test_exact_search_equals_scikit_learn():
    x, _ = clouds(2500)
    found = nearest(x, x, own=np.arange(len(x)))
    truth = NearestNeighbors(n_neighbors=2).fit(x).kneighbors(x)[1]
    truth = np.where(truth[:, 0] == np.arange(len(x)), truth[:, 1], truth[:, 0])
    assert (found.index == truth).mean() > 0.999  # equal distances may be told apart by rounding


def test_inverted_lists_with_all_cells_are_exact_and_with_few_nearly():
    x, _ = clouds(2000, seed=1)
    lists, own = InvertedLists(x, cells=30), np.arange(len(x))
    exact = nearest(x, x, own=own)
    assert np.allclose(lists.nearest(x, own=own, probes=30).similarity, exact.similarity, atol=1e-6)
    few = lists.nearest(x, own=own, probes=6)
    assert (np.abs(few.similarity - exact.similarity) < 1e-6).mean() > 0.9
    assert np.allclose(np.einsum("nd,nd->n", x, x[few.index]), few.similarity, atol=1e-6)
    assert (few.index != own).all()


def test_along_few_axes_the_search_finds_true_similarities_and_nearly_always_the_best():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3000, 8)) @ rng.standard_normal((8, 60)) + 0.1 * rng.standard_normal((3000, 60))
    x, own = unit_rows(x.astype(np.float32)), np.arange(3000)
    lists, exact = InvertedLists(x, cells=30), nearest(x, x, own=own)
    assert lists.axes is not None and lists.axes.shape[1] <= 8
    found = lists.nearest(x, own=own, probes=30)
    assert np.allclose(np.einsum("nd,nd->n", x, x[found.index]), found.similarity, atol=1e-6)
    assert (found.index == exact.index).mean() > 0.9 and (found.similarity <= exact.similarity + 1e-6).all()
    assert InvertedLists(unit_rows(rng.standard_normal((500, 20)).astype(np.float32))).axes is None


def test_recall_and_mean_ap_by_label_equal_a_plain_loop():
    x, labels = clouds()
    y = unit_rows(x + 0.2 * np.random.default_rng(3).standard_normal(x.shape).astype(np.float32))
    found = retrieval(x, y, labels)
    hits, precisions = [], []
    for i in range(len(x)):
        rest = np.delete(np.arange(len(x)), i)
        score = y[rest] @ x[i]
        hits.append(labels[rest[score.argmax()]] == labels[i])
        precisions.append(average_precision_score(labels[rest] == labels[i], score))
    assert found.recall == pytest.approx(np.mean(hits)) and found.mean_ap == pytest.approx(
        np.mean(precisions), abs=1e-6
    )


def test_identity_counts_ties_both_ways():
    x = np.eye(4, dtype=np.float32)[[0, 0, 1, 2]]
    found = retrieval(x, x)
    assert (found.recall, found.recall_ties) == (0.5, 1.0)
    assert found.mean_ap == pytest.approx((2 / 1.5 + 2) / 4)


def test_approximate_retrieval_carries_its_exact_control():
    x, labels = clouds(3000)
    found = retrieval(x, x, labels, exact=False, mean_ap=False)
    exact = retrieval(x, x, labels, exact=True, mean_ap=False)
    assert not found.exact and found.control is not None
    assert abs(found.recall - exact.recall) < 0.02 and abs(found.control - found.control_approximate) < 0.02


def test_different_widths_are_compared_as_if_continued_with_zeros():
    x, labels = clouds()
    wide = np.hstack([x, np.zeros((len(x), 3), np.float32)])
    assert retrieval(wide, x, labels).recall == retrieval(x, x, labels).recall


def test_compatibility_matrix_and_its_average():
    x, labels = clouds()
    noisy = unit_rows(x + 0.8 * np.random.default_rng(0).standard_normal(x.shape).astype(np.float32))
    found = compatibility([noisy, x, x], labels)
    assert np.isnan(found.scores[0, 1]) and found.scores[2, 1] == found.scores[1, 1]
    assert found.average == pytest.approx(2 / 3) and found.average_ties == 1.0  # the pair (2, 1) is a tie
    assert average_compatibility(np.array([[0.5, np.nan], [0.6, 0.9]])) == (1.0, 1.0)
    assert average_compatibility(np.array([[0.5, np.nan], [0.5, 0.9]])) == (0.0, 1.0)


@pytest.mark.parametrize("by_label", [True, False])
@pytest.mark.parametrize("order", ORDERS)
def test_reindexing_equals_searching_the_mixed_gallery(order, by_label):
    from core.compatible.reindex import priority

    x, labels = clouds(120, seed=2)
    old = unit_rows(x + 0.5 * np.random.default_rng(0).standard_normal(x.shape).astype(np.float32))
    known = labels if by_label or order == "class distance" else None
    found = reindexing(x, old, known, order=order, levels=5, seed=4)
    first = priority(order, x, old, known, seed=4)
    for share, recall in zip(found.share, found.recall, strict=True):
        mixed = old.copy()
        fresh = first[: round(share * len(x))]
        mixed[fresh] = x[fresh]
        assert recall == pytest.approx(retrieval(x, mixed, known).recall, abs=1e-9)
    assert found.needed is None or 0 < found.needed <= 1


def test_reindexing_refuses_an_order_it_cannot_make():
    x, _ = clouds(50)
    with pytest.raises(InputError, match="labels"):
        reindexing(x, x, order="class distance")
    with pytest.raises(InputError, match="random"):
        reindexing(x, x, order="alphabet")
