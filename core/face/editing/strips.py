"""Small pictures of what each direction does, and how much it moves the picture."""

from collections.abc import Callable

import numpy as np

from core.face.editing.actor import Actor, directions_of

STOPS = (-3.0, -1.5, 0.0, 1.5, 3.0)  # scales away from the own weight


def strips(actor: Actor, told: Callable[[int, int], object] | None = None) -> np.ndarray:
    """`(K, 5, h, w, 3)` uint8: each direction alone, from three scales below the own weight to three above.

    Args:
        told: called with the number of directions done and of all; a true answer stops (the rest stays as it is).
    """
    found = directions_of(actor)
    out = np.empty((len(found), len(STOPS), *actor.picture.shape), dtype=np.uint8)
    out[:] = actor.picture
    for d in found:
        if told is not None and told(d.index, len(found)):
            break
        for i, stop in enumerate(STOPS):
            if stop:
                code = np.array(actor.own, dtype=np.float64)
                code[d.index] += stop * d.scale
                out[d.index, i] = actor.render(code)
    return out


def reach(pictures: np.ndarray) -> np.ndarray:
    """`(K,)` how much each direction moves the picture: mean change of a colour, of 255, over the ends of its strip.

    Args:
        pictures: `(K, 5, h, w, 3)` of `strips`.
    """
    middle = pictures[:, len(STOPS) // 2].astype(np.int16)
    ends = [np.abs(pictures[:, i].astype(np.int16) - middle).mean((1, 2, 3)) for i in (0, len(STOPS) - 1)]
    return np.maximum(*ends)


def order(actor: Actor, moved: np.ndarray) -> dict[str, list[int]]:
    """Indices of the directions by bank, those that move the picture most first."""
    found = directions_of(actor)
    return {
        bank: [d.index for d in sorted(found, key=lambda d: -moved[d.index]) if d.bank == bank] for bank in actor.banks
    }


def sheet(pictures: np.ndarray) -> np.ndarray:
    """Strips `(n, 5, h, w, 3)` as one picture, a strip a row."""
    n, m, h, w, c = pictures.shape
    return pictures.transpose(0, 2, 1, 3, 4).reshape(n * h, m * w, c)
