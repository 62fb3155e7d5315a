"""Tab *Strip of strengths*: one direction at five or seven strengths at once, all with the same seed."""

import json
from dataclasses import replace

import numpy as np
import streamlit as st

from core.errors import InputError
from core.figures import chart
from core.figures.palette import BASIS, CATEGORICAL
from core.figures.text import number
from core.steering.desk import Piece
from core.steering.examples import meter_of
from core.steering.generate import Row
from core.steering.meters import METERS
from core.ui.components.tokens import Column, tokens
from core.ui.history import History
from core.ui.text import say_error
from pages.steering import saved
from pages.steering.asked import desk, ratio_of, steers_of, writing_of
from pages.steering.centre import REFRESH_SECONDS, facts, status
from pages.steering.opened import Opened, Ready
from pages.steering.tabs.common import pick_direction
from pages.steering.view import SteeringView

COUNTS, LENGTHS = (5, 7), (20, 30, 40, 60)


def draw(history: History[SteeringView], opened: Opened, ready: Ready | None) -> None:
    """Which direction and how many; the texts; what the meter says."""
    if ready is None:
        saved.draw("strip")
        return
    now = history.now.strip
    with st.container(horizontal=True, vertical_alignment="bottom"):
        i = pick_direction(history, opened)
        count = history.bind(
            "strip.count", st.segmented_control, "Strengths", COUNTS, value=_one_of(now.get("count"), COUNTS),
            required=True,
        )  # fmt: skip
        length = history.bind(
            "strip.tokens", st.segmented_control, "Tokens", LENGTHS, value=_one_of(now.get("tokens"), LENGTHS, 30),
            required=True,
        )  # fmt: skip
        meter = METERS[_meter(history, opened, i)]
    view = history.now
    writing = replace(writing_of(view), tokens=length)
    strengths = np.round(np.linspace(-1, 1, count) * ready.end(i, ready.block(view)), 1) + 0.0
    every = [steers_of(ready, view.having(file=0.0), strength * np.eye(opened.basis.k)[i]) for strength in strengths]
    rows = [Row(view.prompt, s or None) for s in every]
    plain = writing.as_dict() | {"tokens": 0}
    key = json.dumps([
        "strip", opened.key, view.prompt, i, strengths.tolist(), plain, view.method, view.where, view.against,
        ready.block(view),
    ])  # fmt: skip
    piece = desk().find(key)
    with st.container(horizontal=True, vertical_alignment="center"):
        if piece is None or (piece.state in ("stopped", "failed") and not piece.active):
            pressed = st.button(
                "Write the strip" if piece is None or not piece.length else "Write on", type="primary",
                icon=":material/view_week:", key="steering:strip:go",
            )  # fmt: skip
            if pressed:
                if piece is not None:
                    piece.start(opened.source, rows, writing)
                piece = _want(key, opened, rows, writing)
                st.rerun()
        elif piece.active:
            st.button("Stop", icon=":material/stop_circle:", key="steering:strip:stop", on_click=piece.stop)
        st.caption("Other sliders count as 0 here. All strengths are written in one batch.")
    if piece is None:
        return
    piece = _want(key, opened, rows, writing)
    if piece is None:
        return
    ratios = [ratio_of(ready, s) for s in every]
    st.fragment(_texts, run_every=REFRESH_SECONDS if piece.active else None)(
        history, piece, strengths, ratios, meter, piece.active
    )
    if not piece.active and piece.length:
        _curve(piece, strengths, meter)


def _want(key, opened, rows, writing) -> Piece | None:
    try:
        return desk().want("strip", key, opened.source, rows, writing)
    except InputError as error:
        say_error(error)
        return None


def _texts(history, piece: Piece, strengths, ratios, meter, was_active: bool) -> None:
    piece.look()
    if was_active and not piece.active:
        st.rerun()
    st.caption(status(piece))
    lead = "" if writing_of(history.now).chat else history.now.prompt
    columns = []
    for i, strength in enumerate(strengths):
        found = list(piece.rows[i])
        ended = bool(found and found[-1].ended)
        columns.append(
            Column(
                f"{id(piece)}:{i}", f"{strength:+.1f} sigma" if strength else "Unsteered",
                f"r = {ratios[i]:.2f}" if strength else "", lead, [(t.text, t.kl, t.chance) for t in found],
                [(t.top, t.top_unsteered) for t in found] if not piece.active else (),
                facts(piece, i, "".join(t.text for t in found), [meter], kl=bool(strength)),
                piece.active and not ended, ended,
            )
        )  # fmt: skip
    tokens("steering:strip:texts", columns, stacked=True, least_height=28)
    if piece.error:
        say_error(piece.error)


def _curve(piece: Piece, strengths: np.ndarray, meter) -> None:
    rows = range(len(piece.rows))
    left, right = st.columns(2, gap="large")
    read = [meter.read(piece.text(i)) for i in rows]
    cost = [piece.perplexity(i) for i in rows]
    with left:
        figure = chart.lines(
            {meter.title: (strengths, read)}, x="strength / sigma", y=f"{meter.title} / {meter.unit}", colours=[BASIS],
            height=230,
        )  # fmt: skip
        said = ", ".join(f"{s:+.1f}: {number(r, 2)}" for s, r in zip(strengths, read, strict=True))
        st.plotly_chart(figure, key="steering:strip:meter", alt=f"{meter.title} by strength: {said}")
    with right:
        figure = chart.lines(
            {"perplexity": (strengths, cost)}, x="strength / sigma", y="perplexity (unsteered model)",
            colours=[CATEGORICAL[3]], height=230,
        )  # fmt: skip
        st.plotly_chart(figure, key="steering:strip:cost", alt="Perplexity by strength")
    st.caption("One text a strength is an anecdote: the tab *Dose* takes sixteen prompts, several seeds and a control.")


def _meter(history: History[SteeringView], opened: Opened, i: int) -> str:
    fitting = meter_of(opened.model.evidence_[i].label)
    now = history.now.one_of("strip", "meter", METERS, fitting)
    history.bind(
        "strip.meter", st.selectbox, "Meter", list(METERS), value=now, format_func=lambda n: METERS[n].title, width=200
    )
    return now


def _one_of(value, options, usual=None):
    return value if value in options else usual or options[0]
