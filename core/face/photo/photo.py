"""Photographs and the faces in them."""

from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from core.datasets.guard import counted
from core.datasets.pixels import pixels
from core.errors import InputError
from core.face.photo.canonical import fitted, mesh_in_box, turned
from core.face.photo.detector import find
from core.face.photo.landmarks import around_eyes, around_points, landmarks

SURE = 0.5
SMALL = 96  # pixels across: below this, warping shows single pixels
_LOOK_AT = 2048  # pixels; larger pictures are searched at this size
_FAR, _PROFILE = 20, 50  # degrees of yaw: what is hidden is missed when it turns back; its landmarks are guessed


@dataclass(frozen=True)
class Face:
    """A face in a photograph.

    Attributes:
        points: `(468, 3)` landmarks: x to the right and y down in pixels (a pixel's middle is at one half), z in the
            same unit, smaller is nearer.
        score: how sure the network is, 0 to 1; one where a person drew the box.
        measured: whether the landmarks come from the picture, rather than from a box that a person drew.
        notes: sentences about what may go wrong with this face.
    """

    points: np.ndarray
    score: float = 1.0
    measured: bool = True
    notes: tuple[str, ...] = ()

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom of the landmarks."""
        low, high = self.points[:, :2].min(0), self.points[:, :2].max(0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    @property
    def width(self) -> float:
        """Pixels across."""
        return self.box[2] - self.box[0]

    def scaled(self, factor: float) -> "Face":
        """The same face in a picture that was enlarged by `factor`."""
        return replace(self, points=self.points * factor)


def read_picture(name: str, data: bytes) -> tuple[np.ndarray, tuple[str, ...]]:
    """A photograph `(H, W, 3)` uint8, upright, and sentences that say what was done to it.

    Raises:
        InputError: it is no picture, damaged, or too large.
    """
    said: dict[str, int] = {}
    array = pixels(name, data, grey=False, remarks=said)
    return np.rint(array * 255).astype(np.uint8), tuple(f"{what[0].upper()}{what[1:]}." for what in said)


def faces(picture: np.ndarray) -> list[Face]:
    """All faces of a photograph `(H, W, 3)` uint8, the largest first; an empty list when there is none.

    Raises:
        InputError: the networks that find faces are not on this machine (the sentence says how to get them).
    """
    shrink = max(1.0, max(picture.shape[:2]) / _LOOK_AT)
    small = picture
    if shrink > 1:
        size = (max(1, round(picture.shape[1] / shrink)), max(1, round(picture.shape[0] / shrink)))
        small = np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BOX))
    found: list[Face] = []
    for seen in find(small):
        square = around_eyes(tuple(v * shrink for v in seen.box), seen.eyes * shrink)
        face = _measured(picture, square)
        if face is not None and not any(_same(face, other) for other in found):
            found.append(face)
    return sorted(found, key=lambda f: -f.width)


def only_face(picture: np.ndarray, choice: int | None = None) -> Face:
    """The face to work on: the one there is, or the chosen one.

    Args:
        picture: `(H, W, 3)` uint8.
        choice: the number of a face, from 0, the largest first.

    Raises:
        InputError: no face, or several and none was chosen.
    """
    there = faces(picture)
    if not there:
        raise InputError(
            "No face was found in this picture; accepted are photographs of a person who looks roughly at the camera, "
            "or draw a box around the face by hand."
        )
    if choice is None and len(there) > 1:
        raise InputError(f"There are {counted(len(there), 'face')} in this picture; choose one.")
    if not 0 <= (choice or 0) < len(there):
        raise InputError(f"There is no face {choice + 1} in this picture; there are {len(there)}.")
    return there[choice or 0]


def face_in_box(picture: np.ndarray, box: tuple[float, float, float, float]) -> Face:
    """A face from a box that a person drew, from the brows to the chin and from cheek to cheek.

    With the networks at hand the landmarks are measured inside the box; without them, or when they see no face there,
    an average face that looks at the camera is fitted into it.

    Args:
        picture: `(H, W, 3)` uint8.
        box: left, top, right, bottom in pixels.

    Raises:
        InputError: the box is empty or outside the picture.
    """
    h, w = picture.shape[:2]
    left, top, right, bottom = (float(v) for v in box)
    if not (right - left >= 8 and bottom - top >= 8 and left >= 0 and right <= w and top >= 0 and bottom <= h):
        raise InputError(f"The box must lie in the picture ({w} x {h} pixels) and be at least 8 pixels wide and high.")
    from core.face.photo.networks import missing

    if missing() is None:
        eyes = np.array([[left, (top + bottom) / 2], [right, (top + bottom) / 2]])
        face = _measured(picture, around_eyes((left, top, right, bottom), eyes))
        if face is not None:
            return face
    note = "The landmarks are those of an average face in the box; lips and eyes may not be met exactly."
    return Face(mesh_in_box((left, top, right, bottom)), measured=False, notes=(note,))


def enlarged(picture: np.ndarray, face: Face) -> tuple[np.ndarray, Face]:
    """The picture and face, made larger when the face is too small to be warped well; the notes of the face say so."""
    if face.width >= SMALL:
        return picture, face
    factor = int(np.ceil(SMALL / face.width))
    size = (picture.shape[1] * factor, picture.shape[0] * factor)
    note = f"The face is only {face.width:.0f} pixels wide, so the picture was enlarged {factor} times."
    big = np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BICUBIC))
    return big, replace(face.scaled(factor), notes=(*face.notes, note))


def reduced(picture: np.ndarray, face: Face, side: int) -> tuple[np.ndarray, Face]:
    """The picture and face made smaller, to at most `side` pixels, for a quick preview; codes stay the same."""
    factor = side / max(picture.shape[:2])
    if factor >= 1:
        return picture, face
    h, w = (max(1, round(n * factor)) for n in picture.shape[:2])
    small = np.asarray(Image.fromarray(picture).resize((w, h), Image.Resampling.LANCZOS))
    return small, replace(face, points=face.points * [w / picture.shape[1], h / picture.shape[0], factor])


def _measured(picture: np.ndarray, square) -> Face | None:
    """The face in a square, its landmarks taken twice so that the second crop is centred and upright."""
    points, score = landmarks(picture, square)
    if score < SURE:
        return None
    points, score = landmarks(picture, around_points(points))
    if score < SURE:
        return None
    face = Face(points, score)
    return replace(face, notes=_notes(face, picture))


def _notes(face: Face, picture: np.ndarray) -> tuple[str, ...]:
    h, w = picture.shape[:2]
    notes = []
    outside = np.mean((face.points[:, :2] < 0).any(1) | (face.points[:, 0] > w) | (face.points[:, 1] > h))
    if outside > 0.02:
        notes.append(f"The border of the picture cuts {100 * outside:.0f} % of the face off; that part is guessed.")
    yaw = turned(fitted(face.points).rotation)[0]
    side = f"The face is turned by about {abs(yaw):.0f} degrees; "
    if abs(yaw) > _PROFILE:
        notes.append(side + "its far half is guessed.")
    elif abs(yaw) > _FAR:
        notes.append(side + "turned back, it shows what is not in the picture.")
    return tuple(notes)


def _same(one: Face, other: Face) -> bool:
    apart = np.linalg.norm(one.points[:, :2].mean(0) - other.points[:, :2].mean(0))
    return bool(apart < 0.4 * max(one.width, other.width))
