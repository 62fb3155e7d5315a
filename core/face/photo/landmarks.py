"""468 points of a face in three dimensions, from a square crop of the photograph.

Source: Kartynnik et al. 2019, "Real-time facial surface geometry from monocular video on mobile GPUs"; the network is
MediaPipe's `face_landmark`: 192 x 192 pixels in, 468 x 3 and one score out.
"""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import map_coordinates

from core.face.photo.mesh import EYE_CORNERS
from core.face.photo.networks import MESH, run

SIDE = 192
POINTS = 468
_AROUND = 1.5  # how much larger the crop is than the face


@dataclass(frozen=True)
class Square:
    """A turned square of a picture: its middle (x, y), the length of a side and its angle (radians, clockwise)."""

    x: float
    y: float
    side: float
    angle: float

    def corners(self) -> np.ndarray:
        """`(2, 3)` the affine map from pixels of the crop, 0 to 1, to pixels of the picture."""
        c, s = np.cos(self.angle) * self.side, np.sin(self.angle) * self.side
        return np.array([[c, -s, self.x - (c - s) / 2], [s, c, self.y - (s + c) / 2]])


def around_eyes(box: tuple[float, float, float, float], eyes: np.ndarray) -> Square:
    """The square that the network expects, from what the detector says."""
    across = eyes[1] - eyes[0]
    middle, side = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), max(box[2] - box[0], box[3] - box[1])
    return Square(*middle, _AROUND * side, float(np.arctan2(across[1], across[0])))


def around_points(points: np.ndarray) -> Square:
    """The square that the network expects, from landmarks `(468, 2 or 3)` of an earlier pass."""
    across = points[EYE_CORNERS[1], :2] - points[EYE_CORNERS[0], :2]
    angle = float(np.arctan2(across[1], across[0]))
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, s], [-s, c]])
    upright = points[:, :2] @ turn.T
    low, high = upright.min(0), upright.max(0)
    middle = turn.T @ ((low + high) / 2)
    return Square(float(middle[0]), float(middle[1]), _AROUND * float((high - low).max()), angle)


def crop(picture: np.ndarray, square: Square, side: int = SIDE) -> np.ndarray:
    """The square as `(side, side, 3)` float32 in 0 to 1; what lies outside the picture repeats its border."""
    shrink = max(1, int(square.side / side))
    x0, y0 = 0, 0
    if shrink > 1:  # average first, so that fine texture does not alias
        reach = square.side * 0.71 + 2 * shrink
        h, w = picture.shape[:2]
        x0, y0 = (int(np.clip(v - reach, 0, n - 1)) for v, n in ((square.x, w), (square.y, h)))
        x1, y1 = (int(np.clip(v + reach, 1, n)) for v, n in ((square.x, w), (square.y, h)))
        part = picture[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)]
        pad = [(0, -n % shrink) for n in part.shape[:2]] + [(0, 0)]
        part = np.pad(part, pad, mode="edge").astype(np.float32)
        n, m = part.shape[0] // shrink, part.shape[1] // shrink
        picture = part.reshape(n, shrink, m, shrink, 3).mean((1, 3))
    v, u = (np.mgrid[:side, :side] + 0.5) / side
    to = square.corners()
    x = ((to[0, 0] * u + to[0, 1] * v + to[0, 2]) - x0) / shrink - 0.5
    y = ((to[1, 0] * u + to[1, 1] * v + to[1, 2]) - y0) / shrink - 0.5
    channels = [map_coordinates(picture[..., i], [y, x], np.float32, order=1, mode="nearest") for i in range(3)]
    return np.stack(channels, -1) / 255


def landmarks(picture: np.ndarray, square: Square) -> tuple[np.ndarray, float]:
    """The points `(468, 3)` of the face in a square, and how sure the network is that there is one (0 to 1).

    x and y are in pixels of the picture (a pixel's middle is at one half), z in the same unit, smaller is nearer.

    Args:
        picture: `(H, W, 3)` uint8.
        square: where the face is.
    """
    points, sure = sorted(run(MESH, crop(picture, square)), key=lambda a: -a.size)
    raw = points.reshape(POINTS, 3).astype(np.float64) / SIDE
    to = square.corners()
    flat = raw[:, :2] @ to[:, :2].T + to[:, 2]
    return np.column_stack([flat, raw[:, 2] * square.side]), float(1 / (1 + np.exp(-np.clip(sure.item(), -80, 80))))
