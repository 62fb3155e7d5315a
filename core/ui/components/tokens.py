"""Text as it is written, token by token: shaded by a number, with what else was likely under the pointer."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from core.ui.components.assets import script, style
from core.ui.components.media import publish

Likely = Sequence[tuple[str, float]]
_component = st.components.v2.component(
    "basis_tokens",
    html='<div class="gallery tokens"></div>',
    css=style("shared", "tokens"),
    js=script("dom", "tokens"),
)


@dataclass(frozen=True)
class Column:
    """One text.

    Attributes:
        key: of its beginning; a text of the same key only ever grows.
        title, note: above it and beside the title.
        lead: what the text goes on from, shown faint before it.
        tokens: `(text, shade, probability)` of each; NaN for a number that is not known.
        likely: for each token the likeliest ones there, and those of the other model; empty while it is written.
        facts: short texts below it.
        growing: more is coming.
        ended: it came to its end by itself.
    """

    key: str
    title: str
    note: str = ""
    lead: str = ""
    tokens: Sequence[tuple[str, float, float]] = ()
    likely: Sequence[tuple[Likely, Likely]] = ()
    facts: Sequence[str] = field(default_factory=tuple)
    growing: bool = False
    ended: bool = False


def tokens(
    key: str,
    columns: Sequence[Column],
    *,
    strongest: float = 2.0,
    shade: str = "KL",
    names: tuple[str, str] = ("here", "unsteered"),
    stacked: bool = False,
    least_height: int = 120,
) -> None:
    """Draw texts beside each other. Whatever they hold is drawn as text, never as markup.

    Args:
        key: of the component, different from all others on the page.
        strongest: the number that gives the full shade.
        shade: what the number is.
        names: of the two lists of likely tokens.
        stacked: below each other.
        least_height: of a text in pixels.
    """
    _component(
        key=key,
        data={
            "columns": [
                {
                    "key": c.key,
                    "title": c.title,
                    "note": c.note,
                    "lead": c.lead,
                    "tokens": [[t, _known(s, 3), _known(p, 4)] for t, s, p in c.tokens],
                    "facts": list(c.facts),
                    "growing": c.growing,
                    "ended": c.ended,
                }
                for c in columns
            ],
            "likely": _published(columns, key),
            "strongest": strongest,
            "shade": shade,
            "names": list(names),
            "stacked": stacked,
            "least": least_height,
        },
    )


def _published(columns: Sequence[Column], key: str) -> str:
    """The lists of likely tokens as a file beside the page, which the browser fetches when they are first wanted."""
    if not any(c.likely for c in columns):
        return ""
    plain = [[[_rounded(a), _rounded(b)] for a, b in c.likely] for c in columns]
    return publish(json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode(), f"{key}.likely")


def _known(value: float, digits: int) -> float | None:
    """Rounded; None where it is not finite, which JSON has no word for."""
    return round(float(value), digits) if math.isfinite(value) else None


def _rounded(likely: Likely) -> list[list]:
    return [[t, round(float(p), 4)] for t, p in likely]
