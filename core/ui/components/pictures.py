"""Rows of small pictures: samples or directions in their own form, with names, to be picked."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from core.ui.components.arguments import texts
from core.ui.components.assets import LIBRARY, script, style
from core.ui.components.events import answer, receive
from core.ui.components.form import Form
from core.ui.components.media import publish
from core.ui.components.payload import Payload

_component = st.components.v2.component(
    "basis_pictures",
    html='<div class="gallery pictures"></div>',
    css=style("shared", "gallery", "pictures"),
    js=script(*LIBRARY, "pictures"),
)


def pictures(
    key: str,
    values: np.ndarray,
    form: Form,
    *,
    names: Sequence[str],
    captions: Sequence[str] | None = None,
    sections: Sequence[tuple[str, str, int]] = (),
    directions: bool = False,
    tile: int | None = None,
    picks: str = "",
    on_pick: Callable[[int], None] | None = None,
    label: str = "Pictures",
) -> None:
    """Draw samples (or directions) side by side.

    Args:
        key: of the component, different from all others on the page.
        values: `(N, D)`, a few dozen at most.
        form: of one of them.
        names, captions: N texts.
        sections: heading, note and number of pictures of each row, in the order of `values`; one row when left out.
        directions: each is drawn within its own largest entry, zero in the middle.
        tile: smallest width of a picture in pixels; by the form when left out.
        picks: what a click does, as a verb (`Show`); empty when it does nothing.
        on_pick: called with the index of the picture before the script runs.
        label: what the pictures are, for those who do not see them.

    Raises:
        ValueError: numbers of entries that do not fit.
    """
    payload = Payload(np.asarray(values, dtype=np.float32).reshape(len(values), -1), form)
    n = payload.k
    rows = [dict(title=t, note=note, count=int(c)) for t, note, c in sections or [("", "", n)]]
    if sum(r["count"] for r in rows) != n:
        raise ValueError(f"the sections must hold {n} pictures")

    def handle(event: dict[str, Any]) -> None:
        index = event.get("index")
        if on_pick and isinstance(index, int) and 0 <= index < n:
            on_pick(index)

    _component(
        key=key,
        data={
            "payload": {"url": publish(payload.blob, f"{key}.payload"), "digest": payload.digest},
            "names": texts(names, n, "names"),
            "captions": texts(captions, n, "captions"),
            "sections": rows,
            "directions": bool(directions),
            "tile": tile,
            "picks": picks if on_pick else "",
            "label": label,
            "answer": answer(key),
        },
        on_event_change=receive(key, handle),
    )
