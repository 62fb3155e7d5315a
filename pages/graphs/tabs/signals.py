"""Tab *Basis signals*: the columns of the chosen basis, drawn on the graph."""

import numpy as np
import streamlit as st

from core.figures import chart
from core.figures.text import number
from core.graphs.polynomials import basis_columns
from core.graphs.verdict import NAMES
from core.ui.components.graph import Panel, graphs
from core.ui.history import History
from pages.graphs.shown import Shown
from pages.graphs.view import GraphsView

MOST = 12


def draw(history: History[GraphsView], on: Shown) -> None:
    """Up to twelve columns as small drawings, their weights and their cosines."""
    fit, d = on.fit, on.opened.drawing
    favard = None if fit.gamma is None else (fit.gamma, fit.root_beta)
    many = on.found.degree + 1
    columns = _columns(f"{on.key}:{on.settings}:{on.basis}", on, favard)
    st.markdown(
        f"The fitted signal is the sum of these {many} signals, each times its weight: "
        f"$\\hat y = \\sum_k w_k\\, p_k(P)\\,x$. Here $p_k$ is {NAMES[on.basis]}'s."
    )
    shown = range(min(MOST, many))
    panels = [Panel(f"k = {k}", columns[d.nodes, k], f"weight {number(on.weights[k])}") for k in shown]
    graphs("graphs:columns", on.opened.geometry, panels, height=150, small=True)
    if many > MOST:
        st.caption(f"Drawn are the first {MOST} of {many}.")
    left, right = st.columns(2, gap="large")
    names = [str(k) for k in range(many)]
    with left:
        st.subheader("Weights", anchor=False)
        figure = chart.bars(names, on.weights, value="weight", name="k", signed=True)
        st.plotly_chart(figure, key="graphs:signals:weights", alt="Weights of the basis signals")
    with right:
        st.subheader("Cosines between basis signals", anchor=False)
        length = np.linalg.norm(columns, axis=0)
        unit = columns / np.where(length > 0, length, 1)
        figure = chart.heatmap(unit.T @ unit, x="k", y="k", value="cosine", largest=1.0, x_names=names, y_names=names)
        st.plotly_chart(figure, key="graphs:signals:gram", alt="Cosines between the basis signals")
        st.caption("Columns that point the same way are what makes descent slow. OptBasis has none.")


@st.cache_resource(max_entries=4, show_spinner="Computing the basis signals ...")
def _columns(key: str, _on: Shown, _favard) -> np.ndarray:
    return basis_columns(_on.opened.p, _on.task.x, _on.basis, _on.found.degree, favard=_favard).astype(np.float32)
