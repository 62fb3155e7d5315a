"""From moved triangles to a picture: where each pixel comes from, and the photograph sampled there."""

import numba
import numpy as np

_JUMP = 8.0  # pixels between neighbours from which a map is taken to be torn there


@numba.njit(cache=True, nogil=True)
def trace(target, source, triangles, x0, y0, width, height):
    """For every pixel of a window, the place in the source that the nearest triangle over it brings there.

    Inside a triangle the map is affine; triangles that share an edge agree on it, so the map is continuous.

    Args:
        target: `(V, 3)` moved points; x right, y down in pixels (a pixel's middle is at one half), smaller z is nearer.
        source: `(V, 2)` where the points were.
        triangles: `(T, 3)`.
        x0, y0: upper left pixel of the window.
        width, height: of the window.

    Returns:
        `(height, width, 2)` float32 x and y in the source, NaN where no triangle lies; and `(height, width)` int32
        numbers of the triangles, -1 for none.
    """
    place = np.full((height, width, 2), np.nan, dtype=np.float32)
    which = np.full((height, width), -1, dtype=np.int32)
    depth = np.full((height, width), np.inf, dtype=np.float32)
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, ay, bx, by = target[a, 0] - x0, target[a, 1] - y0, target[b, 0] - x0, target[b, 1] - y0
        cx, cy = target[c, 0] - x0, target[c, 1] - y0
        area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        if abs(area) < 1e-9:
            continue
        left, right = max(0.0, np.ceil(min(ax, bx, cx) - 0.5)), min(width - 1.0, np.floor(max(ax, bx, cx) - 0.5))
        top, bottom = max(0.0, np.ceil(min(ay, by, cy) - 0.5)), min(height - 1.0, np.floor(max(ay, by, cy) - 0.5))
        for row in range(int(top), int(bottom) + 1):
            y = row + 0.5
            for column in range(int(left), int(right) + 1):
                x = column + 0.5
                u = ((bx - x) * (cy - y) - (cx - x) * (by - y)) / area
                v = ((cx - x) * (ay - y) - (ax - x) * (cy - y)) / area
                w = 1.0 - u - v
                if u < -1e-7 or v < -1e-7 or w < -1e-7:
                    continue
                z = u * target[a, 2] + v * target[b, 2] + w * target[c, 2]
                if z < depth[row, column]:
                    depth[row, column] = z
                    which[row, column] = t
                    place[row, column, 0] = u * source[a, 0] + v * source[b, 0] + w * source[c, 0]
                    place[row, column, 1] = u * source[a, 1] + v * source[b, 1] + w * source[c, 1]
    return place, which


@numba.njit(cache=True, inline="always")
def _cubic(t):
    """Weights of four neighbours, the place being `t` past the second one (Keys 1981, a = -1/2)."""
    return (
        ((-0.5 * t + 1.0) * t - 0.5) * t,
        (1.5 * t - 2.5) * t * t + 1.0,
        ((-1.5 * t + 2.0) * t + 0.5) * t,
        (0.5 * t - 0.5) * t * t,
    )


@numba.njit(cache=True, inline="always")
def _at(picture, px, py):
    """Three colours of a picture at a place counted from the middle of its first pixel."""
    h, w = picture.shape[0], picture.shape[1]
    fx, fy = np.floor(px), np.floor(py)
    ix, iy = int(fx), int(fy)
    wx, wy = _cubic(px - fx), _cubic(py - fy)
    r, g, b = 0.0, 0.0, 0.0
    for j in range(4):
        y = min(max(iy + j - 1, 0), h - 1)
        for i in range(4):
            x = min(max(ix + i - 1, 0), w - 1)
            k = wx[i] * wy[j]
            r += k * picture[y, x, 0]
            g += k * picture[y, x, 1]
            b += k * picture[y, x, 2]
    return r, g, b


@numba.njit(cache=True, inline="always")
def _slope(place, row, column, down, across):
    """How the place changes to the next pixel, `(dx, dy)`; zero at an edge or a jump."""
    r, c = row + down, column + across
    if r >= place.shape[0] or c >= place.shape[1]:
        r, c = row - down, column - across
    dx, dy = place[r, c, 0] - place[row, column, 0], place[r, c, 1] - place[row, column, 1]
    if not dx * dx + dy * dy < _JUMP * _JUMP:  # also where it is not a number
        return 0.0, 0.0
    return dx, dy


@numba.njit(cache=True, nogil=True)
def sample(picture, place, out, low=0.0, high=255.0):
    """Write the picture's colours at places into `out`, by cubic convolution; NaN places are left as they are.

    Where neighbouring places lie more than a pixel and a third apart, the mean over several places between them is
    taken, so that what is pressed together does not turn ragged.

    Args:
        picture: `(H, W, 3)`; beyond its border the last pixel repeats.
        place: `(h, w, 2)` x and y, a pixel's middle at one half.
        out: `(h, w, 3)` float32.
        low, high: limits, which cubic convolution may overshoot.
    """
    for row in range(place.shape[0]):
        for column in range(place.shape[1]):
            px, py = place[row, column, 0] - 0.5, place[row, column, 1] - 0.5
            if np.isnan(px):
                continue
            ax, ay = _slope(place, row, column, 0, 1)
            bx, by = _slope(place, row, column, 1, 0)
            n = int(min(4.0, np.floor(np.sqrt(ax * ax + ay * ay) + 0.67)))
            m = int(min(4.0, np.floor(np.sqrt(bx * bx + by * by) + 0.67)))
            n, m = max(n, 1), max(m, 1)
            r, g, b = 0.0, 0.0, 0.0
            for j in range(m):
                v = (j + 0.5) / m - 0.5
                for i in range(n):
                    u = (i + 0.5) / n - 0.5
                    r1, g1, b1 = _at(picture, px + u * ax + v * bx, py + u * ay + v * by)
                    r, g, b = r + r1, g + g1, b + b1
            out[row, column, 0] = min(high, max(low, r / (n * m)))
            out[row, column, 1] = min(high, max(low, g / (n * m)))
            out[row, column, 2] = min(high, max(low, b / (n * m)))
