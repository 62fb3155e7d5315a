"""Tab *Race*: every representation on this signal, equal numbers, equal processor time, taking turns."""

import copy
import json

import numpy as np
import streamlit as st

from core.figures import chart, fields
from core.figures.palette import CATEGORICAL, CONTROL
from core.transport.contenders import NETWORKS, TITLES
from core.transport.race import Entry, race, verdict
from core.ui.background import background
from core.ui.frame import abreast
from core.ui.history import History
from core.ui.text import escape
from pages.transport.reading import identity_of
from pages.transport.shown import Shown
from pages.transport.tabs import network
from pages.transport.view import TransportView

_BUDGETS, _SECONDS = (1000, 2800, 9000), (2, 6, 20)
_FIRST = ["deep", "siren", "fourier", "hash"]


def draw(history: History[TransportView], on: Shown) -> None:
    """Choices and the button; the curves grow while it runs."""
    st.markdown(
        "Networks that draw the same signal with as many stored numbers, trained in turns for equal processor time; "
        "the exact fit is solved once; cosine transform and JPEG need no training."
    )
    budget, seconds, names = _choices(history)
    if names:
        _race(on, budget, seconds, names)
    else:
        st.caption("Choose at least one network.")
    network.draw(history, on)


def _race(on: Shown, budget: int, seconds: float, names: list[str]) -> None:
    key = json.dumps([identity_of(on), budget, seconds, names, on.seed])
    values = on.signal.values
    if on.kind == "picture":
        values = np.clip(values, 0, 1)
    else:
        low, high = float(values.min()), float(values.max())
        values = (values - low) / ((high - low) or 1.0)

    def compute(run):
        entries = None
        for turn, entries in enumerate(
            race(values, budget=budget, seconds=seconds, names=names, seed=on.seed, run=run)
        ):
            run.progress(turn + 1, 12, preview=copy.deepcopy(entries))
        return None if run.should_stop() or entries is None else (entries, verdict(values, entries))

    found = background(
        "transport:race", key, compute, f"{len(names)} networks, {seconds} s of processor time each",
        ask=f"Race for {seconds} s each", preview=lambda entries: _curves(entries, seconds, "transport:race:live"),
    )  # fmt: skip
    if found is None:
        st.caption(f"About {len(names) * seconds:.0f} s of processor time; longer where the machine is busy.")
        return
    entries, sentence = found
    st.markdown(f"**{escape(sentence)}**")
    left, right = st.columns([3, 2], gap="large")
    with left:
        _curves(entries, seconds, "transport:race:done")
    with right:
        _table(entries)
        if on.kind != "picture":
            st.caption("The signal runs from 0 to 1 here, so that decibels are against its whole span.")
    if on.spectrum.d == 2:
        _drawn(entries)


def _choices(history: History[TransportView]) -> tuple[int, float, list[str]]:
    now = history.now
    budget = min(_BUDGETS, key=lambda v: abs(v - now.entry("race", "budget", 2800)))
    seconds = min(_SECONDS, key=lambda v: abs(v - now.entry("race", "seconds", 6)))
    names = [n for n in NETWORKS if n in now.entry("race", "names", _FIRST)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        history.bind(
            "race.budget", st.segmented_control, "Stored numbers", _BUDGETS, value=budget, required=True,
            format_func=lambda v: f"{v:,}",
        )  # fmt: skip
        history.bind(
            "race.seconds", st.segmented_control, "Processor seconds each", _SECONDS, value=seconds, required=True,
            help="Short races favour what learns quickly; on photographs longer ones favour the deep networks.",
        )  # fmt: skip
        history.bind("race.names", st.multiselect, "Networks", list(NETWORKS), value=names, format_func=TITLES.get)
    return budget, seconds, names


def _curves(entries: list[Entry], seconds: float, key: str) -> None:
    fig = chart.figure("processor seconds", "PSNR, dB", height=400, legend=True)
    networks = [e for e in entries if e.name in NETWORKS]
    for e in networks:
        colour = CATEGORICAL[1 + NETWORKS.index(e.name)]
        fig.add_scatter(x=e.seconds, y=e.decibels, mode="lines+markers", name=e.title, line=dict(color=colour, width=2))
    for e in entries:
        if e.name == "exact":
            fig.add_scatter(
                x=[e.seconds[0], seconds], y=[e.final] * 2, mode="lines+markers", name=e.title,
                line=dict(color=CATEGORICAL[0], width=3),
            )  # fmt: skip
        elif e.name not in NETWORKS:
            dash = {"dct-largest": "dash", "dct-lowest": "dot"}.get(e.name, "dashdot")
            fig.add_scatter(
                x=[0, seconds],
                y=[e.final] * 2,
                mode="lines",
                name=e.title,
                line=dict(color=CONTROL, width=2, dash=dash),
            )
    fig.update_traces(hovertemplate="%{x:.2f} s: %{y:.1f} dB")
    fig.update_layout(legend=dict(orientation="h", y=-0.2, yanchor="top"), margin_t=8)
    st.plotly_chart(fig, key=key, config=dict(displayModeBar=False))


def _table(entries: list[Entry]) -> None:
    import pandas as pd

    rows = sorted(entries, key=lambda e: -e.final)
    st.dataframe(
        pd.DataFrame(
            {
                "PSNR, dB": [round(e.final, 1) for e in rows],
                "stored": [f"{e.stored:,}" + (" bytes" if e.name == "jpeg" else "") for e in rows],
                "seconds": [f"{e.seconds[-1]:.2f}" if e.seconds[-1] else "" for e in rows],
            },
            index=[e.title for e in rows],
        ),
        width="stretch",
    )
    late = [e.title for e in entries if e.name in NETWORKS and e.steps < 20]
    if late:
        st.caption(
            f"{', '.join(late)}: the time went by before training began; give more seconds to see it at its best."
        )
    best, exact = rows[0], next(e for e in entries if e.name == "exact")
    if best.name.startswith(("dct", "jpeg")):
        st.caption(f"{best.title} is ahead of everything that is trained or solved here.")
    if any(e.name == "deep" for e in entries):
        st.caption(
            "On the clock of the deep model: one look at the signal for its decoder and one search for its carriers "
            "(about a tenth of a second), then its training. S in it is no spectrum that one may read."
        )
    st.caption(
        f"One seed; a run with another differs by a decibel or so. The exact fit here has eight carriers and "
        f"{exact.stored:,} numbers, whatever the sliders above say. JPEG is counted at two bytes a number."
    )


def _drawn(entries: list[Entry]) -> None:
    shown = [e for e in entries if e.values is not None]
    columns = abreast("transport-drawn", max(4, min(len(shown), 8)))
    for i, e in enumerate(shown):
        columns[i % len(columns)].image(
            fields.enlarged(fields.shown(e.values), 192), width="stretch", caption=f"{e.title}, {e.final:.1f} dB"
        )
