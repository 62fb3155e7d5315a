"""Tab *Map of texts*: texts by their weights, and where the prompt and what was written lie."""

import numpy as np
import streamlit as st

from core.figures import chart
from core.figures.palette import CATEGORICAL, marks, sequential_stops
from core.ui.components.scatter import Points, scatter
from core.ui.history import History
from core.ui.text import escape
from pages.steering.asked import desk, key_of, rows_of
from pages.steering.opened import Opened, Ready, names_of
from pages.steering.tabs.common import codes_of
from pages.steering.view import SteeringView

PLANE = "PCA of the weights"
_SCALE = "weight"


def draw(history: History[SteeringView], opened: Opened, ready: Ready | None) -> None:
    """The map on the left; the text that was clicked and the prompt's weights on the right."""
    yours, texts = _yours(history, opened, ready)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _map(history, opened, yours, texts)
    with right:
        _where(history, opened, yours, texts)


def _yours(history, opened, ready) -> tuple[np.ndarray | None, list[tuple[str, str]]]:
    """Weights of the prompt and of the texts above, once these are written; and their titles and texts."""
    if ready is None or not history.now.prompt.strip():
        return None, []
    found = [("Your prompt", history.now.prompt)]
    piece = desk().find(key_of(ready, history.now))
    if piece is not None and not piece.active:
        rows = rows_of(ready, history.now)
        found += [(title, piece.text(i)) for i, (title, _, _) in enumerate(rows) if piece.text(i).strip()]
    codes = codes_of(opened, [t for _, t in found], "map-codes")
    if codes is None:
        return None, []
    there = [i for i, code in enumerate(codes) if np.isfinite(code).all()]
    return (codes[there], [found[i] for i in there]) if there else (None, [])


def _map(history: History[SteeringView], opened: Opened, yours, texts) -> None:
    names, now = names_of(opened, history.now), history.now.map
    options = [PLANE, *opened.names]
    named = {PLANE: PLANE, **dict(zip(opened.names, names, strict=True))}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        x = now.get("x") if now.get("x") in options else options[min(1, len(options) - 1)]
        y = now.get("y") if now.get("y") in opened.names else opened.names[min(1, len(names) - 1)]
        history.bind("map.x", st.selectbox, "Across", options, value=x, format_func=named.get, width=220)
        if x != PLANE:
            history.bind("map.y", st.selectbox, "Up", list(opened.names), value=y, format_func=named.get, width=220)
    codes = opened.codes if yours is None else np.concatenate([opened.codes, yours])
    xy = _places(opened, codes, x, y)
    labels = opened.model.labels_
    n, extra = len(opened.codes), 0 if yours is None else len(yours)
    shown = opened.model.texts_ or [""] * n
    text = [*shown, *(t[:300] for _, t in texts[:extra])]
    if labels:
        kinds = list(dict.fromkeys(labels))[:31]
        kinds += ["other"] if set(labels) - set(kinds) else []
        index = [kinds.index(v) if v in kinds else len(kinds) - 1 for v in labels]
        classes = [(k, *mark) for k, mark in zip(kinds, marks(len(kinds)), strict=True)]
        if extra:
            index += [len(kinds)] * extra
            classes.append(("yours", "#d62728", "diamond"))
        more = dict(classes=classes)
    else:
        weight = codes[:, opened.number(x)]
        low, high = float(weight.min()), float(weight.max())
        index = (weight - low) / ((high - low) or 1.0)
        more = dict(scale=dict(title=_SCALE, low=low, high=high, stops=list(sequential_stops())))
    points = Points(
        xy, [*(labels or [str(i) for i in range(n)]), *(t for t, _ in texts[:extra])], text, np.array(index), **more
    )
    scatter(
        "steering:map", points, label="Map of the texts", current=n if extra else None, height=460,
        on_pick=lambda i: history.change(map={**history.now.map, "text": int(i)}),
    )  # fmt: skip
    said = "two axes of largest variance of the weights" if x == PLANE else "weights in sigma"
    st.caption(f"{n:,} texts by {said}. The ring is your prompt, diamonds are what stands above. Click a text.")


def _places(opened: Opened, codes: np.ndarray, x: str, y: str) -> np.ndarray:
    if x == PLANE:
        centred = opened.codes - opened.codes.mean(axis=0)
        axes = np.linalg.svd(centred, full_matrices=False)[2][:2]
        axes = axes if len(axes) == 2 else np.concatenate([axes, axes * 0])
        return (codes - opened.codes.mean(axis=0)) @ axes.T
    up = codes[:, opened.number(y)] if opened.basis.k > 1 else np.linspace(-1, 1, len(codes))
    return np.stack([codes[:, opened.number(x)], up], axis=1)


def _where(history: History[SteeringView], opened: Opened, yours, texts) -> None:
    chosen = history.now.map.get("text")
    if isinstance(chosen, int) and 0 <= chosen < len(opened.model.texts_):
        st.subheader("The text", anchor=False)
        label = f"**{escape(opened.model.labels_[chosen])}** " if opened.model.labels_ else ""
        st.markdown(label + escape(opened.model.texts_[chosen]))
    st.subheader("Where yours lies", anchor=False)
    if yours is None:
        st.caption("The prompt is placed as soon as the language model has read it.")
        return
    names = names_of(opened, history.now)
    figure = chart.figure("weight / sigma", "", height=max(240, 30 * opened.basis.k + 80), legend=True)
    at = np.arange(opened.basis.k)
    for j, (title, _) in enumerate(texts[: len(yours)]):
        figure.add_scatter(
            x=yours[j], y=at, mode="markers", name=title,
            marker=dict(size=9, color=CATEGORICAL[j % 8], symbol=("diamond", "circle", "square", "cross", "x")[j % 5]),
            hovertemplate="%{x:.2f} sigma",
        )  # fmt: skip
    figure.update_yaxes(
        autorange="reversed", tickmode="array", tickvals=at, ticktext=[chart.short(n, 18) for n in names]
    )
    figure.add_vline(x=0, line=dict(color="#999999", width=1))
    said = ", ".join(f"{n} {w:+.1f}" for n, w in zip(names, yours[0], strict=True))
    st.plotly_chart(figure, key="steering:map:where", alt=f"Weights of the prompt: {said}")
    st.caption(
        "Zero is the mean of the texts of these directions. Short prompts lie anywhere; what was written says more."
    )
