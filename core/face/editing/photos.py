"""Photographs with the faces in them, and how they are staged for quick answers."""

from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from core.face.editing.actor import close_up, shrunk
from core.face.photo import networks
from core.face.photo.photo import Face, face_in_box, faces, read_picture

STAGE = 832  # pixels on the long side of what is rendered while a person works
_ROOM = 2.0  # the stage is that much larger than the close-up, so that a turning head has what it needs
_NONE = "No face was found in this picture. Mark it by hand, or choose a photograph of a person who faces the camera."


@dataclass(frozen=True, eq=False)
class Photo:
    """A photograph.

    Attributes:
        title: of the file or sample.
        picture: `(H, W, 3)` uint8.
        faces: those that were found, the largest first.
        notes: sentences about the file.
        source: where a sample comes from.
        lacking: one sentence, where no face is known: none found, or the networks that find them are missing.
    """

    title: str
    picture: np.ndarray
    faces: tuple[Face, ...] = ()
    notes: tuple[str, ...] = ()
    source: str = ""
    lacking: str = ""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.picture.shape[1], self.picture.shape[0]


def read_photo(name: str, data: bytes) -> Photo:
    """A photograph of a person's own, with its faces where they can be found.

    Raises:
        InputError: it is no picture, damaged, or too large.
    """
    picture, notes = read_picture(name, data)
    return with_faces(Photo(name, picture, notes=notes))


def with_faces(photo: Photo) -> Photo:
    """The photograph with the faces that the networks find, or with a sentence why there are none."""
    if sentence := networks.missing():
        return replace(photo, lacking=f"{sentence} Until then, mark the face by hand.")
    found = tuple(faces(photo.picture))
    return replace(photo, faces=found, lacking="" if found else _NONE)


def face_of(photo: Photo, choice: int = 0, box: tuple[float, float, float, float] | None = None) -> Face | None:
    """The face to work on: the chosen one, or that in a box; None when there is neither.

    Args:
        choice: number of a face, 0 is the largest; the last one when there are fewer.
        box: left, top, right, bottom as shares of the picture's sides.

    Raises:
        InputError: a box that is too small.
    """
    if box is not None:
        w, h = photo.size
        return face_in_box(photo.picture, (box[0] * w, box[1] * h, box[2] * w, box[3] * h))
    return photo.faces[min(choice, len(photo.faces) - 1)] if photo.faces else None


@dataclass(frozen=True, eq=False)
class Stage:
    """What is rendered while a person works: the surroundings of the face, or all, made smaller.

    Attributes:
        picture: `(h, w, 3)` uint8.
        face: in it.
        shown: left, top, right, bottom of what is shown of it.
    """

    picture: np.ndarray
    face: Face
    shown: tuple[int, int, int, int]

    def cut(self, picture: np.ndarray) -> np.ndarray:
        """What is shown of a rendered picture."""
        x0, y0, x1, y1 = self.shown
        return picture[y0:y1, x0:x1]


def stage(picture: np.ndarray, face: Face, *, whole: bool = False, longest: int = STAGE) -> Stage:
    """Cut out and shrink a photograph around a face, or shrink all of it.

    Args:
        picture: `(H, W, 3)` uint8.
        whole: show all of it.
        longest: of the result, pixels.
    """
    if whole:
        small, factor = shrunk(picture, longest)
        return Stage(small, face.scaled(factor), (0, 0, small.shape[1], small.shape[0]))
    x0, y0, x1, y1 = close_up(picture, face)
    h, w = picture.shape[:2]
    extra = round((x1 - x0) * (_ROOM - 1) / 2)
    left, top, right, bottom = max(0, x0 - extra), max(0, y0 - extra), min(w, x1 + extra), min(h, y1 + extra)
    part, factor = shrunk(np.ascontiguousarray(picture[top:bottom, left:right]), longest)
    points = (face.points - [left, top, 0]) * factor
    shown = tuple(round(v * factor) for v in (x0 - left, y0 - top, x1 - left, y1 - top))
    return Stage(part, replace(face, points=points), shown)


def marked(photo: Photo, boxes: list[tuple[float, float, float, float]], chosen: int, longest: int = 420) -> np.ndarray:
    """A small copy of the photograph with numbered boxes, in pixels of the photograph; the chosen one stands out."""
    from PIL import ImageDraw

    small, factor = shrunk(photo.picture, longest)
    image = Image.fromarray(np.ascontiguousarray(small))
    pen = ImageDraw.Draw(image)
    for i, box in enumerate(boxes):
        place = [v * factor for v in box]
        pen.rectangle(place, outline=(20, 184, 166) if i == chosen else (255, 255, 255), width=3 if i == chosen else 2)
        if len(boxes) > 1:
            pen.text(
                (place[0] + 5, place[1] + 3), str(i + 1), fill=(255, 255, 255), stroke_width=2, stroke_fill=(0, 0, 0)
            )
    return np.asarray(image)
