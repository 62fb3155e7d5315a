"""The 468-point face mesh: which points are the lips, the lids, the outline, and which triangles join them."""

from functools import cache
from pathlib import Path

import numpy as np

FILE = Path(__file__).resolve().parents[3] / "assets" / "face" / "mesh.npz"
POINTS = 468

# Rings of point numbers. "Right" and "left" are the person's; pictures show the right side on the left.
OUTLINE = (10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149)
OUTLINE += (150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109)
RIGHT_UPPER_LID = (33, 246, 161, 160, 159, 158, 157, 173, 133)  # outer to inner corner
RIGHT_LOWER_LID = (33, 7, 163, 144, 145, 153, 154, 155, 133)
LEFT_UPPER_LID = (263, 466, 388, 387, 386, 385, 384, 398, 362)
LEFT_LOWER_LID = (263, 249, 390, 373, 374, 380, 381, 382, 362)
UPPER_LIP = (78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308)  # the inner edge, from the person's right to left
LOWER_LIP = (78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308)
EYE_CORNERS = (33, 263)  # the outer ones


@cache
def stored() -> dict[str, np.ndarray]:
    """The arrays that ship with the app (see `core.face.photo.build_assets`): triangles, shape, directions.

    They are read-only.
    """
    with np.load(FILE, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    for array in arrays.values():
        array.setflags(write=False)
    return arrays


def triangles() -> np.ndarray:
    """`(852, 3)` point numbers of the skin; eyes and mouth are holes."""
    return stored()["triangles"].astype(np.int64)


def strip(upper: tuple[int, ...], lower: tuple[int, ...]) -> np.ndarray:
    """`(T, 3)` triangles that close a hole between two rows of points which share their ends."""
    found = []
    for i in range(len(upper) - 1):
        if lower[i] != upper[i]:
            found.append((upper[i], upper[i + 1], lower[i]))
        if lower[i + 1] != upper[i + 1]:
            found.append((upper[i + 1], lower[i + 1], lower[i]))
    return np.array(found)


@cache
def lids() -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """The rows of upper and lower lid of the person's right eye, then of the left one."""
    return (RIGHT_UPPER_LID, RIGHT_LOWER_LID), (LEFT_UPPER_LID, LEFT_LOWER_LID)
