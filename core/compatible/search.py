"""Nearest neighbours by inner product: exact by blocks, or by inverted lists when the matrices are large."""

from dataclasses import dataclass

import numpy as np
import torch
from sklearn.cluster import MiniBatchKMeans

from core.device import pick

BLOCK_BYTES = 2**25  # one block of similarities; small enough to stay close to the processor's cache


@dataclass(frozen=True)
class Nearest:
    """The best match of each query: `index` `(Q,)` into the gallery and `similarity` `(Q,)`; -1 where there is none."""

    index: np.ndarray
    similarity: np.ndarray


def nearest(
    queries: np.ndarray, gallery: np.ndarray, *, own: np.ndarray | None = None, device: str | None = None
) -> Nearest:
    """Exact best match of every query, blocks of a float32 matrix product at a time.

    Args:
        queries: `(Q, d)`.
        gallery: `(G, d)`.
        own: `(Q,)` index of the gallery item that each query may not match (itself), or None.
    """
    where = pick(device)
    g = torch.as_tensor(gallery, device=where)
    q_rows = 1024
    g_rows = max(1, BLOCK_BYTES // (4 * q_rows))
    best = torch.full((len(queries),), -torch.inf, device=where)
    at = torch.full((len(queries),), -1, dtype=torch.int64, device=where)
    mine = None if own is None else torch.as_tensor(own, device=where)
    for i in range(0, len(queries), q_rows):
        q = torch.as_tensor(queries[i : i + q_rows], device=where)
        rows = slice(i, i + len(q))
        for j in range(0, len(g), g_rows):
            block = q @ g[j : j + g_rows].T
            if mine is not None:
                _forbid(block, mine[rows] - j)
            top, place = block.max(dim=1)
            better = top > best[rows]
            best[rows] = torch.where(better, top, best[rows])
            at[rows] = torch.where(better, place + j, at[rows])
    return Nearest(at.cpu().numpy(), best.cpu().numpy())


def _forbid(block: torch.Tensor, column: torch.Tensor) -> None:
    row = torch.nonzero((column >= 0) & (column < block.shape[1])).flatten()
    block[row, column[row]] = -torch.inf


class InvertedLists:
    """Approximate search: the gallery lies in cells around centres, and a query looks only into the nearest cells.

    The cells come from scikit-learn's mini-batch k-means on a part of the gallery. What a query finds is a true
    similarity; what it may miss is a better match in a cell it did not look into, so measure that on a sample.

    Args:
        gallery: `(G, d)`, rows of about unit length.
        cells: how many; about the square root of G when left out.
    """

    def __init__(self, gallery: np.ndarray, *, cells: int | None = None, seed: int = 0, device: str | None = None):
        self.device = pick(device)
        rng = np.random.default_rng(seed)
        count = cells or max(1, int(np.sqrt(len(gallery))))
        part = gallery[rng.choice(len(gallery), min(len(gallery), 32 * count), replace=False)]
        means = MiniBatchKMeans(
            count, random_state=seed, batch_size=4096, max_iter=3, n_init=1, init="random", reassignment_ratio=0
        ).fit(part)
        centres = means.cluster_centers_.astype(np.float32)
        self.centres = torch.as_tensor(centres, device=self.device)
        self._half_square = 0.5 * (self.centres**2).sum(1)
        cell = self._cells(gallery, 1)[:, 0]
        order = torch.argsort(cell, stable=True)
        self.items = order
        self.rows = torch.as_tensor(gallery, device=self.device)[order]
        self.bounds = torch.searchsorted(cell[order].contiguous(), torch.arange(count + 1, device=self.device)).tolist()
        self.place = torch.empty_like(order)
        self.place[order] = torch.arange(len(order), device=self.device)

    def _cells(self, x: np.ndarray, many: int) -> torch.Tensor:
        """The nearest cells of each row, by Euclidean distance."""
        found = []
        for i in range(0, len(x), 8192):
            block = torch.as_tensor(x[i : i + 8192], device=self.device)
            found.append((block @ self.centres.T - self._half_square).topk(many, dim=1).indices)
        return torch.cat(found)

    def nearest(self, queries: np.ndarray, *, own: np.ndarray | None = None, probes: int = 12) -> Nearest:
        """The best match of each query in its `probes` nearest cells; arguments as in the function `nearest`."""
        q = torch.as_tensor(queries, device=self.device)
        probes = min(probes, len(self.centres))
        cells = self._cells(queries, probes).flatten()
        asking = torch.arange(len(q), device=self.device).repeat_interleave(probes)
        order = torch.argsort(cells, stable=True)
        starts = torch.searchsorted(cells[order].contiguous(), torch.arange(len(self.centres) + 1, device=self.device))
        starts, asking = starts.tolist(), asking[order]
        best = torch.full((len(q),), -torch.inf, device=self.device)
        at = torch.full((len(q),), -1, dtype=torch.int64, device=self.device)
        mine = None if own is None else self.place[torch.as_tensor(own, device=self.device)]
        for c, (low, high) in enumerate(zip(self.bounds[:-1], self.bounds[1:], strict=True)):
            if low == high:
                continue
            members = self.rows[low:high].T
            step = max(1, BLOCK_BYTES // (4 * (high - low)))
            for i in range(starts[c], starts[c + 1], step):
                who = asking[i : min(i + step, starts[c + 1])]
                block = q[who] @ members
                if mine is not None:
                    _forbid(block, mine[who] - low)
                top, place = block.max(dim=1)
                better = top > best[who]
                at[who[better]] = self.items[place[better] + low]
                best[who[better]] = top[better]
        return Nearest(at.cpu().numpy(), best.cpu().numpy())
