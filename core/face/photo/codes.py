"""Codes of a photographed face: how its mesh differs from the average face at rest, measured on the banks."""

import numpy as np

from core.face.photo.canonical import fitted, shape, turned
from core.face.photo.directions import ANGLE, BANKS, bases, flat, names, solid
from core.face.photo.mesh import POINTS, stored

NOISE = 0.012  # decimetres, typical error of one coordinate of a landmark


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


def measure(points: np.ndarray) -> np.ndarray:
    """The code `(K,)` of a face's landmarks `(468, 3)`.

    The pose is the rotation under which the average face fits best. What is left is explained by mouth, expression
    and the shapes of different people together, each held back by how much it usually varies (a normal prior; Blanz
    and Vetter 1999), so that a long chin is not taken for an open jaw.
    """
    arrays = stored()
    code, rest = blank(), shape()
    move = np.concatenate([arrays["directions.mouth"], arrays["directions.expression"]]).astype(np.float64)
    size_of = np.concatenate([arrays["scale.mouth"], arrays["scale.expression"]])
    people = np.array([flat(p) for p in arrays["people"].reshape(-1, POINTS, 3)])
    design = np.concatenate([size_of[:, None] * move, people])
    gram = design @ design.T / NOISE**2 + np.eye(len(design))
    placed = fitted(points)
    for _ in range(3):  # pose and person in turn
        left = flat(placed.undo(points) - rest)
        found = np.linalg.solve(gram, design @ left / NOISE**2)
        person = rest + solid(found[len(move) :] @ people)
        placed = fitted(points, person)
    k = len(arrays["scale.mouth"])
    code[rows("mouth")] = found[:k] * arrays["scale.mouth"]
    code[rows("expression")] = found[k : len(move)] * arrays["scale.expression"]
    code[rows("pose")] = np.array(turned(placed.rotation)) / ANGLE * arrays["scale.pose"]
    return code
