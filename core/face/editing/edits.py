"""From what a person chose to a code: other faces, layers, sliders and gains, in that order."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.errors import InputError
from core.face.editing.actor import Direction

GAINS = (0.0, 2.0)
MOST_SIGMA = 12.0
FORMAT = 1
WHAT = "facial motion preset"
_PRESET_BYTES = 200_000


@dataclass(frozen=True)
class Taken:
    """Banks taken from another face.

    Attributes:
        codes: `(K,)` of that face.
        shares: how far to go towards it, by bank, 0 (own) to 1 (the other's).
    """

    codes: np.ndarray
    shares: Mapping[str, float]


@dataclass(frozen=True)
class Edit:
    """What a person chose. Weights and changes are in units of each direction's scale, by the directions' keys.

    Attributes:
        taken: from other faces, the later ones on top.
        layers: changes that were kept before, each with its strength.
        weights: what sliders were set to; a direction that is not named keeps what lies below.
        gains: by bank: how much of the whole change of that bank is made, 0 to 2.
    """

    taken: Sequence[Taken] = ()
    layers: Sequence[tuple[Mapping[str, float], float]] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    gains: Mapping[str, float] = field(default_factory=dict)


def below(own: np.ndarray, directions: Sequence[Direction], edit: Edit) -> np.ndarray:
    """`(K,)` the code that the sliders start from: the own one with what was taken and the layers."""
    code = np.array(own, dtype=np.float64)
    for taken in edit.taken:
        for d in directions:
            share = float(taken.shares.get(d.bank, 0.0))
            if share:
                code[d.index] += share * (taken.codes[d.index] - code[d.index])
    for changes, strength in edit.layers:
        for d in directions:
            code[d.index] += strength * changes.get(d.key, 0.0) * d.scale
    return code


def sliders(own: np.ndarray, directions: Sequence[Direction], edit: Edit) -> np.ndarray:
    """`(K,)` the code that the sliders show: before the gains."""
    code = below(own, directions, edit)
    for d in directions:
        if d.key in edit.weights:
            code[d.index] = edit.weights[d.key] * d.scale
    return code


def code_of(own: np.ndarray, directions: Sequence[Direction], edit: Edit) -> np.ndarray:
    """`(K,)` the code of an edit: `own + gain * (sliders - own)`."""
    code = sliders(own, directions, edit)
    for d in directions:
        gain = float(edit.gains.get(d.bank, 1.0))
        if gain != 1:
            code[d.index] = own[d.index] + gain * (code[d.index] - own[d.index])
    return code


def changes(own: np.ndarray, code: np.ndarray, directions: Sequence[Direction]) -> dict[str, float]:
    """By how many scales a code differs from the own one, by the directions' keys; what is alike is left out."""
    found = {d.key: round(float((code[d.index] - own[d.index]) / d.scale), 3) for d in directions}
    return {key: value for key, value in found.items() if value}


def numbers(values: object, low: float, high: float) -> dict[str, float]:
    """Numbers by name out of a link or a file, held in range; all else is left out."""
    if not isinstance(values, Mapping):
        return {}
    kept = {str(k): v for k, v in values.items() if isinstance(v, (int, float)) and not isinstance(v, bool) and v == v}
    return {k: float(min(max(v, low), high)) for k, v in kept.items()}


def preset_json(title: str, own: np.ndarray, code: np.ndarray, directions: Sequence[Direction], model: str) -> str:
    """An edit as JSON that a person can read: for each direction its weight and its change, in scales."""
    banks: dict[str, dict[str, dict[str, float]]] = {}
    for d in directions:
        weight, change = float(code[d.index] / d.scale), float((code[d.index] - own[d.index]) / d.scale)
        banks.setdefault(d.bank, {})[d.name] = {"weight": round(weight, 3), "change": round(change, 3)}
    whole = {"what": WHAT, "format": FORMAT, "title": title, "model": model, "unit": "scales", "banks": banks}
    return json.dumps(whole, indent=1, ensure_ascii=False)


def read_preset(data: bytes, directions: Sequence[Direction]) -> tuple[dict[str, float], dict[str, float], list[str]]:
    """Weights and changes of such a file by the directions' keys, and the names in it that this model does not have.

    Raises:
        InputError: not such a file, or nothing in it belongs to this model.
    """
    try:
        if len(data) > _PRESET_BYTES:
            raise ValueError
        whole = json.loads(data)
        if whole["what"] != WHAT or whole["format"] != FORMAT:
            raise ValueError
        entries = {
            f"{bank}: {name}": entry for bank, inside in whole["banks"].items() for name, entry in inside.items()
        }
        parts = [
            numbers({k: e[part] for k, e in entries.items()}, -MOST_SIGMA, MOST_SIGMA) for part in ("weight", "change")
        ]
        if any(len(p) < len(entries) for p in parts):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError("This file is no preset; accepted are presets that were saved on this page (JSON).") from None
    known = {d.key for d in directions}
    foreign = [k for k in entries if k not in known]
    weights, change = ({k: v for k, v in p.items() if k in known} for p in parts)
    if not weights:
        raise InputError("This preset was made with another model; none of its directions is here.")
    return weights, change, foreign
