"""The state of a page that matters: one value that is link, recipe and undo step at once."""

import base64
import json
import math
import zlib
from collections.abc import Iterable
from dataclasses import MISSING, asdict, dataclass, fields, replace
from typing import Any, Self

from core.errors import InputError

LONGEST_LINK = 16_000
_WORDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "named values",
}


@dataclass(frozen=True)
class View:
    """Base of the pages' views: every field has a default and holds plain JSON values."""

    def changed(self) -> dict[str, Any]:
        """The fields that differ from a fresh view; this is what links and recipes hold."""
        fresh = type(self)()
        return {k: v for k, v in asdict(self).items() if v != getattr(fresh, k)}

    def link(self) -> str:
        """The view as a short text for the address."""
        plain = json.dumps(self.changed(), separators=(",", ":"), ensure_ascii=False)
        return base64.urlsafe_b64encode(zlib.compress(plain.encode(), 9)).decode().rstrip("=")

    @classmethod
    def from_link(cls, text: str) -> Self:
        """The view of a text from the address.

        Raises:
            InputError: the text is cut, altered, or of another page.
        """
        try:
            if len(text) > LONGEST_LINK:
                raise ValueError
            unpack = zlib.decompressobj()
            plain = unpack.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), 1_000_000)
            values = json.loads(plain)
        except (ValueError, zlib.error, UnicodeDecodeError, RecursionError):
            raise InputError("This link is incomplete or altered, so the page starts afresh.") from None
        return cls.of(values)

    @classmethod
    def of(cls, values: Any) -> Self:
        """A view from plain values (a recipe).

        Raises:
            InputError: values that are no view of this page.
        """
        if not isinstance(values, dict):
            raise InputError("This is no recipe of this page; a recipe is a small JSON file saved on this page.")
        known = {f.name: f for f in fields(cls)}
        for name, value in values.items():
            if name not in known:
                raise InputError(f"This link or recipe has an entry {name[:40]!r} that this page does not know.")
            default = _default(known[name])
            if not _alike(value, default):
                raise InputError(f"The entry {name!r} of this link or recipe should be {_WORDS[type(default)]}.")
            if not _finite(value):
                raise InputError(f"The entry {name!r} of this link or recipe holds a number that is not finite.")
        return cls(**values)

    def one_of(self, field: str, entry: str, options: Iterable[Any], default: Any) -> Any:
        """An entry of a dictionary field, or the default where a link holds none of the options."""
        value = getattr(self, field).get(entry, default)
        return next((o for o in options if type(o) is type(value) and o == value), default)

    def entry(self, part: str, name: str, default: Any, low: float | None = None, high: float | None = None) -> Any:
        """A choice of a part; the default where a link holds another type, and the nearest number in range."""
        return entry(getattr(self, part), name, default, low, high)

    def having(self, **values: Any) -> Self:
        """The view with some fields changed."""
        return replace(self, **values)


def entry(choices: dict, name: str, default: Any, low: float | None = None, high: float | None = None) -> Any:
    """One of `choices`, of the type of `default`; numbers are held between `low` and `high`."""
    value = choices.get(name, default)
    if isinstance(default, bool) or isinstance(value, bool):
        return value if isinstance(value, bool) and isinstance(default, bool) else default
    if isinstance(default, (int, float)):
        if not isinstance(value, (int, float)) or value != value:
            return default
        value = value if low is None else max(value, low)
        return type(default)(value if high is None else min(value, high))
    return value if isinstance(value, type(default)) else default


def _default(f) -> Any:
    return f.default if f.default is not MISSING else f.default_factory()


def _finite(value: Any) -> bool:
    if isinstance(value, (list, dict)):
        return all(map(_finite, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or math.isfinite(value)


def _alike(value: Any, default: Any) -> bool:
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(value, bool) and isinstance(default, bool)
    if isinstance(default, float):
        return isinstance(value, (int, float))
    return isinstance(value, type(default))
