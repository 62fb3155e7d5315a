"""A head of a few hundred vertices for tests: an ellipsoid with eyes, a mouth and simple movements."""

import numpy as np

from core.face.head.build import MASKS, PARTS
from core.face.head.factors import MOVES
from core.face.head.mesh import Head, assemble

NAMES = sorted({target for moves in MOVES.values() for target in moves})


def ball(centre, radii, rings: int, sides: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of an ellipsoid; the poles are on the z axis."""
    polar, around = np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, sides, endpoint=False)
    grid = np.stack(
        [
            np.outer(np.sin(polar), np.cos(around)),
            np.outer(np.sin(polar), np.sin(around)),
            np.outer(np.cos(polar), np.ones(sides)),
        ],
        -1,
    )
    at = np.arange((rings + 1) * sides).reshape(rings + 1, sides)
    a, b, c, d = at[:-1], at[1:], np.roll(at[1:], -1, 1), np.roll(at[:-1], -1, 1)
    triangles = np.concatenate([np.stack(t, -1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])
    return (grid * radii + centre).reshape(-1, 3), triangles


def small_head() -> Head:
    """A head in the frame of the real one's raw file: the eyes are 7.3 decimetres up."""
    parts = [
        ("skin", *ball((0, 6.95, 0.1), (0.8, 1.1, 1.0), 14, 20)),
        ("eye", *ball((0.3, 7.3, 0.95), (0.14, 0.14, 0.14), 6, 10)),
        ("eye", *ball((-0.3, 7.3, 0.95), (0.14, 0.14, 0.14), 6, 10)),
        ("hair", *ball((0, 8.1, -0.2), (0.7, 0.3, 0.7), 4, 8)),
    ]
    points, triangles, numbers, start = [], [], [], 0
    for name, vertices, faces in parts:
        points.append(vertices)
        triangles.append(faces + start)
        numbers += [PARTS.index(name)] * len(faces)
        start += len(vertices)
    v = np.concatenate(points).astype(np.float32)
    x, y, front = v[:, 0], v[:, 1], v[:, 2] > 0.3

    def near(cx, cy, r):
        return (np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / r**2) * front)[:, None].astype(np.float32)

    move = {name: np.zeros_like(v) for name in NAMES}
    move["jawOpen"] = near(0, 6.4, 0.25) * np.float32([0, -0.3, -0.05])
    move["mouthPucker"] = near(0, 6.6, 0.2) * np.float32([0, 0, 0.15])
    for side, sign in (("Left", 1), ("Right", -1)):
        move[f"mouthStretch{side}"] = near(0.2 * sign, 6.6, 0.15) * np.float32([0.12 * sign, 0, 0])
        move[f"mouthSmile{side}"] = near(0.2 * sign, 6.6, 0.15) * np.float32([0.05 * sign, 0.12, 0])
        move[f"eyeBlink{side}"] = near(0.3 * sign, 7.42, 0.1) * np.float32([0, -0.12, 0])
        move[f"browDown{side}"] = near(0.3 * sign, 7.5, 0.12) * np.float32([0, -0.08, 0])
        move[f"browOuterUp{side}"] = near(0.35 * sign, 7.5, 0.12) * np.float32([0, 0.1, 0])
    masks = {name: np.zeros(len(v), dtype=np.float32) for name in MASKS}
    masks["lips"] = near(0, 6.55, 0.15)[:, 0]
    masks["face"] = near(0, 7.0, 0.8)[:, 0]
    shape = {
        "nose.nose-width1-incr": near(0, 7.0, 0.2) * np.float32([0.05, 0, 0.05]),
        "nose.nose-width1-decr": near(0, 7.0, 0.2) * np.float32([-0.05, 0, -0.05]),
        "eyes.l-eye-trans-up": near(0.3, 7.3, 0.2) * np.float32([0, 0.03, 0]),
        "eyes.r-eye-trans-up": near(-0.3, 7.3, 0.2) * np.float32([0, 0.03, 0]),
        "head.head-oval": near(0, 6.9, 1.0) * np.float32([0, 0.05, 0]),
    }
    arrays = {
        "vertices": v,
        "triangles": np.concatenate(triangles).astype(np.int32),
        "parts": np.array(numbers, dtype=np.int8),
        "uv": np.zeros((len(v), 2), dtype=np.float32),
        "index": np.arange(len(v), dtype=np.int32),
    }
    return assemble(arrays, {"mask": masks, "move": move, "people": {}, "shape": shape})
