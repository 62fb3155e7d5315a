"""User text inside Markdown."""

_SIGNS = frozenset(r"\`*_{}[]()#+-.!|<>$:~")


def escape(text: object) -> str:
    """Text that came from a person, with Markdown's signs made harmless."""
    return "".join("\\" + c if c in _SIGNS else c for c in str(text).replace("\n", " "))
