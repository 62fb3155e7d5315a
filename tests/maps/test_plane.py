import itertools

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness

from core.errors import InputError
from core.maps.plane import chosen, project, trust, unit


def blobs(n=60, d=8, seed=0):
    random = np.random.default_rng(seed)
    centres = 12 * random.standard_normal((3, d))
    labels = np.arange(n) % 3
    return (centres[labels] + random.standard_normal((n, d))).astype(np.float32), labels


@pytest.mark.parametrize("shape", [(60, 8), (12, 30)])
def test_pca_plane_is_scikit_learns_up_to_sign(shape):
    x = np.random.default_rng(1).standard_normal(shape) * np.linspace(3, 1, shape[1])
    theirs = PCA(2, svd_solver="full").fit_transform(x)
    ours = project(x, "PCA")
    assert np.allclose(np.abs(ours), np.abs(theirs), atol=1e-3)


def test_pca_of_one_column_has_a_flat_second_axis():
    points = project(np.arange(6.0)[:, None])
    assert points.shape == (6, 2) and not points[:, 1].any()


def test_tsne_keeps_groups_apart_reports_and_repeats():
    x, labels = blobs()
    told = []
    first = project(x, "t-SNE", seed=3, report=lambda stage, share: told.append(share))
    assert np.array_equal(first, project(x, "t-SNE", seed=3))
    assert len(told) > 5 and all(a <= b for a, b in itertools.pairwise(told)) and max(told) <= 0.96
    distance = np.linalg.norm(first[:, None] - first[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    assert (labels[distance.argmin(axis=1)] == labels).all()


def test_trust_is_scikit_learns():
    x, _ = blobs()
    points = project(x)
    assert trust(x, points) == pytest.approx(trustworthiness(x, points, n_neighbors=15))
    assert trust(x, np.random.default_rng(0).standard_normal((60, 2))) < trust(x, points)


def test_choice_is_all_or_a_sorted_sample():
    assert np.array_equal(chosen(5, 9), np.arange(5))
    some = chosen(1000, 100, seed=4)
    assert (
        len(set(some.tolist())) == 100 and (np.diff(some) > 0).all() and np.array_equal(some, chosen(1000, 100, seed=4))
    )


def test_unit_keeps_zero():
    assert np.allclose(unit([[3.0, 4.0], [0.0, 0.0]]), [[0.6, 0.8], [0.0, 0.0]])


@pytest.mark.parametrize("x, method", [(np.zeros((9, 3)), "PCA"), (np.eye(3), "PCA"), (np.eye(9), "Isomap")])
def test_what_cannot_be_laid_out_is_refused(x, method):
    with pytest.raises(InputError):
        project(x, method)


@pytest.mark.slow
def test_umap_keeps_groups_apart_reports_and_repeats():
    x, labels = blobs()
    told = []
    first = project(x, "UMAP", seed=3, report=lambda stage, share: told.append((stage, share)))
    assert np.array_equal(first, project(x, "UMAP", seed=3))
    assert {"starting UMAP", "finding neighbours", "laying out"} == {stage for stage, _ in told}
    assert all(a[1] <= b[1] for a, b in itertools.pairwise(told))
    distance = np.linalg.norm(first[:, None] - first[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    assert (labels[distance.argmin(axis=1)] == labels).all()
