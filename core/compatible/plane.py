"""A plane to look at two spaces in: the two directions in which the old embeddings vary most."""

from dataclasses import dataclass

import numpy as np

from core.compatible.maps import LinearMap
from core.compatible.pairs import Pairs, unit_rows


@dataclass(frozen=True, eq=False)
class Plane:
    """Old embeddings and mapped new ones in the plane of the old ones.

    Attributes:
        old, new: `(M, 2)`, the same item in the same row.
        label: `(M,)` whole numbers, or None.
        explained: share of the old embeddings' variance that lies in the plane.
    """

    old: np.ndarray
    new: np.ndarray
    label: np.ndarray | None
    explained: float


def plane(pairs: Pairs, one: LinearMap, *, most: int = 600, seed: int = 0) -> Plane:
    """Project at most `most` items, drawn at random; the plane itself comes from all old embeddings."""
    mean = pairs.old.mean(axis=0, dtype=np.float64)
    centred = pairs.old - mean
    value, vector = np.linalg.eigh(centred.T.astype(np.float64) @ centred)
    axes = vector[:, ::-1][:, :2]
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])] < 0, -1, 1)
    if axes.shape[1] < 2:
        axes = np.pad(axes, ((0, 0), (0, 1)))
    n = len(pairs)
    part = np.arange(n) if n <= most else np.sort(np.random.default_rng(seed).choice(n, most, replace=False))
    mapped = unit_rows(one(pairs.new[part]))[:, : one.width]
    total = max(float(value.sum()), 1e-300)
    return Plane(
        (pairs.old[part] - mean) @ axes,
        (mapped - mean) @ axes,
        None if pairs.labels is None else pairs.labels[part],
        float(value[::-1][:2].sum() / total),
    )
