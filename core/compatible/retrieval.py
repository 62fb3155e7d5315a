"""How well the embeddings of one model find the items of another."""

from dataclasses import dataclass

import numpy as np
import torch

from core.compatible.search import InvertedLists, Nearest, nearest
from core.errors import InputError

EXACT_WORK = 4e11  # multiplications up to which every query is compared with every item (some seconds on one core)
CONTROL_QUERIES = 1000
MAP_QUERIES = 2000
TIE = 1e-6


@dataclass(frozen=True)
class Retrieval:
    """What a search by cosine gave.

    Attributes:
        recall: recall@1, the share of queries whose best match is right. A tie at the top counts as wrong.
        recall_ties: the same, with a tie counted as right; the two differ only where items coincide.
        mean_ap: mean average precision, or None when it was not asked for.
        queries, gallery: how many of each.
        map_queries: how many queries the mean average precision was taken over.
        by: `label` or `identity`.
        exact: whether every query was compared with every item.
        control: for a search that is not exact, recall@1 by exact search on a random part of the queries, else None.
        control_approximate: recall@1 of the approximate search on that same part.
    """

    recall: float
    recall_ties: float
    mean_ap: float | None
    queries: int
    gallery: int
    map_queries: int
    by: str
    exact: bool
    control: float | None = None
    control_approximate: float | None = None


def retrieval(
    queries: np.ndarray,
    gallery: np.ndarray,
    labels: np.ndarray | None = None,
    *,
    mean_ap: bool = True,
    exact: bool | None = None,
    seed: int = 0,
) -> Retrieval:
    """Search a gallery of N items with the embeddings of the same N items.

    By label, a match is right when it has the query's label, and an item never finds itself. By identity (no labels), a
    match is right when it is the item itself.

    Args:
        queries, gallery: `(N, d_q)` and `(N, d_g)` with unit rows, the same item in the same row. Where the
            dimensions differ, the shorter rows are continued with zeros.
        labels: `(N,)` whole numbers, or None for identity.
        exact: compare everything with everything; None decides by the amount of work.
        seed: of the parts drawn at random (control, mean average precision, cells).

    Raises:
        InputError: another number of rows.
    """
    if len(queries) != len(gallery):
        raise InputError(f"Queries and gallery must hold the same items; there are {len(queries)} and {len(gallery)}.")
    queries, gallery = same_width(queries, gallery)
    n = len(queries)
    everyone = np.arange(n)
    if exact is None:
        exact = float(n) * n * queries.shape[1] <= EXACT_WORK
    rng = np.random.default_rng(seed)
    control = control_approximate = None
    if exact:
        found = nearest(queries, gallery, own=everyone)
    else:
        found = InvertedLists(gallery, seed=seed).nearest(queries, own=everyone)
        part = np.sort(rng.choice(n, min(n, CONTROL_QUERIES), replace=False))
        sure = nearest(queries[part], gallery, own=part)
        control = float(_hits(queries, gallery, labels, sure, part)[0].mean())
        control_approximate = float(
            _hits(queries, gallery, labels, Nearest(found.index[part], found.similarity[part]), part)[0].mean()
        )
    strict, ties = _hits(queries, gallery, labels, found, everyone)
    precision, part = None, everyone
    if mean_ap:
        most = MAP_QUERIES if n <= 20_000 else 500
        part = everyone if n <= most else np.sort(rng.choice(n, most, replace=False))
        precision = float(average_precision(queries[part], gallery, part, labels).mean())
    return Retrieval(
        recall=float(strict.mean()),
        recall_ties=float(ties.mean()),
        mean_ap=precision,
        queries=n,
        gallery=n,
        map_queries=len(part) if mean_ap else 0,
        by="identity" if labels is None else "label",
        exact=exact,
        control=control,
        control_approximate=control_approximate,
    )


def same_width(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both as float32 with the columns of the wider; the other is continued with zeros."""
    width = max(a.shape[1], b.shape[1])
    return tuple(  # type: ignore[return-value]
        np.ascontiguousarray(np.pad(x, ((0, 0), (0, width - x.shape[1]))) if x.shape[1] < width else x, np.float32)
        for x in (a, b)
    )


def _hits(queries, gallery, labels, found: Nearest, items: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether each of `items` was found right, without and with ties."""
    if labels is not None:
        right = labels[found.index] == labels[items]
        right &= found.index >= 0
        return right, right
    itself = np.einsum("nd,nd->n", queries[items], gallery[items])
    gap = itself - found.similarity
    return gap > TIE, gap >= -TIE


def average_precision(
    queries: np.ndarray, gallery: np.ndarray, items: np.ndarray, labels: np.ndarray | None
) -> np.ndarray:
    """Average precision `(Q,)` of each query over the whole gallery.

    Args:
        queries: `(Q, d)`.
        gallery: `(G, d)`.
        items: `(Q,)` which gallery item each query is.
        labels: `(G,)`, or None: then the only right match is the item itself and the precision is one over its rank,
            ties placed at the mean of their ranks.

    A query whose label no other item has counts as zero.
    """
    out = np.empty(len(queries))
    rows = max(1, 2**24 // len(gallery))
    g = torch.as_tensor(gallery)
    for i in range(0, len(queries), rows):
        mine = items[i : i + rows]
        block = torch.as_tensor(queries[i : i + rows]) @ g.T
        index = torch.arange(len(mine))
        if labels is None:
            own = block[index, torch.as_tensor(mine)][:, None]
            better = (block > own + TIE).sum(1)
            tied = ((block - own).abs() <= TIE).sum(1) - 1
            out[i : i + len(mine)] = (1 / (1 + better + 0.5 * tied)).numpy()
            continue
        block[index, torch.as_tensor(mine)] = -torch.inf
        order = block.argsort(dim=1, descending=True).numpy()[:, :-1]
        relevant = labels[order] == labels[mine][:, None]
        precision = np.cumsum(relevant, axis=1) / np.arange(1, relevant.shape[1] + 1)
        many = relevant.sum(axis=1)
        out[i : i + len(mine)] = np.where(many > 0, (precision * relevant).sum(axis=1) / np.maximum(many, 1), 0.0)
    return out
