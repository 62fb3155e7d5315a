"""What is gained when a part of the gallery is computed again with the new model, and which part to take first."""

from dataclasses import dataclass

import numpy as np
import torch

from core.compatible.retrieval import TIE, same_width
from core.compatible.search import nearest
from core.errors import InputError

ORDERS = ("random", "residual", "confusion", "class distance")


@dataclass(frozen=True, eq=False)
class Reindexing:
    """Recall@1 of mapped new queries while the gallery goes over from old to new embeddings.

    Attributes:
        order: one of `ORDERS`.
        share: `(S,)` of the gallery that has been computed again, 0 to 1.
        recall: `(S,)`.
        needed: smallest share in `share` that reaches `goal` of the way from none to all, or None.
        goal: that part, such as 0.95.
        queries: how many queries were used.
    """

    order: str
    share: np.ndarray
    recall: np.ndarray
    needed: float | None
    goal: float
    queries: int


def priority(
    order: str, mapped: np.ndarray, old: np.ndarray, labels: np.ndarray | None = None, *, seed: int = 0
) -> np.ndarray:
    """`(N,)` items, the one to compute again first in front.

    Args:
        order: `random`; `residual`, the worst-mapped items first (knows the new embeddings, so it is the best case);
            `confusion`, old items whose nearest old neighbour is nearest first (old embeddings only); `class distance`,
            old items farthest in angle from the mean of their class first (old embeddings and labels only).

    Raises:
        InputError: an unknown order, or class distance without labels.
    """
    if order == "random":
        return np.random.default_rng(seed).permutation(len(old))
    a, b = same_width(mapped, old)
    if order == "residual":
        return np.argsort(np.einsum("nd,nd->n", a, b), kind="stable")
    if order == "confusion":
        return np.argsort(-nearest(b, b, own=np.arange(len(b))).similarity, kind="stable")
    if order == "class distance":
        if labels is None:
            raise InputError("The order by class distance needs labels; choose another order or give labels.")
        present, labels = np.unique(labels, return_inverse=True)  # a part of the items may lack a class
        means = np.stack([b[labels == c].mean(axis=0) for c in range(len(present))])
        means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
        return np.argsort(np.einsum("nd,nd->n", b, means[labels]), kind="stable")
    raise InputError(f"There is no order {order!r}; there are {', '.join(ORDERS)}.")


def reindexing(
    mapped: np.ndarray,
    old: np.ndarray,
    labels: np.ndarray | None = None,
    *,
    order: str = "random",
    goal: float = 0.95,
    levels: int = 51,
    max_queries: int = 1000,
    seed: int = 0,
) -> Reindexing:
    """The whole curve at the price of two searches: prefix and suffix maxima along the order.

    Args:
        mapped: `(N, d)` new embeddings in the old space, unit rows.
        old: `(N, d_old)` unit rows.
        labels: `(N,)` whole numbers, or None for identity.
        goal: the part of the gain that is wanted.
        levels: points of the curve.
        max_queries: drawn at random when there are more items.
    """
    first = priority(order, mapped, old, labels, seed=seed)
    new, old = same_width(mapped, old)
    n = len(new)
    part = np.sort(np.random.default_rng(seed).permutation(n)[:max_queries])
    cuts = np.unique(np.round(np.linspace(0, n, levels)).astype(int))
    place = np.empty(n, dtype=np.int64)
    place[first] = np.arange(n)
    fresh, stale = torch.as_tensor(new[first]), torch.as_tensor(old[first])
    hits = np.zeros(len(cuts))
    rows = max(1, 2**23 // n)
    for i in range(0, len(part), rows):
        items = part[i : i + rows]
        q, index, own = torch.as_tensor(new[items]), torch.arange(len(items)), torch.as_tensor(place[items])
        by_new, by_old = q @ fresh.T, q @ stale.T
        own_new, own_old = by_new[index, own].clone(), by_old[index, own].clone()
        by_new[index, own] = by_old[index, own] = -torch.inf
        # running best of the items already new, from the left, and of those still old, from the right
        left, left_at = by_new.cummax(dim=1)
        right, right_at = by_old.flip(1).cummax(dim=1)
        for j, cut in enumerate(cuts):
            a = left[:, cut - 1] if cut else torch.full((len(items),), -torch.inf)
            b = right[:, n - cut - 1] if cut < n else torch.full((len(items),), -torch.inf)
            if labels is None:
                mine = torch.where(own < cut, own_new, own_old)
                hits[j] += int((mine - torch.maximum(a, b) > TIE).sum())
                continue
            at_a = left_at[:, cut - 1] if cut else own
            at_b = n - 1 - right_at[:, n - cut - 1] if cut < n else own
            found = first[torch.where(a >= b, at_a, at_b).numpy()]
            hits[j] += int((labels[found] == labels[items]).sum())
    recall = hits / len(part)
    wanted = recall[0] + goal * (recall[-1] - recall[0])
    reached = np.flatnonzero(recall >= wanted)
    share = cuts / n
    needed = float(share[reached[0]]) if len(reached) and recall[-1] > recall[0] else None
    return Reindexing(order, share, recall, needed, goal, len(part))
