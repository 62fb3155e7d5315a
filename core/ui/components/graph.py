"""A graph drawn several times side by side, each time with another signal on its nodes."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import streamlit as st

from core.figures.palette import sequential_stops
from core.ui.components.assets import LIBRARY, script, style
from core.ui.components.events import answer, receive
from core.ui.components.media import published
from core.ui.components.payload import pack

_component = st.components.v2.component(
    "basis_graph",
    html='<div class="gallery graphs"></div>',
    css=style("shared", "graph"),
    js=script(*LIBRARY, "colourscale", "camera", "graph"),
)


@dataclass(frozen=True, eq=False)
class Geometry:
    """Where nodes lie and which are joined; make it once for a graph.

    Attributes:
        places: `(M, 2)` or `(M, 3)`.
        edges: `(E, 2)` by place.
        names: M names.
        squares: side of the square that each node is drawn as, in units of the places; 0 for round dots.
    """

    places: np.ndarray
    edges: np.ndarray
    names: Sequence[str]
    squares: float = 0.0

    @cached_property
    def blob(self) -> bytes:
        """Everything for the browser."""
        places = np.asarray(self.places, dtype=np.float64)
        middle = (places.max(axis=0) + places.min(axis=0)) / 2  # float32 is then fine anywhere on Earth
        head = {"dims": int(places.shape[1]), "names": [str(n) for n in self.names]}
        arrays = {"places": (places - middle).astype("<f4").ravel(), "edges": self.edges.astype("<f4").ravel()}
        return pack(head, arrays)


@dataclass(frozen=True, eq=False)
class Panel:
    """One drawing.

    Attributes:
        title, note: what it shows.
        values: `(M,)`, in the order of the places.
        low, high: ends of its colour scale; those of the values when left out, the same to both sides where signed.
        classes: name and colour of each class where the values are class numbers (negative ones have none).
    """

    title: str
    values: np.ndarray
    note: str = ""
    low: float | None = None
    high: float | None = None
    classes: Sequence[tuple[str, str]] | None = None

    def scale(self) -> tuple[float, float, bool]:
        """Low and high end, and whether zero is its middle."""
        low = float(np.min(self.values)) if self.low is None else self.low
        high = float(np.max(self.values)) if self.high is None else self.high
        size = max(abs(low), abs(high))
        if low < -0.02 * size and high > 0:
            return -size, size, True
        if high <= 0 and low < 0:
            return -size, size, True
        return low, high, False


def graphs(
    key: str,
    geometry: Geometry,
    panels: Sequence[Panel],
    *,
    height: int = 380,
    small: bool = False,
    current: int | None = None,
    hint: str = "",
    on_pick: Callable[[int], None] | None = None,
) -> None:
    """Draw the panels.

    Args:
        key: of the component, different from all others on the page.
        height: of one drawing in pixels; less on a narrow page.
        small: many small drawings without tools.
        current: place of the node with a ring.
        hint: what one can do, shown while no node is under the pointer.
        on_pick: called with the place of a node that was clicked, before the script runs.
    """
    n = len(geometry.places)
    values = np.concatenate([np.asarray(p.values, dtype="<f4") for p in panels])
    blob = pack({"of": hashlib.sha256(geometry.blob).hexdigest()[:16]}, {"values": values})

    def handle(event: dict[str, Any]) -> None:
        index = event.get("index")
        if on_pick and isinstance(index, int) and not isinstance(index, bool) and 0 <= index < n:
            on_pick(index)

    plain = []
    for panel in panels:
        low, high, signed = panel.scale()
        classes = None if panel.classes is None else [list(c) for c in panel.classes]
        plain.append(
            dict(title=panel.title, note=panel.note, low=low, high=high, signed=signed, classes=classes)
        )  # fmt: skip
    _component(
        key=key,
        data={
            "graph": published(geometry.blob, f"{key}.graph"),
            "values": published(blob, f"{key}.values"),
            "panels": plain,
            "sequential": list(sequential_stops()),
            "squares": float(geometry.squares),
            "height": int(height),
            "small": small,
            "current": current,
            "hint": hint,
            "picks": on_pick is not None,
            "answer": answer(key),
        },
        on_event_change=receive(key, handle),
    )
