"""The centre of the page: the face, the edited face, the difference, and sliders over the codes of its banks."""

import io
import random
from typing import Any

import numpy as np
import streamlit as st
from PIL import Image

from core.face.editing.actor import Direction
from core.face.editing.edits import MOST_SIGMA
from core.figures.palette import diverging
from core.ui.components.editor import Bank, Picture, Slider, editor
from core.ui.history import History
from pages.face import film, second
from pages.face.opened import Opened, edit_of, final_code, shown_code
from pages.face.view import FaceView

LIVE = "face:live"  # the face and slider that are under the hand, which is no step of undo yet
_WHOLE = "face:rerun-all"
_LARGEST = 96.0  # change of a colour, of 255, that has the full shade
_TABLE = diverging(np.arange(-255, 256), _LARGEST)
_FOLLOW = ("Drive", "Take away")  # tabs that show what the sliders say


@st.fragment
def draw(history: History[FaceView], on: Opened) -> None:
    """Pictures and sliders. A slider reruns only this part of the page."""
    if st.session_state.pop(_WHOLE, False):
        st.rerun()
    now = history.now
    whose, live = st.session_state.get(LIVE, ("", {}))
    live = live if whose == on.key else {}
    taken = second.taken(on, now)
    edit = edit_of(on, now, taken, live)
    after = on.stage.cut(on.actor.render(final_code(on, edit)))
    before = on.stage.cut(on.stage.picture)
    values = shown_code(on, edit)
    start = shown_code(on, edit_of(on, now.having(weights={}), taken))
    sheet = film.sheet(on)

    def handle(kind: str, event: dict[str, Any]) -> None:
        _handle(history, on, kind, event)

    editor(
        "face:editor",
        [
            Picture("Edited", _jpeg(after), _size(after), _change_note(before, after)),
            Picture("Photograph", _before(on), _size(before)),
            Picture("Difference", _jpeg(_difference(before, after)), _size(before)),
        ],
        [
            Bank(
                bank,
                [_slider(on, on.directions[i], values, start) for i in indices],
                gain=now.gains.get(bank, 1.0),
            )
            for bank, indices in on.order.items()
        ],
        sheet=sheet,
        can_undo=history.can_undo,
        can_redo=history.can_redo,
        on_event=handle,
    )
    film.wait(on, sheet)


def _slider(on: Opened, d: Direction, values: np.ndarray, start: np.ndarray) -> Slider:
    value, own = values[d.index] / d.scale, start[d.index] / d.scale
    value = own if abs(value - own) < 5e-3 else value
    return Slider(d.key, d.name, value, own, d.below, d.index if film.drawable(on) else -1)


def _handle(history: History[FaceView], on: Opened, kind: str, event: dict[str, Any]) -> None:
    now = history.now
    if kind == "live":
        st.session_state[LIVE] = (on.key, {event["direction"]: _held(event["value"])})
        return
    st.session_state.pop(LIVE, None)
    if kind in ("undo", "redo"):
        getattr(history, kind)()
        st.session_state[_WHOLE] = history.now.having(weights={}, gains={}) != now.having(weights={}, gains={})
    elif kind == "change":
        history.change(weights={**now.weights, event["direction"]: _held(event["value"])})
    elif kind == "reset":
        history.change(weights={k: v for k, v in now.weights.items() if k != event["direction"]})
    elif kind == "gain":
        history.change(gains={**now.gains, event["bank"]: event["value"]})
    elif kind == "bank":
        _bank(history, on, event["bank"], event["what"])
    if now.tab in _FOLLOW:
        st.session_state[_WHOLE] = True


def _held(value: float) -> float:
    return round(min(max(value, -MOST_SIGMA), MOST_SIGMA), 3)


def _bank(history: History[FaceView], on: Opened, bank: str, what: str) -> None:
    """Own codes, rest, or chance for one bank, or for all; rest leaves the pose of the head unless it is asked for."""
    now = history.now
    chosen = [d for d in on.directions if bank in ("", d.bank)]
    rest = {k: v for k, v in now.weights.items() if k not in {d.key for d in chosen}}
    if what == "own":
        gains = {} if not bank else {b: g for b, g in now.gains.items() if b != bank}
        history.change(weights=rest, gains=gains)
    elif what == "neutral":
        history.change(weights={**now.weights, **{d.key: 0.0 for d in chosen if bank or d.bank != "pose"}})
    else:
        drawn = {d.key: round(on.actor.own[d.index] / d.scale + _chance(d), 2) for d in chosen}
        history.change(weights={**rest, **drawn})


def _chance(d: Direction) -> float:
    """A change in scales: faces seldom do more than a few things at once, and heads are mostly near upright."""
    if d.bank != "pose" and random.random() < 0.45:
        return 0.0
    return min(max(random.gauss(0, 0.9 if d.bank == "pose" else 1.2), -2.5), 2.5)


def _change_note(before: np.ndarray, after: np.ndarray) -> str:
    moved = np.abs(after.astype(np.int16) - before).max(-1) > 4
    return "untouched" if not (after != before).any() else f"{moved.mean():.0%} of the pixels changed"


def _difference(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    change = (after.astype(np.int16) - before).sum(-1) // 3
    return _TABLE[change + 255]


def _size(picture: np.ndarray) -> tuple[int, int]:
    return picture.shape[1], picture.shape[0]


def _before(on: Opened) -> bytes:
    kept = st.session_state.setdefault("face:before", {})
    if on.key not in kept:
        kept.clear()
        kept[on.key] = _jpeg(on.stage.cut(on.stage.picture))
    return kept[on.key]


def _jpeg(picture: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(picture)).save(out, "JPEG", quality=92, subsampling=0)
    return out.getvalue()
