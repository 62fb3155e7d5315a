"""What the points of the map are coloured by."""

from collections.abc import Callable

import numpy as np

from core.figures.colouring import Colouring, colouring
from pages.directions.map.layout import DIRECTIONS, Shown

LABEL, NOTHING, ENERGY, USE = "label", "nothing", "energy", "use"
_WEIGHT = "weight:"
_EXTRA = "extra:"


def choices(on: Shown) -> list[str]:
    """What can be chosen, best first."""
    if on.what == DIRECTIONS:
        return [ENERGY, USE, NOTHING]
    data, k = on.fitted.dataset, on.fitted.basis.k
    extra = [f"{_EXTRA}{n}" for n, v in data.extra.items() if v.shape == (len(data),) and v.dtype.kind in "fiuUSb"]
    weights = [f"{_WEIGHT}{i}" for i in on.fitted.order("energy", ())[:k]]
    return [*([LABEL] if data.labels is not None else []), *weights, *extra, NOTHING]


def naming(names: list[str]) -> Callable[[str], str]:
    """How a choice reads."""

    def name(choice: str) -> str:
        if choice.startswith(_WEIGHT):
            return f"weight of direction {names[int(choice.removeprefix(_WEIGHT))]}"
        if choice == ENERGY:
            return "explained energy / %"
        if choice == USE:
            return "share of samples that use it / %"
        return choice.removeprefix(_EXTRA)

    return name


def values(on: Shown, choice: str) -> np.ndarray | None:
    """`(M,)` what a choice says of the points shown; None for nothing."""
    fitted = on.fitted
    if choice.startswith(_WEIGHT):
        return fitted.codes[on.ids, int(choice.removeprefix(_WEIGHT))].astype(np.float64)
    if choice.startswith(_EXTRA):
        return np.asarray(fitted.dataset.extra[choice.removeprefix(_EXTRA)])[on.ids]
    if choice in (ENERGY, USE):
        return 100 * (fitted.energy if choice == ENERGY else fitted.use)[on.ids].astype(np.float64)
    return None if choice == NOTHING else np.asarray(fitted.dataset.labels)[on.ids]


def colours(on: Shown, choice: str, names: list[str]) -> Colouring:
    """The colours of the points."""
    found = values(on, choice)
    if found is None:
        return Colouring(np.zeros(len(on.ids)), [""] * len(on.ids), colouring(["all"], "").classes)
    return colouring(found, naming(names)(choice))
