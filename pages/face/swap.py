"""The swap test of the small model, as its card has it."""

import numpy as np
import streamlit as st

from core.errors import InputError
from core.figures import chart
from core.store import find
from core.ui.text import escape

NAME = "face-small"


def draw() -> None:
    """Mouth, pose or expression of B on A against the exact render; nothing where no model is shipped."""
    try:
        card = find(f"pretrained/{NAME}").card
        measures = card.more["measures"]
        factors, banks = [str(f) for f in measures["factors"]], [str(b) for b in measures["banks"]]
        response, exact = (_mean(measures[n], (len(banks), len(factors))) for n in ("response", "exact"))
        removed = _mean(measures["removed"], (len(banks),))
    except (InputError, KeyError, TypeError, ValueError, AttributeError):
        return
    st.subheader("Swap test of the small EDTalk", anchor=False)
    st.markdown(
        "One bank of face A is replaced by that of face B. How much of B's change of each factor appears, in shares of "
        "what can be read off exact renders?"
    )
    left, right = st.columns(2, gap="large")
    for place, title, table, key in (
        (left, "Measured", response, "response"),
        (right, "Exact renders", exact, "exact"),
    ):
        with place:
            st.markdown(f"**{title}**")
            fig = chart.heatmap(
                table, x="", y="", value="share", x_names=factors, y_names=banks, height=230, largest=1.0
            )
            st.plotly_chart(fig, key=f"face:swap-{key}", config=dict(displayModeBar=False))
    said = ", ".join(f"{bank} {share:.0%}" for bank, share in zip(banks, removed, strict=True))
    st.caption(escape(f"Error on the changed pixels that a swap removes: {said}. {measures.get('about', '')}"))


def _mean(values, shape: tuple[int, ...]) -> np.ndarray:
    table = np.asarray(values, dtype=float)
    table = table.mean(0) if table.ndim == len(shape) + 1 else table
    if table.shape != shape:
        raise ValueError("another shape")
    return table
