"""The 13 factors of a picture that are known exactly: three of the mouth, six of the pose, four of the expression."""

from collections.abc import Mapping

import numpy as np

BANKS: Mapping[str, tuple[str, ...]] = {
    "mouth": ("mouth open", "mouth round", "mouth wide"),
    "pose": ("yaw", "pitch", "roll", "x", "y", "scale"),
    "expression": ("brow up", "brow down", "eye close", "smile"),
}
FACTORS: tuple[str, ...] = tuple(name for names in BANKS.values() for name in names)
# how far each factor goes at 1; mouth and expression run from 0 to 1, pose from -1 to 1
YAW, PITCH, ROLL = np.radians([25.0, 15.0, 15.0])  # to the person's left, down, towards the person's right shoulder
SHIFT = 0.1  # of half the picture's side, to the right and up
ZOOM = 0.1  # larger by this share
_BOTH = ("Left", "Right")
MOVES: Mapping[str, Mapping[str, float]] = {
    "mouth open": {"jawOpen": 0.8, "mouthLowerDownLeft": 0.1, "mouthLowerDownRight": 0.1},
    "mouth round": {"mouthPucker": 0.8, "mouthFunnel": 0.35},
    "mouth wide": {
        f"mouth{m}{s}": a
        for m, a in (("Stretch", 0.7), ("Dimple", 0.7), ("LowerDown", 0.35), ("UpperUp", 0.4))
        for s in _BOTH
    },
    "brow up": {"browInnerUp": 0.9, **{f"browOuterUp{s}": 0.9 for s in _BOTH}, **{f"eyeWide{s}": 0.3 for s in _BOTH}},
    "brow down": {f"{m}{s}": a for m, a in (("browDown", 1.0), ("noseSneer", 0.35)) for s in _BOTH},
    "eye close": {f"eyeBlink{s}": 1.0 for s in _BOTH},
    "smile": {f"{m}{s}": a for m, a in (("mouthSmile", 0.8), ("cheekSquint", 0.7)) for s in _BOTH},
}


def columns(bank: str) -> slice:
    """Where the factors of a bank stand among the 13.

    Raises:
        KeyError: there is no such bank.
    """
    first = FACTORS.index(BANKS[bank][0])
    return slice(first, first + len(BANKS[bank]))


def draw(rng: np.random.Generator, n: int) -> np.ndarray:
    """`(n, 13)` independent settings, float32.

    Two pairs pull against each other (round and wide, brow up and down) and would hide each other at full strength:
    each pair is uniform on the triangle where its sum is at most 1. Eyes close by the square of a uniform number, since
    little is to be seen of them beyond a half. All else is uniform.
    """
    out = rng.random((n, len(FACTORS)))
    pose = columns("pose")
    out[:, pose] = 2 * out[:, pose] - 1
    for pair in (("mouth round", "mouth wide"), ("brow up", "brow down")):
        i = [FACTORS.index(name) for name in pair]
        over = out[:, i].sum(1) > 1
        out[np.ix_(over, i)] = 1 - out[np.ix_(over, i)]
    out[:, FACTORS.index("eye close")] **= 2
    return out.astype(np.float32)


def neutral() -> np.ndarray:
    """`(13,)` a face at rest that looks straight ahead."""
    return np.zeros(len(FACTORS), dtype=np.float32)


def swapped(own: np.ndarray, other: np.ndarray, *banks: str) -> np.ndarray:
    """`(..., 13)` the factors of one face with those of the named banks taken from another: an exact counterfactual."""
    out = np.array(own, dtype=np.float32)
    for bank in banks:
        out[..., columns(bank)] = other[..., columns(bank)]
    return out


def strengths(factors: np.ndarray) -> dict[str, float]:
    """How strongly each movement of the head acts at `(13,)` factors, by the name of the target."""
    out: dict[str, float] = {}
    for name, value in zip(FACTORS, factors, strict=True):
        for target, amount in MOVES.get(name, {}).items():
            out[target] = out.get(target, 0.0) + amount * float(value)
    return out


def rotation(factors: np.ndarray) -> np.ndarray:
    """`(3, 3)` how the head is turned: roll, then pitch, then yaw (applied to column vectors)."""
    yaw, pitch, roll = (
        float(factors[FACTORS.index(n)]) * a for n, a in (("yaw", YAW), ("pitch", PITCH), ("roll", ROLL))
    )
    cy, sy, cp, sp, cr, sr = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch), np.cos(roll), np.sin(roll)
    around_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    around_x = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
    around_z = np.array([[cr, -sr, 0], [sr, cr, 0], [0, 0, 1]])
    return (around_y @ around_x @ around_z).astype(np.float32)
