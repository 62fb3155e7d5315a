"""A face that can be moved, whatever moves it: its banks, its own code, and its photograph under other codes."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from PIL import Image

from core.basis import Basis
from core.face.photo.codes import measure
from core.face.photo.directions import OPPOSITES
from core.face.photo.directions import bases as mesh_bases
from core.face.photo.mesh import triangles
from core.face.photo.motion import MeshMotion
from core.face.photo.photo import Face

_AROUND = 1.55  # half the side of a close-up, in widths of the face
_STRIP_FACE = 76  # pixels across a face in a strip


class Actor(Protocol):
    """A face in a photograph, and the model that moves it.

    Attributes:
        picture: `(H, W, 3)` uint8, the photograph.
        face: where the face is.
        banks: bases by name, in the order of the codes.
        own: `(K,)` the face's own code.
        title: of the model.
    """

    picture: np.ndarray
    face: Face
    banks: dict[str, Basis]
    own: np.ndarray
    title: str

    def render(self, codes: np.ndarray) -> np.ndarray:
        """The photograph `(H, W, 3)` uint8 under codes `(K,)`; the own code gives it back bit by bit."""
        ...

    def codes_of(self, picture: np.ndarray, face: Face) -> np.ndarray:
        """`(K,)` the code that this model reads off another face."""
        ...

    def reach(self) -> np.ndarray | None:
        """`(K,)` how much each direction moves the picture, or None where only drawing it would tell."""
        ...


@dataclass(frozen=True)
class Direction:
    """One direction of an actor's banks.

    Attributes:
        bank, name: of the direction.
        below: what it does below zero, where that has a name; else empty.
        scale: its typical size.
        index: where its weight stands in a code.
    """

    bank: str
    name: str
    below: str
    scale: float
    index: int

    @property
    def key(self) -> str:
        """`bank: name`, as in files of code curves."""
        return f"{self.bank}: {self.name}"


def directions_of(actor: Actor) -> tuple[Direction, ...]:
    """All directions of an actor, in the order of its codes."""
    found: list[Direction] = []
    for bank, basis in actor.banks.items():
        for name, scale in zip(basis.names, basis.scale, strict=True):
            below = OPPOSITES.get(name, "") if isinstance(actor, MeshActor) else ""
            found.append(Direction(bank, name, below, float(scale) or 1.0, len(found)))
    return tuple(found)


def scales_of(actor: Actor) -> np.ndarray:
    """`(K,)` the typical size of each weight."""
    return np.array([d.scale for d in directions_of(actor)])


class MeshActor:
    """A photograph moved by its face mesh (`core.face.photo.motion`).

    Args:
        picture: `(H, W, 3)` uint8.
        face: in it.
    """

    title = "Mesh motion"

    def __init__(self, picture: np.ndarray, face: Face):
        self.motion = MeshMotion(picture, face)
        self.picture, self.face = self.motion.picture, face
        self.banks, self.own = mesh_bases(), self.motion.codes()

    def render(self, codes: np.ndarray) -> np.ndarray:
        return self.motion.render(codes)

    def codes_of(self, picture: np.ndarray, face: Face) -> np.ndarray:
        return measure(face.points)

    def reach(self) -> np.ndarray:
        # how far the skin moves over three scales, by its area in the picture; that needs no picture
        corners = triangles()
        a, b, c = (self.face.points[corners[:, i], :2] for i in range(3))
        area = np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
        found = []
        for d in directions_of(self):
            code = self.own.copy()
            code[d.index] += 3 * d.scale
            way = np.linalg.norm(self.motion.flow(code), axis=1)
            found.append((area * way[corners].mean(1)).sum() / area.sum())
        return np.array(found)


class Finely:
    """A photograph with a very small face, moved in an enlarged copy and brought back to its own size.

    Args:
        picture: `(H, W, 3)` uint8.
        large: moves the copy, which is enlarged by a whole number.
    """

    def __init__(self, picture: np.ndarray, large: Actor):
        self.picture, self.large = picture, large
        self.factor = large.picture.shape[0] // picture.shape[0]

    def render(self, codes: np.ndarray) -> np.ndarray:
        """The photograph `(H, W, 3)` uint8 under codes; where nothing moves it stays as it is, bit by bit."""
        change = self.large.render(codes).astype(np.float32) - self.large.picture
        h, w = self.picture.shape[:2]
        mean = change.reshape(h, self.factor, w, self.factor, 3).mean((1, 3))
        return np.clip(np.rint(self.picture + mean), 0, 255).astype(np.uint8)


def shrunk(picture: np.ndarray, longest: int) -> tuple[np.ndarray, float]:
    """A picture no longer than `longest` pixels, and by how much it was made smaller (1 when it was not)."""
    h, w = picture.shape[:2]
    factor = longest / max(h, w)
    if factor >= 1:
        return picture, 1.0
    size = (max(1, round(w * factor)), max(1, round(h * factor)))
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BOX)), factor


def close_up(picture: np.ndarray, face: Face) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of a square around the face, held inside the picture as far as it fits."""
    x0, y0, x1, y1 = face.box
    half = _AROUND * max(x1 - x0, y1 - y0) / 2 * 1.25
    x, y = (x0 + x1) / 2, (y0 + y1) / 2 - 0.08 * (y1 - y0)
    h, w = picture.shape[:2]
    side = min(2 * half, h, w)
    left, top = np.clip(x - side / 2, 0, w - side), np.clip(y - side / 2, 0, h - side)
    return int(left), int(top), int(left + side), int(top + side)


def tight(actor: MeshActor) -> MeshActor:
    """The face cut out small, for strips: what is not close to the face is left away."""
    x0, y0, x1, y1 = close_up(actor.picture, actor.face)
    margin = (x1 - x0) // 12
    x0, y0, x1, y1 = x0 + margin, y0 + margin, x1 - margin, y1 - margin
    factor = min(1.0, _STRIP_FACE / max(actor.face.width, 1e-6))
    part, done = shrunk(np.ascontiguousarray(actor.picture[y0:y1, x0:x1]), max(16, round((x1 - x0) * factor)))
    points = (actor.face.points - [x0, y0, 0]) * done
    return MeshActor(part, Face(points, actor.face.score, actor.face.measured, actor.face.notes))
