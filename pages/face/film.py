"""Strips of little pictures for every slider, drawn beside the page."""

import io

import numpy as np
import streamlit as st
from PIL import Image

from core.face.editing import strips
from core.face.editing.actor import MeshActor, tight
from core.ui.background import shelf
from core.ui.components.editor import Sheet
from pages.face.opened import Opened

_SECONDS = 0.7


def sheet(on: Opened) -> Sheet | None:
    """The strips, if they are drawn already; otherwise somebody begins to draw them."""
    if not isinstance(on.actor, MeshActor):
        return None
    work = shelf("face").start(_key(on), lambda run: _drawn(on, run))
    return work.result


def wait(on: Opened, found: Sheet | None) -> None:
    """Until they are drawn, ask now and then."""
    if found is None and isinstance(on.actor, MeshActor):
        st.fragment(_ask, run_every=_SECONDS)(_key(on))


def _ask(key: str) -> None:
    work = shelf("face").find(key)
    if work is not None and work.over.is_set() and work.result is not None:
        st.rerun()


def _key(on: Opened) -> str:
    return f"strips:{on.key}:{id(on) if not on.key.startswith('sample:') else ''}"


def _drawn(on: Opened, run) -> Sheet | None:
    pictures = strips.strips(tight(on.actor), lambda done, total: (run.progress(done, total), run.should_stop())[1])
    edge = pictures.shape[2] // 7  # what is near the cut is not moved as it would be in the whole picture
    inner = pictures[:, :, edge:-edge, edge:-edge]
    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(strips.sheet(inner))).save(out, "JPEG", quality=88)
    return Sheet(out.getvalue(), len(inner), strips.STOPS)
