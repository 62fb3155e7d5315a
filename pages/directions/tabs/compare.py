"""Tab *Compare*: rate and error of several families on samples they have not seen."""

import streamlit as st

from core.directions import comparison
from core.errors import InputError
from core.figures import chart
from core.models import families
from core.ui.history import History
from core.ui.text import escape
from pages.directions.shown import Fitted
from pages.directions.tabs.points import gather, start_missing
from pages.directions.view import DirectionsView

RATES = {
    "directions": ("Directions K", lambda s, n: s.k),
    "numbers for one sample": ("Numbers stored for one sample", lambda s, n: s.stored_sample),
    "numbers in all": (
        "Numbers stored in all (basis and codes of this data)",
        lambda s, n: s.stored_basis + n * s.stored_sample,
    ),
}
POLL_SECONDS = 2.0
_CONTROL = "directions.random"


def draw(history: History[DirectionsView], fitted: Fitted) -> None:
    """Choose families; each point is fitted on four fifths of the samples and measured on the rest."""
    polling = st.session_state.get("directions:compare:training", False)
    st.fragment(_draw, run_every=POLL_SECONDS if polling else None)(history, fitted)


def _draw(history: History[DirectionsView], fitted: Fitted) -> None:
    known = families("directions")
    now = history.now.compare
    asked, rate = now.get("families"), now.get("rate")
    chosen = [f for f in (asked if isinstance(asked, list) else _default(history)) if f in list(known)]
    history.bind(
        "compare.families", st.multiselect, "Families", list(known), value=chosen,
        format_func=lambda name: known[name].title,
        help="The random basis is the control: what it reaches is no achievement of learning.",
    )  # fmt: skip
    rate = history.bind(
        "compare.rate", st.segmented_control, "Compare at equal", list(RATES),
        value=rate if rate in list(RATES) else "directions", required=True,
    )  # fmt: skip
    try:
        train, held_out = comparison.split(fitted.dataset, seed=history.now.seed)
    except InputError as error:
        st.info(escape(error), icon=":material/info:")
        return
    points = gather(history.now, chosen, fitted.basis.k, train, held_out)
    for sentence in points.sentences:
        st.caption(f":material/info: {escape(sentence)}")
    _training(history, points, train)
    if not points.scores:
        st.info("Choose at least one family that is fitted already.", icon=":material/tune:")
        return
    _plot(points.scores, rate, len(fitted.dataset))
    st.caption(
        f"Fitted on {len(train):,} samples, measured on {len(held_out):,} others. Error is the share of the energy "
        "around the training mean that decoding leaves out. A code with zeros counts two numbers for each weight that "
        "is not zero, where that is less than K."
    )
    if verdict := comparison.verdict(points.scores, history.now.family):
        st.markdown(verdict)
    _table(points.scores)


def _training(history: History[DirectionsView], points, train) -> None:
    """The families that train long: start them, or see how many are still under way."""
    if points.missing and st.button(
        f"Train the slow ones ({len(points.missing)} runs)", icon=":material/model_training:",
        key="directions:compare:train", help="They train in the background and join the plot as they end.",
    ):  # fmt: skip
        start_missing(points.missing, train, history.now.seed)
        st.session_state["directions:compare:training"] = True
        st.rerun()
    under_way = points.under_way > 0
    if under_way:
        st.caption(f":material/hourglass_top: {points.under_way} trainings are under way.")
    if under_way != st.session_state.get("directions:compare:training", False):
        st.session_state["directions:compare:training"] = under_way
        st.rerun()


def _plot(scores: list[comparison.Score], rate: str, n: int) -> None:
    title, across = RATES[rate]
    curves = {}
    for family in dict.fromkeys(s.title for s in scores):
        part = sorted((s for s in scores if s.title == family), key=lambda s: across(s, n))
        curves[family] = ([across(s, n) for s in part], [s.error for s in part])
    figure = chart.lines(
        curves, x=title, y="Error on held-out samples", percent=True, log_x=True, height=380, legend=True
    )
    st.plotly_chart(figure, key="directions:compare:plot", alt="Error on held-out samples against stored numbers")


def _table(scores: list[comparison.Score]) -> None:
    st.dataframe(
        [
            {
                "Family": s.title,
                "K": s.k,
                "Error": s.error,
                "Numbers a sample": s.stored_sample,
                "Numbers of the basis": s.stored_basis,
                "Fit / s": s.fit_seconds,
                "Encode 1,000 / ms": 1000 * s.encode_seconds,
            }
            for s in scores
        ],
        hide_index=True,
        column_config={
            "Error": st.column_config.NumberColumn(format="percent"),
            "Fit / s": st.column_config.NumberColumn(format="%.3f"),
            "Encode 1,000 / ms": st.column_config.NumberColumn(format="%.2f"),
            "Numbers a sample": st.column_config.NumberColumn(format="%.1f"),
        },
    )


def _default(history: History[DirectionsView]) -> list[str]:
    return list(dict.fromkeys([history.now.family, "directions.pca", _CONTROL]))
