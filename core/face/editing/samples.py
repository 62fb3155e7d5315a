"""Photographs that come with the app, their landmarks beside them, so that they open without any network.

`python -m core.face.editing.samples` measures the landmarks anew; it needs the asset `face-mesh`.
"""

from functools import cache
from pathlib import Path

import numpy as np

from core.face.editing.photos import Photo
from core.face.photo.photo import Face

FILE = Path(__file__).resolve().parents[3] / "assets" / "face" / "samples.npz"
SAMPLES = {"astronaut": "Eileen Collins, NASA, public domain; shipped in scikit-image."}


def sample_photo(name: str) -> Photo:
    """A sample by name.

    Raises:
        KeyError: there is none of that name.
    """
    picture = _picture(name)
    stored = _stored()
    face = Face(stored[f"{name}.points"].astype(np.float64), float(stored[f"{name}.score"]))
    return Photo(name.capitalize(), picture, (face,), source=SAMPLES[name])


def _picture(name: str) -> np.ndarray:
    if name == "astronaut":
        from skimage.data import astronaut

        return np.ascontiguousarray(astronaut())
    return _stored()[f"{name}.picture"]


@cache
def _stored() -> dict[str, np.ndarray]:
    with np.load(FILE, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def build() -> None:
    """Measure the faces of the samples and write the file."""
    from core.face.photo.photo import only_face

    arrays = {}
    for name in SAMPLES:
        face = only_face(_picture(name))
        arrays |= {f"{name}.points": face.points.astype(np.float32), f"{name}.score": np.float32(face.score)}
    np.savez_compressed(FILE, **arrays)


if __name__ == "__main__":
    build()
