"""The part of *Diagnostics* that fits the basis again: are the directions the same with other seeds or samples?"""

import json

import numpy as np
import streamlit as st

from core import diagnostics
from core.errors import InputError
from core.figures import chart
from core.figures.palette import BASIS
from core.figures.text import number
from core.models import family
from core.ui.history import History
from core.ui.newest import newest
from core.ui.text import escape
from pages.directions.shown import Fitted, drawn_basis, names_of
from pages.directions.view import DirectionsView

_KEY = "directions:stability"
SEEDS, HALVES = "seeds", "random halves of the samples"
AGAIN = 3
MOST_SECONDS = 30.0
AT_ONCE = 0.25


@st.fragment
def draw(history: History[DirectionsView], fitted: Fitted) -> None:
    """Fit a few more times, pair the directions, and compare with random ones."""
    st.subheader("Stability", anchor=False)
    over = st.segmented_control(
        "Fit again with other", (SEEDS, HALVES), default=SEEDS, key=f"{_KEY}:over", required=True,
        help="Other seeds show what chance decides while fitting; random halves show what these samples decide.",
    )  # fmt: skip
    seconds = AGAIN * fitted.model.seconds(fitted.dataset)
    if seconds > MOST_SECONDS:
        st.info(
            f"Fitting {AGAIN} more times would take about {seconds:.0f} seconds. Train it with other seeds in the tab "
            "*Training* and compare the saved models.",
            icon=":material/hourglass_top:",
        )
        return
    done = f"{_KEY}:{fitted.key}:{over}"
    if seconds > AT_ONCE * AGAIN and not st.session_state.get(done):
        st.button(
            f"Fit {AGAIN} more times (about {max(1, round(seconds))} s)",
            key=f"{_KEY}:go",
            on_click=lambda: st.session_state.update({done: True}),
        )
        return
    try:
        with newest("stability"):
            result = _stability(json.dumps([fitted.key, over, history.now.seed]), fitted, over, history.now.seed)
    except InputError as error:  # half of the samples can be too few
        st.info(escape(str(error)), icon=":material/info:")
        return
    _show(history, fitted, result, over)


@st.cache_resource(max_entries=32, show_spinner="Fitting again ...")
def _stability(key: str, _fitted: Fitted, _over: str, _seed: int) -> diagnostics.Stability:
    data, model = _fitted.dataset, _fitted.model
    bases = [_fitted.basis]
    for i in range(AGAIN):
        seed = (_seed + 1 + i) % 2**31
        part = data if _over == SEEDS else data.take(diagnostics.halves(len(data), seed))
        other = family(model.family)(model.settings).fit(part, seed=seed if _over == SEEDS else _seed)
        bases.append(drawn_basis(other, other.encode(part.samples)))
    return diagnostics.stability(bases)


def _show(history: History[DirectionsView], fitted: Fitted, found: diagnostics.Stability, over: str) -> None:
    numbers, plot = st.columns([1, 2], gap="large")
    numbers.metric(
        "Matched cosine",
        f"{found.cosine:.3f}",
        delta=f"random {found.control_cosine:.3f}",
        delta_color="off",
        delta_arrow="off",
        help="Directions of two fits are paired one to one so that the sum of |cosine| is largest; this is the mean "
        "|cosine| over all pairs of fits. 1: the same directions.",
    )
    numbers.metric(
        "Largest principal angle",
        f"{found.angle:.1f}°",
        delta=f"random {found.control_angle:.1f}°",
        delta_color="off",
        delta_arrow="off",
        help="Between the spans of two fits, mean over all pairs; 0°: the same span, 90°: some direction is new.",
    )
    if found.cosine < min(found.control_cosine + 0.05, 0.95):
        numbers.warning(
            f"Over {over} these directions are hardly more alike than random ones.", icon=":material/warning:"
        )
    names = names_of(fitted, history.now.names)
    order = fitted.order("energy", names)
    figure = chart.bars([names[i] for i in order], found.each[order], value="mean matched |cosine|", name="direction")
    figure.update_yaxes(range=[0, 1.02])
    figure.update_traces(marker_color=BASIS)
    figure.add_hline(y=found.control_cosine, line_dash="dot", line_color="#999999")
    plot.plotly_chart(
        figure, key=f"{_KEY}:each",
        alt=f"Matched cosine of each direction, from {number(np.min(found.each))} to {number(np.max(found.each))}",
    )  # fmt: skip
    plot.caption(f"Each direction and its match in {AGAIN} other fits, by energy. Dotted: random directions.")
