"""The average face mesh, and how a detected one is placed against it: turned, scaled, shifted."""

from dataclasses import dataclass

import numpy as np

from core.face.photo.mesh import stored

# Points that hardly move with the face's expressions: forehead, temples, nose bridge, nose wings, cheekbones, ears.
RIGID = (10, 109, 338, 67, 297, 103, 332, 21, 251, 162, 389, 127, 356, 234, 454, 168, 6, 197, 195, 5, 4, 48, 278, 19)
RIGID += (116, 345, 123, 352, 33, 263, 133, 362, 122, 351, 8, 9, 151)


@dataclass(frozen=True)
class Placed:
    """Where a face is: `points = scale * shape @ rotation.T + shift`.

    Attributes:
        rotation: `(3, 3)` proper.
        scale: pixels to one unit of the shape.
        shift: `(3,)` pixels.
    """

    rotation: np.ndarray
    scale: float
    shift: np.ndarray

    def apply(self, shape: np.ndarray) -> np.ndarray:
        """Points `(n, 3)` of the average face's frame in the picture."""
        return self.scale * shape @ self.rotation.T + self.shift

    def undo(self, points: np.ndarray) -> np.ndarray:
        """Points `(n, 3)` of the picture in the average face's frame."""
        return (points - self.shift) @ self.rotation / self.scale


def shape() -> np.ndarray:
    """`(468, 3)` the average face at rest: x to the right of the picture, y down, z away from the viewer, decimetres;
    the origin is midway between the eyes."""
    return stored()["shape"].astype(np.float64)


def mirror() -> np.ndarray:
    """`(468,)` for each point the number of its mirror image."""
    return stored()["mirror"].astype(np.int64)


def fitted(points: np.ndarray, onto: np.ndarray | None = None) -> Placed:
    """How the average face lies under landmarks `(468, 3)`: least squares over the points that hardly move.

    Args:
        points: of a face, pixels.
        onto: another face at rest in the frame of the average one.

    Source: Umeyama 1991, least-squares similarity between two point sets.
    """
    rest = shape() if onto is None else onto
    i = list(RIGID)
    return similarity(rest[i], points[i])


def similarity(a: np.ndarray, b: np.ndarray) -> Placed:
    """The similarity (no mirror) that brings points a `(n, d)` nearest to points b `(n, d)`, d 2 or 3."""
    mean_a, mean_b = a.mean(0), b.mean(0)
    centred = a - mean_a
    u, s, vt = np.linalg.svd((b - mean_b).T @ centred)
    sign = np.ones(len(s))
    sign[-1] = np.sign(np.linalg.det(u @ vt)) or 1.0
    rotation = (u * sign) @ vt
    scale = float((s * sign).sum() / max((centred**2).sum(), 1e-12))
    return Placed(rotation, scale, mean_b - scale * rotation @ mean_a)


def turn(yaw: float, pitch: float, roll: float) -> np.ndarray:
    """`(3, 3)` rotation in the picture's frame, from degrees.

    Positive yaw turns the face to the right of the picture, positive pitch nods down, positive roll tilts the head
    clockwise in the picture. The order is roll, then pitch, then yaw.
    """
    a, b, c = np.radians([yaw, pitch, roll])
    around_y = np.array([[np.cos(a), 0, -np.sin(a)], [0, 1, 0], [np.sin(a), 0, np.cos(a)]])
    around_x = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    around_z = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
    return around_y @ around_x @ around_z


def turned(rotation: np.ndarray) -> tuple[float, float, float]:
    """Yaw, pitch and roll in degrees of a rotation; undoes `turn` for pitches within 90 degrees."""
    pitch = np.degrees(np.arcsin(np.clip(-rotation[1, 2], -1, 1)))
    yaw = np.degrees(np.arctan2(-rotation[0, 2], rotation[2, 2]))
    roll = np.degrees(np.arctan2(rotation[1, 0], rotation[1, 1]))
    return float(yaw), float(pitch), float(roll)


def mesh_in_box(box: tuple[float, float, float, float]) -> np.ndarray:
    """`(468, 3)` the average face that looks straight ahead and fills a box: left, top, right, bottom."""
    rest = shape()
    low, high = rest.min(0), rest.max(0)
    scale = np.array([(box[2] - box[0]) / (high[0] - low[0]), (box[3] - box[1]) / (high[1] - low[1])])
    flat = (rest[:, :2] - low[:2]) * scale + np.array(box[:2])
    return np.column_stack([flat, rest[:, 2] * scale.mean()])
