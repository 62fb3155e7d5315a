"""The banks of the mesh: named displacements of its 468 points, orthonormal across mouth, pose and expression."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import numpy as np

from core.basis import Basis
from core.face.photo.mesh import stored

BANKS = ("mouth", "pose", "expression")
_BOTH = ("Left", "Right")


def _pair(name: str, amount: float = 1.0) -> dict[str, float]:
    return {f"{name}{side}": amount for side in _BOTH}


# movements of the parametric head that make up each direction at full strength; those of the brows are faint on it
MADE_OF: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    "mouth": {
        "jaw open": {"jawOpen": 0.85},
        "pucker": {"mouthPucker": 1.4, **_pair("mouthStretch", -0.5)},
        "lips funnelled": {"mouthFunnel": 1.0},
        "upper lip up": _pair("mouthUpperUp"),
        "lower lip down": _pair("mouthLowerDown"),
        "lips pressed": {**_pair("mouthPress", 0.5), "mouthRollLower": 0.5, "mouthRollUpper": 0.5},
        "jaw sideways": {"jawLeft": 1.0, "jawRight": -1.0},
        "mouth sideways": {"mouthLeft": 1.0, "mouthRight": -1.0},
    },
    "pose": {"yaw": {}, "pitch": {}, "roll": {}},
    "expression": {
        "smile": {**_pair("mouthSmile"), **_pair("cheekSquint", 0.5)},
        "mouth corners down": _pair("mouthFrown", 1.5),
        "brows up": {"browInnerUp": 1.7, **_pair("browOuterUp", 1.7)},
        "brows slant": {"browInnerUp": 1.4, **_pair("browOuterUp", -1.4)},
        "brows knit": _pair("browDown", 1.5),
        "blink left": {"eyeBlinkLeft": 1.0},
        "blink right": {"eyeBlinkRight": 1.0},
        "nose wrinkle": _pair("noseSneer", 1.5),
    },
}
_MAIN = ("jaw open", "pucker", "smile", "brows up", "blink left", "blink right")
_WEIGHTS = {**dict.fromkeys(_MAIN, 1.0), **dict.fromkeys(("yaw", "pitch", "roll"), 0.1)}
_LESS = 0.5  # weight of the other directions
# what a direction does below zero, where that has a name of its own
OPPOSITES = {
    "jaw open": "jaw shut",
    "pucker": "mouth wide",
    "lips pressed": "lips apart",
    "brows up": "brows down",
    "brows slant": "brows slant inwards",
    "blink left": "left eye wide",
    "blink right": "right eye wide",
}
# Depth counts less: the landmark network sees it badly and a picture hardly shows it. The banks live in the coordinates
# (x, y, DEPTH z) of the mesh.
DEPTH = 0.3
ANGLE = 8.0  # degrees of yaw, pitch and roll to one unit of their codes' scale
FULL = 3.0  # scales at which a movement is at full strength
PIVOT = np.array([0.0, 0.75, 0.7])  # what the head turns about, in the frame of the average face


def flat(points: np.ndarray) -> np.ndarray:
    """Points or displacements `(468, 3)` in the coordinates of the banks, `(1404,)`."""
    return (np.asarray(points, dtype=np.float64) * [1, 1, DEPTH]).ravel()


def solid(values: np.ndarray) -> np.ndarray:
    """The points or displacements `(468, 3)` of coordinates of the banks `(1404,)`."""
    return np.asarray(values, dtype=np.float64).reshape(-1, 3) / [1, 1, DEPTH]


def names(bank: str) -> tuple[str, ...]:
    """The directions of a bank, in order."""
    return tuple(MADE_OF[bank])


def wanted(moves: Mapping[str, np.ndarray], shape: np.ndarray) -> dict[str, np.ndarray]:
    """What each bank should span, before it is made orthonormal: `(K, 1404)` by bank; a row is one scale's worth.

    Args:
        moves: displacements `(468, 3)` of the points for each movement of the head at full strength.
        shape: `(468, 3)` the points at rest.
    """
    rows: dict[str, list[np.ndarray]] = {bank: [] for bank in BANKS}
    for bank, directions in MADE_OF.items():
        for made_of in directions.values():
            if made_of:
                rows[bank].append(flat(sum(amount * moves[name] for name, amount in made_of.items())) / FULL)
    step = np.radians(ANGLE)
    arm = shape - shape.mean(0)  # about the middle, so that no tangent is mostly a shift
    for axis in ([0, -1, 0], [1, 0, 0], [0, 0, 1]):  # the tangents of `canonical.turn`
        rows["pose"].append(step * flat(np.cross(np.array(axis, float), arm)))
    return {bank: np.array(r) for bank, r in rows.items()}


def orthonormal(banks: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """All banks made orthonormal together, each direction as near as can be to what it is named after.

    That is Löwdin's symmetric orthogonalisation with weights: of all orthonormal sets of the same span, the one with
    the least sum of squared distances to the rows at length one, each times its weight. Taking one direction after
    the other instead (as QR does) would leave little of a smile, which shares most of its motion with a wide mouth.
    The tangents of the pose weigh little: the renderer turns the head exactly and needs them only as a measure.
    """
    names_of = [(bank, name) for bank in banks for name in names(bank)]
    rows = np.concatenate(list(banks.values())).astype(np.float64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    weight = np.array([_WEIGHTS.get(name, _LESS) for _, name in names_of])
    u, _, vt = np.linalg.svd(weight[:, None] * rows, full_matrices=False)
    found = u @ vt
    return {bank: found[[b == bank for b, _ in names_of]] for bank in banks}


def stacked(moves: Mapping[str, np.ndarray], shape: np.ndarray) -> dict[str, np.ndarray]:
    """The arrays that ship: `directions.<bank>` (K, 1404), `scale.<bank>` (K,), `purity.<bank>` (K,), which is the
    cosine between a direction and the movement that it is named after."""
    rows = wanted(moves, shape)
    arrays: dict[str, np.ndarray] = {}
    for bank, directions in orthonormal(rows).items():
        along = (rows[bank] * directions).sum(1)
        arrays[f"directions.{bank}"] = directions.astype(np.float32)
        arrays[f"scale.{bank}"] = along.astype(np.float32)
        arrays[f"purity.{bank}"] = (along / np.linalg.norm(rows[bank], axis=1)).astype(np.float32)
    return arrays


@cache
def bases() -> Mapping[str, Basis]:
    """The three banks as bases in 1404 coordinates (see `flat`); the mean is the average face at rest."""
    arrays = stored()
    mean = flat(arrays["shape"])
    found = {b: Basis(arrays[f"directions.{b}"], mean, arrays[f"scale.{b}"], names(b)) for b in BANKS}
    return MappingProxyType(found)
