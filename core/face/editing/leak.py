"""Whether the banks leak: what each slider moves, measured on the face, beside what it should move."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from core.face.editing.actor import Actor, MeshActor, directions_of
from core.face.photo.canonical import fitted, shape, turned

STEP = 2.0  # scales
MEASURES = ("mouth opening", "yaw", "pitch", "roll", "brows", "eyes", "smile")
UNITS = ("mm", "°", "°", "°", "mm", "mm", "mm")
BANK_OF: Mapping[str, str] = {
    "mouth opening": "mouth",
    **dict.fromkeys(("yaw", "pitch", "roll"), "pose"),
    **dict.fromkeys(("brows", "eyes", "smile"), "expression"),
}
# The directions that are there to move a measure; its response is counted in theirs
OWNERS: Mapping[str, tuple[str, ...]] = {
    "mouth opening": ("jaw open", "upper lip up", "lower lip down", "mouth open"),
    "yaw": ("yaw",),
    "pitch": ("pitch",),
    "roll": ("roll",),
    "brows": ("brows up", "brows slant", "brows knit", "brow up", "brow down"),
    "eyes": ("blink left", "blink right", "eye close"),
    "smile": ("smile", "mouth corners down"),
}
_LIPS, _CORNERS, _NOSE = (13, 14), (61, 291), 4
_BROWS = ((52, (33, 133)), (282, (263, 362)))  # the middle of a brow, the corners of its eye
_EYES, _BRIDGE = ((159, 145), (386, 374)), (9, 195)
_MM = 100.0  # millimetres in a decimetre


def measured(points: np.ndarray) -> np.ndarray:
    """`(7,)` the `MEASURES` of a face's landmarks `(468, 3)`, lengths in millimetres of the average face.

    Lengths are heights on the face turned to the front, in units of the bridge of its nose, so that a turn of the head
    alone changes them little.
    """
    placed = fitted(points)
    yaw, pitch, roll = turned(placed.rotation)
    own, rest = placed.undo(points)[:, 1], shape()[:, 1]  # downwards
    top, base = _BRIDGE
    own = own * _MM * (rest[base] - rest[top]) / (own[base] - own[top])
    mouth = own[_LIPS[1]] - own[_LIPS[0]]
    brows = np.mean([own[list(corners)].mean() - own[brow] for brow, corners in _BROWS])
    eyes = np.mean([own[low] - own[up] for up, low in _EYES])
    smile = own[_NOSE] - np.mean([own[i] for i in _CORNERS])
    return np.array([mouth, yaw, pitch, roll, brows, eyes, smile])


@dataclass(frozen=True)
class Leak:
    """What the sliders of a face move.

    Attributes:
        keys: of the K directions.
        banks: of each.
        change: `(K, 7)` by how much each measure changes when a slider goes up by `STEP` scales; millimetres, degrees.
        share: `(K, 7)` the same in units of the largest change that the measure's own sliders make.
        ideal: `(K, 7)` 1 where a slider is there to move a measure, NaN where it may (another slider of the measure's
            bank), 0 where it should not.
    """

    keys: tuple[str, ...]
    banks: tuple[str, ...]
    change: np.ndarray
    share: np.ndarray
    ideal: np.ndarray

    def foreign(self) -> tuple[float, float, str]:
        """Mean and largest share on measures of other banks, and which slider moves which there."""
        size = np.where(self.ideal == 0, np.abs(self.share), np.nan)
        i, j = np.unravel_index(int(np.nanargmax(size)), size.shape)
        return float(np.nanmean(size)), float(size[i, j]), f"{self.keys[i]} moves {MEASURES[j]}"

    def by_bank(self) -> np.ndarray:
        """`(banks, 7)` the largest share among each bank's sliders."""
        names = list(dict.fromkeys(self.banks))
        return np.array([np.abs(self.share[[b == name for b in self.banks]]).max(0) for name in names])


def on_mesh(actor: MeshActor) -> Leak:
    """Measured on the points of the moved mesh."""
    return _leak(actor, lambda code: measured(actor.motion.moved(code)[: len(actor.face.points)]))


def on_pictures(actor: Actor, landmarks_of: Callable[[np.ndarray], np.ndarray]) -> Leak:
    """Measured on the pictures that come of it, by a network that finds landmarks.

    Args:
        landmarks_of: `(468, 3)` of a picture.
    """
    return _leak(actor, lambda code: measured(landmarks_of(actor.render(code))))


def _leak(actor: Actor, of: Callable[[np.ndarray], np.ndarray]) -> Leak:
    directions = directions_of(actor)
    start = of(np.array(actor.own, dtype=np.float64))
    change = np.zeros((len(directions), len(MEASURES)))
    for d in directions:
        code = np.array(actor.own, dtype=np.float64)
        code[d.index] += STEP * d.scale
        change[d.index] = of(code) - start
    ideal = np.array([[_wanted(d.bank, d.name, m) for m in MEASURES] for d in directions])
    largest = np.array([_largest(np.abs(change[:, j]), ideal[:, j]) for j in range(len(MEASURES))])
    share = change / np.where(largest > 1e-9, largest, np.inf)
    return Leak(tuple(d.key for d in directions), tuple(d.bank for d in directions), change, share, ideal)


def _largest(size: np.ndarray, ideal: np.ndarray) -> float:
    """What a measure is counted in: the largest change by its own sliders, else by its bank, else by any."""
    for chosen in (ideal == 1, np.isnan(ideal)):
        if chosen.any():
            return float(size[chosen].max())
    return float(size.max())


def _wanted(bank: str, name: str, measure: str) -> float:
    if name in OWNERS[measure]:
        return 1.0
    return np.nan if bank == BANK_OF[measure] else 0.0
