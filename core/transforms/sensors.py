"""Operators when some sensors of the input are dead: how fast the error grows."""

from collections.abc import Callable

import numpy as np

from core.transforms.beside import relative_error

FILLS = {"mean": "Their mean", "neighbours": "A line between neighbours"}
SHARES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7)
DRAWS = 5


def without(inputs: np.ndarray, dead: np.ndarray, fill: str, mean: np.ndarray) -> np.ndarray:
    """Inputs `(N, m)` in which what dead sensors would have said is filled in.

    Args:
        dead: `(m,)` which sensors are dead; at least one lives.
        fill: `mean` puts the value of `mean` there; `neighbours` a straight line between the nearest living sensors,
            and beyond the last one its value.
        mean: `(m,)` of each sensor over the training inputs.
    """
    out = np.array(inputs, dtype=np.float32)
    at, living = np.arange(len(dead)), np.flatnonzero(~dead)
    if fill == "mean":
        out[:, dead] = mean[dead]
        return out
    out[:, dead] = np.stack([np.interp(at[dead], living, row[living]) for row in out])
    return out


def draw_dead(sensors: int, count: int, seed: int) -> np.ndarray:
    """`(sensors,)` of which `count` are dead, at random; a larger count with the same seed keeps the dead ones dead."""
    dead = np.zeros(sensors, dtype=bool)
    dead[np.random.default_rng(seed).permutation(sensors)[: min(count, sensors - 1)]] = True
    return dead


def dropout_errors(
    predict: Callable[[np.ndarray], np.ndarray], inputs: np.ndarray, outputs: np.ndarray, fill: str, mean: np.ndarray
) -> np.ndarray:
    """`(S, DRAWS)` mean relative error for each of `SHARES` of dead sensors and each draw of them.

    Args:
        predict: outputs `(N, P)` of inputs `(N, m)`.
    """
    m = inputs.shape[1]
    return np.array(
        [
            [
                relative_error(predict(without(inputs, draw_dead(m, round(share * m), draw), fill, mean)), outputs)
                for draw in range(DRAWS)
            ]
            for share in SHARES
        ]
    )
