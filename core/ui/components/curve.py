"""A curve drawn by a person: control points to drag, with other curves and bars for reference."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from core.ui.components.assets import LIBRARY, script, style
from core.ui.components.events import answer, receive

MOST_POINTS = 24
_component = st.components.v2.component(
    "basis_curve",
    html='<div class="gallery curves"></div>',
    css=style("shared", "curve"),
    js=script(*LIBRARY, "curve"),
)


@dataclass(frozen=True)
class Line:
    """A curve of the figure.

    Attributes:
        name: for the legend.
        values: evenly spaced over the axis.
        colour: hex, or `text` for the colour of the text.
        dash: broken.
        own: it is the curve that the points draw.
    """

    name: str
    values: np.ndarray
    colour: str = "text"
    dash: bool = False
    own: bool = False


def curve(
    key: str,
    points: Sequence[Sequence[float]],
    lines: Sequence[Line],
    *,
    domain: tuple[float, float],
    limits: tuple[float, float],
    axis: str,
    bars: Sequence[tuple[float, float]] = (),
    bar_name: str = "",
    height: int = 260,
    label: str = "Curve",
    hint: str = "",
    editable: bool = True,
    on_change: Callable[[list[list[float]]], None] | None = None,
) -> None:
    """Draw the curves, and let the person move the points.

    Args:
        key: of the component, different from all others on the page.
        points: two or more `(x, y)`, rising in x, the first and last at the ends of the domain.
        lines: curves to draw.
        domain: ends of the axis.
        limits: lowest and highest y of a point.
        axis: title of the axis, with unit.
        bars: `(x, share)` with shares 0 to 1 of the height.
        bar_name: what they are.
        height: in pixels.
        label, hint: what the figure is for those who do not see it, and what one can do with it.
        editable: whether there are points to move.
        on_change: called with the new points before the script runs. They are checked: finite, rising in x, within the
            domain and the limits.
    """
    drawn = [v for line in lines for v in (float(np.min(line.values)), float(np.max(line.values)))]
    drawn += [float(y) for _, y in points] if editable else []
    spread = (min([limits[0], *np.clip(drawn, -1, 2)]), max([limits[1], *np.clip(drawn, -1, 2)]))

    def handle(event: dict[str, Any]) -> None:
        made = checked(event.get("points"), domain, limits)
        if made is not None and on_change:
            on_change(made)

    _component(
        key=key,
        data={
            "points": [[float(x), float(y)] for x, y in points],
            "lines": [
                dict(
                    name=line.name,
                    values=[round(float(v), 5) for v in line.values],
                    colour=line.colour,
                    dash=line.dash,
                    own=line.own,
                )
                for line in lines
            ],
            "bars": [[round(float(x), 5), round(float(s), 5)] for x, s in bars],
            "bar_name": bar_name,
            "domain": list(domain),
            "limits": list(limits),
            "range": [float(v) for v in spread],
            "axis": axis,
            "height": int(height),
            "label": label,
            "hint": hint,
            "editable": editable,
            "most": MOST_POINTS,
            "answer": answer(key),
        },
        on_event_change=receive(key, handle),
    )


def checked(points: Any, domain: tuple[float, float], limits: tuple[float, float]) -> list[list[float]] | None:
    """Points as a browser, a link or a recipe may give them, or None where they draw no curve."""
    if not isinstance(points, list) or not 2 <= len(points) <= MOST_POINTS:
        return None
    made = []
    for point in points:
        if not isinstance(point, list) or len(point) != 2:
            return None
        if any(isinstance(v, bool) or not isinstance(v, (int, float)) or not np.isfinite(v) for v in point):
            return None
        made.append([float(point[0]), float(np.clip(point[1], *limits))])
    across = np.array(made)[:, 0]
    if (np.diff(across) <= 0).any() or (across[0], across[-1]) != domain:
        return None
    return made
