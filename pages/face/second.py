"""The second face: whose mouth, pose or expression is taken."""

import numpy as np
import streamlit as st
from PIL import Image

from core.errors import InputError
from core.face.editing.actor import close_up
from core.face.editing.edits import Taken, numbers
from core.face.editing.photos import face_of
from core.ui.components.form import Form
from core.ui.components.pictures import pictures
from core.ui.history import History
from core.ui.text import escape, say_error, told_apart
from core.ui.view import entry
from pages.face import data
from pages.face.opened import Opened
from pages.face.view import FaceView

_NOBODY = ""
_SIDE = 96


def taken(on: Opened, view: FaceView) -> tuple[Taken, ...]:
    """What is taken of the second face; nothing where it is not in this session."""
    shares = shares_of(view)
    code = codes(on, view) if any(shares.values()) else None
    return () if code is None else (Taken(code, shares),)


def codes(on: Opened, view: FaceView) -> np.ndarray | None:
    """`(K,)` the code of the second face; None where there is none in this session."""
    found = _face(view)
    if found is None:
        return None
    photo, face = found
    key = (on.key, entry(view.other, "data", _NOBODY), face.box)
    kept = st.session_state.setdefault("face:others", {})
    if key not in kept:
        if len(kept) > 12:
            kept.clear()
        kept[key] = on.actor.codes_of(photo.picture, face)
    return kept[key]


def shares_of(view: FaceView) -> dict[str, float]:
    """How far each bank goes towards the second face."""
    return numbers(view.other.get("shares"), 0.0, 1.0)


def _face(view: FaceView):
    photo = data.photo_of(entry(view.other, "data", _NOBODY))
    if photo is None:
        return None
    try:
        face = face_of(photo, entry(view.other, "face", 0, 0, 99))
    except InputError:
        return None
    return None if face is None else (photo, face)


def draw(history: History[FaceView], on: Opened) -> None:
    """Choose or bring the second face, and how much of each bank to take."""
    st.subheader("Take from another face", anchor=False)
    now, known = history.now, data.titles()
    chosen = entry(now.other, "data", _NOBODY)
    refs = [ref for ref in known if data.photo_of(ref).faces]
    label = told_apart(list(known)[::-1], known.get)
    pictures(
        "face:people",
        np.stack([_portrait(ref) for ref in refs]),
        Form("image", (_SIDE, _SIDE, 3), low=0.0, high=1.0),
        names=[label(ref) for ref in refs],
        captions=["chosen" if ref == chosen else "" for ref in refs],
        tile=112,
        picks="Take from",
        on_pick=lambda i: _pick(history, refs[i]),
        label="Faces to take from",
    )
    if chosen and chosen not in known:
        st.info(
            f"This link takes from *{escape(entry(now.other, 'title', '')) or 'a photograph'}*, which stayed with "
            "the session that uploaded it. Drop the same file here.",
            icon=":material/upload_file:",
        )
    _drop_zone(history)
    found = _face(now)
    if found is None:
        st.caption("Choose a face above, or bring one; then take its mouth, pose or expression, wholly or in part.")
        return
    photo, _ = found
    if len(photo.faces) > 1:
        history.bind(
            "other.face", st.segmented_control, "Face", list(range(len(photo.faces))), required=True,
            value=min(entry(now.other, "face", 0, 0, 99), len(photo.faces) - 1), format_func=lambda i: str(i + 1),
        )  # fmt: skip
    shares = shares_of(now)
    with st.container(horizontal=True, gap="small"):
        for bank in on.actor.banks:
            st.button(
                f"Take its {bank}", key=f"face:take:{bank}", on_click=_share, args=(history, bank, 1.0),
                disabled=shares.get(bank, 0.0) == 1.0,
            )  # fmt: skip
        st.button(
            "Take nothing", icon=":material/restart_alt:", key="face:take-nothing", disabled=not any(shares.values()),
            on_click=lambda: history.change(other={**history.now.other, "shares": {}}),
        )  # fmt: skip
    for bank in on.actor.banks:
        value, key = shares.get(bank, 0.0), f"face:share:{bank}"
        if st.session_state.get(key) != value:
            st.session_state[key] = value
        st.slider(
            f"{bank.capitalize()}: from the own to the other's", 0.0, 1.0, value, 0.05, key=key, format="%.2f",
            on_change=lambda bank=bank, key=key: _share(history, bank, st.session_state[key]),
        )  # fmt: skip
    st.caption("Sliders that were moved by hand stay where they are.")


def _portrait(ref: str) -> np.ndarray:
    kept = st.session_state.setdefault("face:portraits", {})
    photo = data.photo_of(ref)
    if ref not in kept:
        x0, y0, x1, y1 = close_up(photo.picture, photo.faces[0])
        small = Image.fromarray(np.ascontiguousarray(photo.picture[y0:y1, x0:x1])).resize((_SIDE, _SIDE))
        kept[ref] = np.asarray(small, dtype=np.float32) / 255
    return kept[ref]


def _pick(history: History[FaceView], ref: str) -> None:
    photo = data.photo_of(ref)
    history.change(other={"data": ref, "title": photo.title, "shares": shares_of(history.now)})


def _share(history: History[FaceView], bank: str, value: float) -> None:
    history.change(other={**history.now.other, "shares": {**shares_of(history.now), bank: value}})


def _drop_zone(history: History[FaceView]) -> None:
    turn = st.session_state.setdefault("face:second-turn", 0)
    file = st.file_uploader("Bring a second face", key=f"face:second:{turn}")
    said = st.session_state.pop("face:second-error", "")
    if said:
        say_error(said)
    if file is None:
        return
    st.session_state["face:second-turn"] += 1
    try:
        with st.spinner("Looking for faces ..."):
            ref, photo = data.bring(file.name, file.getvalue())
        if photo.faces:
            _pick(history, ref)
        else:
            st.session_state["face:second-error"] = photo.lacking
    except InputError as error:
        st.session_state["face:second-error"] = str(error)
    st.rerun()
