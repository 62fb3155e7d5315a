"""Make `assets/face/mesh.npz`: `python -m core.face.photo.build_assets DOWNLOADS`.

DOWNLOADS holds the mediapipe 0.10.21 wheel (for the triangles of its face mesh). The assets `head` and `face-mesh`
must be there (`python -m core assets get head face-mesh`).

The landmark network looks at pictures of people drawn from the parametric head; each of its 468 points is cast onto the
head's surface. The median over the people gives each point a place on the head, and with it the exact displacement of
that point for every one of the head's movements. Last, a linear map that reads codes off landmarks is learned on
pictures whose codes are known (`core.face.photo.build_reader`). Three minutes on one core.
"""

import re
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from core.face.head import factors as known
from core.face.head.build import PARTS
from core.face.head.mesh import Head, load_head
from core.face.head.people import draw_person
from core.face.head.raster import rasterise
from core.face.head.render import Renderer
from core.face.photo.build_reader import learn
from core.face.photo.detector import find
from core.face.photo.directions import BANKS, stacked
from core.face.photo.landmarks import around_eyes, around_points, landmarks
from core.face.photo.mesh import FILE, POINTS

PEOPLE, SIZE, SAMPLES = 40, 320, 2
BROWS = 0.07  # decimetres
OPEN = 0.3  # of the mouth, so that the lips are apart
FLIP = np.array([1.0, -1.0, -1.0])  # from the head's frame to the picture's


def main(argv: list[str]) -> int:
    """Write the file."""
    head = load_head()
    places = place_points(head)
    arrays = {"triangles": _triangles(Path(argv[0])).astype(np.uint16)}
    rest = _at(places, head.vertices) * FLIP
    arrays["mirror"] = _mirror(rest).astype(np.uint16)
    arrays["shape"] = _even(rest, arrays["mirror"]).astype(np.float32)
    arrays["vertex"], arrays["weight"] = places[0].astype(np.uint16), places[1].astype(np.float32)
    moves = {name: _at(places, move) * FLIP for name, move in head.targets.items()}
    twins = {n: n.replace("Left", "*").replace("Right", "Left").replace("*", "Right") for n in moves}
    even = {n: (moves[n] + _mirrored(moves[twins[n]], arrays["mirror"])) / 2 for n in moves}
    even |= {n: _lifted(even[n], arrays["shape"]) for n in even if n.startswith("brow")}
    arrays["moves"] = np.stack([even[n] for n in sorted(even)]).astype(np.float32)
    arrays["names"] = np.array(sorted(even))
    arrays |= stacked(even, arrays["shape"].astype(np.float64))
    banks, scales = ({b: arrays[f"{k}.{b}"] for b in BANKS} for k in ("directions", "scale"))
    arrays["reader"] = learn(head, even, banks, scales, arrays["shape"].astype(np.float64)).astype(np.float32)
    FILE.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(FILE, **arrays)
    return 0


def place_points(head: Head) -> tuple[np.ndarray, np.ndarray]:
    """Where the 468 points lie on the head: vertex numbers `(468, 3)` and their weights `(468, 3)`, rows sum to 1."""
    renderer = Renderer(head, SIZE, SAMPLES)
    setting = known.neutral()
    setting[known.FACTORS.index("mouth open")] = OPEN
    lashless = np.ascontiguousarray(
        head.triangles[np.isin(head.parts, [PARTS.index(p) for p in ("skin", "eye", "teeth")])]
    )
    open_mouth = head.moved(known.strengths(setting))
    seen = []
    for seed in range(1000, 1000 + PEOPLE):
        person = replace(draw_person(head, seed), style=seed % 2)
        picture = renderer.render(person, setting)
        found = find(picture)
        if not found:
            continue
        square = around_eyes(found[0].box, found[0].eyes)
        for _ in range(4):
            points, _ = landmarks(picture, square)
            square = around_points(points)
        projected = renderer.project(renderer.vertices(person, setting), setting).astype(np.float32)
        vertex, weight = _cast(head, projected, lashless, points)
        seen.append(_at((vertex, weight), open_mouth))
    middle = np.median(seen, axis=0)
    twin = _mirror(middle * FLIP)
    middle = (middle + middle[twin] * [-1, 1, 1]) / 2
    return _snap(head, open_mouth, lashless, middle)


def _cast(head: Head, projected, triangles, points) -> tuple[np.ndarray, np.ndarray]:
    """The visible place of the skin nearest to each landmark in the picture plane."""
    big = projected.copy()
    big[:, :2] *= 3
    hit, weights = rasterise(big, triangles, 3 * SIZE)
    rows, columns = np.nonzero(_skin(head, hit, triangles))
    near = cKDTree(np.column_stack([columns, rows]) + 0.5).query(3 * points[:, :2])[1]
    return _places(hit, weights, triangles, rows[near], columns[near])


def _snap(head: Head, vertices, triangles, middle) -> tuple[np.ndarray, np.ndarray]:
    """The visible place of the skin nearest to each point in space, on a fine picture of the head from the front."""
    side = 1600
    low, high = middle.min(0) - 0.1, middle.max(0) + 0.1
    scale = side / (high - low)[:2].max()
    flat = np.column_stack([(vertices[:, 0] - low[0]) * scale, (high[1] - vertices[:, 1]) * scale, vertices[:, 2]])
    hit, weights = rasterise(flat.astype(np.float32), triangles, side)
    rows, columns = np.nonzero(_skin(head, hit, triangles))
    vertex, weight = _places(hit, weights, triangles, rows, columns)
    near = cKDTree(_at((vertex, weight), vertices)).query(middle)[1]
    return vertex[near], weight[near]


def _skin(head: Head, hit: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Which samples see skin, outside the mouth."""
    skin = np.zeros(len(head.vertices), bool)
    skin[head.part("skin")] = True
    skin &= head.masks["inside-mouth"] < 0.5
    return (hit >= 0) & skin[triangles[hit]].all(-1)


def _places(hit, weights, triangles, rows, columns) -> tuple[np.ndarray, np.ndarray]:
    two = weights[rows, columns]
    return triangles[hit[rows, columns]], np.column_stack([two, 1 - two.sum(1)])


def _at(places: tuple[np.ndarray, np.ndarray], values: np.ndarray) -> np.ndarray:
    """Values `(V, 3)` of the head's vertices at places on its surface."""
    return np.einsum("nk,nkc->nc", places[1].astype(np.float64), values[places[0]].astype(np.float64))


def _mirror(points: np.ndarray) -> np.ndarray:
    """`(468,)` the number of each point's mirror image, such that twice is back."""
    _, twin = cKDTree(points).query(points * [-1, 1, 1])
    agree = twin[twin] == np.arange(POINTS)
    if not agree.all():
        from scipy.optimize import linear_sum_assignment

        apart = np.linalg.norm(points[:, None] * [-1, 1, 1] - points[None], axis=-1)
        twin = linear_sum_assignment(apart + apart.T)[1]
        agree = twin[twin] == np.arange(POINTS)
    assert agree.all(), f"no mirror image for {POINTS - int(agree.sum())} points"
    return twin


def _mirrored(points: np.ndarray, twin: np.ndarray) -> np.ndarray:
    return points[twin] * [-1, 1, 1]


def _even(points: np.ndarray, twin: np.ndarray) -> np.ndarray:
    return (points + _mirrored(points, twin)) / 2


def _lifted(move: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """A movement of the brows `(468, 3)`, shifted up by `BROWS`.

    The head's movements push the skin just under the brow most, where no hair grows; the landmarks of real brows lie
    higher.
    """
    from scipy.interpolate import LinearNDInterpolator

    below = shape[:, :2] + [0, BROWS]
    return np.nan_to_num(LinearNDInterpolator(shape[:, :2], move)(below)).astype(np.float32)


def _triangles(downloads: Path) -> np.ndarray:
    """The triangles of MediaPipe's mesh; its list of edges goes round one triangle after the other."""
    with zipfile.ZipFile(next(downloads.glob("mediapipe-0.10.21-*.whl"))) as wheel:
        text = wheel.read("mediapipe/python/solutions/face_mesh_connections.py").decode()
    edges = np.array(re.findall(r"\((\d+), (\d+)\)", text.split("FACEMESH_TESSELATION")[1]), dtype=np.int64)[: 3 * 852]
    return edges.reshape(-1, 3, 2)[:, :, 0]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
