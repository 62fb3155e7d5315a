"""Tab *Mix faces*: ready expressions, and edits that are kept and added up."""

import numpy as np
import streamlit as st

from core.errors import InputError
from core.face.editing.actor import MeshActor
from core.face.editing.edits import changes, preset_json, read_preset
from core.face.editing.presets import PRESETS
from core.ui.history import History
from core.ui.takeaway import download
from core.ui.text import escape, say_error
from pages.face import second
from pages.face.opened import Opened, edit_of, final_code
from pages.face.view import MOST_LAYERS, FaceView


def draw(history: History[FaceView], on: Opened) -> None:
    """The second face on the left; presets and layers on the right."""
    left, right = st.columns(2, gap="large")
    with left:
        second.draw(history, on)
    with right:
        _presets(history, on)
        _layers(history, on)


def _code(history: History[FaceView], on: Opened) -> np.ndarray:
    return final_code(on, edit_of(on, history.now, second.taken(on, history.now)))


def _presets(history: History[FaceView], on: Opened) -> None:
    st.subheader("Presets", anchor=False)
    if isinstance(on.actor, MeshActor):
        with st.container(horizontal=True, gap="small"):
            for name, change in PRESETS.items():
                st.button(name, key=f"face:preset:{name}", on_click=_apply, args=(history, on, dict(change)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        title = st.text_input("Name", "My expression", max_chars=60, key="face:preset-name", width=220)
        download(
            history.page,
            "Save as a preset",
            lambda: preset_json(title, on.actor.own, _code(history, on), on.directions, on.actor.title),
            "preset.json",
        )
    st.caption("JSON that one can read: for each direction its weight, and its change from the face's own.")
    turn = st.session_state.setdefault("face:preset-turn", 0)
    how = st.segmented_control(
        "A loaded preset gives", ("changes", "weights"), default="changes", required=True, key="face:preset-how",
        format_func={"changes": "changes to this face's own code", "weights": "the code itself"}.get,
    )  # fmt: skip
    file = st.file_uploader("Load a preset", key=f"face:preset-file:{turn}", max_upload_size=1)
    if file is not None:
        try:
            weights, change, foreign = read_preset(file.getvalue(), on.directions)
        except InputError as error:
            say_error(error)
            return
        st.session_state["face:preset-turn"] += 1
        if foreign:
            st.toast(f"{len(foreign)} directions of this preset are not in this model and were left out.")
        if how == "weights":
            history.change(weights={**history.now.weights, **weights})
        else:
            _apply(history, on, change)
        st.rerun()


def _apply(history: History[FaceView], on: Opened, change: dict[str, float]) -> None:
    """Set the sliders to the own code with these changes; directions that a preset does not name go back."""
    own = {d.key: on.actor.own[d.index] / d.scale for d in on.directions}
    history.change(weights={k: round(own[k] + v, 3) for k, v in change.items() if k in own})


def _layers(history: History[FaceView], on: Opened) -> None:
    now = history.now
    st.subheader("Edits that add up", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", f"Edit {len(now.layers) + 1}", max_chars=60, key="face:layer-name", width=220)
        st.button(
            "Keep, and edit on", icon=":material/add:", key="face:keep", on_click=_keep, args=(history, on, name),
            disabled=len(now.layers) >= MOST_LAYERS,
            help="What the sliders changed stays as an edit of its own; the sliders then start from there.",
        )  # fmt: skip
    for i, layer in enumerate(now.layers):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            strength = st.slider(
                escape(layer["title"]) or f"Edit {i + 1}", 0.0, 2.0, layer["strength"], 0.05,
                key=f"face:layer:{i}:{len(now.layers)}:{layer['title']}:{layer['strength']}",
                help="  \n".join(f"{k} {v:+.2f}" for k, v in layer["changes"].items()) or None,
            )  # fmt: skip
            if strength != layer["strength"]:
                _replace(history, i, {**layer, "strength": strength})
                st.rerun()
            st.button(
                "", icon=":material/delete:", key=f"face:layer-off:{i}", help="Take this edit away.",
                on_click=_replace, args=(history, i, None),
            )  # fmt: skip
    if not now.layers:
        st.caption("Build an expression step by step: move sliders, keep, move on. Each edit can be made weaker later.")


def _replace(history: History[FaceView], i: int, layer: dict | None) -> None:
    kept = list(history.now.layers)
    kept[i : i + 1] = [] if layer is None else [layer]
    history.change(layers=kept)


def _keep(history: History[FaceView], on: Opened, name: str) -> None:
    now = history.now
    taken = second.taken(on, now)
    whole = edit_of(on, now, taken)
    under = edit_of(on, now.having(weights={}, gains={}), taken)
    found = changes(final_code(on, under), final_code(on, whole), on.directions)
    if not found:
        st.toast("Nothing was changed since the last edit that was kept.")
        return
    history.change(layers=[*now.layers, dict(title=name, changes=found, strength=1.0)], weights={}, gains={})
