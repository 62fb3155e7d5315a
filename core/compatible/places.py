"""Do classes keep their place from one version to the next?"""

from dataclasses import dataclass

import numpy as np

from core.compatible.pairs import unit_rows
from core.compatible.versions import Version


@dataclass(frozen=True)
class Places:
    """Angles in degrees between an old and a new version.

    Attributes:
        directions: mean angle by which the directions of the classes that the old version knew have moved.
        means: the same for the mean features of those classes.
        before, after: mean angle between the mean features of the classes added later and their own directions in the
            new version, in the old version's features and in the new one's.
    """

    directions: float
    means: float
    before: float
    after: float


def places(old: Version, new: Version, y: np.ndarray) -> Places:
    """Measure on held-out items.

    Args:
        y: `(N_test,)` their classes.
    """
    known, added = list(old.classes), [c for c in new.classes if c not in old.classes]
    a, b = (np.stack([unit_rows(v.features[y == c].mean(axis=0)[None])[0] for c in new.classes]) for v in (old, new))
    return Places(
        _angle(old.directions[known], new.directions[known]),
        _angle(a[known], b[known]),
        _angle(a[added], new.directions[added]),
        _angle(b[added], new.directions[added]),
    )


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    """Mean angle of matching unit rows, in degrees; stable for small ones."""
    if not len(a):
        return float("nan")
    a, b = a.astype(np.float64), b.astype(np.float64)
    half = np.arctan2(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1))
    return float(np.degrees(2 * half).mean())
