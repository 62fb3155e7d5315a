"""Tab *How it works*: equations, words, and the limits of what the page shows."""

import streamlit as st

from core.ui.history import History
from pages.graphs.shown import Shown
from pages.graphs.view import GraphsView

_FILTER = """
A **graph** of N nodes has weights $A$ on its edges and degrees $D$. The page works with
$P = D^{-1/2} A D^{-1/2}$ and the normalised Laplacian $L = I - P$, whose eigenvalues $\\lambda$ run from 0 to 2.
Eigenvectors with small $\\lambda$ change little along edges, those with large $\\lambda$ change sign: $\\lambda$ is a
**frequency**.

A **filter** $g(\\lambda)$ multiplies each frequency of a signal $x$ by a gain: $y = g(L)\\,x$. A **polynomial** of
degree K can do that without eigenvectors, by K products with the sparse $P$:

$$\\hat y = \\sum_{k=0}^{K} w_k\\, p_k(P)\\, x$$

The signals $p_k(P)\\,x$ are the directions of a basis; the weights $w$ are the code.
"""
_BASES = """
| basis | $p_k$ |
|---|---|
| Monomial | $p_k(P) = P^k$ |
| Chebyshev | $p_{k+1} = 2 P p_k - p_{k-1}$ |
| Bernstein | $\\binom{K}{k} 2^{-K} (2I - L)^{K-k} L^k$ |
| Favard | $\\sqrt{\\beta_{k+1}}\\,p_{k+1} = P p_k - \\gamma_k p_k - \\sqrt{\\beta_k}\\,p_{k-1}$ |
| OptBasis | $b_{k+1}\\,p_{k+1} = P p_k - a_k p_k - b_k\\,p_{k-1}$ |

Favard learns $\\gamma$ and $\\beta > 0$; any such choice is orthonormal for some weight function (Favard's theorem).
OptBasis takes the $a$ and $b$ that make the columns $p_k(P)x$ orthonormal for *this* signal (Lanczos).

**Why the basis matters.** All five span the same space, so the best weights leave the same error. Gradient descent, by
which networks learn, does not find the best weights at once: its speed follows the condition number of the columns.
OptBasis has condition 1. That the published networks gain by it is therefore a matter of optimisation, not of what the
filter can express.
"""
_LIMITS = """
- OptBasis is **per signal**: another signal on the same graph has another basis. In a network each channel has its own.
- Where the signal has no energy, the fit is free: the fitted gain may run away there, and it does not matter for *this*
  signal. It would for another one.
- Rounding: above a condition of about 1e15, least squares in that basis is not the true optimum any more.
- The published OptBasis layer does not re-orthogonalise; the tab *Orthogonality* shows when that begins to tell. The
  page itself always does, except in the networks of *Node classes*, which follow the published layer.
- Plain descent takes the largest safe constant step for each basis. Momentum or Adam narrow the gap; try it.
- Condition numbers, descents and weights are computed in the $K+1$ coordinates of the signal's own basis. That is exact
  (a polynomial of P acts on x as the same polynomial of the small tridiagonal matrix acts on the first unit vector) and
  makes graphs of a million edges work.
- Target filters of graphs with more than 500 nodes are Chebyshev series of high degree; a filter with a kink (*comb*)
  is then off by what the page says.
- Node classes: splits are drawn anew for each seed with classes in equal shares. Compare only numbers made with the
  same splits, and not with tables in papers.
- Edges are undirected here; of two weights between the same nodes the larger counts.
"""


def draw(history: History[GraphsView], on: Shown) -> None:
    """Two columns of words."""
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Filters and polynomials", anchor=False)
        st.markdown(_FILTER)
        st.subheader("Limits", anchor=False)
        st.markdown(_LIMITS)
    with right:
        st.subheader("Five bases", anchor=False)
        st.markdown(_BASES)
        st.caption(
            "Guo and Wei, *Graph Neural Networks with Learnable and Optimal Polynomial Bases*, ICML 2023 · Defferrard "
            "and others, *Convolutional Neural Networks on Graphs with Fast Localized Spectral Filtering*, NeurIPS "
            "2016 · He and others, *BernNet*, NeurIPS 2021 · Favard 1935 · Lanczos 1950"
        )
