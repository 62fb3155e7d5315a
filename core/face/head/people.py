"""People who do not exist: a face shape and the colours of one person's pictures, all from a seed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from core.face.head.mesh import Head

_OPPOSITE = ("incr", "decr", "up", "down", "in", "out", "forward", "backward", "convex", "concave", "compress")
_OPPOSITE += ("uncompress",)
_SPREAD = {
    "mouth": 0.18,
    "neck": 0.1,
    "ears": 0.3,
    "asym": 0.12,
    "eyes": 0.2,
    "head": 0.18,
}  # typical strength of a local shape
_USUAL = 0.25
_SKINS = np.array([[0.96, 0.80, 0.70], [0.88, 0.68, 0.55], [0.78, 0.56, 0.42], [0.55, 0.37, 0.27], [0.36, 0.24, 0.18]])
_HAIRS = np.array([[0.08, 0.06, 0.05], [0.25, 0.15, 0.09], [0.45, 0.28, 0.14], [0.75, 0.58, 0.32], [0.6, 0.58, 0.56]])
_IRISES = np.array([[0.28, 0.16, 0.08], [0.40, 0.28, 0.12], [0.30, 0.42, 0.28], [0.28, 0.45, 0.62], [0.42, 0.48, 0.52]])


@dataclass(frozen=True)
class Person:
    """One person in one light before one background. Colours are RGB, 0 to 1.

    Attributes:
        shape: `(V, 3)` the neutral face, eyes' centres at the origin, about as large as the average head.
        skin, lips, hair, brows, iris, clothes: colours.
        background: `(2, 3)` colours of its two ends.
        light: `(3,)` unit vector towards the lamp; `ambient`, 0 to 1, is what comes from everywhere.
        style: of the hair: 0 shaved, 1 short, 2 long.
        numbers: `(8,)` further looks, 0 to 1: thickness and height of the brows, stubble, freckles, hairline, and three
            phases of the skin's and the background's pattern.
    """

    shape: np.ndarray
    skin: np.ndarray
    lips: np.ndarray
    hair: np.ndarray
    brows: np.ndarray
    iris: np.ndarray
    clothes: np.ndarray
    background: np.ndarray
    light: np.ndarray
    ambient: float
    style: int
    numbers: np.ndarray = field(default_factory=lambda: np.full(8, 0.5))


def average(head: Head) -> Person:
    """The average face in plain colours and a light from the upper left."""
    grey = np.full((2, 3), 0.55)
    return Person(
        head.vertices,
        *(np.array(c) for c in (_SKINS[1], [0.72, 0.40, 0.38], _HAIRS[1], _HAIRS[1], _IRISES[0], [0.25, 0.3, 0.4])),
        grey,
        _unit(np.array([-0.4, 0.5, 0.9])),
        0.6,
        1,
    )


def draw_person(head: Head, seed: int) -> Person:
    """The person of a seed: the same seed gives the same person, another seed an independent one."""
    rng = np.random.default_rng([int(seed), 0xFACE])
    shape, male, dark = _shape(head, rng)
    skin = _between(_SKINS, np.clip(dark + rng.normal(0, 0.12), 0, 1)) * rng.uniform(0.92, 1.06, 3)
    hair = _HAIRS[rng.choice(5, p=[0.3, 0.3, 0.18, 0.12, 0.1])] * rng.uniform(0.8, 1.25) * rng.uniform(0.95, 1.05, 3)
    redder = np.array([0.82, 0.52, 0.54]) * rng.uniform(0.85, 1.15)
    numbers = rng.random(8)
    numbers[2] *= male  # stubble
    elevation, side = rng.uniform(0.05, 0.9), rng.uniform(-1.1, 1.1)
    ends = rng.uniform(0.05, 0.95, (2, 1)) + rng.uniform(-0.22, 0.22, (2, 3))
    return Person(
        shape=shape,
        skin=np.clip(skin, 0.12, 0.98),
        lips=np.clip(skin * redder, 0.08, 0.95),
        hair=np.clip(hair, 0.02, 0.9),
        brows=np.clip(hair * rng.uniform(0.5, 0.75), 0.02, 0.5),
        iris=np.clip(_IRISES[rng.integers(5)] * rng.uniform(0.8, 1.2, 3), 0.03, 0.8),
        clothes=rng.uniform(0.05, 0.9, 3),
        background=np.clip(ends, 0.02, 0.98),
        light=_unit(np.array([side, elevation, 1.0])),
        ambient=float(rng.uniform(0.5, 0.75)),
        style=int(rng.choice(3, p=[0.12, 0.53, 0.35] if male > 0.5 else [0.03, 0.27, 0.7])),
        numbers=numbers,
    )


def _shape(head: Head, rng: np.random.Generator) -> tuple[np.ndarray, float, float]:
    """A neutral face, how male it is, and how dark its skin is likely to be (0 to 1)."""
    race = dict(zip(("african", "asian", "caucasian"), rng.dirichlet([0.7, 0.7, 0.9]), strict=True))
    male = float(np.clip(rng.beta(0.5, 0.5), 0, 1))
    sex = {"female": 1 - male, "male": male}
    years = rng.uniform(-0.35, 0.9)  # below 0 towards a child, above towards old age
    age = {"young": 1 - abs(years), "child" if years < 0 else "old": abs(years)}
    heavy = rng.uniform(-0.6, 0.6)
    weight = {"averageweight": 1 - abs(heavy), "minweight" if heavy < 0 else "maxweight": abs(heavy)}
    shape = head.root.astype(np.float64)
    for a, share in age.items():
        for s, of_sex in sex.items():
            for r, of_race in race.items():
                _add(shape, head.people, f"{r}-{s}-{a}", share * of_sex * of_race)
            for w, of_weight in weight.items():
                _add(shape, head.people, f"{s}-{a}-{w}", share * of_sex * of_weight)
    for poles in _groups(head.shapes).values():
        part = poles[0][0].partition(".")[0]
        amount = min(1.0, abs(rng.normal(0, _SPREAD.get(part, _USUAL))))
        for name in poles[rng.integers(len(poles))]:
            _add(shape, head.shapes, name, amount)
    return _placed(shape, head), male, 0.05 + 0.85 * race["african"] + 0.3 * race["asian"]


def _groups(shapes: Mapping[str, np.ndarray]) -> dict[str, list[list[str]]]:
    """Local shapes that exclude each other; the two sides of a face go together, except where a face is asymmetric."""
    groups: dict[str, dict[str, list[str]]] = {}
    for name in sorted(shapes):
        part, _, stem = name.partition(".")
        plain = stem[2:] if part != "asym" and stem[:2] in ("l-", "r-") else stem
        words = plain.split("-")
        group = "-".join(words[:-1] if words[-1] in _OPPOSITE or part == "asym" else words)
        groups.setdefault(f"{part}.{group}", {}).setdefault(plain, []).append(name)
    return {group: list(poles.values()) for group, poles in groups.items()}


def _placed(shape: np.ndarray, head: Head) -> np.ndarray:
    """Moved so that the eyes' centres are around the origin, and most of a difference in size taken away."""
    right, left = (shape[e].mean(0) for e in head.eyes)
    shape = shape - (left + right) / 2
    face = head.masks["face"] > 0.5
    if face.any():
        usual, own = (np.ptp(v[face, 1]) for v in (head.vertices, shape))
        shape = shape * (usual / own) ** 0.75
    return shape.astype(np.float32)


def _add(shape: np.ndarray, targets: Mapping[str, np.ndarray], name: str, amount: float) -> None:
    if name in targets and amount:
        shape += amount * targets[name]


def _between(table: np.ndarray, where: float) -> np.ndarray:
    place = where * (len(table) - 1)
    low = min(int(place), len(table) - 2)
    return table[low] + (place - low) * (table[low + 1] - table[low])


def _unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v)
