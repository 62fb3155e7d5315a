"""A signal on a graph, the target that a polynomial of it should become, and what that costs."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from core.graphs.filters import TARGETS, Filter, apply_filter, drawn
from core.graphs.graph import Graph
from core.graphs.polynomials import Krylov
from core.graphs.regression import RegressionSettings
from core.graphs.signals import noisy, signal

GRID = np.linspace(0, 2, 401)
DRAWN = "drawn"
EXACT_NODES = 500  # below this eigenvectors are quicker than a long series
LARGEST_DEGREE, MOST_NUMBERS = 100, 40_000_000


@dataclass(frozen=True, eq=False)
class Task:
    """What a polynomial is fitted to.

    Attributes:
        x, y: `(N,)` source and target signal.
        gain: `(401,)` of the target filter over `GRID`, or None where the target is given by values.
        how: one sentence on how exact the target is, or empty.
    """

    x: np.ndarray
    y: np.ndarray
    gain: np.ndarray | None
    how: str


def filter_of(name: str, points: list[list[float]]) -> Filter:
    """A filter by the name of a preset, or the one drawn through points."""
    return drawn([(x, y) for x, y in points]) if name == DRAWN else TARGETS[name]


def task(
    graph: Graph,
    p: sp.csr_array,
    source: str,
    *,
    node: int = 0,
    noise: float = 0.0,
    seed: int = 0,
    goal: str | None = None,
    target: Filter | None = None,
) -> Task:
    """Source and target signal.

    Args:
        p: the graph's propagation matrix.
        source: a choice of `core.graphs.signals`, with `node`, `noise` and `seed`.
        goal: another such choice (without noise) as the target; the filter `target` of the source when left out.

    Raises:
        InputError: a choice that is not there.
    """
    x = noisy(signal(graph, source, node=node, seed=seed), noise, seed)
    if goal is not None:
        return Task(x, signal(graph, goal, node=node, seed=seed), None, "")
    degree = int(np.clip(4e8 / max(p.nnz, 1), 60, 400))
    made = apply_filter(p, x, target, degree=degree, exact=len(graph) <= EXACT_NODES)
    if made.how == "eigenvectors" or made.error < 1e-8:
        how = ""
    else:
        how = f"The target is a Chebyshev series of degree {made.degree}; its gain is off by {made.error:.1e} at most."
    return Task(x, made.signal, target(GRID), how)


def spectrum(krylov: Krylov) -> tuple[np.ndarray, np.ndarray]:
    """Where the signal's energy lies: eigenvalues 0 to 2 and shares that sum to 1.

    The eigenvalues of the tridiagonal matrix are the nodes of Gauss's quadrature for the signal's spectral measure,
    the squared first entries of its eigenvectors the weights (Golub and Welsch 1969).
    """
    value, vector = np.linalg.eigh(krylov.tridiagonal)
    return (1 - value)[::-1], (vector[0] ** 2)[::-1]


def most_degree(nodes: int) -> int:
    """The largest degree whose columns fit into memory well."""
    return int(np.clip(MOST_NUMBERS // nodes - 1, 2, LARGEST_DEGREE))


def spectrum_degree(nodes: int) -> int:
    """The degree at which the signal's spectrum is drawn: fine on small graphs, quick on large ones."""
    return int(np.clip(4_000_000 // nodes, 20, 60))


def seconds(graph: Graph, settings: RegressionSettings, kinds: tuple[str, ...]) -> float:
    """Roughly how long target and fit take on one core."""
    k = settings.degree + 1
    columns = 4e-9 * k * (graph.adjacency.nnz + len(graph)) + 3e-9 * len(graph) * k**2
    target = 4e-9 * 400 * min(graph.adjacency.nnz, 1_000_000)
    descents = settings.steps * (1.5e-5 * len(kinds) + (3e-5 * k if "favard" in kinds else 0))
    return columns + target + descents
