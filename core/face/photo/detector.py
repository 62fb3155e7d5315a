"""Where the faces are: a single-shot detector over the whole picture, and over parts of it for small faces.

Source: BlazeFace (Bazarevsky et al. 2019); the network is the full-range one of MediaPipe: 192 x 192 pixels in,
one box for each of 48 x 48 cells out.
"""

from dataclasses import dataclass

import numpy as np
from PIL import Image

from core.face.photo.networks import DETECTOR, run

SIDE, STRIDE = 192, 4
LEAST = 0.6  # score, as MediaPipe asks of this network
_MANY = 32


@dataclass(frozen=True)
class Found:
    """A face as the detector sees it, in pixels of the picture (x to the right, y down).

    Attributes:
        box: left, top, right, bottom.
        eyes: `(2, 2)` the eye on the left of the picture, then the other one.
        score: 0 to 1.
    """

    box: tuple[float, float, float, float]
    eyes: np.ndarray
    score: float


def centres() -> np.ndarray:
    """`(2304, 2)` the middle of each cell (x, y), 0 to 1, row by row; a box is given relative to it."""
    n = SIDE // STRIDE
    y, x = np.mgrid[:n, :n]
    return (np.stack([x, y], -1).reshape(-1, 2) + 0.5) / n


def decode(regressed: np.ndarray, logits: np.ndarray, least: float = LEAST) -> tuple[np.ndarray, np.ndarray]:
    """What the network found, in shares of its picture's side.

    Args:
        regressed: `(2304, 16)` centre, width, height and six points, in pixels of 192, relative to the cell.
        logits: `(2304, 1)`.
        least: score below which a cell is left out.

    Returns:
        `(n, 8, 2)` two corners of the box, then right eye, left eye, nose, mouth, right ear, left ear; and `(n,)`
        scores.
    """
    score = 1 / (1 + np.exp(-np.clip(logits[:, 0], -80, 80)))
    kept = score >= least
    raw = regressed[kept].reshape(-1, 8, 2) / SIDE
    centre = centres()[kept]
    middle, half = raw[:, 0] + centre, raw[:, 1] / 2
    points = raw[:, 2:] + centre[:, None]
    return np.concatenate([(middle - half)[:, None], (middle + half)[:, None], points], axis=1), score[kept]


def merge(places: np.ndarray, scores: np.ndarray, overlap: float = 0.3) -> list[tuple[np.ndarray, float]]:
    """One face for each heap of overlapping boxes: the mean of the heap weighted by score; best first.

    Args:
        places: `(n, 8, 2)` in one unit for both axes; the first two points are the corners of the box.
        scores: `(n,)`.
        overlap: intersection over union (or over the smaller box, 2.5 times this) from which two boxes are one face.
    """
    left, found = np.argsort(-scores), []
    while len(left) and len(found) < _MANY:
        low = np.maximum(places[left, 0], places[left[0], 0])
        high = np.minimum(places[left, 1], places[left[0], 1])
        shared = np.prod(np.clip(high - low, 0, None), axis=1)
        area = np.prod(np.clip(places[left, 1] - places[left, 0], 1e-9, None), axis=1)
        same = shared / (area + area[0] - shared) > overlap
        same |= shared / np.minimum(area, area[0]) > 2.5 * overlap
        same[0] = True
        heap = left[same]
        weight = scores[heap] / scores[heap].sum()
        found.append((np.tensordot(weight, places[heap], 1), float(scores[left[0]])))
        left = left[~same]
    return found


def find(picture: np.ndarray) -> list[Found]:
    """All faces of a picture `(H, W, 3)` uint8, the largest first.

    The whole picture is searched, then its halves and, when there is still no large face, its quarters, so that small
    faces in large photographs are found too.
    """
    h, w = picture.shape[:2]
    places, scores = _search(picture, 0, 0, max(h, w))
    for parts in (2, 4):
        widest = max((place[1, 0] - place[0, 0] for place in places), default=0)
        if max(h, w) <= SIDE * parts / 2 or (parts == 4 and widest > max(h, w) / 8):
            break
        side = max(h, w) / parts
        steps = [_starts(length, side) for length in (h, w)]
        for top in steps[0]:
            for left in steps[1]:
                more = _search(picture, left, top, side)
                places, scores = np.concatenate([places, more[0]]), np.concatenate([scores, more[1]])
    if not len(scores):  # a face that fills the picture is only seen with something around it
        pad = max(h, w) // 3
        around = np.pad(picture, ((pad, pad), (pad, pad), (0, 0)), mode="edge")
        places, scores = _search(around, 0, 0, max(around.shape))
        places = places - pad
    faces = []
    for place, score in merge(places, scores):
        (left, top), (right, bottom) = place[:2]
        faces.append(Found((float(left), float(top), float(right), float(bottom)), place[2:4], score))
    return sorted(faces, key=lambda f: -(f.box[2] - f.box[0]))


def _starts(length: float, side: float) -> np.ndarray:
    """Where windows that overlap by half start."""
    n = max(1, round(2 * length / side) - 1)
    return np.linspace(0, max(0.0, length - side), n)


def _search(picture: np.ndarray, left: float, top: float, side: float) -> tuple[np.ndarray, np.ndarray]:
    """Places `(n, 8, 2)` in pixels of the picture, and scores, found in a square window of it."""
    y, x, s = round(top), round(left), max(1, round(side))
    part = picture[y : y + s, x : x + s]
    h, w = (max(1, round(length * SIDE / s)) for length in part.shape[:2])
    square = np.zeros((SIDE, SIDE, 3), np.float32)
    square[:h, :w] = np.asarray(Image.fromarray(part).resize((w, h), Image.Resampling.BILINEAR)) / 127.5 - 1
    regressed, logits = sorted(run(DETECTOR, square), key=lambda a: -a.shape[-1])
    places, scores = decode(regressed, logits)
    return places * s + np.array([x, y]), scores
