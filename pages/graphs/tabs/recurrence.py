"""Tab *Recurrence*: the coefficients of the three-term recurrences, and where they put the eigenvalues."""

import numpy as np
import streamlit as st

from core.figures import chart
from core.figures.palette import BASIS, CONTROL, REFERENCE
from core.figures.text import number
from core.graphs.polynomials import KINDS
from core.graphs.study import spectrum
from core.ui.history import History
from pages.graphs.shown import Shown, all_bases
from pages.graphs.view import GraphsView

_COLOURS = (BASIS, REFERENCE, CONTROL)


def draw(history: History[GraphsView], on: Shown) -> None:
    """Both rows of coefficients for OptBasis, Favard and Chebyshev; the spectrum that they imply."""
    found = all_bases(on)
    if found is None:
        return
    assert set(found.fits) == set(KINDS)
    k, favard = found.krylov, found.fits["favard"]
    steps = np.arange(len(k.alpha))
    st.markdown(
        "$P\\,h_k = b_{k+1} h_{k+1} + a_k h_k + b_k h_{k-1}$. OptBasis reads $a$ and $b$ off the signal, Favard "
        "learns them together with the filter, and Chebyshev has $a = 0$, $b = \\tfrac12$ for every graph and signal."
    )
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Diagonal $a_k$", anchor=False)
        curves = {"OptBasis": (steps, k.alpha), "Favard": (steps[:-1], favard.gamma[: len(steps) - 1])}
        curves["Chebyshev"] = (steps, np.zeros(len(steps)))
        figure = chart.lines(curves, x="k", y="a", colours=_COLOURS, dashed=("Chebyshev",), legend=True)
        st.plotly_chart(figure, key="graphs:recurrence:a", alt=f"Diagonal coefficients of OptBasis: {_list(k.alpha)}")
    with right:
        st.subheader("Off the diagonal, $b_k$", anchor=False)
        curves = {"OptBasis": (steps[1:], k.beta), "Favard": (steps[1:], favard.root_beta[1 : len(steps)])}
        curves["Chebyshev"] = (steps[1:], np.full(len(steps) - 1, 0.5))
        figure = chart.lines(curves, x="k", y="b", colours=_COLOURS, dashed=("Chebyshev",), legend=True)
        st.plotly_chart(figure, key="graphs:recurrence:b", alt=f"Other coefficients of OptBasis: {_list(k.beta)}")
    st.caption(
        "a near 0 says that the signal has as much energy at low as at high frequencies; b near ½ that its energy "
        "fills the whole range 0 to 2 smoothly. That is where OptBasis becomes Chebyshev."
    )
    _energy(on)


def _energy(on: Shown) -> None:
    st.subheader("What the recurrence knows of the spectrum", anchor=False)
    value, share = spectrum(on.wide)
    figure = chart.figure("eigenvalue λ of the normalised Laplacian", "share of the signal's energy", height=260)
    figure.add_bar(x=value, y=share, width=0.012, marker_color=BASIS, marker_line_width=0)
    figure.update_xaxes(range=[-0.03, 2.03])
    figure.update_yaxes(tickformat=".0%")
    top = int(np.argmax(share))
    st.plotly_chart(
        figure, key="graphs:recurrence:energy", alt=f"Most energy, {share[top]:.1%}, is at eigenvalue {value[top]:.3g}"
    )
    st.caption(
        f"Eigenvalues of the tridiagonal matrix of degree {len(on.wide.alpha) - 1} and the squared first entries of "
        "its eigenvectors: Gauss quadrature of the signal's spectrum, without one eigenvector of the graph. "
        f"{share[value < 0.5].sum():.1%} of the energy lies below λ = ½."
    )


def _list(values: np.ndarray) -> str:
    return ", ".join(number(v) for v in values[:12])
