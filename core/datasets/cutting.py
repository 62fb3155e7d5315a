"""Square patches at random places of images, and their contrast."""

from collections.abc import Sequence

import numpy as np

from core.errors import InputError


def cut_patches(
    images: Sequence[np.ndarray], size: int, count: int, seed: int, *, least: float = 0.0
) -> tuple[np.ndarray, np.ndarray, str]:
    """Patches drawn at random, every place of every image alike, no place twice.

    Args:
        images: each `(H, W)` or `(H, W, C)`, of any sizes.
        size: side of a patch in pixels.
        count: how many; fewer when there are not so many places.
        seed: of the places.
        least: patches whose standard deviation is below this are passed over.

    Returns:
        `(count, size, size[, C])` patches, `(count, 3)` image number, row and column of each, and a sentence when
        there are fewer than asked for (else empty).

    Raises:
        InputError: an image is smaller than a patch, or fewer than two patches remain.
    """
    for image in images:
        if min(image.shape[:2]) < size:
            h, w = image.shape[:2]
            raise InputError(f"An image of {w} x {h} pixels is too small for patches of {size} x {size} pixels.")
    rng = np.random.default_rng(seed)
    places = [(i.shape[0] - size + 1) * (i.shape[1] - size + 1) for i in images]
    ends = np.cumsum(places)
    total = int(ends[-1])
    # with a demand on contrast, draw more and keep the first that meet it
    draw = min(total, count if least <= 0 else 4 * count)
    chosen = rng.choice(total, size=draw, replace=False) if total < 5_000_000 else _some(rng, total, draw)
    patches, where = [], []
    for place in chosen:
        i = int(np.searchsorted(ends, place, side="right"))
        inside = int(place - (ends[i] - places[i]))
        y, x = divmod(inside, images[i].shape[1] - size + 1)
        patch = images[i][y : y + size, x : x + size]
        if least > 0 and patch.std() < least:
            continue
        patches.append(patch)
        where.append((i, y, x))
        if len(patches) == count:
            break
    if len(patches) < 2:
        raise InputError("Fewer than two patches remain; use a smaller patch or a lower contrast limit.")
    few = "" if len(patches) == count else f"Only {len(patches):,} different patches were found of {count:,} asked for."
    return np.stack(patches).astype(np.float32), np.array(where), few


def _some(rng: np.random.Generator, total: int, count: int) -> np.ndarray:
    """`count` different numbers below a large `total`, without a permutation of all of them."""
    found = np.unique(rng.integers(total, size=count))
    while len(found) < count:
        found = np.unique(np.concatenate([found, rng.integers(total, size=count - len(found))]))
    return rng.permutation(found)


def normalise_contrast(patches: np.ndarray, how: str, *, floor: float = 0.02) -> np.ndarray:
    """Patches with their contrast changed.

    Args:
        patches: `(N, H, W[, C])` in 0..1.
        how: `none`; `centre` subtracts each patch's mean; `unit` also divides by its standard deviation plus `floor`
            (the local contrast normalisation of Coates, Lee and Ng 2011).

    Returns:
        the same shape; values are no longer in 0..1 unless `how` is `none`.
    """
    if how == "none":
        return patches
    axes = tuple(range(1, patches.ndim))
    centred = patches - patches.mean(axis=axes, keepdims=True)
    if how == "centre":
        return centred
    if how == "unit":
        return centred / (patches.std(axis=axes, keepdims=True) + floor)
    raise InputError("Contrast is one of none, centre or unit.")
