"""Where to draw the nodes of a graph that has no coordinates, and which edges to draw of many."""

import warnings

import networkx as nx
import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import lobpcg

from core.graphs.graph import Graph

SPRING_NODES = 500


def layout(graph: Graph, *, seed: int = 0) -> np.ndarray:
    """`(N, 2)`: the graph's own coordinates, forces on small graphs, two smooth eigenvectors on others."""
    if graph.coordinates is not None:
        return np.asarray(graph.coordinates[:, :2], dtype=np.float64)
    n = len(graph)
    if n <= SPRING_NODES:
        places = nx.spring_layout(nx.from_scipy_sparse_array(graph.adjacency), seed=seed)
        return np.array([places[i] for i in range(n)])
    p = graph.propagation()
    start = np.random.default_rng(seed).standard_normal((n, 3))
    start[:, 0] = np.sqrt(np.maximum(graph.degree, 0))
    for _ in range(30):  # smooth first, so that the solver starts near the low end of the spectrum
        start = 0.5 * (start + p @ start)
    start = np.linalg.qr(start + 1e-9 * np.random.default_rng(seed).standard_normal(start.shape))[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a drawing needs no converged eigenvectors
        _, vectors = lobpcg(p + sp.eye_array(n), start, largest=True, maxiter=60, tol=1e-3)
    scale = np.sqrt(np.where(graph.degree > 0, graph.degree, 1))
    return (vectors[:, 1:3] / scale[:, None]) * np.sqrt(n)


def drawn_edges(graph: Graph, most: int = 20_000, *, seed: int = 0) -> np.ndarray:
    """`(E', 2)` edges to draw: all, or `most` of them at random."""
    edges = graph.edge_list()
    if len(edges) <= most:
        return edges
    return edges[np.sort(np.random.default_rng(seed).choice(len(edges), most, replace=False))]
