"""Tab *Maps*: all maps in one table, and the singular values of the chosen one."""

import numpy as np
import streamlit as st

from core.figures import chart
from core.figures.palette import BASIS, CATEGORICAL, CONTROL
from core.figures.text import number
from core.ui.background import background
from core.ui.history import History
from pages.compatible.centre import evaluations
from pages.compatible.shown import Shown, name_of
from pages.compatible.view import CompatibleView

MOST_DRAWN = 128  # rows of a Gram matrix that can still be seen


def draw(history: History[CompatibleView], on: Shown) -> None:
    """The table, then singular values and the Gram matrix side by side."""
    rows = evaluations(on)
    st.dataframe(
        [
            {
                "Map": name,
                "new/old": e.new_old.recall,
                "new/old mAP": e.new_old.mean_ap,
                "new/new, mapped": e.mapped.recall,
                "new/new lost": e.lost,
                "Distance to old": e.loss,
                "Deviation": e.map.deviation,
                "Largest / smallest": _condition(e.map.singular_values),
            }
            for name, e in rows.items()
        ],
        hide_index=True,
        column_config={
            **{
                c: st.column_config.NumberColumn(format="percent")
                for c in ("new/old", "new/old mAP", "new/new, mapped", "new/new lost")
            },
            **{
                c: st.column_config.NumberColumn(format="%.3g")
                for c in ("Distance to old", "Deviation", "Largest / smallest")
            },
        },
        alt="Retrieval, cost and size of each map",
    )
    st.caption(
        "All on the same items. *new/new lost*: recall@1 that the map takes from the new space. *Distance to old*: "
        "mean squared distance of mapped new to old embeddings. *Deviation*: Frobenius norm of WᵀW − I. *Largest / "
        "smallest*: of the singular values that are not zero."
    )
    _everything(history, on)
    left, right = st.columns(2, gap="large")
    with left:
        _singular(on, rows)
    with right:
        _gram(on)


def _everything(history: History[CompatibleView], on: Shown) -> None:
    """A large upload is judged on a part; here on the whole, which takes longer."""
    rest = on.study.items - on.chosen.fitted
    if on.chosen.judged >= rest:
        return
    name = name_of(history.now, on.path)
    found = background(
        "compatible:everything",
        f"compatible:everything:{on.key}:{name}",
        lambda run: on.study.judge_all(on.given, on.chosen.map),
        f"Searching {rest:,} items with {rest:,} queries, three times",
        ask=f"Judge the chosen map on all {rest:,} items that it was not fitted on",
    )
    if found is None:
        return
    st.markdown(f"On all {rest:,} items: {found.verdict}")
    if not found.new_old.exact:
        exact, near = found.new_old.control, found.new_old.control_approximate
        st.caption(
            f"So many items are searched approximately; on {min(1000, rest):,} new/old queries the exact search gives "
            f"{exact:.1%} and the approximate one {near:.1%}."
        )


def _condition(values: np.ndarray) -> float:
    kept = values[values > 1e-9 * max(values[0], 1e-300)]
    return float(kept[0] / kept[-1])


def _singular(on: Shown, rows) -> None:
    st.subheader("Singular values", anchor=False)
    curves = {
        "chosen": on.chosen.map.singular_values,
        "rigid": on.rigid.map.singular_values,
        "affine": rows["affine (least squares)"].map.singular_values,
    }
    floor = 1e-6 * max(v[0] for v in curves.values())
    fig = chart.lines(
        {n: (np.arange(1, len(v) + 1), np.maximum(v, floor)) for n, v in curves.items()},
        x="number, largest first", y="singular value of W", log_y=True, dashed=("rigid", "affine"), height=340,
        colours=(BASIS, CONTROL, CATEGORICAL[1]),
    )  # fmt: skip
    chosen = curves["chosen"]
    st.plotly_chart(
        fig, key="compatible:singular",
        alt=f"Singular values of the chosen map from {number(chosen[0])} to {number(chosen[-1])}",
    )  # fmt: skip
    st.caption("A rigid map keeps all lengths: every value is 1. What is far below 1 is pressed flat and lost.")


def _gram(on: Shown) -> None:
    st.subheader("WᵀW of the chosen map", anchor=False)
    w = on.chosen.map.weight
    gram = w.T @ w if w.shape[0] >= w.shape[1] else w @ w.T
    if len(gram) > MOST_DRAWN:
        st.caption(f"The first {MOST_DRAWN} of {len(gram)} rows and columns.")
    gram = gram[:MOST_DRAWN, :MOST_DRAWN]
    fig = chart.heatmap(gram, x="dimension", y="dimension", value="inner product", height=340)
    st.plotly_chart(fig, key="compatible:gram", alt="The Gram matrix of the map; the identity for a rigid one")
    st.caption("The identity for a rigid map. λ bounds how far this may be from it.")
