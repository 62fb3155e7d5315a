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
    """

    nodes: np.ndarray
    places: np.ndarray
    edges: np.ndarray
    names: tuple[str, ...]
    total: tuple[int, int]
    computed: bool

    @property
    def partial(self) -> bool:
        """Whether some of the graph is left out."""
        return (len(self.nodes), len(self.edges)) != self.total


def drawing(graph: Graph, *, seed: int = 0) -> Drawing:
    """Lay a graph out and choose what is drawn of it, at random where it is large."""
    n = len(graph)
    places = layout(graph, seed=seed) if graph.coordinates is None else np.asarray(graph.coordinates, dtype=float)
    edges = drawn_edges(graph, MOST_EDGES, seed=seed)
    nodes = np.arange(n)
    if n > MOST_NODES:
        ends = np.unique(edges)
        if len(ends) < MOST_NODES:
            others = np.random.default_rng(seed).choice(n, MOST_NODES - len(ends), replace=False)
            ends = np.union1d(ends, others)
        nodes = ends
        edges = np.searchsorted(nodes, edges)
    names = tuple(graph.names[i] for i in nodes) if graph.names else tuple(str(i + 1) for i in nodes)
    return Drawing(nodes, places[nodes], edges, names, (n, graph.edges), graph.coordinates is None)
