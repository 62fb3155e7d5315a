"""A region of the picture drawn by hand: rings around places with the pointer, or dabs where it clicks."""

import numpy as np
import streamlit as st

from core.figures import fields
from core.transport import masks
from core.ui.history import History
from core.ui.view import entry
from pages.transport import edits, look
from pages.transport.shown import Shown
from pages.transport.view import TransportView

_DAB = 1.6  # cells


def draw(history: History[TransportView], on: Shown) -> None:
    """The picture to draw on, with what is chosen in colour."""
    shape, cells = on.signal.shape, edits.drawn_cells(on, history.now.edit)
    with st.container(horizontal=True):
        pen = st.segmented_control(
            "Pen", ("add", "take away"), default="add", required=True, key="transport:pen",
            label_visibility="collapsed",
        )  # fmt: skip
        # Streamlit takes no clicks from a figure that a ring can be drawn on
        tool = st.segmented_control(
            "Tool", ("ring", "dabs"), default="ring", required=True, key="transport:tool", label_visibility="collapsed"
        )
    image = look.faded(on.signal).astype(float)
    tint = masks.soft(cells, shape)[..., None] * 0.45
    fig = fields.over_picture(np.rint(image * (1 - tint) + tint * np.array([213, 94, 0])).astype(np.uint8), height=320)
    fields.add_places(fig, shape, masks.MOST)
    if tool == "ring":
        fig.update_layout(dragmode="lasso", newselection=dict(line=dict(color=fields.INK, width=3)))
    turn = st.session_state.get("transport:strokes", 0)
    key = f"transport:region:{on.signal.title}:{shape}:{tool}:{turn}"

    def drawn() -> None:
        found = st.session_state[key].selection.points
        if not found:
            return
        st.session_state["transport:strokes"] = turn + 1  # a new figure lets go of the selection
        places = np.array([[p["y"], p["x"]] for p in found])
        new = masks.brushed(cells, places, shape, add=pen == "add", radius=0 if tool == "ring" else _DAB)
        history.change(edit={**history.now.edit, "mask": masks.write(new)})

    mode = "lasso" if tool == "ring" else "points"
    st.plotly_chart(fig, key=key, on_select=drawn, selection_mode=mode, config=dict(displayModeBar=False))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Clear", key="transport:region:clear", disabled=not entry(history.now.edit, "mask", ""),
            on_click=lambda: history.change(edit={n: v for n, v in history.now.edit.items() if n != "mask"}),
        )  # fmt: skip
        how = "Draw a ring around places." if tool == "ring" else "Click on places."
        st.caption(f"{how} {cells.mean():.0%} of the picture is chosen.")
