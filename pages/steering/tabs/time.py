"""Tab *Over time*: the weight of each token, as it was written, along the directions."""

import numpy as np
import streamlit as st

from core.figures import chart
from core.figures.palette import CATEGORICAL
from core.steering.generate import prompt_ids
from core.steering.probe import token_codes
from core.steering.shared import shared
from core.ui.background import background
from core.ui.history import History
from pages.steering.asked import desk, key_of, rows_of, writing_of
from pages.steering.opened import Opened, Ready, names_of
from pages.steering.tabs.common import digest, needs_model, pick_direction, title_of
from pages.steering.view import SteeringView

SMOOTH = 8  # tokens of the running mean


def draw(history: History[SteeringView], opened: Opened, ready: Ready | None) -> None:
    """Curves of one direction for all columns, and all directions of the steered one."""
    if ready is None:
        needs_model()
        return
    if len(opened.blocks) > 1:
        st.info("Directions that live in several blocks have no weight of a single token.", icon=":material/info:")
        return
    i = pick_direction(history, opened)
    piece = desk().find(key_of(ready, history.now))
    if piece is None or piece.active or not piece.length:
        st.caption("The curves come when the texts above are written.")
        return
    view, writing = history.now, writing_of(history.now)
    rows = rows_of(ready, view)
    ids = [piece.ids(j) for j in range(len(rows))]

    def compute(run) -> list[tuple[np.ndarray, int]]:
        model = shared(opened.source)
        found = []
        for (_, _, row), written in zip(rows, ids, strict=True):
            before = prompt_ids(model, row, writing)
            steers = list(row.steer or [])
            codes = token_codes(
                model, opened.basis, opened.blocks[0], [*before, *written], steers or None, prompt=len(before)
            )
            found.append((codes, len(before)))
        return found

    key = f"steering:time:{digest(key_of(ready, view), ids)}"
    found = background("steering:time", key, compute, "Reading what was written")
    if found is None:
        return
    name = title_of(opened, view, i)
    st.subheader(f"Weight of {name}, token by token", anchor=False)
    figure = chart.figure("token", "weight / sigma", height=320, legend=True)
    for j, ((title, _, _), (codes, prompt)) in enumerate(zip(rows, found, strict=True)):
        at, values = np.arange(len(codes)) - prompt + 1, codes[:, i]
        colour = CATEGORICAL[j % 8]
        figure.add_scatter(
            x=at, y=values, mode="markers", marker=dict(size=4, color=colour, opacity=0.4), showlegend=False,
            hovertemplate="token %{x}: %{y:.1f}<extra></extra>",
        )  # fmt: skip
        figure.add_scatter(
            x=at, y=_running(values), mode="lines", name=title, line=dict(color=colour, width=2.5),
            hovertemplate="token %{x}: %{y:.1f}",
        )  # fmt: skip
    figure.add_vline(x=0.5, line=dict(color="#999999", dash="dot", width=1.5))
    means = ", ".join(
        f"{title} {np.nanmean(codes[prompt:, i]):+.1f}"
        for (title, _, _), (codes, prompt) in zip(rows, found, strict=True)
        if len(codes) > prompt
    )
    st.plotly_chart(figure, key="steering:time:curve", alt=f"Mean weight of the written tokens: {means}")
    st.caption(
        f"Behind block {opened.blocks[0]}, after the steer. Points: tokens; lines: mean of the last {SMOOTH}; dotted: "
        "where the prompt ends. Sigma is that of whole texts, so single tokens spread widely. Mean of the written "
        f"tokens: {means}."
    )
    which = next((j for j, (title, _, _) in enumerate(rows) if title == "Steered"), 0)
    codes, prompt = found[which]
    if len(codes) > prompt:
        st.subheader("All directions, steered text", anchor=False)
        pieces = [t.text.strip() or "·" for t in piece.rows[which]]
        figure = chart.heatmap(
            codes[prompt:].T, x="written token", y="", value="sigma", y_names=names_of(opened, view),
            height=max(220, 24 * opened.basis.k + 80), largest=float(np.nanquantile(np.abs(codes[1:]), 0.98)),
            x_names=pieces[: len(codes) - prompt],
        )  # fmt: skip
        st.plotly_chart(figure, key="steering:time:all", alt="Weights of all directions over the written tokens")


def _running(values: np.ndarray) -> np.ndarray:
    out = np.full(len(values), np.nan)
    for t in range(len(values)):
        part = values[max(0, t - SMOOTH + 1) : t + 1]
        out[t] = np.nanmean(part) if np.isfinite(part).any() else np.nan
    return out
