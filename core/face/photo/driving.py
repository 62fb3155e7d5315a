"""Codes of a video's frames, to drive another face with."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from core.errors import InputError
from core.face.photo.codes import measure, rows, size
from core.face.photo.directions import BANKS
from core.face.photo.landmarks import around_points, landmarks
from core.face.photo.photo import SURE, faces


@dataclass(frozen=True)
class Track:
    """What was measured on the frames of a clip.

    Attributes:
        codes: `(T, K)`; where no face was seen, the last code is held (before the first face, the first one).
        seen: `(T,)` whether a face was seen in each frame.
    """

    codes: np.ndarray
    seen: np.ndarray


def follow(frames: Iterable[np.ndarray], told: Callable[[int], object] | None = None) -> Track:
    """The codes of one face in the frames of a clip: the largest in the first frame that shows any.

    One pass of the landmark network for each frame, in the square where the face was before; the whole frame is
    searched only when the face is lost.

    Args:
        frames: each `(H, W, 3)` uint8.
        told: called with the number of frames done; a true answer stops.

    Raises:
        InputError: no frame, or no face in any of them, or the networks are missing.
    """
    codes: list[np.ndarray | None] = []
    square = None
    for frame in frames:
        points = None
        if square is not None:
            points, score = landmarks(frame, square)
            points = points if score >= SURE else None
        if points is None:
            found = faces(frame)
            points = found[0].points if found else None
        square = None if points is None else around_points(points)
        codes.append(None if points is None else measure(points))
        if told is not None and told(len(codes)):
            break
    if not codes:
        raise InputError("This clip has no frames; accepted are clips with at least one.")
    seen = np.array([c is not None for c in codes])
    if not seen.any():
        raise InputError(
            "No face was found in any frame of this clip; accepted are clips of a person who faces the camera."
        )
    held, last = np.zeros((len(codes), size())), codes[int(np.argmax(seen))]
    for i, code in enumerate(codes):
        last = last if code is None else code
        held[i] = last
    return Track(held, seen)


def smoothed(codes: np.ndarray, frames: float) -> np.ndarray:
    """Codes `(T, K)` smoothed over time by a Gaussian of that many frames; the ends are kept level."""
    return (
        np.array(codes, dtype=np.float64) if frames <= 0 else gaussian_filter1d(codes, frames, axis=0, mode="nearest")
    )


def driven(
    own: np.ndarray, codes: np.ndarray, *, relative: bool = True, gains: dict[str, float] | None = None
) -> np.ndarray:
    """Codes `(T, K)` for a face that follows another one's.

    Args:
        own: `(K,)` the code of the face that is moved.
        codes: `(T, K)` of the face that is followed.
        relative: add the changes since its first frame to the own code; otherwise take the other's codes themselves.
        gains: by bank; 0 keeps the own code, 1 follows, 2 exaggerates.
    """
    change = codes - (codes[:1] if relative else own)
    out = np.repeat(own[None].astype(np.float64), len(codes), axis=0)
    for bank in BANKS:
        out[:, rows(bank)] += (gains or {}).get(bank, 1.0) * change[:, rows(bank)]
    return out


def taken(own: np.ndarray, other: np.ndarray, banks: Iterable[str]) -> np.ndarray:
    """The code `(K,)` of a face with some banks taken from another face's code."""
    out = own.copy()
    for bank in banks:
        out[rows(bank)] = other[rows(bank)]
    return out
