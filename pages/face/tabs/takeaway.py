"""Tab *Take away*: the edited photograph at its own size, the codes, the recipe, and a snippet."""

import json

import streamlit as st

from core.face.clip.marks import marked_jpeg, marked_png
from core.face.editing.edits import changes
from core.ui.history import History
from core.ui.takeaway import download, recipe
from pages.face import data, second
from pages.face.opened import Opened, edit_of, final_code
from pages.face.view import FaceView


def draw(history: History[FaceView], on: Opened) -> None:
    """Downloads and the recipe on the left, code on the right."""
    files, code = st.columns([2, 3], gap="large")
    with files:
        st.subheader("Edited photograph", anchor=False)
        w, h = on.photo.size
        with st.container(horizontal=True):
            download(history.page, "PNG", lambda: marked_png(_whole(history, on)), "edited.png")
            download(history.page, "JPEG", lambda: marked_jpeg(_whole(history, on)), "edited.jpg")
            download(history.page, "Codes as JSON", lambda: _codes(history, on), "codes.json")
        st.caption(f"{w} × {h} pixels, as the photograph. Both files say inside that the picture was synthesised.")
        recipe(history)
    with code:
        if on.network is not None:
            return
        st.subheader("The same in Python", anchor=False)
        st.caption("Run it from the project's folder; a photograph of yours lies beside it.")
        st.code(_snippet(history, on), language="python")


def _code(history: History[FaceView], on: Opened):
    return final_code(on, edit_of(on, history.now, second.taken(on, history.now)))


def _whole(history: History[FaceView], on: Opened):
    return on.render(_code(history, on))


def _codes(history: History[FaceView], on: Opened) -> str:
    code = _code(history, on)
    rows = {
        d.key: dict(code=float(code[d.index]), own=float(on.actor.own[d.index]), scale=d.scale) for d in on.directions
    }
    return json.dumps({"model": on.actor.title, "codes": rows}, indent=1, ensure_ascii=False)


def _snippet(history: History[FaceView], on: Opened) -> str:
    now = history.now
    change = changes(on.actor.own, _code(history, on), on.directions)
    lines = [f"    {json.dumps(k, ensure_ascii=False)}: {v:g}," for k, v in change.items()]
    place, _, name = now.data.partition(":")
    if place == "upload" and on.photo.title:
        name = json.dumps(on.photo.title, ensure_ascii=False)
        imports = ["from pathlib import Path", ""]
        reads, opening = "face_of, read_photo", f"read_photo({name}, Path({name}).read_bytes())"
        more = []
    else:
        imports, reads, opening = [], "face_of", f'sample_photo("{on.photo.title.lower()}")'
        more = ["from core.face.editing.samples import sample_photo"]
    box = data.box_of(now.box) if data.by_hand(now, on.photo) else None
    return "\n".join(
        [
            *imports,
            "from core.face.clip.marks import marked_png",
            "from core.face.editing.actor import MeshActor, directions_of",
            f"from core.face.editing.photos import {reads}",
            *more,
            "",
            f"photo = {opening}",
            f"face = MeshActor(photo.picture, face_of(photo, {now.face}, {box}))",
            "changes = {  # in units of each direction's scale",
            *lines,
            "}",
            "code = face.own.copy()",
            "for d in directions_of(face):",
            "    code[d.index] += d.scale * changes.get(d.key, 0.0)",
            'open("edited.png", "wb").write(marked_png(face.render(code)))',
        ]
    )
