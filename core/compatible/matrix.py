"""Compatibility of any number of model versions, each searched with each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.compatible.retrieval import retrieval


@dataclass(frozen=True, eq=False)
class Compatibility:
    """Recall@1 (or mean average precision) of every query model on every gallery model.

    Attributes:
        scores: `(V, V)`, row: model of the queries, column: model of the gallery; only row >= column is filled, the
            rest is NaN (a newer query on an older gallery).
        average: share of pairs row > column with `scores[i, j] > scores[j, j]`: the newer queries do better on the old
            gallery than the old queries did.
        average_ties: the same with `>=`. Papers differ in this; both are given.
        mean_cross: mean of the scores below the diagonal.
    """

    scores: np.ndarray
    average: float
    average_ties: float
    mean_cross: float


def compatibility(
    versions: Sequence[np.ndarray], labels: np.ndarray | None = None, *, measure: str = "recall"
) -> Compatibility:
    """The compatibility matrix of embeddings `(N, d_v)` with unit rows, oldest first.

    Args:
        versions: two or more matrices about the same items.
        labels: `(N,)` whole numbers, or None for identity.
        measure: `recall` or `mean_ap`.
    """
    many = len(versions)
    scores = np.full((many, many), np.nan)
    for i in range(many):
        for j in range(i + 1):
            found = retrieval(versions[i], versions[j], labels, mean_ap=measure == "mean_ap")
            scores[i, j] = found.recall if measure == "recall" else found.mean_ap
    return Compatibility(scores, *average_compatibility(scores), _mean_cross(scores))


def average_compatibility(scores: np.ndarray) -> tuple[float, float]:
    """Share of pairs `i > j` with `scores[i, j]` above (at least) `scores[j, j]`."""
    i, j = np.tril_indices(len(scores), -1)
    own = np.diag(scores)[j]
    if not len(i):
        return float("nan"), float("nan")
    return float(np.mean(scores[i, j] > own)), float(np.mean(scores[i, j] >= own))


def _mean_cross(scores: np.ndarray) -> float:
    below = scores[np.tril_indices(len(scores), -1)]
    return float(below.mean()) if len(below) else float("nan")
