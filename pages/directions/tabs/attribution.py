"""The part of *One direction* that says which input features make its weight."""

import numpy as np
import streamlit as st

from core import diagnostics
from core.figures import chart
from core.figures.text import number
from core.ui.components.pictures import pictures
from core.ui.history import History
from core.ui.text import escape
from pages.directions.naming import feature_names, sample_name
from pages.directions.shown import Fitted
from pages.directions.view import DirectionsView

_KEY = "directions:attribution"
_OF = ("the sample with the largest weight", "the sample with the smallest weight", "the sample in the mixer")
MOST_BARS = 16


def draw(history: History[DirectionsView], fitted: Fitted, k: int) -> None:
    """What each feature of one sample adds to its weight on direction `k`."""
    st.subheader("Which features make the weight", anchor=False)
    of = st.selectbox("Attribution for", _OF, key=f"{_KEY}:of", width=320)
    low, high = diagnostics.extremes(fitted.codes, k, 1)
    mixed = min(max(history.now.sample, 0), len(fitted.dataset) - 1)
    index = int({_OF[0]: high[0], _OF[1]: low[0], _OF[2]: mixed}[of])
    parts = diagnostics.attribution(fitted.basis, fitted.dataset.matrix[index], k)
    weight, total = float(fitted.codes[index, k]), float(parts.sum())
    _show(fitted, index, parts)
    st.caption(
        "Each feature adds $d^+_{k,i} (x_i - \\mu_i)$, with $d^+_k$ the row that reads the weight off a sample. "
        f"Of {escape(sample_name(fitted, index, 'sample'))} they add up to {number(total)}; "
        f"its weight is {number(weight)}."
    )
    if abs(total - weight) > 0.02 * max(abs(weight), float(fitted.basis.scale[k])):
        st.caption(
            ":material/info: They differ, because this family finds all weights of a sample together and not one by "
            "one: read the attribution as a first approximation."
        )


def _show(fitted: Fitted, index: int, parts: np.ndarray) -> None:
    if fitted.form.kind != "bars":
        sample, added, _ = st.columns([1, 1, 2])
        with sample:
            pictures(
                f"{_KEY}:sample",
                fitted.dataset.matrix[[index]],
                fitted.form,
                names=[sample_name(fitted, index, "sample")],
                tile=150,
                label="The sample",
            )
        with added:
            pictures(
                f"{_KEY}:picture",
                parts[None],
                fitted.form,
                names=["parts of its weight"],
                captions=[f"±{number(np.abs(parts).max())}"],
                directions=True,
                tile=150,
                label="What each feature adds to the weight",
            )
        return
    names = feature_names(fitted)
    order = np.argsort(-np.abs(parts), kind="stable")[:MOST_BARS]
    figure = chart.bars(
        [names[i] for i in order], parts[order], value="part of the weight / units of the data", signed=True,
        horizontal=True,
    )  # fmt: skip
    st.plotly_chart(figure, key=f"{_KEY}:bars", alt=f"Parts of the weight of {sample_name(fitted, index, 'sample')}")
