"""The parametric head: a mesh of a neutral face, its movements and the shapes that make different people."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from core.face.assets import HEAD
from core.face.head.build import PARTS

FILE = "head.npz"


@dataclass(frozen=True)
class Head:
    """A head in decimetres: x to the person's left (the viewer's right), y up, z towards the viewer.

    Attributes:
        vertices: `(V, 3)` an average adult with a neutral face; the origin is midway between the eyes' centres.
        triangles: `(T, 3)` vertex numbers, counter-clockwise seen from outside.
        parts: `(T,)` numbers into `PARTS`: skin, eye, lash, teeth, tongue, hair.
        uv: `(V, 2)` texture coordinates, origin at the lower left; at a seam, those of one side.
        index: `(V,)` vertex numbers in MakeHuman's base mesh hm08.
        masks: 0 to 1 at each vertex `(V,)`: lips, eyelids, inside-mouth, ears, face.
        targets: the 52 movements by their ARKit name, such as `jawOpen`, `mouthSmileLeft`, `eyeBlinkRight`; each
            a displacement `(V, 3)` at full strength. Left and right are the person's.
        people: displacements `(V, 3)` from `root` by `race-sex-age` and `sex-age-weight`.
        shapes: displacements `(V, 3)` of local face-shape targets by `part.name`.
        root: `(V, 3)` the base mesh itself, in the same frame, from which `people` are counted.
        pivot: `(3,)` the point that the head turns about.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    parts: np.ndarray
    uv: np.ndarray
    index: np.ndarray
    masks: Mapping[str, np.ndarray]
    targets: Mapping[str, np.ndarray]
    people: Mapping[str, np.ndarray]
    shapes: Mapping[str, np.ndarray]
    root: np.ndarray
    pivot: np.ndarray

    def moved(self, amounts: Mapping[str, float], shape: np.ndarray | None = None) -> np.ndarray:
        """`(V, 3)` vertices with some movements at the given strengths, 0 to 1 each.

        Args:
            amounts: strength by the name of the target.
            shape: `(V, 3)` another person's neutral face; this head's when left out.

        Raises:
            KeyError: there is no such target.
        """
        out = np.array(self.vertices if shape is None else shape, dtype=np.float32)
        for name, amount in amounts.items():
            if amount:
                out += np.float32(amount) * self.targets[name]
        return out

    def part(self, name: str) -> np.ndarray:
        """`(n,)` the vertices of a part, by number."""
        return np.unique(self.triangles[self.parts == PARTS.index(name)])

    @cached_property
    def eyes(self) -> tuple[np.ndarray, np.ndarray]:
        """The vertices of the person's right eyeball (left in the picture) and of the left one."""
        eye = self.part("eye")
        left = self.root[eye, 0] > 0
        return eye[~left], eye[left]


def load_head() -> Head:
    """The head out of the cache; about half a second the first time in a process.

    Raises:
        InputError: it has not been fetched (the sentence names the command).
    """
    return _load(HEAD.check() / FILE)


@lru_cache(maxsize=1)
def _load(path: Path) -> Head:
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    under = {
        group: {n.removeprefix(f"{group}."): a for n, a in arrays.items() if n.startswith(f"{group}.")}
        for group in ("mask", "move", "people", "shape")
    }
    return assemble(arrays, under)


def assemble(arrays: Mapping[str, np.ndarray], under: Mapping[str, Mapping[str, np.ndarray]]) -> Head:
    """A head from raw arrays in the mesh's own frame (see `core.face.head.build`); tests make small ones this way.

    Args:
        arrays: `vertices`, `triangles`, `parts`, `uv`, `index`.
        under: named arrays by group: `mask`, `move`, `people`, `shape`.
    """
    points, people = arrays["vertices"], under["people"]
    # MakeHuman's default person: the mean of races and sexes at a young age and average weight
    race = [a for n, a in people.items() if n.endswith("-young")]
    body = [a for n, a in people.items() if n.endswith("-young-averageweight")]
    usual = np.mean(race, 0) + np.mean(body, 0) if race and body else np.zeros_like(points)
    eye = np.unique(arrays["triangles"][arrays["parts"] == PARTS.index("eye")])
    average = points + usual
    centre = (average[eye].max(0) + average[eye].min(0)) / 2
    return Head(
        vertices=(average - centre).astype(np.float32),
        triangles=arrays["triangles"],
        parts=arrays["parts"],
        uv=arrays["uv"],
        index=arrays["index"],
        masks=under["mask"],
        targets=under["move"],
        people=people,
        shapes=under["shape"],
        root=(points - centre).astype(np.float32),
        pivot=np.array([0, -0.75, -0.95], dtype=np.float32),  # between the ears, where the skull sits on the neck
    )
