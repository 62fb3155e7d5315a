"""The gallery: all directions of a basis, drawn in the form of the data, one of them picked."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import streamlit as st

from core.ui.components.arguments import indices, texts
from core.ui.components.assets import LIBRARY, script, style
from core.ui.components.events import answer, receive
from core.ui.components.media import publish
from core.ui.components.payload import Payload

_component = st.components.v2.component(
    "basis_gallery",
    html='<div class="gallery"></div>',
    css=style("shared", "gallery"),
    js=script(*LIBRARY, "gallery"),
)


def gallery(
    key: str,
    *,
    payload: Payload,
    names: Sequence[str] | None = None,
    captions: Sequence[str] | None = None,
    order: Iterable[int] | None = None,
    selected: int | None = None,
    columns: int | None = None,
    height: int | None = None,
    on_pick: Callable[[int], None] | None = None,
) -> int | None:
    """Tiles of directions; a click or Enter picks one.

    Args:
        key: of the component, different from all others on the page.
        payload: the basis and the form of a sample.
        names, captions: K texts, by index of the direction.
        order: indices in the order of the tiles; others are not shown.
        selected: the direction with a border.
        columns: tiles in a row on a wide page; as many as fit when left out.
        height: pixels after which the tiles scroll; none when left out.
        on_pick: called with the index before the script runs.

    Returns:
        The index picked just now, or None.

    Raises:
        ValueError: numbers of entries that do not fit the payload.
    """
    k, waiting = payload.k, f"{key}:waiting"

    def handle(event: dict[str, Any]) -> None:
        index = event.get("index")
        if isinstance(index, int) and 0 <= index < k:
            st.session_state[waiting] = index
            if on_pick:
                on_pick(index)

    picked = st.session_state.pop(waiting, None)
    if picked is not None and picked < k and on_pick is None:
        selected = picked
    _component(
        key=key,
        data={
            "payload": {"url": publish(payload.blob, f"{key}.payload"), "digest": payload.digest},
            "names": texts(names, k, "names"),
            "captions": texts(captions, k, "captions"),
            "order": indices(order, k),
            "selected": None if selected is None else int(selected),
            "columns": columns,
            "height": height,
            "answer": answer(key),
        },
        on_event_change=receive(key, handle),
    )
    return picked if picked is not None and picked < k else None
