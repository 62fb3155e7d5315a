"""Pictures of the parametric head: a person, 13 factors, a size. The same three give the same picture, bit by bit."""

import numpy as np

from core.face.head import factors as known
from core.face.head.build import PARTS
from core.face.head.mesh import Head
from core.face.head.people import Person
from core.face.head.raster import interpolate, normals, rasterise
from core.face.head.shade import background, shade

SAMPLES = 2  # on a side of a pixel
HALF = 1.22  # decimetres from the middle of the picture to its border, at the depth of the eyes
CENTRE = (0.0, -0.2)
DISTANCE = 14.0  # of the camera from the eyes
_FRINGE = (0.62, -0.5)  # hair below this height and before this depth would hang across the face
_LOWER_LASH = -0.02
_NECK = (-1.95, -1.2)  # heights between which the neck turns less and less


class Renderer:
    """Draws one head; what does not change from picture to picture is worked out once.

    Args:
        head: from `core.face.head.mesh.load_head`, or a small one of a test.
        size: pixels on a side.
        samples: on a side of each pixel, for smooth edges.
    """

    def __init__(self, head: Head, size: int = 96, samples: int = SAMPLES):
        self.head, self.size, self.samples = head, int(size), int(samples)
        self._moves = np.stack([self._move(i) for i in range(len(known.FACTORS))])
        middle = head.vertices[head.triangles].mean(1)
        hair, lash = head.parts == PARTS.index("hair"), head.parts == PARTS.index("lash")
        curtain = hair & (middle[:, 1] < _FRINGE[0]) & (middle[:, 2] > _FRINGE[1])  # strands across the face
        shown = ~curtain & ~(lash & (middle[:, 1] < _LOWER_LASH))
        self._triangles = [np.ascontiguousarray(head.triangles[k]) for k in (shown & ~hair, shown)]
        self._parts = [np.ascontiguousarray(head.parts[k]) for k in (shown & ~hair, shown)]
        zero = np.zeros(len(head.vertices), dtype=np.float32)
        masks = [head.masks.get(n, zero) for n in ("lips", "eyelids", "inside-mouth", "ears")]
        self._behind: tuple = (None, None)
        self._paint = np.column_stack([head.vertices, np.zeros_like(head.vertices), *masks]).astype(np.float32)
        eye = head.eyes[1]
        self._eye_x = float(head.vertices[eye, 0].mean()) if len(eye) else 0.3

    def vertices(self, person: Person, factors: np.ndarray) -> np.ndarray:
        """`(V, 3)` the moved and turned head, decimetres, before the camera."""
        face = self._moved(person.shape, factors)
        turn = known.rotation(factors)
        low, high = _NECK
        share = np.clip((person.shape[:, 1:2] - low) / (high - low), 0, 1)
        share = share * share * (3 - 2 * share)
        turned = (face - self.head.pivot) @ turn.T + self.head.pivot
        return (face + share * (turned - face)).astype(np.float32)

    def project(self, vertices: np.ndarray, factors: np.ndarray) -> np.ndarray:
        """`(V, 3)` places in the picture, in pixels from its upper left corner, and depth, larger is nearer."""
        x, y, scale = (float(factors[known.FACTORS.index(n)]) for n in ("x", "y", "scale"))
        zoom = (1 + known.ZOOM * scale) * DISTANCE / (DISTANCE - vertices[:, 2]) / HALF
        right = (vertices[:, 0] - CENTRE[0]) * zoom + 2 * known.SHIFT * x
        up = (vertices[:, 1] - CENTRE[1]) * zoom + 2 * known.SHIFT * y
        return np.column_stack([(1 + right) * self.size / 2, (1 - up) * self.size / 2, vertices[:, 2]])

    def triangles(self, person: Person) -> np.ndarray:
        """`(T, 3)` the triangles that are drawn of a person; only some have long hair."""
        return self._triangles[int(person.style == 2)]

    def render(self, person: Person, factors: np.ndarray) -> np.ndarray:
        """`(size, size, 3)` uint8."""
        return self.look(person, factors)[0]

    def look(self, person: Person, factors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The picture, and what it sees: `(size / 2, size / 2, 4)` uint8, one place for every two by two pixels.

        The four numbers are the triangle's (low and high byte, 65535 for the background) and the weights of its first
        two corners in 255ths.
        """
        big, triangles, parts = self.size * self.samples, self.triangles(person), self._parts[int(person.style == 2)]
        vertices = self.vertices(person, factors)
        points = self.project(vertices, factors).astype(np.float32)
        points[:, :2] *= self.samples
        seen, weights = rasterise(points, triangles, big)
        paint = self._paint.copy()
        paint[:, 3:6] = normals(vertices, triangles)
        at = interpolate(seen, weights, triangles, paint)
        colours = np.stack([person.skin, person.lips, person.hair, person.brows, person.iris, person.clothes])
        colours = np.concatenate([colours, person.background])
        light = np.asarray(person.light, dtype=np.float64)
        if self._behind[0] is not person:  # most often several pictures of one person follow each other
            self._behind = person, background(colours, person.numbers, self.size)
        looks = (person.numbers, light, person.ambient, person.style, self._eye_x)
        small = shade(seen, parts, at, colours, *looks, self._behind[1], self.samples)
        every = slice(self.samples, None, 2 * self.samples)
        number = np.where(seen[every, every] < 0, 65535, seen[every, every])
        corners = np.rint(255 * np.clip(weights[every, every], 0, 1))
        surface = np.concatenate([np.stack([number % 256, number // 256], -1), corners], -1).astype(np.uint8)
        return np.clip(np.rint(255 * small), 0, 255).astype(np.uint8), surface

    def _moved(self, shape: np.ndarray, factors: np.ndarray) -> np.ndarray:
        return shape + np.tensordot(np.asarray(factors, dtype=np.float32), self._moves, 1)

    def _move(self, i: int) -> np.ndarray:
        name, out = known.FACTORS[i], np.zeros_like(self.head.vertices)
        for target, amount in known.MOVES.get(name, {}).items():
            out += np.float32(amount) * self.head.targets[target]
        return out
