"""Strips of little pictures for every slider, drawn beside the page."""

import io

import numpy as np
import streamlit as st
from PIL import Image

from core.face.editing import strips
from core.face.editing.actor import MeshActor, tight
from core.face.editing.network_actor import Cropped
from core.ui.background import shelf
from core.ui.components.editor import Sheet
from pages.face.opened import Opened

_SECONDS = 0.7


def sheet(on: Opened) -> Sheet | None:
    """The strips, if they are drawn already; otherwise somebody begins to draw them."""
    if not drawable(on):
        return None
    work = shelf("face").start(_key(on), lambda run: _drawn(on, run))
    return work.result


def wait(on: Opened, found: Sheet | None) -> None:
    """Until they are drawn, ask now and then."""
    if found is None and drawable(on):
        st.fragment(_ask, run_every=_SECONDS)(_key(on))


def drawable(on: Opened) -> bool:
    """Whether the strips of this model are there within seconds."""
    return on.network is None or on.network.quick


def _ask(key: str) -> None:
    work = shelf("face").find(key)
    if work is not None and work.over.is_set() and work.result is not None:
        st.rerun()


def _key(on: Opened) -> str:
    return f"strips:{on.key}:{'' if on.key.startswith('sample:') and on.network is None else id(on)}"


def _drawn(on: Opened, run) -> Sheet | None:
    mesh = isinstance(on.actor, MeshActor)
    actor = tight(on.actor) if mesh else Cropped(on.actor)
    pictures = strips.strips(actor, lambda done, total: (run.progress(done, total), run.should_stop())[1])
    edge = pictures.shape[2] // 7 if mesh else 1  # near the cut a mesh is not moved as it would be in the whole picture
    inner = pictures[:, :, edge:-edge, edge:-edge]
    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(strips.sheet(inner))).save(out, "JPEG", quality=88)
    return Sheet(out.getvalue(), len(inner), strips.STOPS)
