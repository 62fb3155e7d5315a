"""The map: points in a plane with pan, zoom, lasso, and a picture of the point under the pointer."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import streamlit as st

from core.ui.components.assets import LIBRARY, script, style
from core.ui.components.events import answer, receive
from core.ui.components.form import Form
from core.ui.components.media import published
from core.ui.components.payload import pack

_component = st.components.v2.component(
    "basis_scatter",
    html='<div class="gallery scatter"></div>',
    css=style("shared", "gallery", "scatter"),
    js=script(*LIBRARY, "scatter"),
)


@dataclass(frozen=True, eq=False)
class Points:
    """What the map draws.

    Attributes:
        xy: `(N, 2)`.
        names, texts: N names, and N short texts that the picture under the pointer shows below the name.
        colour: `(N,)` index into `classes`, or a share 0..1 along the scale.
        classes: name, colour and symbol of each class; empty when the colour is a scale.
        scale: `title`, `low`, `high` and `stops` (colours) of the scale.
    """

    xy: np.ndarray
    names: Sequence[str]
    texts: Sequence[str]
    colour: np.ndarray
    classes: Sequence[tuple[str, str, str]] = ()
    scale: dict[str, Any] | None = None

    @cached_property
    def blob(self) -> bytes:
        """The points for the browser."""
        xy = np.ascontiguousarray(self.xy, dtype="<f4")
        counts = np.bincount(np.asarray(self.colour, dtype=int), minlength=len(self.classes)) if self.classes else []
        head = {
            "layout": hashlib.sha256(xy.data).hexdigest(),
            "names": [str(n) for n in self.names],
            "texts": [str(t) for t in self.texts],
            "classes": [list(c) for c in self.classes] or None,
            "counts": [int(c) for c in counts],
            "scale": self.scale,
        }
        return pack(head, {"xy": xy.ravel(), "colour": np.asarray(self.colour, dtype="<f4")})


@dataclass(frozen=True, eq=False)
class Thumbs:
    """Pictures of the points, in few numbers: 256 steps between the smallest and the largest of all.

    Attributes:
        values: `(N, D)`.
        form: of one of them.
        directions: each is drawn within its own largest entry.
    """

    values: np.ndarray
    form: Form
    directions: bool = False

    @cached_property
    def blob(self) -> bytes:
        """The pictures for the browser."""
        v = np.asarray(self.values, dtype=np.float32)
        low, high = float(v.min()), float(v.max())
        if self.directions and low < 0:  # zero is then a step of its own, up to half a step
            high = max(high, -low)
            low = -high
        steps = np.rint((v - low) * (255 / ((high - low) or 1.0))).astype("u1")
        head = {"n": len(v), "low": low, "high": high, "form": self.form.as_dict(), "directions": self.directions}
        return pack(head, {"values": steps.ravel()})


def scatter(
    key: str,
    points: Points,
    *,
    thumbs: Thumbs | None = None,
    selected: Sequence[int] = (),
    current: int | None = None,
    height: int = 520,
    label: str = "Map",
    on_select: Callable[[list[int]], None] | None = None,
    on_pick: Callable[[int], None] | None = None,
) -> None:
    """Draw the points.

    Args:
        key: of the component, different from all others on the page.
        thumbs: pictures shown at the pointer, in the order of the points.
        selected: indices of points that stand out.
        current: index of the point with a ring.
        height: of the map in pixels; less on a narrow page.
        label: what the points are, for those who do not see them.
        on_select: called with indices after a lasso, a click on the legend, or *Clear*, before the script runs.
        on_pick: called with the index of a point that was clicked.
    """
    n = len(points.xy)

    def handle(event: dict[str, Any]) -> None:
        index, indices = event.get("index"), event.get("indices")
        if event.get("kind") == "pick" and on_pick and _is_index(index, n):
            on_pick(index)
        elif event.get("kind") == "select" and on_select and isinstance(indices, list):
            on_select(sorted({i for i in indices if _is_index(i, n)}))

    _component(
        key=key,
        data={
            "points": published(points.blob, f"{key}.points"),
            "thumbs": None if thumbs is None else published(thumbs.blob, f"{key}.thumbs"),
            "selected": [int(i) for i in selected],
            "current": current,
            "height": int(height),
            "label": label,
            "lasso": on_select is not None,
            "picks": on_pick is not None,
            "answer": answer(key),
        },
        on_event_change=receive(key, handle),
    )


def _is_index(value: Any, n: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < n
