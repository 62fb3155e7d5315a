"""The clip: a few frames to look at first, then all of them, with progress and stop."""

import hashlib
import io
import secrets

import numpy as np
import streamlit as st
from PIL import Image

from core.face.clip.curves import CodeCurves
from core.face.clip.files import to_csv, to_json
from core.face.clip.writing import write_gif, write_mp4
from core.face.editing import drive
from core.face.editing.actor import MeshActor, shrunk
from core.progress import Run
from core.ui.background import background
from core.ui.frame import abreast
from core.ui.history import History
from core.ui.takeaway import download
from core.ui.view import entry
from pages.face.drive.source import Driver
from pages.face.opened import Opened
from pages.face.view import FaceView

_PREVIEW = 6
FORMATS = {"mp4": "mp4 with sound", "gif": "gif"}
SIZES = (0, 1080, 720, 480, 320)


def preview(on: Opened, curves: CodeCurves, key: str) -> None:
    """A few frames, small."""
    rows = drive.even(curves, _PREVIEW)
    kept = st.session_state.setdefault("face:preview", {})
    place = f"{key}:{hashlib.sha256(curves.values.tobytes()).hexdigest()}"
    if place not in kept:
        kept.clear()
        kept[place] = [_small(on, curves.values[r]) for r in rows]
    columns = abreast("face-preview", len(rows))
    for column, row, data in zip(columns, rows, kept[place], strict=True):
        column.image(data, caption=f"{curves.times[row]:.1f} s", width="stretch")


def _small(on: Opened, code: np.ndarray) -> bytes:
    picture = shrunk(np.ascontiguousarray(on.stage.cut(on.actor.render(code.astype(np.float64)))), 240)[0]
    out = io.BytesIO()
    Image.fromarray(picture).save(out, "JPEG", quality=88)
    return out.getvalue()


def draw(history: History[FaceView], on: Opened, driver: Driver, curves: CodeCurves) -> None:
    """Format and size, the button, progress, the clip and its download."""
    now = history.now
    form = entry(now.drive, "form", "mp4")
    form = form if form in FORMATS else "mp4"
    longest = max(on.photo.size)
    sizes = [s for s in SIZES if s < longest]
    side = entry(now.drive, "side", 0)
    side = side if side in sizes else 0
    with st.container(horizontal=True, vertical_alignment="bottom"):
        history.bind(
            "drive.form", st.segmented_control, "Write", list(FORMATS), value=form, required=True,
            format_func=FORMATS.get,
        )  # fmt: skip
        history.bind(
            "drive.side", st.selectbox, "Size", sizes, value=side, width=190,
            format_func=lambda s: f"{s} px long" if s else f"original, {longest} px long",
        )  # fmt: skip
    count = len(curves.times)
    session = st.session_state.setdefault("face:token", secrets.token_hex(8))
    what = hashlib.sha256(curves.values.tobytes() + repr((on.key, driver.key, form, side)).encode()).hexdigest()
    written = background(
        "face:render", f"{session}:{what}", lambda run: _written(on, driver, curves, form, side, run),
        f"Rendering {count} frames", ask=f"Render {count} frames", lane="face:render",
        preview=lambda data: st.image(data, width=200),
    )  # fmt: skip
    if written is None:
        return
    if form == "mp4":
        st.video(written, autoplay=True, loop=False)
    else:
        st.image(written)
    with st.container(horizontal=True):
        download(history.page, f"Clip as {form}", lambda: written, f"face.{form}")
        download(history.page, "Curves as CSV", lambda: to_csv(curves), "curves.csv")
        download(history.page, "Curves as JSON", lambda: to_json(curves), "curves.json")
    st.caption("The file says inside that it was synthesised.")


def _written(on: Opened, driver: Driver, curves: CodeCurves, form: str, side: int, run: Run) -> bytes | None:
    actor = on.whole
    if side:
        small, factor = shrunk(on.photo.picture, side)
        face = on.face.scaled(factor * on.photo.picture.shape[1] / on.picture.shape[1])
        actor = MeshActor(small, face)
    count = len(curves.times)

    class Told(Run):
        def progress(self, step, total, metrics=None, preview=None):
            run.progress(step, total, preview=preview)

        def should_stop(self):
            return run.should_stop()

    def frames():
        for i, picture in enumerate(drive.frames(actor, curves)):
            if i % 12 == 0:
                run.progress(i, count, preview=shrunk(picture, 240)[0])
            yield picture

    if form == "gif":
        data = write_gif(frames(), drive.FPS, total=count, run=Told())
    else:
        data = write_mp4(frames(), drive.FPS, sound=driver.sound, rate=driver.rate, total=count, run=Told())
    return None if run.should_stop() else data
