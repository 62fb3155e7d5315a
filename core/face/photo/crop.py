"""Cut a face out as a network expects it, and put the network's answer back into the photograph."""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import distance_transform_edt

from core.face.photo.canonical import shape, similarity
from core.face.photo.landmarks import Square, crop
from core.face.photo.raster import sample

# Points that keep still when the mouth moves: brows, eyes, nose. The crop is aligned on them.
STEADY = (70, 63, 105, 66, 107, 336, 296, 334, 293, 300, 33, 133, 362, 263, 168, 6, 197, 195, 5, 4, 98, 327)


@dataclass(frozen=True)
class Frame:
    """How a network's training pictures hold a face: where its middle lies and how large it is.

    Attributes:
        middle: of the eyes, as shares of the picture's side.
        unit: share of the side that one decimetre of the average face takes.
    """

    middle: tuple[float, float] = (0.5, 0.42)
    unit: float = 1 / 3.0


EDTALK = Frame(
    (0.5, 0.38), 0.47
)  # as its preprocessing: the detected box, forehead to chin, and a tenth more all round
OURS = Frame((0.5, 0.46), 1 / 3.0)  # `core.face.head.render`: 3 dm across, the middle 0.12 dm below the eyes


def aligned(points: np.ndarray, frame: Frame = OURS) -> Square:
    """The turned square of a photograph in which the face lies as a network expects it.

    Args:
        points: `(468, 3)` landmarks.
        frame: how the network's pictures hold a face.
    """
    rest = shape()[list(STEADY), :2]
    fit = similarity(rest, points[list(STEADY), :2])
    side = fit.scale / frame.unit
    middle = (np.array([0.5, 0.5]) - frame.middle) / frame.unit
    x, y = fit.apply(middle[None])[0]
    return Square(float(x), float(y), side, float(np.arctan2(fit.rotation[1, 0], fit.rotation[0, 0])))


def cut(picture: np.ndarray, square: Square, side: int) -> np.ndarray:
    """`(side, side, 3)` uint8 of a square of a photograph; beyond the border its last pixels repeat."""
    return np.rint(255 * crop(picture, square, side)).astype(np.uint8)


def pasted(
    picture: np.ndarray, square: Square, before: np.ndarray, after: np.ndarray, feather: float = 0.08
) -> np.ndarray:
    """The photograph with the edit of a crop put back at its full size.

    What is put back is the *change* that the network made, so that where it changed nothing the photograph stays as
    sharp as it was, bit by bit; towards the edge of the square the change fades out.

    Args:
        picture: `(H, W, 3)` uint8.
        square: where the crop was cut.
        before: `(n, n, 3)` uint8, the crop as the network reproduces it unedited (or as it was cut).
        after: `(n, n, 3)` uint8, the edited crop.
        feather: share of the side over which the change fades.
    """
    if before.shape != after.shape:
        raise ValueError(f"the crops differ in shape: {before.shape} and {after.shape}")
    n = len(before)
    change = after.astype(np.float32) - before.astype(np.float32)
    if not change.any():
        return picture.copy()
    edge = np.zeros((n + 2, n + 2))
    edge[1:-1, 1:-1] = 1
    t = np.clip((distance_transform_edt(edge)[1:-1, 1:-1] - 1) / max(feather * n, 1), 0, 1)
    change *= (t * t * (3 - 2 * t)).astype(np.float32)[..., None]
    to = square.corners()
    corners = np.array([[0, 0], [1, 0], [0, 1], [1, 1]]) @ to[:, :2].T + to[:, 2]
    h, w = picture.shape[:2]
    x0, y0 = np.clip(np.floor(corners.min(0)).astype(int), 0, [w, h])
    x1, y1 = np.clip(np.ceil(corners.max(0)).astype(int), 0, [w, h])
    out = picture.copy()
    if x1 <= x0 or y1 <= y0:
        return out
    rows, columns = np.mgrid[y0:y1, x0:x1] + 0.5
    back = np.linalg.inv(to[:, :2])
    u, v = columns - to[0, 2], rows - to[1, 2]
    place = np.stack([back[0, 0] * u + back[0, 1] * v, back[1, 0] * u + back[1, 1] * v], -1) * n
    place[((place < 0) | (place > n)).any(-1)] = np.nan
    grown = np.zeros((*place.shape[:2], 3), np.float32)
    sample(change, place.astype(np.float32), grown, -255.0, 255.0)
    part = out[y0:y1, x0:x1]
    out[y0:y1, x0:x1] = np.clip(np.rint(part + grown), 0, 255).astype(np.uint8)
    return out
