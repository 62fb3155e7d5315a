"""A z-buffer rasteriser: which triangle, and where in it, every sample of a picture sees. Deterministic.

A sample belongs to a triangle when its centre lies inside; on an edge, the triangle that was drawn first keeps it
unless a later one is nearer. Depth and everything that is interpolated are linear in the picture plane, which for a
head seen from several head-widths away differs from the perspective-correct value by less than a sample.
"""

import numba
import numpy as np


@numba.njit(cache=True, fastmath=False)
def rasterise(points: np.ndarray, triangles: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The nearest triangle at each sample.

    Args:
        points: `(V, 3)` float32: x to the right and y down in samples, the upper left corner of the picture at
            (0, 0), and z, larger is nearer.
        triangles: `(T, 3)` int32; both windings are drawn.
        size: samples on a side.

    Returns:
        `(size, size)` int32 triangle numbers, -1 where there is none, and `(size, size, 2)` float32 weights of the
        triangle's first and second corner (the third has the rest).
    """
    seen = np.full((size, size), -1, dtype=np.int32)
    weights = np.zeros((size, size, 2), dtype=np.float32)
    depth = np.full((size, size), -np.inf, dtype=np.float32)
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, ay, az = points[a, 0], points[a, 1], points[a, 2]
        bx, by, bz = points[b, 0], points[b, 1], points[b, 2]
        cx, cy, cz = points[c, 0], points[c, 1], points[c, 2]
        area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        if abs(area) < 1e-12:
            continue
        left = max(0, int(np.ceil(min(ax, bx, cx) - 0.5)))
        right = min(size - 1, int(np.floor(max(ax, bx, cx) - 0.5)))
        top = max(0, int(np.ceil(min(ay, by, cy) - 0.5)))
        bottom = min(size - 1, int(np.floor(max(ay, by, cy) - 0.5)))
        for row in range(top, bottom + 1):
            y = row + 0.5
            for column in range(left, right + 1):
                x = column + 0.5
                u = ((bx - x) * (cy - y) - (cx - x) * (by - y)) / area
                v = ((cx - x) * (ay - y) - (ax - x) * (cy - y)) / area
                w = 1.0 - u - v
                if u < 0.0 or v < 0.0 or w < 0.0:
                    continue
                z = u * az + v * bz + w * cz
                if z > depth[row, column]:
                    depth[row, column] = z
                    seen[row, column] = t
                    weights[row, column, 0] = u
                    weights[row, column, 1] = v
    return seen, weights


@numba.njit(cache=True)
def interpolate(seen: np.ndarray, weights: np.ndarray, triangles: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values at the vertices `(V, C)` to values at the samples `(size, size, C)`; zero where nothing is seen."""
    size, channels = seen.shape[0], values.shape[1]
    out = np.zeros((size, size, channels), dtype=np.float32)
    for row in range(size):
        for column in range(size):
            t = seen[row, column]
            if t < 0:
                continue
            u, v = weights[row, column, 0], weights[row, column, 1]
            for k in range(channels):
                out[row, column, k] = (
                    u * values[triangles[t, 0], k]
                    + v * values[triangles[t, 1], k]
                    + (1 - u - v) * values[triangles[t, 2], k]
                )
    return out


@numba.njit(cache=True)
def normals(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """`(V, 3)` unit normals at the vertices, the mean over the triangles around each, weighted by their areas."""
    out = np.zeros(points.shape, dtype=np.float32)
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
        vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        for i in (a, b, c):
            out[i, 0] += nx
            out[i, 1] += ny
            out[i, 2] += nz
    for i in range(len(out)):
        length = np.sqrt(out[i, 0] ** 2 + out[i, 1] ** 2 + out[i, 2] ** 2)
        if length > 0:
            out[i] /= length
    return out
