"""Text that came from a person or stands in an error, shown safely."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st

T = TypeVar("T")
_SIGNS = frozenset(r"\`*_{}[]()#+-.!|<>$:~")


def escape(text: object) -> str:
    """Text that came from a person, with Markdown's signs made harmless."""
    return "".join("\\" + c if c in _SIGNS else c for c in str(text).replace("\n", " "))


def told_apart(options: Sequence[T], label: Callable[[T], str]) -> Callable[[T], str]:
    """A `format_func` that gives no two options one text: the second of equal ones is marked (2), and so on.

    Streamlit's widgets know an option by its text alone, so that of two files of one name only one could be chosen.
    """
    seen: dict[str, int] = {}
    texts: dict[T, str] = {}
    for option in options:
        plain = text = label(option)
        while text in seen:
            seen[plain] += 1
            text = f"{plain} ({seen[plain]})"
        seen[text] = 1
        texts[option] = text
    return lambda option: texts[option] if option in texts else label(option)


def say_error(error: object) -> None:
    """The one sentence of an error, in a box."""
    st.error(escape(error), icon=":material/error:")
