"""The code curves: smoothing, gains, edits by hand, and their figure."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from core.errors import InputError
from core.face.clip.curves import CodeCurves
from core.face.clip.edits import ACTIONS, Edit, edited
from core.face.editing.actor import Direction
from core.face.editing.drive import ways
from core.face.editing.edits import GAINS, numbers
from core.figures import chart
from core.ui.history import History
from core.ui.text import escape
from core.ui.view import entry
from pages.face.drive.source import Driver
from pages.face.opened import Opened
from pages.face.view import FaceView

_SHOWN = 5
_MOST = 12


def made(history: History[FaceView], on: Opened, base: np.ndarray, driver: Driver) -> CodeCurves:
    """What the face gets: the driver's curves, smoothed, with gains and edits."""
    now = history.now
    smooth = entry(now.drive, "smooth", 0.0 if driver.finished else 0.06, 0.0, 0.5)
    history.bind(
        "drive.smooth", st.slider, "Smoothing, seconds", 0.0, 0.5, value=smooth, step=0.02,
        help="Standard deviation of a Gaussian over time.", key=f"drive.smooth:{driver.finished}",
    )  # fmt: skip
    gains = numbers(now.drive.get("gains"), *GAINS)
    columns = st.columns(3)
    for column, bank in zip(columns, on.actor.banks, strict=False):
        with column:
            value, key = gains.get(bank, 1.0), f"face:drive-gain:{bank}"
            if st.session_state.get(key) != value:
                st.session_state[key] = value
            st.slider(
                f"{bank.capitalize()} × ", *GAINS, value=value, step=0.05, key=key, help="0 leaves the bank alone.",
                on_change=lambda bank=bank, key=key: _gain(history, bank, st.session_state[key]),
            )  # fmt: skip
    curves = driver.curves.held()
    relative = not driver.finished and entry(now.drive, "relative", True)
    curves = curves.smoothed(smooth).driving(
        base, gains={b: gains.get(b, 1.0) for b in on.actor.banks}, relative=relative
    )
    return edited(curves, *edits_of(now, on.directions))


def _gain(history: History[FaceView], bank: str, value: float) -> None:
    now = history.now
    history.change(drive={**now.drive, "gains": {**numbers(now.drive.get("gains"), *GAINS), bank: value}})


def kept_edits(view: FaceView) -> list[dict]:
    """The edits as the view holds them."""
    found = view.drive.get("edits")
    return [e for e in found if isinstance(e, dict)][:_MOST] if isinstance(found, list) else []


def edits_of(view: FaceView, directions: tuple[Direction, ...]) -> list[Edit]:
    """The edits of a view that make sense for this model; their values are in scales."""
    found = []
    scale = {d.key: d.scale for d in directions}
    for e in kept_edits(view):
        try:
            bank, _, name = str(e["key"]).partition(": ")
            size = 1.0 if e["action"] == "scale" else scale[e["key"]]
            found.append(Edit(e["action"], bank, name, float(e["begin"]), float(e["end"]), float(e["value"]) * size))
        except (InputError, KeyError, TypeError, ValueError):
            continue
    return found


def figure(curves: CodeCurves, directions: tuple[Direction, ...], keys: list[str], present: np.ndarray) -> go.Figure:
    """Codes over time, in scales; grey where no face was seen."""
    lines = ways(curves, directions)
    fig = chart.lines(
        {k.partition(": ")[2]: (curves.times, lines[k]) for k in keys}, x="Seconds", y="Weight, scales", height=260,
        legend=True,
    )  # fmt: skip
    step = 1 / curves.fps
    gone = np.flatnonzero(~present)
    for i in gone[:200]:
        fig.add_vrect(
            x0=curves.times[i] - step / 2, x1=curves.times[i] + step / 2, fillcolor="gray", opacity=0.25, line_width=0
        )
    return fig


def draw(history: History[FaceView], on: Opened, driver: Driver, curves: CodeCurves) -> None:
    """The figure, which curves it shows, and edits by hand."""
    order = list(ways(curves, on.directions))
    chosen = st.multiselect(
        "Curves", order, default=order[:_SHOWN], key=f"face:curves:{driver.finished}", max_selections=8,
        format_func=lambda k: k,
    )  # fmt: skip
    if chosen:
        present = driver.curves.present
        shown = present if len(present) == len(curves.times) else np.ones(len(curves.times), bool)
        st.plotly_chart(figure(curves, on.directions, chosen, shown), key="face:curves-figure")
    with st.expander("Edit a curve", icon=":material/edit:"):
        _edit(history, on, curves, order)
    for i, e in enumerate(kept_edits(history.now)):
        with st.container(horizontal=True, vertical_alignment="center"):
            what = f"{e.get('key')}: {e.get('action')} {e.get('value')} from {e.get('begin')} to {e.get('end')} s"
            st.caption(escape(what))
            st.button("", icon=":material/delete:", key=f"face:edit-off:{i}", on_click=_drop, args=(history, i))


def _edit(history: History[FaceView], on: Opened, curves: CodeCurves, order: list[str]) -> None:
    last = round(max(curves.seconds, 0.08), 2)
    with st.form("face:curve-edit", border=False):
        left, middle, right = st.columns([3, 2, 2])
        key = left.selectbox("Direction", order, key="face:edit-key")
        action = middle.selectbox("What to do", ACTIONS, key="face:edit-action")
        value = right.number_input(
            "By", -12.0, 12.0, 1.0, 0.1, key="face:edit-value", help="Scales; a factor for *scale*."
        )
        begin, end = st.slider("When, seconds", 0.0, last, (0.0, last), 0.04, key=f"face:edit-when:{last}")
        if st.form_submit_button("Add this edit", icon=":material/add:") and begin < end:
            kept = kept_edits(history.now)[: _MOST - 1]
            new = dict(key=key, action=action, value=value, begin=begin, end=end)
            history.change(drive={**history.now.drive, "edits": [*kept, new]})
            st.rerun()


def _drop(history: History[FaceView], i: int) -> None:
    kept = kept_edits(history.now)
    history.change(drive={**history.now.drive, "edits": kept[:i] + kept[i + 1 :]})
