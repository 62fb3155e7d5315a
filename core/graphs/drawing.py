"""What of a graph is drawn: all of it, or some thousands of nodes and edges of a large one."""

from dataclasses import dataclass

import numpy as np

from core.graphs.graph import Graph
from core.graphs.layout import drawn_edges, layout

MOST_NODES, MOST_EDGES = 20_000, 10_000


@dataclass(frozen=True, eq=False)
class Drawing:
    """The drawn part of a graph.

    Attributes:
        nodes: `(M,)` numbers of the drawn nodes in the graph.
        places: `(M, 2)`, or `(M, 3)` where the graph lies in space.
        edges: `(E', 2)` drawn edges, by place in `nodes`.
        names: M names.
        total: how many nodes and edges the graph has.
        computed: the places are a layout and not the graph's own coordinates.
        cell: side of a square cell where the nodes fill a regular grid of them (pixels), else 0.
    """

    nodes: np.ndarray
    places: np.ndarray
    edges: np.ndarray
    names: tuple[str, ...]
    total: tuple[int, int]
    computed: bool
    cell: float = 0.0

    @property
    def partial(self) -> bool:
        """Whether some of the graph is left out (edges of touching cells need not be drawn)."""
        return len(self.nodes) < self.total[0] or (len(self.edges) < self.total[1] and not self.cell)


def drawing(graph: Graph, *, seed: int = 0) -> Drawing:
    """Lay a graph out and choose what is drawn of it, at random where it is large."""
    n = len(graph)
    places = layout(graph, seed=seed) if graph.coordinates is None else np.asarray(graph.coordinates, dtype=float)
    edges = drawn_edges(graph, MOST_EDGES, seed=seed)
    nodes = np.arange(n)
    if n > MOST_NODES:
        ends = np.unique(edges)
        if len(ends) < MOST_NODES:
            rest = np.setdiff1d(np.arange(n), ends)
            others = np.random.default_rng(seed).choice(rest, MOST_NODES - len(ends), replace=False)
            ends = np.union1d(ends, others)
        nodes = ends
        edges = np.searchsorted(nodes, edges)
    names = tuple(graph.names[i] for i in nodes) if graph.names else tuple(str(i + 1) for i in nodes)
    cell = _cell(places) if graph.coordinates is not None else 0.0
    return Drawing(nodes, places[nodes], edges, names, (n, graph.edges), graph.coordinates is None, cell)


def _cell(places: np.ndarray) -> float:
    if places.shape[1] != 2:
        return 0.0
    x, y = np.unique(places[:, 0]), np.unique(places[:, 1])
    if len(x) * len(y) != len(places) or min(len(x), len(y)) < 8:
        return 0.0
    steps = np.concatenate([np.diff(x), np.diff(y)])
    return float(steps.mean()) if np.ptp(steps) <= 0.01 * steps.mean() else 0.0
