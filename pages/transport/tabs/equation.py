"""Tab *Equation*: how much of the change of S a small network explains, and how far it carries S along a path."""

import json
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from core.figures import chart, fields
from core.figures.palette import BASIS, CONTROL
from core.figures.text import number
from core.transport.equation import Tried, try_equation
from core.transport.law import FIELDS, LawSettings
from core.transport.paths import Carried, carry, holonomy, loop, polyline
from core.ui.background import background
from core.ui.frame import abreast
from core.ui.history import History
from core.ui.settings_form import settings_of
from core.ui.text import say_error
from pages.transport import look
from pages.transport.edits import span
from pages.transport.shown import Shown
from pages.transport.tabs import joint
from pages.transport.view import TransportView

_CUT = 10  # relative error at which a path is given up
_FIELD_NAMES = {"amplitude": "amplitudes |S|", "signed": "signed S"}


def draw(history: History[TransportView], on: Shown) -> None:
    """Settings and the button; then the shares, the maps and the path."""
    st.markdown(
        "Does the local spectrum obey a law, $\\nabla S\\approx F(x,S)$? Any smooth $S$ obeys one if $F$ may be large, "
        "so $F$ is small here, its size is stated, and it is judged on tiles of the signal that it never saw."
    )
    settings = _settings(history)
    key = json.dumps([on.key, settings.as_dict(), history.now.seed])
    tried = background(
        "transport:equation", key, lambda run: try_equation(on.spectrum, settings, seed=on.seed, run=run),
        "Fitting F three times", ask="Fit F to this spectrum",
    )  # fmt: skip
    if tried is None:
        st.caption("Three networks of equal size are fitted, some seconds of processor time.")
        joint.draw(history, on)
        return
    left, right = st.columns(2, gap="large")
    with left:
        _shares(tried)
    with right:
        _lengths(tried)
    _maps(tried)
    if on.spectrum.d < 3:
        _path(history, on, tried)
    joint.draw(history, on)


def _settings(history: History[TransportView]) -> LawSettings:
    now = replace(settings_of(LawSettings, history.now.law), inputs="x and S")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        history.bind(
            "law.field", st.segmented_control, "F is about", list(FIELDS), value=now.field, required=True,
            format_func=_FIELD_NAMES.get, help="Signed S turns quickly from place to place: hard to carry far.",
        )  # fmt: skip
        history.bind("law.width", st.select_slider, "Neurons", (8, 16, 32, 64, 128, 256), width=180,
                     value=min((8, 16, 32, 64, 128, 256), key=lambda v: abs(v - now.width)))  # fmt: skip
        history.bind("law.depth", st.select_slider, "Hidden layers", (1, 2, 3), width=120, value=min(now.depth, 3))
        history.bind("law.steps", st.select_slider, "Steps", (100, 300, 900, 2700), width=180,
                     value=min((100, 300, 900, 2700), key=lambda v: abs(v - now.steps)))  # fmt: skip
    steps = min((100, 300, 900, 2700), key=lambda v: abs(v - now.steps))
    return replace(now, steps=steps, depth=min(now.depth, 3))


def _shares(tried: Tried) -> None:
    import pandas as pd

    st.subheader("What is left of the change of S", anchor=False)
    rows = {
        ("F = 0" if n == "F = 0" else f"F({n.replace(' and ', ', ')})"): (
            f"{share.unexplained:.1%}",
            f"{share.seen:.1%}",
            f"{share.size:,}",
        )
        for n, share in tried.shares.items()
    }
    names = ["unexplained, held-out tiles", "where it was trained", "numbers in F"]
    st.dataframe(pd.DataFrame(rows.values(), index=list(rows), columns=names), width="stretch")
    st.caption(
        f"Mean |∇S|² on the held-out tiles: {number(tried.law.gradient)}. A flat S would leave little to explain, so "
        "read the two together. Where it was trained, S also tells F the place, so only the first column speaks of a "
        "law."
    )
    both, only_x, only_s = (tried.shares[n].unexplained for n in ("x and S", "x", "S"))
    if both >= 1:
        st.caption("F(x, S) is worse than no F at all on places it has not seen: there is no law here at this size.")
    elif both < only_x:
        st.caption(
            "Knowing S helps beyond knowing the place" + (", and S alone does as well." if only_s <= both else ".")
        )
    else:
        st.caption("Knowing S adds nothing to knowing the place here.")


def _lengths(tried: Tried) -> None:
    st.subheader("Carried along random paths", anchor=False)
    curves = {"carried by F": (tried.lengths, tried.carried), "S constant": (tried.lengths, tried.constant)}
    fig = chart.lines(
        curves, x="length of the path, share of the side", y="relative error at its end", colours=(BASIS, CONTROL),
        dashed=("S constant",), height=260,
    )  # fmt: skip
    st.plotly_chart(fig, key="transport:lengths", config=dict(displayModeBar=False))
    good = [n for n, better in zip(tried.lengths, tried.holds, strict=True) if better]
    if len(good) == len(tried.lengths):
        st.caption("Carrying beats standing still at every length tried: on this signal S is transported.")
    elif good:
        st.caption(
            f"Carrying beats standing still at {', '.join(f'{n:g}' for n in good)} of the side, not at other lengths."
        )
    else:
        st.caption("Carrying beats standing still at no length: this signal does not obey a transport law.")


def _maps(tried: Tried) -> None:
    law = tried.law
    st.subheader("Where F fails", anchor=False)
    size = np.sqrt((law.residual**2).sum(1))
    relative = size / (law.length + 0.05 * float(np.sqrt((law.length**2).mean())) + 1e-12)
    if len(law.shape) == 1:
        _along_time(tried)
    else:
        _slices(tried)
    held = relative[law.held]
    fig = chart.histogram(
        np.clip(relative[~law.held], 0, 3), x="|∇S − F| / |∇S|, cut at 3", y="places", control=np.clip(held, 0, 3),
        control_name="held-out places", mark=1.0, height=220,
    )  # fmt: skip
    fig.data[0].name = "places of the training"
    st.plotly_chart(fig, key="transport:residuals", config=dict(displayModeBar=False))
    st.caption("At the dotted line F is as wrong as no F.")


def _slices(tried: Tried) -> None:
    law = tried.law
    solid = len(law.shape) == 3
    top = float(np.percentile(law.length, 99)) or 1.0
    names = ("up", "down", "across")[-len(law.shape) :] if solid else ("down", "across")
    pictures = [(law.length, "|∇S|"), *((law.residual[:, i], f"missed, {name}") for i, name in enumerate(names))]
    pictures.append((law.held * top, "held-out tiles (bright)"))
    for column, (values, name) in zip(abreast("transport-residuals", len(pictures)), pictures, strict=True):
        image = np.asarray(values, dtype=float).reshape(law.shape)
        image = image[law.shape[0] // 2] if solid else image
        column.image(fields.enlarged(fields.sequential(image / top), 256), width="stretch", caption=name)
    st.caption("The maps share one scale" + (" and show the middle slice." if solid else "."))


def _along_time(tried: Tried) -> None:
    law = tried.law
    at = np.linspace(0, 1, len(law.length))
    curves = {"|∇S|": (at, law.length), "missed by F": (at, law.residual[:, 0])}
    fig = chart.lines(curves, x="share of the sound", y="change of S", colours=(CONTROL, BASIS), height=240)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], law.held.astype(int), [0]])))
    for start, end in edges.reshape(-1, 2):
        fig.add_vrect(x0=at[start], x1=at[min(end, len(at) - 1)], fillcolor="rgba(153,153,153,0.2)", line_width=0)
    st.plotly_chart(fig, key="transport:along", config=dict(displayModeBar=False))
    st.caption("Shaded: parts that F never saw.")


def _path(history: History[TransportView], on: Shown, tried: Tried) -> None:
    st.subheader("One path", anchor=False)
    if on.spectrum.d == 1:
        _path_in_time(history, on, tried)
        return
    h, w = on.signal.shape
    now = history.now
    shape = now.entry("path", "shape", "line")
    shape = shape if shape in ("line", "loop") else "line"
    ends = {}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        history.bind(
            "path.shape", st.segmented_control, "Path", ["line", "loop"], value=shape, required=True,
            format_func={"line": "from A to B", "loop": "circle around A through B"}.get,
        )  # fmt: skip
        for name, label, high, first in (
            ("row_a", "A: row", h, 0.3), ("column_a", "A: column", w, 0.35),
            ("row_b", "B: row", h, 0.4), ("column_b", "B: column", w, 0.45),
        ):  # fmt: skip
            ends[name] = now.entry("path", name, int(first * high), 0, high - 1)
            history.bind(
                f"path.{name}",
                st.number_input,
                label,
                value=ends[name],
                min_value=0,
                max_value=high - 1,
                step=1,
                width=120,
            )
    a = (np.array([ends["row_a"], ends["column_a"]]) + 0.5) / max(h, w)
    b = (np.array([ends["row_b"], ends["column_b"]]) + 0.5) / max(h, w)
    if np.allclose(a, b):
        say_error("A and B are the same place; choose two different ones.")
        return
    points = polyline(np.stack([a, b])) if shape == "line" else loop(a, float(np.linalg.norm(b - a)))
    if (points < 0).any() or (points > np.array([h, w]) / max(h, w)).any():
        say_error("The circle leaves the picture; move A towards the middle or B closer to A.")
        return
    along = carry(on.spectrum, tried.law, points)
    left, right = st.columns([2, 3], gap="large")
    with left:
        _on_picture(history, on, points, ends)
    with right:
        _strips(on, along)
        if shape == "loop":
            changed = holonomy(along)
            told = f"by {changed:.0%} of its size" if changed < _CUT else "by many times its size: F runs away on it"
            st.caption(f"Around the circle F brings back S changed {told}; a law has 0%.")
        else:
            _verdict(along)


def _path_in_time(history: History[TransportView], on: Shown, tried: Tried) -> None:
    ends = span(history.now.path, "times")
    history.bind("path.times", st.slider, "From A to B, percent of the sound", 0, 100, value=ends)
    if ends[0] == ends[1]:
        say_error("A and B are the same moment; choose two different ones.")
        return
    along = carry(on.spectrum, tried.law, polyline(np.array(ends)[:, None] / 100))
    _strips(on, along)
    _verdict(along)


def _verdict(along: Carried) -> None:
    said = f"At the end: error {number(along.error[-1])} carried, {number(along.constant[-1])} with S constant"
    st.caption(f"{said}: {'carrying' if along.error[-1] < along.constant[-1] else 'S constant'} is better here.")


def _on_picture(history: History[TransportView], on: Shown, points: np.ndarray, ends: dict) -> None:
    fig = fields.over_picture(look.faded(on.signal), height=340)
    at = points * max(on.signal.shape) - 0.5
    fig.add_scatter(x=at[:, 1], y=at[:, 0], mode="lines", line=dict(color=fields.INK, width=3), hoverinfo="skip")
    fields.add_mark(fig, ends["row_a"], ends["column_a"], "A")
    fields.add_mark(fig, ends["row_b"], ends["column_b"], "B")
    fields.add_places(fig, on.signal.shape)
    key = f"transport:path:{st.session_state.get('transport:path-clicks', 0)}:{on.signal.shape}"

    def clicked() -> None:
        found = st.session_state[key].selection.points
        if not found:
            return
        turn = st.session_state.get("transport:path-clicks", 0)
        end = "ab"[turn % 2]
        st.session_state["transport:path-clicks"] = turn + 1
        row, column = round(found[0]["y"]), round(found[0]["x"])
        history.change(path={**history.now.path, f"row_{end}": row, f"column_{end}": column})

    st.plotly_chart(fig, key=key, on_select=clicked, selection_mode="points", config=dict(displayModeBar=False))
    st.caption("Two clicks set A, then B.")


def _strips(on: Shown, along: Carried) -> None:
    m = on.spectrum.channels * on.spectrum.k

    def size(values: np.ndarray) -> np.ndarray:
        return values if values.shape[1] == m else np.hypot(values[:, :m], values[:, m:])

    true, carried = size(along.true).T, size(along.carried).T
    top = float(np.percentile(true, 99.5)) or 1.0
    for values, name in ((true, "|S| along the path, as it is"), (carried, "carried by F from A on")):
        st.image(fields.sequential(_spread(values) / top), width="stretch")
        st.caption(f"{name}; one row for each carrier")
    cut = np.minimum(along.error, _CUT)
    curves = {"carried by F": (along.length, cut), "S constant": (along.length, along.constant)}
    error = "relative error" + (f", cut at {_CUT}" if along.error.max() > _CUT else "")
    fig: go.Figure = chart.lines(
        curves, x="along the path, share of the side", y=error, colours=(BASIS, CONTROL),
        dashed=("S constant",), height=220,
    )  # fmt: skip
    st.plotly_chart(fig, key="transport:path-error", config=dict(displayModeBar=False))


def _spread(values: np.ndarray) -> np.ndarray:
    """Rows made tall enough to see."""
    times = max(2, 96 // len(values))
    return values.repeat(times, axis=0).repeat(6, axis=1)
