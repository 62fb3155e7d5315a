"""Exact motion between two pictures of one person: where each place of the second was in the first.

A renderer knows which point of the skin a pixel sees, and where that point lies under other factors.
"""

import numba
import numpy as np

from core.face.head.people import Person
from core.face.head.render import Renderer

NOTHING = 65535  # the background's triangle number in a surface
_BEHIND = 0.12  # decimetres: a point that much behind what is seen is hidden
_STILL = 0.3  # certainty of the background, which stays where it is


def flow(
    renderer: Renderer,
    person: Person,
    first: np.ndarray,
    second: np.ndarray,
    surface_first: np.ndarray,
    surface_second: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """How far each place of the second picture reaches into the first.

    Args:
        first, second: `(13,)` factors of the two pictures.
        surface_first, surface_second: `(S/2, S/2, 4)` what they see, from `Renderer.look`.

    Returns:
        `(S/2, S/2, 2)` offsets in pixels, x to the right and y down, and `(S/2, S/2)` certainty: 1 where the point is
        seen in both, less in the background, 0 where the first picture does not show it.
    """
    points = renderer.project(renderer.vertices(person, first), first).astype(np.float32)
    triangles = renderer.triangles(person)
    return _flow(points, triangles, surface_first, surface_second, renderer.samples)


@numba.njit(cache=True)
def _number(surface, i, j):
    return int(surface[i, j, 0]) + 256 * int(surface[i, j, 1])


@numba.njit(cache=True)
def _flow(points, triangles, surface_first, surface_second, samples):
    size = surface_second.shape[0]
    out = np.zeros((size, size, 2), dtype=np.float32)
    sure = np.zeros((size, size), dtype=np.float32)
    at = np.zeros(3)
    for i in range(size):
        for j in range(size):
            t = _number(surface_second, i, j)
            if t == NOTHING:
                sure[i, j] = _STILL if _number(surface_first, i, j) == NOTHING else 0.0
                continue
            _place(points, triangles, t, surface_second[i, j], at)
            x, y, z = at[0], at[1], at[2]
            out[i, j, 0] = x - (2 * j + 1 + 0.5 / samples)
            out[i, j, 1] = y - (2 * i + 1 + 0.5 / samples)
            row, column = int(np.floor(y / 2)), int(np.floor(x / 2))
            if 0 <= row < size and 0 <= column < size:
                seen = _number(surface_first, row, column)
                if seen != NOTHING:
                    _place(points, triangles, seen, surface_first[row, column], at)
                    sure[i, j] = 1.0 if z > at[2] - _BEHIND else 0.0
    return out, sure


@numba.njit(cache=True)
def _place(points, triangles, t, corner, at):
    u, v = corner[2] / 255.0, corner[3] / 255.0
    w = max(0.0, 1.0 - u - v)
    for k in range(3):
        at[k] = u * points[triangles[t, 0], k] + v * points[triangles[t, 1], k] + w * points[triangles[t, 2], k]
