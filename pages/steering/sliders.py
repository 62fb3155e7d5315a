"""Sliders over the directions, the meter of their total, presets, reset."""

import numpy as np
import streamlit as st

from core.steering.steer import AMBER, RED
from core.ui.history import History
from core.ui.text import escape
from pages.steering.asked import ratio_of, safest, steers_of, vector_of, weights_of
from pages.steering.opened import Ready, names_of
from pages.steering.view import SteeringView

_COLOURS = ((AMBER, "#009e73"), (RED, "#e69f00"), (np.inf, "#d55e00"))
SHOWN = 16
_CLEAR = 0.2  # total r of a preset: it shows in the text and leaves it fluent


def draw(history: History[SteeringView], ready: Ready) -> None:
    """The meter, buttons and presets, and a slider for each direction."""
    _meter(history, ready)
    _presets(history, ready)
    view, o = history.now, ready.opened
    names, weights, ends = names_of(o, view), weights_of(ready, view), ready.ends(view)
    with st.container(horizontal=True):
        st.button(
            "All to 0", icon=":material/restart_alt:", key="steering:reset", disabled=not (weights.any() or view.file),
            on_click=lambda: history.change(weights={}, file=0.0),
        )  # fmt: skip
        st.button(
            "Random weights", icon=":material/shuffle:", key="steering:shuffle",
            on_click=lambda: history.change(weights=safest(ready, view, _random(ready, view))),
            help="Three directions with weights drawn at random, within r = 0.35.",
        )  # fmt: skip
    places = st.columns(2, gap="medium") if o.basis.k > 1 else [st.container()]
    half = (min(o.basis.k, SHOWN) + 1) // 2
    rest = None
    for i in range(o.basis.k):
        if i == SHOWN:
            rest = st.expander(f"{o.basis.k - SHOWN} more")
        with rest or places[min(i // half, len(places) - 1)]:
            _slider(history, ready, i, names[i], float(weights[i]), float(ends[i]))
    given = vector_of(view)
    if given is not None:
        history.bind(
            "file", st.slider, f"{escape(given.name)} (control vector)", -2.0, 2.0, step=0.05,
            help=f"1 adds the vector of the file as it is, r = {given.ratio:.2f}.",
        )  # fmt: skip


def _slider(history: History[SteeringView], ready: Ready, i: int, name: str, value: float, end: float) -> None:
    e = ready.opened.model.evidence_[i]
    said = [f"{100 * e.share:.1f}% of the variance; the ends are r = {AMBER} (±{end:.1f} sigma)."]
    if e.raised:
        said.append("Up: " + escape(", ".join(t.strip() for t, _ in e.raised[:6])))
    if e.lowered:
        said.append("Down: " + escape(", ".join(t.strip() for t, _ in e.lowered[:6])))
    history.bind(
        f"weights.{ready.opened.names[i]}", st.slider, escape(name), -end, end, step=0.1, value=round(value, 1),
        format="%.1f", help="  \n".join(said),
    )  # fmt: skip


def _meter(history: History[SteeringView], ready: Ready) -> None:
    """How long all that is added is, against a token's length: a bar with the two limits."""
    steers = steers_of(ready, history.now)
    ratio = ratio_of(ready, steers)
    colour = next(c for end, c in _COLOURS if ratio <= end + 1e-9)
    share, amber = 100 * min(ratio / RED, 1.0), 100 * AMBER / RED
    st.html(
        f'<div role="meter" aria-label="Total strength r" aria-valuemin="0" aria-valuemax="{RED}" '
        f'aria-valuenow="{min(ratio, RED):.3f}" style="position:relative;height:10px;border-radius:5px;'
        f'background:rgba(128,128,128,.22);overflow:hidden"><div style="width:{share:.1f}%;height:100%;'
        f'background:{colour}"></div><div style="position:absolute;top:0;bottom:0;left:{amber:.1f}%;width:2px;'
        f'background:rgba(128,128,128,.9)"></div></div>'
    )
    st.caption(f"Total r = **{ratio:.2f}** of a token's length: {_said(ratio, bool(steers))}")


def _said(ratio: float, any_: bool) -> str:
    if not ratio:
        return "directions are projected out." if any_ else "nothing is added."
    if ratio > RED:
        return f"beyond the hard stop, so all of it is scaled down to {RED}."
    if ratio > AMBER:
        return "first oddities; above 0.5 text falls apart."
    return "clear and fluent." if ratio >= 0.15 else "hardly visible."


def _presets(history: History[SteeringView], ready: Ready) -> None:
    """The styles of the texts that the directions were found in."""
    made = {label: safest(ready, history.now, w, _CLEAR) for label, w in ready.opened.presets.items()}
    made = {label: w for label, w in made.items() if w}
    if not made:
        return
    now = next((label for label, w in made.items() if w == history.now.weights), None)
    key = "steering:preset"
    if st.session_state.get(key) != now:
        st.session_state[key] = now

    def told() -> None:
        history.change(weights=made.get(st.session_state[key], {}))

    st.pills(
        "Presets", list(made), key=key, on_change=told, wrap=True, format_func=lambda label: escape(label),
        help=f"In the proportions at which the texts of each label lie on average, as strong as r = {_CLEAR}.",
    )  # fmt: skip


def _random(ready: Ready, view: SteeringView) -> dict[str, float]:
    rng = np.random.default_rng(abs(hash(tuple(sorted(view.weights.items())))) % 2**32)
    names = ready.opened.names
    chosen = rng.permutation(len(names))[:3]
    return {names[i]: float(rng.uniform(-1, 1) * ready.ends(view)[i]) for i in chosen}
