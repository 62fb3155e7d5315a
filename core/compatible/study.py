"""Two models under comparison: one part of the items to fit maps on, another to judge them on."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.compatible.bt2 import basis_transformation
from core.compatible.evaluate import Evaluation, evaluate, evaluate_all, fit_map
from core.compatible.loading import Embeddings
from core.compatible.maps import LinearMap, Moments, lambda_orthogonal, least_squares, moments, procrustes
from core.compatible.matrix import Compatibility, compatibility
from core.compatible.pairs import Pairs, pairs, unit_rows
from core.compatible.retrieval import Retrieval, retrieval
from core.errors import InputError
from core.progress import Run

POSITIONS = 20
FIT_MOST, JUDGE_MOST = 50_000, 2_000


@dataclass(frozen=True, eq=False)
class Study:
    """Everything that the page asks of two models.

    Attributes:
        fit, test: unit rows; no item is in both.
        items: how many there are in all (large uploads are judged on a part).
        rows: which of them are in `fit` and in `test`.
    """

    fit: Pairs
    test: Pairs
    items: int
    rows: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of(cls, given: Embeddings, *, by: str = "label", share: float = 0.5, seed: int = 0) -> "Study":
        """Split at random, or as the embeddings say.

        Args:
            by: `label`, or `identity` to leave the labels out.
            share: of the items for fitting.

        Raises:
            InputError: see `core.compatible.pairs.pairs`, or too few items on one side.
        """
        n, rng = len(given), np.random.default_rng(seed)
        if given.fitted is None:
            order = rng.permutation(n)
            cut = min(max(3, round(share * n)), n - 3)
            rows = order[:cut], order[cut:]
        else:
            rows = np.flatnonzero(given.fitted), np.flatnonzero(~given.fitted)
        most = FIT_MOST, JUDGE_MOST
        rows = tuple(
            np.sort(r if len(r) <= m else rng.choice(r, m, replace=False)) for r, m in zip(rows, most, strict=True)
        )
        if min(map(len, rows)) < 3:
            raise InputError("There are too few items: three to fit a map and three to judge it are needed.")
        labels, classes = (None, ()) if by == "identity" or given.labels is None else _numbered(given.labels)
        parts = (pairs(given.new[r], given.old[r], None if labels is None else labels[r]) for r in rows)
        fit, test = (
            Pairs(p.new, p.old, None if labels is None else labels[r], classes, p.notes)
            for p, r in zip(parts, rows, strict=True)
        )
        return cls(fit, test, n, rows)

    def further(self, versions: list[np.ndarray]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The rows of `fit` and of `test` out of each of several matrices `(N, d_v)`."""
        return tuple([v[r] for v in versions] for r in self.rows)  # type: ignore[return-value]

    @cached_property
    def moments(self) -> Moments:
        """Of the pairs to fit on, about zero."""
        return moments(self.fit)

    @property
    def d_new(self) -> int:
        """Numbers in a new embedding."""
        return self.fit.new.shape[1]

    @property
    def d_old(self) -> int:
        """Numbers in an old embedding."""
        return self.fit.old.shape[1]

    @property
    def stride(self) -> int:
        """Steps between positions of the slider: wide spaces get fewer, as each costs more."""
        widest = max(self.d_new, self.d_old)
        return 1 if widest <= 96 else 2 if widest <= 256 else 4

    @cached_property
    def limits(self) -> dict[int, float]:
        """lambda at each position of the slider: 0 is rigid, `POSITIONS` free, evenly in the logarithm between."""
        free = max(least_squares(self.moments).deviation, 1e-6)
        first = min(0.05, free / 20)
        return {
            p: 0.0 if p == 0 else float(first * (free / first) ** ((p - 1) / (POSITIONS - 1)))
            for p in range(0, POSITIONS + 1, self.stride)
        }

    def path(self, run: Run | None = None) -> dict[int, LinearMap] | None:
        """The maps at all positions of the slider, each started from the one before.

        Returns:
            None when the run was asked to stop.
        """
        run = run or Run()
        wide = max(self.d_new, self.d_old) > 256
        found: dict[int, LinearMap] = {}
        start = None
        for i, (position, limit) in enumerate(self.limits.items()):
            if run.should_stop():
                return None
            if position == POSITIONS:
                limit = np.inf  # the least-squares map itself, not cut by rounding
            one = lambda_orthogonal(self.moments, [limit], steps=15 if wide else 40, start=start)[0]
            found[position], start = one, one.weight
            run.progress(i + 1, len(self.limits))
        return found

    def map(self, name: str, *, extra: int = 0, orthogonal: bool = True) -> LinearMap:
        """One of `core.compatible.evaluate.MAPS` other than the lambda path."""
        if name == "bt2":
            return basis_transformation(self.moments, min(extra, self.d_new), orthogonal=orthogonal)
        if name == "procrustes":
            return procrustes(self.moments)
        return least_squares(self.moments.centred()) if name == "affine" else fit_map(self.fit, name)

    def extras(self, *, orthogonal: bool = True, most: int = 24) -> list[LinearMap]:
        """Maps with more and more extra dimensions, none to all, at most `most + 1` of them."""
        steps = np.unique(np.round(np.linspace(0, self.d_new, min(most, self.d_new) + 1)).astype(int))
        return [basis_transformation(self.moments, int(k), orthogonal=orthogonal) for k in steps]

    def judge_all(self, given: Embeddings, one: LinearMap) -> Evaluation:
        """Recall@1 on every item that is not in `fit`, however many; large searches are approximate, with a control."""
        rest = np.ones(self.items, dtype=bool)
        rest[self.rows[0]] = False
        labels = None if self.test.labels is None else _numbered(given.labels)[0][rest]
        return evaluate(one, pairs(given.new[rest], given.old[rest], labels), fitted=len(self.fit), mean_ap=False)

    def judge(self, maps: list[LinearMap], *, mean_ap: bool = False) -> list[Evaluation]:
        """Retrieval with each map on items it was not fitted on."""
        return evaluate_all(maps, self.test, fitted=len(self.fit), mean_ap=mean_ap, unmapped=self._unmapped)

    @cached_property
    def _unmapped(self) -> tuple[Retrieval, Retrieval]:
        return tuple(retrieval(x, x, self.test.labels) for x in (self.test.old, self.test.new))  # type: ignore[return-value]


def _numbered(labels: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    classes, index = np.unique(labels.astype(str), return_inverse=True)
    return index.astype(np.int64), tuple(map(str, classes))


def rigid_chain(fit: list[np.ndarray], test: list[np.ndarray]) -> list[np.ndarray]:
    """Every later version brought to the first by a rigid map fitted on `fit`; the first stays.

    Args:
        fit, test: embeddings `(N_fit, d_v)` and `(N_test, d_v)` of each version, oldest first.
    """
    first = fit[0]
    found = [unit_rows(test[0])]
    for a, b in zip(fit[1:], test[1:], strict=True):
        found.append(unit_rows(procrustes(moments(pairs(a, first)))(unit_rows(b))))
    return found


def scores_of(versions: list[np.ndarray], labels: np.ndarray | None, measure: str) -> Compatibility:
    """The compatibility matrix of embeddings that need not have unit rows."""
    return compatibility([unit_rows(v) for v in versions], labels, measure=measure)
