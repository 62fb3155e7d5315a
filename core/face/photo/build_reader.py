"""Learn to read codes from landmarks, on pictures of people drawn from the parametric head whose codes are known.

The landmark network sees a face its own way: a turned head looks to it as if the mouth had moved sideways, a long
chin as if the jaw were open. A linear map from its landmarks to the codes that were drawn takes these habits out
(ridge regression on principal components; both closed forms). Part of `core.face.photo.build_assets`.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from core.face.head import factors as known
from core.face.head.mesh import Head
from core.face.head.people import draw_person
from core.face.head.render import Renderer
from core.face.photo.codes import features
from core.face.photo.detector import find
from core.face.photo.directions import ANGLE, BANKS, MADE_OF, flat
from core.face.photo.landmarks import around_eyes, around_points, landmarks

PICTURES, SIZE, SAMPLES = 1400, 160, 2
KEPT = 150  # principal components
RIDGE = 1e-4  # against the mean variance of the features
_BOTH_WAYS = ("jaw sideways", "mouth sideways", "brows slant")
FURTHER = 1.6  # how much further than the renderer's own range heads turn: 40 degrees of yaw
_OFTEN = 0.4  # how likely each direction is at work in a picture


def drawn(head: Head, moves: Mapping[str, np.ndarray], banks: Mapping[str, np.ndarray], n: int, first: int):
    """Pictures of different people, and their codes.

    Args:
        head: the parametric head.
        moves: displacements `(468, 3)` of the landmarks by movement.
        banks: orthonormal directions `(K, 1404)` by bank.
        n: how many.
        first: seed of the first.

    Yields:
        A picture `(SIZE, SIZE, 3)` and its code `(K,)`, with the angles of the pose in degrees in its place.
    """
    renderer = Renderer(head, SIZE, SAMPLES)
    pose = known.columns("pose")
    for seed in range(first, first + n):
        rng = np.random.default_rng(seed)
        strength: dict[str, float] = {}
        for bank in ("mouth", "expression"):
            for name, made_of in MADE_OF[bank].items():
                if rng.random() < _OFTEN:
                    amount = rng.uniform(-1 if name in _BOTH_WAYS else 0, 1)
                    for move, share in made_of.items():
                        if share > 0 or name in _BOTH_WAYS or amount < 0:
                            strength[move] = strength.get(move, 0.0) + amount * share
        setting = known.neutral()
        setting[pose] = rng.uniform(-1, 1, pose.stop - pose.start) * ([FURTHER] * 3 + [1, 1, 1])
        strength = {move: float(np.clip(a, -1, 1.2)) for move, a in strength.items()}
        person = draw_person(head, seed)
        shape = head.moved(strength, person.shape)
        picture = renderer.render(replace(person, shape=shape), setting)
        step = sum((a * moves[m] for m, a in strength.items()), np.zeros((len(next(iter(moves.values()))), 3)))
        code = {bank: banks[bank].astype(np.float64) @ flat(step) for bank in ("mouth", "expression")}
        # the head's yaw is the picture's, its pitch too; its roll runs the other way round
        angles = [known.YAW, known.PITCH, -known.ROLL] * setting[pose][:3]
        code["pose"] = np.degrees(angles)
        yield picture, np.concatenate([code[bank] for bank in BANKS])


def learn(head: Head, moves, banks: Mapping[str, np.ndarray], scales: Mapping[str, np.ndarray], rest: np.ndarray):
    """`(1408, K)` from the features of landmarks (`core.face.photo.codes.features`) to codes.

    Args:
        head, moves, banks: see `drawn`.
        scales: of the directions, by bank.
        rest: `(468, 3)` the average face.
    """
    rows, wanted = [], []
    for picture, code in drawn(head, moves, banks, PICTURES, 3000):
        found = find(picture)
        if not found:
            continue
        points, score = landmarks(picture, around_eyes(found[0].box, found[0].eyes))
        points, score = landmarks(picture, around_points(points))
        if score > 0.9:
            rows.append(features(points, rest))
            wanted.append(code)
    wanted = np.array(wanted)
    pose = slice(len(banks["mouth"]), len(banks["mouth"]) + 3)
    wanted[:, pose] *= scales["pose"] / ANGLE
    return ridge(np.array(rows), wanted)


def ridge(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """`(D + 1, K)` the linear map from x `(N, D)` to y `(N, K)`, its last row a constant."""
    mean, target = x.mean(0), y.mean(0)
    u, s, vt = np.linalg.svd(x - mean, full_matrices=False)
    u, s, vt = u[:, :KEPT], s[:KEPT], vt[:KEPT]
    held = s / (s**2 + RIDGE * (s**2).mean())
    slope = vt.T @ (held[:, None] * (u.T @ (y - target)))
    return np.concatenate([slope, (target - mean @ slope)[None]])
