"""The whole answer for one map: retrieval, what it costs, and a verdict in one sentence."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.compatible.bt2 import basis_transformation
from core.compatible.maps import LinearMap, lambda_orthogonal, least_squares, moments, no_map, procrustes
from core.compatible.pairs import Pairs, unit_rows
from core.compatible.retrieval import Retrieval, retrieval
from core.errors import InputError

MAPS = ("none", "procrustes", "affine", "lambda", "bt2")


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One map, judged on items it was not fitted on.

    Attributes:
        map: the map.
        old_old, new_new: retrieval inside the old and inside the new space, unmapped.
        new_old: mapped new queries on the old gallery.
        mapped: mapped new queries on the mapped new gallery, what is reached once everything is computed again.
        loss: mean squared distance of mapped new to old embeddings.
        fitted, judged: how many items were used for each.
        same_items: whether the map was judged on the items it was fitted on.
    """

    map: LinearMap
    old_old: Retrieval
    new_old: Retrieval
    new_new: Retrieval
    mapped: Retrieval
    loss: float
    fitted: int
    judged: int
    same_items: bool

    @property
    def lost(self) -> float:
        """How much new/new retrieval the map costs, in recall@1."""
        return self.new_new.recall - self.mapped.recall

    @property
    def verdict(self) -> str:
        """One sentence with its numbers: may the model be swapped without computing the gallery again?"""
        o, c, n = self.old_old.recall, self.new_old.recall, self.mapped.recall
        if self.new_old.by == "identity":
            numbers = f"the mapped new model finds {c:.1%} of the old items"
            if c >= 0.95:
                return f"Yes: {numbers}, so the old gallery can stay."
            if c >= 0.5:
                return f"Partly: {numbers}; compute a part of the gallery again."
            return f"No: {numbers}; compute the gallery again."
        if not max(o, c, n):
            return "No: by label nothing is found in either space, as hardly any label occurs twice; judge by identity."
        numbers = f"new queries on the old gallery reach {c:.1%}, old ones {o:.1%}, and a new gallery {n:.1%}"
        if c >= o:
            if n - c <= 0.02:
                return f"Yes: {numbers}, so there is little to gain from computing the gallery again."
            return f"Yes: {numbers}; computing the gallery again gains another {100 * (n - c):.1f} points."
        if c >= o - 0.02:
            return f"Nearly: {numbers}; the swap costs {100 * (o - c):.1f} points{_after(o, c, n, 'until')}."
        return f"No: {numbers}; the swap loses {100 * (o - c):.1f} points{_after(o, c, n, 'unless')}."


def _after(old: float, crossed: float, new: float, word: str) -> str:
    """What computing the gallery again would do about the loss; a map may also be bad for the new space itself."""
    if new >= old:
        return f" {word} the gallery is computed again"
    if new <= crossed:
        return ", and computing the gallery again wins nothing back"
    return f", and {100 * (old - new):.1f} of them stay lost when the gallery is computed again"


def split(pairs: Pairs, *, share: float = 0.5, seed: int = 0) -> tuple[Pairs, Pairs]:
    """A part to fit maps on and a part to judge them on, at random.

    Args:
        share: of the items for fitting, 0 < share < 1.
    """
    order = np.random.default_rng(seed).permutation(len(pairs))
    cut = min(max(2, round(share * len(pairs))), len(pairs) - 1)
    return tuple(  # type: ignore[return-value]
        Pairs(pairs.new[i], pairs.old[i], None if pairs.labels is None else pairs.labels[i], pairs.classes, pairs.notes)
        for i in (np.sort(order[:cut]), np.sort(order[cut:]))
    )


def fit_map(pairs: Pairs, name: str, *, limit: float = 1.0, extra: int = 0, balance: float = 1.0) -> LinearMap:
    """Fit one of `MAPS`.

    Args:
        limit: lambda, the allowed deviation from rigid (`lambda` only).
        extra, balance: extra dimensions and their weight (`bt2` only).

    Raises:
        InputError: an unknown name, or values out of range.
    """
    if name == "none":
        return no_map(pairs.new.shape[1], pairs.old.shape[1])
    m = moments(pairs, centre=name == "affine")
    if name == "procrustes":
        return procrustes(m)
    if name == "affine":
        return least_squares(m)
    if name == "lambda":
        return lambda_orthogonal(m, [limit])[0]
    if name == "bt2":
        return basis_transformation(m, extra, balance=balance)
    raise InputError(f"There is no map {name!r}; there are {', '.join(MAPS)}.")


def evaluate(
    linear_map: LinearMap, test: Pairs, *, fitted: int = 0, same_items: bool = False, mean_ap: bool = True
) -> Evaluation:
    """Judge a map on pairs; see `Evaluation`."""
    return evaluate_all([linear_map], test, fitted=fitted, same_items=same_items, mean_ap=mean_ap)[0]


def evaluate_all(
    maps: Sequence[LinearMap],
    test: Pairs,
    *,
    fitted: int = 0,
    same_items: bool = False,
    mean_ap: bool = True,
    unmapped: tuple[Retrieval, Retrieval] | None = None,
) -> list[Evaluation]:
    """Judge several maps on the same pairs; what does not depend on the map is computed once.

    Args:
        unmapped: old/old and new/new of an earlier judgement of the same pairs.
    """
    labels = test.labels
    old_old, new_new = unmapped or (retrieval(x, x, labels, mean_ap=mean_ap) for x in (test.old, test.new))
    found = []
    for one in maps:
        raw = one(test.new)
        mapped = unit_rows(raw)
        difference = raw[:, : one.width] - test.old
        # a rigid square map changes no inner product, so that the search need not be repeated
        rigid = one.deviation < 1e-9 and one.weight.shape[0] <= one.weight.shape[1] and not one.mean_out.any()
        found.append(
            Evaluation(
                map=one,
                old_old=old_old,
                new_old=retrieval(mapped, test.old, labels, mean_ap=mean_ap),
                new_new=new_new,
                mapped=new_new if rigid else retrieval(mapped, mapped, labels, mean_ap=mean_ap),
                loss=float(np.mean(np.sum(difference.astype(np.float64) ** 2, axis=1))),
                fitted=fitted,
                judged=len(test),
                same_items=same_items,
            )
        )
    return found
