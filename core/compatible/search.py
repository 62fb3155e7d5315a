"""Nearest neighbours by inner product: exact by blocks, or by inverted lists when the matrices are large."""

import itertools
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.cluster import MiniBatchKMeans

from core.device import pick

BLOCK_BYTES = 2**25  # one block of similarities; small enough to stay close to the processor's cache
ENERGY = 0.95  # of the gallery, that the axes of the approximate search hold
FINALISTS = 4  # cells whose best item is compared in full


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

    The cells come from scikit-learn's mini-batch k-means on a part of the gallery. In a cell items are compared along
    the principal axes that hold most of the gallery's energy, where these are few; the best of the best cells are then
    compared in full. What a query finds is a true similarity; what it may miss is a better match in a cell it did not
    look into or behind a near tie, so measure that on a sample.

    Args:
        gallery: `(G, d)`, rows of about unit length.
        cells: how many; about the square root of G when left out.
    """

    def __init__(self, gallery: np.ndarray, *, cells: int | None = None, seed: int = 0, device: str | None = None):
        self.device = pick(device)
        rng = np.random.default_rng(seed)
        count = cells or max(1, int(np.sqrt(len(gallery))))
        part = gallery[rng.choice(len(gallery), min(len(gallery), 32 * count), replace=False)]
        self.axes = _axes(torch.as_tensor(part, device=self.device))
        self.gallery = torch.as_tensor(gallery, device=self.device)
        flat = self._along(self.gallery)
        means = MiniBatchKMeans(
            count, random_state=seed, batch_size=4096, max_iter=3, n_init=1, init="random", reassignment_ratio=0
        ).fit(self._along(torch.as_tensor(part, device=self.device)).cpu().numpy())
        self.centres = torch.as_tensor(means.cluster_centers_.astype(np.float32), device=self.device)
        self._half_square = 0.5 * (self.centres**2).sum(1)
        cell = self._cells(flat, 1)[:, 0]
        order = torch.argsort(cell, stable=True)
        self.items = order
        self.rows = flat[order]
        self.bounds = torch.searchsorted(cell[order].contiguous(), torch.arange(count + 1, device=self.device)).tolist()
        self.place = torch.empty_like(order)
        self.place[order] = torch.arange(len(order), device=self.device)

    def _along(self, x: torch.Tensor) -> torch.Tensor:
        """Rows `(N, d)` along the axes."""
        return x if self.axes is None else x @ self.axes

    def _cells(self, x: torch.Tensor, many: int) -> torch.Tensor:
        """The nearest cells of each row, by Euclidean distance."""
        parts = (x[i : i + 8192] for i in range(0, len(x), 8192))
        return torch.cat([(p @ self.centres.T - self._half_square).topk(many, dim=1).indices for p in parts])

    def nearest(self, queries: np.ndarray, *, own: np.ndarray | None = None, probes: int = 0) -> Nearest:
        """The best match of each query in its `probes` nearest cells; arguments as in the function `nearest`.

        Left out, `probes` is 12, and 20 where few axes make it cheap to look into a cell.
        """
        full = torch.as_tensor(queries, device=self.device)
        q = self._along(full)
        probes = min(probes or (12 if self.axes is None else 20), len(self.centres))
        cells = self._cells(q, probes).flatten()
        order = torch.argsort(cells, stable=True)
        starts = torch.searchsorted(cells[order].contiguous(), torch.arange(len(self.centres) + 1, device=self.device))
        starts, asking = starts.tolist(), order // probes
        score = torch.full((len(cells),), -torch.inf, device=self.device)
        at = torch.zeros(len(cells), dtype=torch.int64, device=self.device)
        mine = None if own is None else self.place[torch.as_tensor(own, device=self.device)]
        for c, (low, high) in enumerate(itertools.pairwise(self.bounds)):
            if low == high:
                continue
            members = self.rows[low:high].T
            step = max(1, BLOCK_BYTES // (4 * (high - low)))
            for j in range(starts[c], starts[c + 1], step):
                rows = slice(j, min(j + step, starts[c + 1]))
                block = q[asking[rows]] @ members
                if mine is not None:
                    _forbid(block, mine[asking[rows]] - low)
                top, place = block.max(dim=1)
                score[order[rows]], at[order[rows]] = top, self.items[place + low]
        return self._compared(full, score.view(len(q), probes), at.view(len(q), probes))

    def _compared(self, queries: torch.Tensor, score: torch.Tensor, at: torch.Tensor) -> Nearest:
        """The best of what was found in each cell, by the similarity of whole rows."""
        score, which = score.topk(min(1 if self.axes is None else FINALISTS, score.shape[1]), dim=1)
        at = at.gather(1, which)
        best = torch.empty(len(queries), device=self.device)
        index = torch.empty(len(queries), dtype=torch.int64, device=self.device)
        for i in range(0, len(queries), 2048):
            rows = slice(i, i + 2048)
            full = (self.gallery[at[rows]] @ queries[rows, :, None])[..., 0]
            full[score[rows] == -torch.inf] = -torch.inf
            best[rows], winner = full.max(dim=1)
            index[rows] = at[rows].gather(1, winner[:, None])[:, 0]
        index[best == -torch.inf] = -1
        return Nearest(index.cpu().numpy(), best.cpu().numpy())


def _axes(part: torch.Tensor) -> torch.Tensor | None:
    """Principal axes `(d, m)` about zero that hold nearly all energy of some rows; None where that takes too many."""
    value, vector = torch.linalg.eigh(part.T @ part)
    held = value.flip(0).cumsum(0) / value.sum().clamp_min(1e-30)
    m = int((held < ENERGY).sum()) + 1
    return vector.flip(1)[:, :m].contiguous() if m <= part.shape[1] // 2 else None
