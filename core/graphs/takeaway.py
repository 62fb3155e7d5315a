"""Files and code that take a filtered signal away."""

import io
import json

import numpy as np

from core.graphs.graph import Graph
from core.graphs.regression import Regression
from core.graphs.study import DRAWN, Task
from core.tables import to_csv


def filtered_csv(graph: Graph, task: Task, answer: np.ndarray) -> bytes:
    """One row a node: its name, the signal, the target, the fitted signal, and places where there are some."""
    header = ["node", "signal", "target", "fitted"]
    columns = [task.x, task.y, answer]
    if graph.coordinates is not None:
        header += list("xyz")[: graph.coordinates.shape[1]]
        columns += list(np.asarray(graph.coordinates, dtype=float).T)
    names = graph.names or tuple(str(i + 1) for i in range(len(graph)))
    return to_csv(header, ([name, *values] for name, values in zip(names, np.stack(columns, 1).tolist(), strict=True)))


def response_csv(task: Task, found: Regression) -> bytes:
    """One row an eigenvalue: the target's gain where there is one, and that of each basis after descent."""
    kinds = list(found.fits)
    header = ["eigenvalue", *(["target"] if task.gain is not None else []), "least squares", *kinds]
    columns = [found.eigenvalues, *([task.gain] if task.gain is not None else []), found.fits["optimal"].gain]
    columns += [found.fits[k].descended_gain for k in kinds]
    return to_csv(header, np.stack(columns, 1).tolist())


def coefficients_npz(found: Regression) -> bytes:
    """`recurrence_alpha (K+1,)` and `recurrence_beta (K,)` of the signal's own basis, Favard's `favard_gamma (K,)` and
    `favard_root_beta (K+1,)`, and for each basis `<basis>_least_squares` and `<basis>_descended`, both `(K+1,)`."""
    arrays = {"recurrence_alpha": found.krylov.alpha, "recurrence_beta": found.krylov.beta}
    for kind, fit in found.fits.items():
        arrays[f"{kind}_least_squares"], arrays[f"{kind}_descended"] = fit.coefficients, fit.descended
        if fit.gamma is not None:
            arrays["favard_gamma"], arrays["favard_root_beta"] = fit.gamma, fit.root_beta
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def snippet(
    *,
    sample: str | None,
    files: tuple[str, ...] = (),
    source: str,
    node: int,
    noise: float,
    seed: int,
    goal: str,
    filter_name: str,
    points: list[list[float]],
    settings: dict,
    basis: str,
    exact: bool,
) -> str:
    """Python that computes the same fitted signal in the project's folder.

    Args:
        sample: the name of a built-in graph, or None for a graph in `files` (edges, and perhaps node values).
        others: as in the view of the page.
    """
    quoted = json.dumps
    if sample is not None:
        opened, imported = f"sample({quoted(sample)})", "from core.graphs.samples import sample"
    else:
        parts = [f"{quoted(f)}, Path({quoted(f)}).read_bytes()" for f in files]
        nodes = f", nodes=({parts[1]})" if len(parts) > 1 else ""
        opened = f"read_graph({parts[0]}{nodes})"
        imported = "from pathlib import Path\n\nfrom core.graphs.loaders import read_graph"
    goal_text = (
        f"goal={goal!r}"
        if goal
        else "target="
        + (f"filter_of({filter_name!r}, {points!r})" if filter_name == DRAWN else f"filter_of({filter_name!r}, [])")
    )
    extras = "".join(f", {k}={v!r}" for k, v in (("node", node), ("noise", noise), ("seed", seed)) if v)
    kept = ", ".join(f"{k}={v!r}" for k, v in settings.items())
    weights = "coefficients" if exact else "descended"
    return f"""\
{imported}
from core.graphs.regression import RegressionSettings, regress
from core.graphs.study import {"task" if goal else "filter_of, task"}

graph = {opened}
P = graph.propagation()  # D^-1/2 A D^-1/2, sparse
given = task(
    graph, P, {source!r},
    {goal_text}{extras},
)
settings = RegressionSettings(
    {kept}
)
found = regress(P, given.x, given.y, settings, kinds=[{basis!r}])
fit = found.fits[{basis!r}]
fitted = found.signal({basis!r}, fit.{weights})  # (N,)
print("condition", fit.condition)
print("mean squared error", ((fitted - given.y) ** 2).mean())
"""
