"""Triangle meshes out of the plain files that programs exchange, and into one of them."""

import numpy as np

from core.datasets.guard import base, decoding, extension
from core.errors import InputError
from core.transport.shapes import MOST_FACES

MESHES = ("obj", "stl", "off")
LARGEST_BYTES = 50_000_000
_STL = np.dtype([("normal", "<3f4"), ("corners", "<9f4"), ("more", "<u2")])


def read_mesh(name: str, data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Vertices `(V, 3)` and triangles `(F, 3)`; polygons are cut into fans.

    Raises:
        InputError: too large, damaged, or without triangles.
    """
    label, form = base(name), extension(name)
    if len(data) > LARGEST_BYTES:
        raise InputError(f"{label} is larger than {LARGEST_BYTES // 10**6} MB, the most that is accepted for a mesh.")
    readers = {"obj": _obj, "off": _off, "stl": _stl}
    with decoding(label, "accepted are meshes as obj, stl and off"):
        vertices, faces = readers[form](data)
    if not len(faces):
        raise InputError(f"{label} holds no triangles; accepted are meshes as {', '.join(MESHES)}.")
    return vertices, faces


def _fan(polygons: list[list[int]]) -> np.ndarray:
    if sum(len(p) for p in polygons) > 4 * MOST_FACES:
        raise InputError(f"The mesh has too many faces; at most {MOST_FACES:,} triangles are taken.")
    return np.array([(p[0], p[i], p[i + 1]) for p in polygons for i in range(1, len(p) - 1)], dtype=np.int64)


def _obj(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    vertices, polygons = [], []
    for line in data.decode("utf-8", "replace").splitlines():
        word, *rest = line.split()[:64] or [""]
        if word == "v":
            vertices.append([float(v) for v in rest[:3]])
        elif word == "f":
            corners = [int(v.split("/")[0]) for v in rest]
            polygons.append([c - 1 if c > 0 else len(vertices) + c for c in corners])
    return np.array(vertices, dtype=float).reshape(-1, 3), _fan(polygons)


def _off(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    lines = (line.split("#")[0].split() for line in data.decode("utf-8", "replace").splitlines())
    numbers = iter([w for w in (word for line in lines for word in line) if w != "OFF"])
    v, f, _ = (int(next(numbers)) for _ in range(3))
    vertices = np.array([float(next(numbers)) for _ in range(3 * v)]).reshape(-1, 3)
    return vertices, _fan([[int(next(numbers)) for _ in range(int(next(numbers)))] for _ in range(f)])


def _stl(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    count = int.from_bytes(data[80:84], "little")
    if len(data) == 84 + 50 * count:
        corners = np.frombuffer(data, _STL, count, 84)["corners"].reshape(-1, 3).astype(float)
    else:
        words = [line.split()[1:4] for line in data.decode("utf-8", "replace").splitlines() if "vertex" in line]
        corners = np.array(words, dtype=float).reshape(-1, 3)
    vertices, index = np.unique(corners, axis=0, return_inverse=True)
    return vertices, index.reshape(-1, 3)


def obj(vertices: np.ndarray, faces: np.ndarray) -> str:
    """A mesh `(V, 3)`, `(F, 3)` as the text of an obj file."""
    lines = [f"v {x:.6g} {y:.6g} {z:.6g}" for x, y, z in vertices]
    return "\n".join([*lines, *(f"f {a} {b} {c}" for a, b, c in np.asarray(faces) + 1)]) + "\n"
