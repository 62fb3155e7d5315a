"""Tab *Bases compared*: one least-squares error, very different descents."""

import numpy as np
import streamlit as st

from core.figures import chart
from core.figures.palette import CATEGORICAL
from core.figures.text import number
from core.graphs.regression import Regression
from core.graphs.verdict import NAMES, ROUNDED, steps_to_floor, why
from core.ui.history import History
from pages.graphs.shown import Shown, all_bases
from pages.graphs.view import METHODS, GraphsView

COLOURS = dict(zip(("optimal", "monomial", "chebyshev", "bernstein", "favard"), CATEGORICAL, strict=False))


def draw(history: History[GraphsView], on: Shown) -> None:
    """Why in a sentence, the curves, the table."""
    found = all_bases(on)
    if found is None:
        return
    st.info(why(found, number), icon=":material/lightbulb:")
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Descent", anchor=False)
        _curves(on, found)
    with right:
        st.subheader("Numbers", anchor=False)
        _table(on, found)
        st.subheader("Filter after the descent", anchor=False)
        _gains(on, found)


def _curves(on: Shown, found: Regression) -> None:
    curves = {NAMES[k]: (f.steps[1:], f.curve[1:]) for k, f in found.fits.items()}
    figure = chart.lines(
        curves, x="step", y="mean squared error", log_x=True, log_y=True, height=420,
        colours=[COLOURS[k] for k in found.fits], legend=True,
    )  # fmt: skip
    floor = max(found.floor, 1e-30)
    figure.add_hline(y=floor, line=dict(color="#999999", dash="dot", width=1.5))
    figure.update_yaxes(exponentformat="power", dtick=1 if 2 < _decades(found) < 12 else None)
    ends = ", ".join(f"{NAMES[k]} {number(f.curve[-1])}" for k, f in found.fits.items())
    st.plotly_chart(figure, key="graphs:bases:curves", alt=f"Mean squared error at the end of descent: {ends}")
    method = METHODS[on.settings.method].lower()
    st.caption(
        f"All start from zero weights and take {on.settings.steps:,} steps of {method}"
        + (" at the largest step size that is safe for each basis." if method != "adam" else ".")
        + " Favard learns its recurrence and weights together, by Adam. Dotted: least squares."
    )


def _decades(found: Regression) -> float:
    every = np.concatenate([f.curve for f in found.fits.values()])
    return float(np.log10(every.max() / max(every.min(), 1e-300) + 1))


def _table(on: Shown, found: Regression) -> None:
    rows = []
    for kind, fit in found.fits.items():
        reached = steps_to_floor(found, kind)
        rows.append(
            {
                "basis": NAMES[kind],
                "condition": number(fit.condition) if fit.condition < ROUNDED else "> 1e15",
                "least squares": number(fit.error),
                "descended": number(fit.curve[-1]),
                "steps": f"{reached:,}" if reached is not None else f"> {on.settings.steps:,}",
            }
        )
    st.dataframe(rows, hide_index=True, key="graphs:bases:table", alt="Condition and errors of each basis")
    st.caption(
        "Errors are mean squared differences from the target over the nodes: with the best weights, and at the end of "
        "the descent. Steps: until within 1% of the best."
    )


def _gains(on: Shown, found: Regression) -> None:
    curves = {NAMES[k]: (found.eigenvalues, np.clip(f.descended_gain, -2, 3)) for k, f in found.fits.items()}
    colours = [COLOURS[k] for k in found.fits]
    if on.task.gain is not None:
        curves["target"] = (found.eigenvalues, on.task.gain)
        colours.append("#999999")
    figure = chart.lines(
        curves, x="eigenvalue λ", y="gain", colours=colours, dashed=("target",), height=260, legend=True
    )
    st.plotly_chart(figure, key="graphs:bases:gains", alt="Gain of each basis after the descent over frequency")
