"""Settings of models and preparations: one table feeds widgets, terminal, checks, cards and links."""

from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any, Self

import numpy as np

from core.errors import InputError


def setting(
    default: Any,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    step: float | None = None,
    choices: tuple | None = None,
    log: bool = False,
    more: bool = False,
    title: str = "",
) -> Any:
    """A field of a settings class, with all that a widget, the terminal and a check need to know of it.

    Args:
        default: its value when nobody sets it; its type (int, float, bool, str) is the field's type.
        help: one sentence.
        low, high: smallest and largest value, both allowed.
        step: of the widget.
        choices: allowed values of a string.
        log: a slider for it runs over powers of ten.
        more: it is shown behind *More*, not at once.
        title: of its widget, where the name alone says too little.
    """
    return field(
        default=default,
        metadata=dict(help=help, low=low, high=high, step=step, choices=choices, log=log, more=more, title=title),
    )


@dataclass(frozen=True)
class Settings:
    """Base of all settings classes; values are checked when one is made.

    Raises:
        InputError: a value of another type, out of range or not among the choices.
    """

    def __post_init__(self):
        for f in fields(self):
            object.__setattr__(self, f.name, _checked(f, getattr(self, f.name)))

    @classmethod
    def of(cls, values: dict[str, Any]) -> Self:
        """Settings from plain values (a card, a link, the terminal).

        Raises:
            InputError: a name that is no setting of this family, or a bad value.
        """
        known = {f.name for f in fields(cls)}
        for name in values:
            if name not in known:
                raise InputError(f"There is no setting {name!r} here; there are {', '.join(sorted(known))}.")
        return cls(**values)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def _checked(f, value: Any) -> Any:
    default = f.default if f.default is not MISSING else None
    kind, meta, name = type(default), f.metadata, f.name.replace("_", " ")
    if kind is int and isinstance(value, (float, np.integer)) and float(value).is_integer():
        value = int(value)
    if kind is float and isinstance(value, (int, np.floating, np.integer)) and not isinstance(value, bool):
        value = float(value)
    if default is not None and type(value) is not kind:
        raise InputError(f"The setting {name} takes a value of type {kind.__name__}, not {value!r}.")
    low, high, choices = meta.get("low"), meta.get("high"), meta.get("choices")
    if choices and value not in choices:
        raise InputError(f"The setting {name} is one of {', '.join(map(str, choices))}, not {value!r}.")
    if isinstance(value, float) and not np.isfinite(value):
        raise InputError(f"The setting {name} must be a finite number.")
    if (low is not None and value < low) or (high is not None and value > high):
        ends = f"at least {low:g}" if high is None else f"at most {high:g}" if low is None else f"{low:g} to {high:g}"
        raise InputError(f"The setting {name} must be {ends}, not {value:g}.")
    return value
