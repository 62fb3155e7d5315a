"""An undirected weighted graph with what is known about its nodes."""

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from core.datasets.guard import counted
from core.errors import InputError

MAX_NODES, MAX_EDGES = 2_000_000, 10_000_000


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph of N nodes; make one with `graph`.

    Attributes:
        adjacency: `(N, N)` symmetric CSR of float64 weights, nothing on the diagonal.
        names: N names of nodes, or empty for `1 .. N`.
        coordinates: `(N, 2 or 3)` where the nodes lie, or None.
        attributes: values of the nodes by name, each `(N,)` of numbers or strings.
        features: `(N, F)` numbers for classification, or None.
        title, source, licence, notes: as a dataset has them.
    """

    adjacency: sp.csr_array
    names: tuple[str, ...] = ()
    coordinates: np.ndarray | None = None
    attributes: dict[str, np.ndarray] = field(default_factory=dict)
    features: np.ndarray | None = None
    title: str = "graph"
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self.adjacency.shape[0]

    @property
    def edges(self) -> int:
        """The number of undirected edges."""
        return self.adjacency.nnz // 2

    @property
    def degree(self) -> np.ndarray:
        """`(N,)` sums of weights."""
        return np.asarray(self.adjacency.sum(axis=1)).ravel()

    @cached_property
    def fingerprint(self) -> str:
        """Names the edges, weights and everything known about the nodes; equal graphs have equal ones."""
        a = self.adjacency
        digest = hashlib.sha256(repr((a.shape, self.names)).encode())
        known = {"coordinates": self.coordinates, "features": self.features, **self.attributes}
        arrays = [
            a.indptr.astype("<i8"),
            a.indices.astype("<i8"),
            a.data,
            *(v for v in known.values() if v is not None),
        ]
        for array in arrays:
            plain = array if array.dtype.kind in "fiub" else np.char.encode(array.astype(str), "utf-8")
            digest.update(repr((plain.shape, plain.dtype.str)).encode())
            digest.update(np.ascontiguousarray(plain).tobytes())
        digest.update(repr(list(known)).encode())
        return digest.hexdigest()[:32]

    def propagation(self) -> sp.csr_array:
        """`P = D^-1/2 A D^-1/2`, eigenvalues in -1 to 1; the normalised Laplacian is `I - P`. Lone nodes have zeros."""
        degree = self.degree
        scale = np.where(degree > 0, 1 / np.sqrt(np.where(degree > 0, degree, 1)), 0)
        return sp.csr_array(sp.diags_array(scale) @ self.adjacency @ sp.diags_array(scale))

    def components(self) -> int:
        """How many connected parts there are."""
        return int(connected_components(self.adjacency, directed=False)[0])

    def edge_list(self) -> np.ndarray:
        """`(E, 2)` node numbers, the smaller one first."""
        upper = sp.triu(self.adjacency, k=1).tocoo()
        return np.stack([upper.row, upper.col], axis=1)

    def numbers(self, name: str) -> np.ndarray:
        """An attribute as a signal `(N,)` of float64.

        Raises:
            InputError: no such attribute, or it is not numbers.
        """
        values = self._attribute(name)
        if values.dtype.kind not in "fiub":
            raise InputError(f"The node attribute {name} is text; a signal needs numbers.")
        return values.astype(np.float64)

    def classes(self, name: str, most: int = 100) -> tuple[np.ndarray, tuple[str, ...]]:
        """An attribute as class numbers `(N,)` (-1 where it is missing) and what they stand for.

        Raises:
            InputError: no such attribute, fewer than two classes, or more than `most`.
        """
        values = self._attribute(name)
        text = np.array([_word(v) for v in values.tolist()])
        missing = (text == "") | (text == "nan")
        known, index = np.unique(text[~missing], return_inverse=True)
        if not 2 <= len(known) <= most:
            raise InputError(f"The node attribute {name} has {len(known)} classes; 2 to {most} are accepted.")
        out = np.full(len(text), -1)
        out[~missing] = index
        return out, tuple(map(str, known))

    def noted(self, *sentences: str, **changes) -> "Graph":
        """The same graph with fields changed and sentences added to `notes`."""
        return replace(self, notes=self.notes + sentences, **changes)

    def _attribute(self, name: str) -> np.ndarray:
        if name not in self.attributes:
            there = ", ".join(list(self.attributes)[:8]) or "none"
            raise InputError(f"The nodes have no attribute {name!r}; there are: {there}.")
        return self.attributes[name]


def _word(value) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def graph(
    rows: np.ndarray, columns: np.ndarray, weights: np.ndarray | None = None, nodes: int | None = None, **facts
) -> Graph:
    """A graph out of edges, in either direction or both.

    Args:
        rows, columns: `(E,)` node numbers from 0.
        weights: `(E,)` positive, one when left out. An edge that is given several times (also once in each direction)
            keeps its largest weight; loops and edges of weight 0 are left out. All are noted where something is lost.
        nodes: N; the largest number plus one when left out.
        facts: further fields of `Graph`.

    Raises:
        InputError: no edge, too many nodes or edges, numbers out of range, weights that are negative or not finite.
    """
    rows, columns = np.asarray(rows).ravel(), np.asarray(columns).ravel()
    notes = list(facts.pop("notes", ()))
    if len(rows) != len(columns) or not len(rows):
        raise InputError("The graph has no edges; at least one is needed.")
    if len(rows) > 2 * MAX_EDGES:
        raise InputError(f"The graph has {len(rows):,} edges; at most {MAX_EDGES:,} are accepted.")
    if rows.dtype.kind not in "iu" or columns.dtype.kind not in "iu":
        raise InputError("Edges must be given as pairs of whole node numbers.")
    low, high = min(int(rows.min()), int(columns.min())), max(int(rows.max()), int(columns.max()))
    n = high + 1 if nodes is None else int(nodes)
    if low < 0 or high >= n:
        raise InputError(f"An edge names node {low if low < 0 else high}; nodes are numbered 0 to {n - 1}.")
    if n > MAX_NODES:
        raise InputError(f"The graph has {n:,} nodes; at most {MAX_NODES:,} are accepted.")
    weights = np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=np.float64).ravel()
    if len(weights) != len(rows) or not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError("Edge weights must be finite and not negative, one for each edge.")
    keep = weights > 0
    if nothing := int((~keep).sum()):
        notes.append(f"Left out {counted(nothing, 'edge')} of weight 0.")
    loops = int((rows[keep] == columns[keep]).sum())
    keep &= rows != columns
    if loops:
        notes.append(f"Left out {counted(loops, 'edge')} from a node to itself.")
    if not keep.any():
        raise InputError("The graph has no edge between two different nodes; at least one is needed.")
    low_end, high_end = (
        np.minimum(rows, columns)[keep].astype(np.int64),
        np.maximum(rows, columns)[keep].astype(np.int64),
    )
    order = np.lexsort((-weights[keep], low_end * n + high_end))
    key = (low_end * n + high_end)[order]
    first = np.concatenate([[True], key[1:] != key[:-1]])
    a, b, w = (v[order][first] for v in (low_end, high_end, weights[keep]))
    other = ~first & (weights[keep][order] != w[np.cumsum(first) - 1])
    if many := len(np.unique(key[other])):
        notes.append(
            f"{many:,} edge{'s were' if many != 1 else ' was'} given more than once, or once in each direction, with "
            f"different weights; the largest counts."
        )
    half = sp.coo_array((w, (a, b)), shape=(n, n))
    made = Graph(sp.csr_array(half + half.T), notes=tuple(notes), **facts)
    for name, values in [*made.attributes.items(), ("coordinates", made.coordinates), ("features", made.features)]:
        if values is not None and len(values) != n:
            raise InputError(f"The graph has {n:,} nodes but {name} has {len(values):,} entries.")
    lone = int((made.degree == 0).sum())
    return made.noted(f"{lone:,} of {n:,} nodes have no edge.") if lone else made
