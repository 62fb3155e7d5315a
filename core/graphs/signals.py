"""Signals on a graph: values of the nodes, one class against the rest, an impulse, noise."""

import numpy as np

from core.errors import InputError
from core.graphs.graph import Graph

IMPULSE, NOISE = "impulse", "noise"
MOST_CLASSES = 20


def choices(graph: Graph) -> dict[str, str]:
    """What `signal` takes on this graph, and what each is called.

    Numbers of the nodes come first as `values:NAME`; `class:NAME:VALUE` is one class against the rest, for attributes
    of 2 to 20 different values; an impulse and noise are there on every graph.
    """
    found, classes = {}, {}
    for name, values in graph.attributes.items():
        if values.dtype.kind in "fiub" and np.isfinite(values.astype(np.float64)).any() and values.any():
            found[f"values:{name}"] = name
        if values.dtype.kind == "f" and not labels(values):
            continue
        try:
            known = graph.classes(name, MOST_CLASSES)[1]
        except InputError:
            continue
        classes |= {f"class:{name}:{value}": f"{name} is {value}" for value in known}
    return {**found, **classes, IMPULSE: "Impulse at one node", NOISE: "White noise"}


def signal(graph: Graph, choice: str, *, node: int = 0, seed: int = 0) -> np.ndarray:
    """A signal `(N,)` of float64.

    Args:
        choice: of `choices`. Missing numbers count as the mean of the others; nodes without a class as 0, where the
            class itself is 1 and the others are -1.
        node: where the impulse is.
        seed: of the noise.

    Raises:
        InputError: there is no such signal on this graph.
    """
    kind, _, rest = choice.partition(":")
    if choice == IMPULSE:
        x = np.zeros(len(graph))
        x[min(max(node, 0), len(graph) - 1)] = 1.0
        return x
    if choice == NOISE:
        return np.random.default_rng(seed).standard_normal(len(graph))
    if kind == "values":
        x = graph.numbers(rest)
        there = np.isfinite(x)
        return x if there.all() else np.where(there, x, x[there].mean() if there.any() else 0.0)
    if kind == "class" and choice in choices(graph):
        name = next(n for n in graph.attributes if choice.startswith(f"class:{n}:"))
        y, known = graph.classes(name, MOST_CLASSES)
        at = known.index(choice.removeprefix(f"class:{name}:"))
        return np.where(y < 0, 0.0, np.where(y == at, 1.0, -1.0))
    raise InputError(f"There is no signal {choice!r} on this graph; there are {', '.join(choices(graph))}.")


def noisy(x: np.ndarray, share: float, seed: int = 0) -> np.ndarray:
    """White noise added, as strong as `share` times the signal's standard deviation (its size where that is zero)."""
    if share == 0:
        return x
    size = float(x.std()) or float(np.abs(x).max()) or 1.0
    return x + share * size * np.random.default_rng((seed, 1)).standard_normal(len(x))


def labels(values: np.ndarray) -> bool:
    """Whether numbers look like class labels: whole, and none of them on one node alone."""
    there = values[np.isfinite(values)]
    return bool(len(there) and (there == there.round()).all() and np.unique(there, return_counts=True)[1].min() > 1)
