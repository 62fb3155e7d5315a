"""What surrounds the face mesh: rings over hair, ears, neck and background that carry the face's motion outwards.

The head behind the face is taken as a rounded solid: the rings fall back from the outline of the face to the depth of
the head's middle at its silhouette. A turn of the head therefore dies away there by itself, as it does on a real
head, and beyond the silhouette the rest of the motion fades out.
"""

from dataclasses import dataclass

import numpy as np

from core.face.photo.directions import PIVOT
from core.face.photo.mesh import LOWER_LIP, OUTLINE, POINTS, UPPER_LIP, lids, strip, triangles

RINGS = np.array([1.08, 1.18, 1.3, 1.45, 1.65, 1.9, 2.2, 2.6, 3.1, 3.7])  # of the outline's distance from the middle
MIDDLE = np.array([0.0, 0.22])
DEEP = float(PIVOT[2])  # depth of the head's middle
_TOP, _SIDE, _BOTTOM = 2.4, 2.0, 2.0  # where the rings reach that depth, in the same measure: hair, ears, neck
_FADE = np.array([0.45, 0.35, 0.75])  # over which the motion of the face fades: top, side, bottom
_STEEPEST = 1.3  # how fast the depth of the turning head may change across it
_CALM = np.array([1.5, 1.6, 1.3])  # and the motion of the head, beyond the silhouette


@dataclass(frozen=True)
class Sheet:
    """The face mesh with its rings: one connected sheet.

    Attributes:
        points: `(V, 3)` in the picture; the first 468 are the face.
        solid: `(V, 3)` the same points on the rounded head that turns: its sides fall back more gently than a real
            head's, so that a turn by 25 degrees presses them together but does not fold them, which would leave
            ragged edges.
        triangles: `(T, 3)`; eyes and mouth are closed.
        parent: `(V,)` the face point whose motion a point follows.
        face: `(V,)` how much of the face's own motion it takes, 1 to 0.
        head: `(V,)` how much of the head's motion.
    """

    points: np.ndarray
    solid: np.ndarray
    triangles: np.ndarray
    parent: np.ndarray
    face: np.ndarray
    head: np.ndarray


def sheet(points: np.ndarray, placed) -> Sheet:
    """The sheet around a face.

    Args:
        points: `(468, 3)` landmarks in the picture.
        placed: how the face lies (`core.face.photo.canonical.Placed`).
    """
    outline = placed.undo(points[list(OUTLINE)])
    out = outline[:, :2] - MIDDLE
    along = out / np.linalg.norm(out, axis=1, keepdims=True)
    part = np.stack([np.clip(-along[:, 1], 0, 1) ** 2, along[:, 0] ** 2, np.clip(along[:, 1], 0, 1) ** 2], 1)
    edge = part @ np.array([_TOP, _SIDE, _BOTTOM])
    fade, calm = part @ _FADE, part @ _CALM
    rings, face, head = [], [np.ones(POINTS)], [np.ones(POINTS)]
    for r in RINGS:
        back = np.clip((r - 1) / (edge - 1), 0, 1)
        z = outline[:, 2] + (DEEP - outline[:, 2]) * (1 - _fall(back))
        rings.append(np.column_stack([MIDDLE + r * out, z]))
        face.append(_fall((r - 1) / fade))
        head.append(_fall((r - edge) / calm))
    n, k = len(OUTLINE), len(RINGS)
    number = np.concatenate([np.array(OUTLINE)[None], POINTS + np.arange(n * k).reshape(k, n)])
    a, b = number[:-1], number[1:]
    a1, b1 = np.roll(a, -1, 1), np.roll(b, -1, 1)
    around = np.concatenate([np.stack([a, a1, b], -1), np.stack([a1, b1, b], -1)]).reshape(-1, 3)
    holes = [strip(u, v) for u, v in (*lids(), (UPPER_LIP, LOWER_LIP))]
    own = placed.undo(points)
    every = np.concatenate([own, *rings])
    apart = np.linalg.norm(every[:, None, :2] - every[None, :, :2], axis=-1)
    gentle = every.copy()
    gentle[:, 2] = (every[None, :, 2] + _STEEPEST * apart).min(1)
    return Sheet(
        points=np.concatenate([points, placed.apply(np.concatenate(rings))]),
        solid=placed.apply(gentle),
        triangles=np.concatenate([triangles(), *holes, around]).astype(np.int32),
        parent=np.concatenate([np.arange(POINTS), np.tile(OUTLINE, k)]),
        face=np.concatenate(face),
        head=np.concatenate(head),
    )


def _fall(t: np.ndarray) -> np.ndarray:
    """1 to 0 with level ends."""
    t = np.clip(t, 0, 1)
    return 1 - t * t * (3 - 2 * t)
