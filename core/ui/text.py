"""Text that came from a person or stands in an error, shown safely."""

import streamlit as st

_SIGNS = frozenset(r"\`*_{}[]()#+-.!|<>$:~")


def escape(text: object) -> str:
    """Text that came from a person, with Markdown's signs made harmless."""
    return "".join("\\" + c if c in _SIGNS else c for c in str(text).replace("\n", " "))


def say_error(error: object) -> None:
    """The one sentence of an error, in a box."""
    st.error(escape(error), icon=":material/error:")
