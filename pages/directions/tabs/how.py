"""Tab *How it works*: what the chosen family computes, and the words of the page."""

import inspect

import streamlit as st

from core.models import families
from core.ui.history import History
from pages.directions.shown import Fitted
from pages.directions.view import DirectionsView

_WORDS = """
A **basis** is K directions in the space of the data, a mean, and a typical size (*scale*) for the weight of each
direction. The **code** of a sample is its weights. Encoding goes from a sample to its code, decoding back:

$$x \\approx \\mathrm{mean} + \\sum_k c_k\\, d_k$$

A slider moves one weight $c_k$, over three times its scale to either side, or from zero up where codes cannot be
negative. What lies outside the span of the directions is the *reconstruction error*; a random orthonormal basis of
the same size shows how much of it is no achievement.
"""


def draw(history: History[DirectionsView], fitted: Fitted) -> None:
    """The words, then the family at hand, then all families in a table."""
    here, everything = st.columns(2, gap="large")
    with here:
        st.subheader(fitted.model.title, anchor=False)
        st.markdown(inspect.getdoc(type(fitted.model)))
        if fitted.model.source:
            st.caption(fitted.model.source)
        st.markdown(_WORDS)
    with everything:
        st.subheader("All families of this page", anchor=False)
        st.table(
            {
                "Family": [c.title for c in families("directions").values()],
                "What it finds": [c.summary for c in families("directions").values()],
            }
        )
