"""Node classification with several bases and seeds side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.errors import InputError
from core.graphs.classify import Classification, ClassifySettings, classify
from core.graphs.graph import Graph
from core.graphs.signals import labels
from core.progress import Run

ALONE = "none"
NAMES = {
    "optimal": "OptBasisGNN",
    "favard": "FavardGNN",
    "chebyshev": "Chebyshev filter",
    "monomial": "Monomial filter",
    ALONE: "No graph (network alone)",
}


@dataclass(frozen=True, eq=False)
class Score:
    """One basis over all seeds.

    Attributes:
        basis: which.
        fits: one classification for each seed.
    """

    basis: str
    fits: tuple[Classification, ...]

    @property
    def test(self) -> np.ndarray:
        """`(S,)` test accuracies."""
        return np.array([f.test for f in self.fits])

    @property
    def mean(self) -> float:
        """Mean test accuracy."""
        return float(self.test.mean())

    @property
    def spread(self) -> float:
        """Standard deviation of the test accuracy over seeds (splits and initial weights together); 0 of one seed."""
        return float(self.test.std(ddof=1)) if len(self.fits) > 1 else 0.0


def labelled(graph: Graph) -> dict[str, int]:
    """The attributes that can be classified, with their numbers of classes."""
    found = {}
    for name, values in graph.attributes.items():
        if values.dtype.kind == "f" and not labels(values):
            continue
        try:
            y, known = graph.classes(name)
        except InputError:
            continue
        if np.bincount(y[y >= 0]).min() >= 3 and (y >= 0).sum() >= 10:
            found[name] = len(known)
    return found


class _Part(Run):
    """One training as a part of several, for progress and for stopping."""

    def __init__(self, run: Run, done: int, of: int):
        self.run, self.done, self.of = run, done, of

    def progress(self, step, total, metrics=None, preview=None):
        self.run.progress(round(1000 * (self.done + step / max(total, 1))), 1000 * self.of)

    def should_stop(self):
        return self.run.should_stop()


def compare(
    graph: Graph,
    attribute: str,
    settings: ClassifySettings,
    bases: Sequence[str],
    seeds: Sequence[int],
    *,
    run: Run | None = None,
) -> list[Score] | None:
    """Classify with each basis on each seed; a seed draws the same split for every basis.

    Args:
        settings: their `basis` is replaced by each of `bases`.
        run: told of the progress of all together.

    Returns:
        One score a basis, or None when it was stopped.

    Raises:
        InputError: see `classify`.
    """
    run = run or Run()
    made: dict[str, list[Classification]] = {b: [] for b in bases}
    many = len(bases) * len(seeds)
    for at, (seed, basis) in enumerate((s, b) for s in seeds for b in bases):
        part = _Part(run, at, many)
        made[basis].append(classify(graph, attribute, replace(settings, basis=basis), seed=seed, run=part))
        if run.should_stop():
            return None
        run.progress(at + 1, many)
    return [Score(b, tuple(fits)) for b, fits in made.items()]


def verdict(scores: Sequence[Score], *, features: bool = True) -> str:
    """What the accuracies say, in one or two sentences with their numbers.

    Args:
        features: whether the graph has features of its own; without them also the network alone starts from features
            smoothed along the edges, so it cannot be said to ignore them.
    """
    best = max(scores, key=lambda s: s.mean)
    majority = float(np.mean([f.majority for f in best.fits]))
    does = "is best on the nodes held out," if len(scores) > 1 else "reaches on the nodes held out:"
    text = f"**{NAMES[best.basis]}** {does} {_share(best)}"
    alone = next((s for s in scores if s.basis == ALONE), None)
    text += f"; always saying the largest class gives {majority:.1%}."
    if alone is best and len(scores) > 1:
        if features:
            return text + " Here the edges do not help: no filter beats the network that ignores them."
        return text + " Here no filter adds to the smoothed features that all start from."
    if alone is not None:
        knows = "without the graph" if features else "without a filter, on the smoothed features alone,"
        text += f" The network {knows} reaches {_share(alone)}."
    close = [s for s in scores if s is not best and s is not alone and best.mean - s.mean <= max(best.spread, s.spread)]
    if close:
        text += f" Within one standard deviation of it: {', '.join(f'{NAMES[s.basis]} ({_share(s)})' for s in close)}."
    return text


def _share(score: Score) -> str:
    return f"{score.mean:.1%}" + (f" ± {score.spread:.1%}" if len(score.fits) > 1 else "")
