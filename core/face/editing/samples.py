"""Pictures that come with the app, their landmarks beside them, so that they open without any network.

`python -m core.face.editing.samples` draws the heads and measures the landmarks anew; it needs the assets `head` and
`face-mesh`.
"""

from functools import cache
from pathlib import Path

import numpy as np

from core.face.editing.photos import Photo
from core.face.photo.photo import Face

FILE = Path(__file__).resolve().parents[3] / "assets" / "face" / "samples.npz"
_HEAD = "A head that does not exist, drawn by core.face.head (MakeHuman, CC0)."
SAMPLES = {
    "astronaut": "Eileen Collins, NASA, public domain; shipped in scikit-image.",
    "drawn, mouth open": _HEAD,
    "drawn, turned": _HEAD,
    "drawn, laughing": _HEAD,
}
_DRAWN = {  # seed of the person, and its factors
    "drawn, mouth open": (2, {"mouth open": 0.9}),
    "drawn, turned": (8, {"yaw": 0.8, "smile": 1.0}),
    "drawn, laughing": (3, {"mouth open": 0.6, "smile": 1.0, "pitch": 0.5}),
}
_SIDE = 256


def sample_photo(name: str) -> Photo:
    """A sample by name.

    Raises:
        KeyError: there is none of that name.
    """
    stored = _stored()
    face = Face(stored[f"{name}.points"].astype(np.float64), float(stored[f"{name}.score"]))
    picture = _astronaut() if name == "astronaut" else stored[f"{name}.picture"]
    return Photo(name.capitalize(), picture, (face,), source=SAMPLES[name])


def _astronaut() -> np.ndarray:
    from skimage.data import astronaut

    return np.ascontiguousarray(astronaut())


@cache
def _stored() -> dict[str, np.ndarray]:
    with np.load(FILE, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    for array in arrays.values():
        array.setflags(write=False)
    return arrays


def build() -> None:
    """Draw the heads, measure the faces of all samples, write the file."""
    from core.face.head.factors import FACTORS
    from core.face.head.mesh import load_head
    from core.face.head.people import draw_person
    from core.face.head.render import Renderer
    from core.face.photo.photo import only_face

    head = load_head()
    renderer = Renderer(head, _SIDE)
    pictures, arrays = {"astronaut": _astronaut()}, {}
    for name, (seed, factors) in _DRAWN.items():
        values = np.array([factors.get(f, 0.0) for f in FACTORS], dtype=np.float32)
        pictures[name] = arrays[f"{name}.picture"] = renderer.render(draw_person(head, seed), values)
    for name, picture in pictures.items():
        face = only_face(picture)
        arrays |= {f"{name}.points": face.points.astype(np.float32), f"{name}.score": np.float32(face.score)}
    np.savez_compressed(FILE, **arrays)


if __name__ == "__main__":
    build()
