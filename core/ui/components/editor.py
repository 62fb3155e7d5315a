"""Pictures that follow sliders over the codes of several banks, in units of each direction's typical size."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import streamlit as st
from streamlit import runtime

from core.ui.components.assets import script, style
from core.ui.components.events import answer, receive

KINDS = ("change", "reset", "bank", "gain", "undo", "redo", "live")
WHAT = ("own", "neutral", "random")
_component = st.components.v2.component(
    "basis_editor",
    html='<div class="gallery editor"></div>',
    css=style("shared", "editor"),
    js=script("dom", "link", "editor"),
)


@dataclass(frozen=True)
class Picture:
    """A picture of the editor.

    Attributes:
        name: of the panel; the first one is drawn large.
        data: the file, JPEG or PNG.
        size: width and height in pixels.
        note: beside the name.
    """

    name: str
    data: bytes
    size: tuple[int, int]
    note: str = ""


@dataclass(frozen=True)
class Slider:
    """One direction.

    Attributes:
        key: names it in events.
        name: as a person reads it.
        value: where it stands.
        own: where untouched it would stand.
        below: what it does below zero, if that has a name.
        strip: number of its row in the sheet of strips, -1 for none.
    """

    key: str
    name: str
    value: float
    own: float
    below: str = ""
    strip: int = -1


@dataclass(frozen=True)
class Bank:
    """Sliders of one bank, in their order, and the bank's gain."""

    name: str
    sliders: Sequence[Slider]
    gain: float = 1.0
    note: str = ""


@dataclass(frozen=True)
class Sheet:
    """Strips as one picture: `rows` strips below each other, each of `stops` little pictures."""

    data: bytes = field(repr=False)
    rows: int
    stops: Sequence[float]


def editor(
    key: str,
    pictures: Sequence[Picture],
    banks: Sequence[Bank],
    *,
    sheet: Sheet | None = None,
    strips: bool = False,
    reach: float = 3.0,
    can_undo: bool = False,
    can_redo: bool = False,
    on_event: Callable[[str, dict[str, Any]], None],
) -> None:
    """Draw pictures and sliders. While a slider moves, events of the kind `live` ask for pictures on the way.

    Args:
        key: of the component, different from all others on the page.
        pictures: the first one large.
        banks: with their sliders, in the order in which they are shown.
        sheet: little pictures below the sliders, where they are there already.
        strips: whether they are shown at first.
        reach: ends of the sliders; widened to take in own and present value.
        can_undo, can_redo: whether those buttons can be pressed.
        on_event: told the kind and what comes with it, checked: `change`, `live` (`direction`, `value`), `reset`
            (`direction`),
            `bank` (`bank`, empty for all, and `what`: own, neutral, random), `gain` (`bank`, `value`), `undo`, `redo`.
    """
    keys = {s.key for b in banks for s in b.sliders}
    names = {b.name for b in banks}

    def handle(event: dict[str, Any]) -> None:
        found = checked(event, keys, names)
        if found is not None:
            on_event(str(event["kind"]), found)

    _component(
        key=key,
        data={
            "pictures": [
                {"name": p.name, "note": p.note, "size": list(p.size), "url": _published(p.data, f"{key}.picture.{i}")}
                for i, p in enumerate(pictures)
            ],
            "banks": [
                {
                    "name": b.name,
                    "gain": _short(b.gain),
                    "note": b.note,
                    "sliders": [
                        dict(
                            key=s.key,
                            name=s.name,
                            below=s.below,
                            value=_short(s.value),
                            own=_short(s.own),
                            strip=int(s.strip),
                        )
                        for s in b.sliders
                    ],
                }
                for b in banks
            ],
            "sheet": None
            if sheet is None
            else dict(url=_published(sheet.data, f"{key}.sheet"), rows=int(sheet.rows), stops=list(sheet.stops)),
            "strips": bool(strips),
            "reach": float(reach),
            "undo": bool(can_undo),
            "redo": bool(can_redo),
            "answer": answer(key),
        },
        on_event_change=receive(key, handle),
    )


def checked(event: dict[str, Any], keys: set[str], names: set[str]) -> dict[str, Any] | None:
    """What a browser says, if it makes sense for these sliders and banks."""
    kind, value = event.get("kind"), event.get("value")
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and bool(np.isfinite(value))
    if kind in ("undo", "redo"):
        return {}
    if kind in ("change", "live") and number and event.get("direction") in keys:
        return {"direction": event["direction"], "value": float(np.clip(value, -100, 100))}
    if kind == "reset" and event.get("direction") in keys:
        return {"direction": event["direction"]}
    if kind == "bank" and event.get("what") in WHAT and event.get("bank") in names | {""}:
        return {"bank": event["bank"], "what": event["what"]}
    if kind == "gain" and number and event.get("bank") in names:
        return {"bank": event["bank"], "value": float(value)}
    return None


def _published(data: bytes, place: str) -> str:
    """The address of a picture for as long as this session shows it; empty outside a server."""
    if not data or not runtime.exists():
        return ""
    kind = "image/png" if data[:4] == b"\x89PNG" else "image/jpeg"
    return runtime.get_instance().media_file_mgr.add(data, kind, place)


def _short(value: float) -> float:
    return float(f"{float(value):.5g}")
