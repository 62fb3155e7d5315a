"""What a person did at the mixer, as one small value that can be undone, linked and saved."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.errors import InputError

DIGITS = 4  # of a weight, in units of scale: finer than any slider


@dataclass(frozen=True)
class MixerState:
    """Changes to the code of one sample; an untouched mixer is `MixerState()`.

    Attributes:
        weights: new weights by index of the direction, in units of its scale; others keep the sample's own.
        muted: directions whose weight counts as zero.
        flipped: directions whose weight counts with the other sign.
        solo: if any, all other directions count as zero.
    """

    weights: Mapping[int, float] = field(default_factory=dict)
    muted: tuple[int, ...] = ()
    flipped: tuple[int, ...] = ()
    solo: tuple[int, ...] = ()

    def __post_init__(self):
        weights = {int(k): round(float(v), DIGITS) for k, v in self.weights.items()}
        object.__setattr__(self, "weights", dict(sorted(weights.items())))
        for name in ("muted", "flipped", "solo"):
            object.__setattr__(self, name, tuple(sorted({int(k) for k in getattr(self, name)})))

    def __bool__(self) -> bool:
        return bool(self.weights or self.muted or self.flipped or self.solo)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, only what was changed; `{}` of an untouched mixer."""
        plain = {"weights": {str(k): v for k, v in self.weights.items()}}
        plain |= {name: list(getattr(self, name)) for name in ("muted", "flipped", "solo")}
        return {name: value for name, value in plain.items() if value}

    @classmethod
    def from_dict(cls, plain: Any, k: int | None = None) -> "MixerState":
        """The state that `as_dict` gave.

        Args:
            plain: from a link, a file or the browser: not to be trusted.
            k: the number of directions, if known.

        Raises:
            InputError: something else than a state, or of another basis.
        """
        try:
            if not isinstance(plain, dict) or not set(plain) <= {"weights", "muted", "flipped", "solo"}:
                raise ValueError
            weights = {_index(i): float(v) for i, v in dict(plain.get("weights", {})).items()}
            sets = {name: tuple(_index(i) for i in plain.get(name, ())) for name in ("muted", "flipped", "solo")}
        except (TypeError, ValueError):
            raise InputError(
                "The state of the mixer is not readable; it holds weights and lists of directions."
            ) from None
        named = [*weights, *(i for indices in sets.values() for i in indices)]
        if any(i < 0 or (k is not None and i >= k) for i in named) or not np.isfinite(list(weights.values())).all():
            raise InputError("The state of the mixer belongs to another basis; it names directions that are not here.")
        return cls(weights, **sets)


def _index(value: Any) -> int:
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise ValueError
    return int(value)


def apply(state: MixerState, code: Iterable[float], scale: Iterable[float]) -> np.ndarray:
    """The edited code `(K,)`: new weights, then the other sign, then mute and solo. The browser does the same.

    Args:
        state: what the person did.
        code: `(K,)` the sample's own code.
        scale: `(K,)` typical sizes.
    """
    code, scale = np.asarray(code, dtype=np.float64), np.asarray(scale, dtype=np.float64)
    edited = code.copy()
    for k, weight in state.weights.items():
        edited[k] = weight * scale[k]
    edited[list(state.flipped)] *= -1
    if state.solo:
        edited[[k for k in range(len(edited)) if k not in set(state.solo)]] = 0
    edited[list(state.muted)] = 0
    return edited.astype(np.float32)
