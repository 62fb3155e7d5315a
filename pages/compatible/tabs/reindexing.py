"""Tab *Re-indexing*: which part of the gallery to compute again first, and how much of it is enough."""

import json

import streamlit as st

from core.compatible.pairs import unit_rows
from core.compatible.reindex import ORDERS, Reindexing, reindexing
from core.compatible.study import Study
from core.figures import chart
from core.figures.palette import CATEGORICAL, CONTROL
from core.ui.history import History
from core.ui.newest import newest
from pages.compatible.shown import Shown, name_of
from pages.compatible.view import CompatibleView

NAMES = {
    "random": "at random",
    "residual": "worst-mapped first",
    "confusion": "closest to a neighbour first",
    "class distance": "farthest from its class first",
}
_NEEDS = {
    "random": "nothing",
    "residual": "the new embeddings of all items: a control, not a plan",
    "confusion": "old embeddings only",
    "class distance": "old embeddings and labels",
}


def draw(history: History[CompatibleView], on: Shown) -> None:
    """The goal, the curves, and how much each order needs."""
    goal = _goal(history)
    curves = all_orders(history.now, on, goal)
    first = curves["random"]
    gain = first.recall[-1] - first.recall[0]
    st.markdown(_sentence(curves, goal))
    fig = chart.lines(
        {NAMES[o]: (c.share, c.recall) for o, c in curves.items()},
        x="share of the gallery computed again", y="recall@1 of mapped new queries", percent=True, height=380,
        colours=(CONTROL, CATEGORICAL[0], CATEGORICAL[1], CATEGORICAL[2]), dashed=(NAMES["random"],),
    )  # fmt: skip
    fig.update_xaxes(tickformat=".0%")
    fig.add_hline(y=first.recall[0] + goal * gain, line=dict(color=CONTROL, width=1, dash="dot"))
    st.plotly_chart(
        fig, key="compatible:reindexing",
        alt=f"Recall@1 from {first.recall[0]:.1%} with the old gallery to {first.recall[-1]:.1%} with the new one",
    )  # fmt: skip
    st.dataframe(
        [{"Order": NAMES[o], "Share needed": c.needed, "It needs": _NEEDS[o]} for o, c in curves.items()],
        hide_index=True,
        column_config={"Share needed": st.column_config.NumberColumn(format="percent")},
        alt="How much of the gallery each order needs",
    )
    st.caption(f"{first.queries:,} queries on a gallery of {on.chosen.judged:,} judged items, with the chosen map.")


def _goal(history: History[CompatibleView]) -> float:
    value = history.now.reindexing.get("goal", 95)
    value = value if isinstance(value, int) and 50 <= value <= 100 else 95
    history.bind(
        "reindexing.goal", st.slider, "Part of the gain that is wanted", 50, 100, value=value, step=5, format="%d%%",
        width=340, help="The way from the old gallery (0%) to a whole new one (100%).",
    )  # fmt: skip
    return value / 100


def _sentence(curves: dict[str, Reindexing], goal: float) -> str:
    first = curves["random"]
    start, end = first.recall[0], first.recall[-1]
    if end <= start:
        return f"Nothing is gained: {start:.1%} with the old gallery, {end:.1%} with a new one."
    able = {o: c.needed for o, c in curves.items() if c.needed is not None}
    plans = {o: n for o, n in able.items() if o != "residual"}
    best = min(plans, key=plans.get)
    text = (
        f"From {start:.1%} with the old gallery to {end:.1%} with a new one: **{goal:.0%} of that gain needs "
        f"{plans[best]:.0%} of the items**, taken {NAMES[best]}"
    )
    if best == "random":
        return text + "; no order that can be known beforehand does better here."
    return text + f"; at random it needs {able['random']:.0%}."


def all_orders(view: CompatibleView, on: Shown, goal: float) -> dict[str, Reindexing]:
    """The curve of every order that the data allows."""
    orders = [o for o in ORDERS if o != "class distance" or on.study.test.labels is not None]
    with newest("compatible:reindexing"):
        key = json.dumps([on.key, name_of(view, on.path), goal])
        return {o: _curve(key, o, goal, on.study, on.chosen.map) for o in orders}


@st.cache_resource(max_entries=64, show_spinner=False)
def _curve(key: str, order: str, _goal: float, _study: Study, _map) -> Reindexing:
    test = _study.test
    return reindexing(unit_rows(_map(test.new)), test.old, test.labels, order=order, goal=_goal)
