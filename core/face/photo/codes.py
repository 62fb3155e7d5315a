"""Codes of a photographed face: how its mesh differs from the average face at rest, measured on the banks."""

import numpy as np

from core.face.photo.canonical import fitted, shape, turned
from core.face.photo.directions import ANGLE, BANKS, bases, flat, names
from core.face.photo.mesh import stored


def rows(bank: str) -> slice:
    """Where the weights of a bank stand in a flat code."""
    start = 0
    for name in BANKS:
        if name == bank:
            return slice(start, start + len(names(name)))
        start += len(names(name))
    raise KeyError(bank)


def size() -> int:
    """How many weights a code has."""
    return sum(len(names(b)) for b in BANKS)


def blank() -> np.ndarray:
    """The code of the average face at rest, looking straight ahead."""
    return np.zeros(size())


def split(code: np.ndarray) -> dict[str, np.ndarray]:
    """A flat code `(..., K)` by bank; views."""
    return {bank: code[..., rows(bank)] for bank in BANKS}


def scales() -> np.ndarray:
    """`(K,)` the typical size of each weight."""
    return np.concatenate([b.scale for b in bases().values()]).astype(np.float64)


def angles(pose: np.ndarray) -> tuple[float, float, float]:
    """Yaw, pitch and roll in degrees of the pose weights `(3,)`."""
    yaw, pitch, roll = (ANGLE * pose / bases()["pose"].scale).tolist()
    return yaw, pitch, roll


def features(points: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """`(1407,)` what codes are read from: landmarks `(468, 3)` where the average face `rest` lies under them, and the
    angles under which it does."""
    placed = fitted(points, rest)
    return np.concatenate([flat(placed.undo(points) - rest), np.array(turned(placed.rotation)) / 90])


def measure(points: np.ndarray) -> np.ndarray:
    """The code `(K,)` of a face's landmarks `(468, 3)`, as the network gives them.

    A linear map learned on pictures whose codes are known (`core.face.photo.build_reader`): it does not take a long
    chin for an open jaw, nor a turned head for a skewed mouth.
    """
    reader = stored()["reader"].astype(np.float64)
    return features(points, shape()) @ reader[:-1] + reader[-1]
