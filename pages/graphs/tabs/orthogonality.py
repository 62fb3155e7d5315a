"""Tab *Orthogonality*: the three-term recurrence at high degree, with and without re-orthogonalisation."""

import numpy as np
import streamlit as st

from core.figures import chart
from core.figures.palette import BASIS, REFERENCE
from core.figures.text import number, percent
from core.graphs.orthogonality import Drift, drifts
from core.graphs.study import MOST_NUMBERS
from core.progress import Run
from core.ui.background import background
from core.ui.history import History
from core.ui.newest import newest
from pages.graphs.shown import Shown
from pages.graphs.view import GraphsView

LARGEST, USUAL = 200, 120
QUICK = 1.5e9  # multiplications
WITHOUT, WITH = "without", "with re-orthogonalisation"
LOST = 1e-8


def draw(history: History[GraphsView], on: Shown) -> None:
    """A degree of its own, both curves, and what they mean for a filter."""
    most = int(np.clip(min(MOST_NUMBERS // len(on.graph), len(on.graph)) - 1, 2, LARGEST))
    asked = history.now.orthogonality.get("degree")
    degree = asked if isinstance(asked, int) and not isinstance(asked, bool) else USUAL
    degree = history.bind(
        "orthogonality.degree", st.slider, "Highest degree", 1, most, value=min(max(degree, 1), most),
        help="Only for this tab.",
    )  # fmt: skip
    found = _found(on, degree)
    if found is None:
        return
    st.info(_sentence(found), icon=":material/lightbulb:")
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Loss of orthogonality", anchor=False)
        _chart({n: np.maximum(found[b].loss, 1e-17) for b, n in _names()}, "max |G − I|", "loss")
        st.caption("G holds the inner products of all basis signals up to that degree.")
    with right:
        st.subheader("Target left over", anchor=False)
        _chart({n: np.maximum(found[b].left, 1e-17) for b, n in _names()}, "‖y − Σ⟨h,y⟩h‖ / ‖y‖", "left")
        st.caption("The weights are plain inner products with the target, which is right only in an orthonormal basis.")


def _names() -> list[tuple[bool, str]]:
    return [(False, WITHOUT), (True, WITH)]


def _chart(curves: dict[str, np.ndarray], title: str, name: str) -> None:
    figure = chart.lines(
        {n: (np.arange(len(v)), v) for n, v in curves.items()},
        x="degree", y=title, log_y=True, colours=(REFERENCE, BASIS), legend=True, height=320,
    )  # fmt: skip
    figure.update_yaxes(exponentformat="power")
    ends = ", ".join(f"{n} {number(v[-1])}" for n, v in curves.items())
    st.plotly_chart(figure, key=f"graphs:orthogonality:{name}", alt=f"{title} at the highest degree: {ends}")


def _sentence(found: dict[bool, Drift]) -> str:
    plain, again = found[False], found[True]
    lost = np.flatnonzero(plain.loss > LOST)
    if not len(lost):
        return (
            f"Up to degree {len(plain.loss) - 1} the plain recurrence stays orthogonal to {plain.loss[-1]:.0e}; the "
            f"published layer, which does not re-orthogonalise, is safe here."
        )
    best, end = plain.left.min(), plain.left[-1]
    harm = (
        f" By then its plain projections leave {percent(end)} of the target, more than the {percent(best)} at degree "
        f"{int(plain.left.argmin())}."
        if end > 1.05 * best + 1e-12
        else " The projections do not suffer from it yet."
    )
    return (
        f"The plain recurrence, which the published layer uses, is off by more than 1e-8 from degree {lost[0]} on and "
        f"by {number(plain.loss[-1])} at degree {len(plain.loss) - 1}; with re-orthogonalisation it is "
        f"{again.loss[-1]:.0e}.{harm}"
    )


def _found(on: Shown, degree: int) -> dict[bool, Drift] | None:
    key = f"graphs:drift:{on.key}:{degree}"
    compute = lambda run: drifts(on.opened.p, on.task.x, on.task.y, degree, run=run)  # noqa: E731
    if 8 * len(on.graph) * degree**2 > QUICK:
        return background("graphs:drift", key, compute, "Computing both bases")
    with newest("graphs:drift"):
        return _quick(key, compute)


@st.cache_resource(max_entries=16, show_spinner=False)
def _quick(key: str, _compute) -> dict[bool, Drift]:
    return _compute(Run())
