"""The rasteriser against closed forms."""

import numpy as np
import pytest

from core.face.head.raster import interpolate, normals, rasterise

FIRST = np.array([[0, 1, 2]], dtype=np.int32)


def points(*rows):
    return np.array(rows, dtype=np.float32)


def test_a_right_triangle_covers_half_of_its_square():
    seen, _ = rasterise(points([0, 0, 0], [200, 0, 0], [0, 200, 0]), FIRST, 200)
    # centres with column + row + 1 <= 200, those on the slanted edge among them
    assert (seen == 0).sum() == 200 * 201 // 2
    assert seen[0, 0] == 0 and seen[199, 199] == -1


@pytest.mark.parametrize("turn", [0.3, 1.1, 2.9])
def test_coverage_is_the_area(turn):
    c, s = np.cos(turn), np.sin(turn)
    corners = np.array([[-60, -40], [70, -20], [-10, 80]]) @ np.array([[c, s], [-s, c]]) + 128
    a, b = corners[1] - corners[0], corners[2] - corners[0]
    area = abs(a[0] * b[1] - a[1] * b[0]) / 2
    seen, _ = rasterise(np.column_stack([corners, np.zeros(3)]).astype(np.float32), FIRST, 256)
    assert (seen == 0).sum() == pytest.approx(area, rel=0.01)


def test_the_nearer_triangle_is_seen_whatever_the_order_and_the_winding():
    near, far = [[1, 1, 2], [1, 9, 2], [9, 1, 2]], [[0, 0, 1], [10, 0, 1], [0, 10, 1]]
    for first, second, winner in ((near, far, 0), (far, near, 1)):
        two = np.array([[0, 1, 2], [3, 4, 5]], dtype=np.int32)
        assert rasterise(points(*first, *second), two, 10)[0][3, 3] == winner


def test_triangles_that_meet_leave_no_gap_and_no_overlap():
    rng = np.random.default_rng(0)
    grid = np.stack(np.meshgrid(np.linspace(0, 50, 6), np.linspace(0, 50, 6)), -1)
    grid[1:-1, 1:-1] += rng.uniform(-3, 3, (4, 4, 2))
    at = np.arange(36).reshape(6, 6)
    a, b, c, d = (
        at[i : i + 5 if i == 0 else None, j : j + 5 if j == 0 else None] for i, j in ((0, 0), (0, 1), (1, 1), (1, 0))
    )
    faces = np.concatenate([np.stack(t, -1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))]).astype(np.int32)
    flat = np.column_stack([grid.reshape(-1, 2), np.zeros(36)]).astype(np.float32)
    assert (rasterise(flat, faces, 50)[0] >= 0).all()


def test_what_is_linear_in_the_picture_is_interpolated_exactly():
    corners = points([2, 3, 0], [45, 10, 0], [12, 48, 0])
    seen, weights = rasterise(corners, FIRST, 50)
    at = interpolate(seen, weights, FIRST, corners[:, :2].copy())
    rows, columns = np.nonzero(seen == 0)
    assert np.allclose(at[rows, columns, 0], columns + 0.5, atol=1e-4)
    assert np.allclose(at[rows, columns, 1], rows + 0.5, atol=1e-4)
    assert not at[seen < 0].any()


def test_what_lies_outside_of_the_picture_or_has_no_area_draws_nothing():
    for corners in ([[-5, -5, 0], [-1, -5, 0], [-5, -1, 0]], [[1, 1, 0], [5, 5, 0], [9, 9, 0]]):
        assert (rasterise(points(*corners), FIRST, 10)[0] == -1).all()


def test_normals_of_a_sphere_point_outwards():
    from tests.face.small_head import ball

    vertices, faces = ball((0, 0, 0), (2, 2, 2), 24, 40)
    found = normals(vertices.astype(np.float32), faces.astype(np.int32))
    inner = np.abs(vertices[:, 2]) < 1.9  # at the poles several vertices share one place
    along = (found * vertices / 2).sum(1)
    assert along[inner].min() > 0.99
