"""Edits of code curves by hand: set, scale or shift one code between two times, with soft edges."""

from dataclasses import dataclass

import numpy as np

from core.errors import InputError
from core.face.clip.curves import CodeCurves

ACTIONS = ("set", "scale", "shift")


@dataclass(frozen=True)
class Edit:
    """One change of one code between two times.

    Attributes:
        action: `set` to a value, `scale` about the curve's own mean in the range, or `shift` by a value.
        bank, name: of the direction.
        begin, end: seconds, as the curves count them.
        value: what to set to, scale by or shift by.
        edge: seconds over which the change comes and goes, outside the range, along half a cosine.

    Raises:
        InputError: an unknown action, a range without length, or numbers that are not finite.
    """

    action: str
    bank: str
    name: str
    begin: float
    end: float
    value: float
    edge: float = 0.08

    def __post_init__(self):
        if self.action not in ACTIONS:
            raise InputError(f"An edit of a curve is one of {', '.join(ACTIONS)}.")
        if not np.isfinite([self.begin, self.end, self.value, self.edge]).all() or abs(self.value) > 1e6:
            raise InputError("The numbers of an edit must be finite, its value at most a million.")
        if self.begin >= self.end or self.edge < 0:
            raise InputError("An edit must end after it begins, and its soft edges cannot be negative.")


def weight(times: np.ndarray, begin: float, end: float, edge: float) -> np.ndarray:
    """`(T,)` how much an edit acts: 1 from begin to end, 0 from `edge` seconds outside, half a cosine between."""
    away = np.maximum(np.maximum(begin - times, times - end), 0)
    if edge <= 0:
        return (away <= 1e-9).astype(float)
    return 0.5 + 0.5 * np.cos(np.pi * np.clip(away / edge, 0, 1))


def edited(curves: CodeCurves, *edits: Edit) -> CodeCurves:
    """The curves after edits, one after the other.

    Raises:
        InputError: an edit names a direction that is not there.
    """
    values = curves.values.astype(float)
    places = {place: i for i, place in enumerate(zip(curves.banks, curves.names, strict=True))}
    for e in edits:
        if (e.bank, e.name) not in places:
            raise InputError(f"These curves have no direction {e.name[:40]!r} in a bank {e.bank[:40]!r}.")
        column = values[:, places[e.bank, e.name]]
        w = weight(curves.times, e.begin, e.end, e.edge)
        if e.action == "set":
            column += w * (e.value - column)
        elif e.action == "shift":
            column += w * e.value
        else:
            inside = (curves.times >= e.begin) & (curves.times <= e.end)
            middle = column[inside].mean() if inside.any() else 0.0
            column += w * (e.value - 1) * (column - middle)
    return curves.with_values(values)
