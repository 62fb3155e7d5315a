"""Two clouds of the same items, and classes around the corners of a simplex."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from core.figures.chart import figure, short
from core.figures.palette import BASIS, CATEGORICAL, REFERENCE, marks

THREADS = 150  # lines between the two places of an item; more only hide the points
_SYMBOL = {"triangle": "triangle-up"}
_FAINT = "rgba(128, 128, 128, 0.28)"


def two_clouds(
    old: np.ndarray,
    new: np.ndarray,
    label: np.ndarray | None,
    classes: Sequence[str],
    *,
    height: int = 380,
) -> go.Figure:
    """Old items as rings, new ones as dots, a thread from each item's one place to its other.

    Args:
        old, new: `(M, 2)`.
        label: `(M,)` index into `classes`, which then colours the items and stands beside the middle of the class.
    """
    fig = figure("first axis", "second axis", height=height, legend=True)
    step = max(1, len(old) // THREADS)
    ends = np.full((len(old[::step]) * 3, 2), np.nan)
    ends[0::3], ends[1::3] = old[::step], new[::step]
    fig.add_scattergl(
        x=ends[:, 0], y=ends[:, 1], mode="lines", line=dict(color=_FAINT, width=1), hoverinfo="skip", showlegend=False
    )
    few = label is not None and len(classes) <= 20
    signs = marks(len(classes)) if few else []
    said = np.array([short(classes[i]) for i in label] if label is not None else ["item"] * len(old))
    symbols = np.array([_SYMBOL.get(signs[i][1], signs[i][1]) for i in label] if few else ["circle"] * len(old))
    for name, xy, ending, plain in (("old", old, "-open", REFERENCE), ("mapped new", new, "", BASIS)):
        colours = np.array([signs[i][0] for i in label] if few else [plain] * len(old))
        for symbol in np.unique(symbols):  # open symbols in a list are drawn filled, so one trace for each
            mine = symbols == symbol
            fig.add_scattergl(
                x=xy[mine, 0], y=xy[mine, 1], mode="markers", name=name, text=said[mine], legendgroup=name,
                showlegend=bool(symbol == symbols[0]), hovertemplate=f"%{{text}}, {name}<extra></extra>",
                marker=dict(size=6 if ending else 5, symbol=symbol + ending, color=colours[mine], opacity=0.75),
            )  # fmt: skip
    if few:
        beside = dict(
            showarrow=False, font=dict(size=15, color="#222222"), bgcolor="rgba(255,255,255,0.65)", borderpad=1
        )
        middles = {int(i): old[label == i].mean(axis=0) for i in np.unique(label)}
        names = {i: f"<b>{short(classes[i], 12)}</b>" for i in middles}
        # all at once: added one by one they take longer than the rest of the figure
        fig.update_layout(
            annotations=[dict(x=float(x), y=float(y), text=names[i], **beside) for i, (x, y) in middles.items()]
        )
    fig.update_xaxes(showticklabels=False)
    fig.update_yaxes(showticklabels=False, showgrid=False, scaleanchor="x")
    return fig


def around_corners(
    features: np.ndarray, label: np.ndarray, corners: np.ndarray, names: Sequence[str], known: int, *, height: int = 420
) -> go.Figure:
    """Features on a sphere in space and the class directions they are drawn to.

    Args:
        features: `(M, 3)` unit rows.
        label: `(M,)`.
        corners: `(C, 3)` class directions.
        known: how many of the classes the network was trained on; the corners of the others are hollow.
    """
    fig = go.Figure()
    turn = np.linspace(0, 2 * np.pi, 73)
    for first, second in ((0, 1), (0, 2), (1, 2)):
        circle = np.zeros((3, 73))
        circle[first], circle[second] = np.cos(turn), np.sin(turn)
        fig.add_scatter3d(
            x=circle[0], y=circle[1], z=circle[2], mode="lines", line=dict(color=_FAINT, width=2), hoverinfo="skip"
        )
    for i, corner in enumerate(corners):
        colour = CATEGORICAL[i % len(CATEGORICAL)]
        mine = features[label == i]
        fig.add_scatter3d(
            x=mine[:, 0], y=mine[:, 1], z=mine[:, 2], mode="markers", name=short(names[i]),
            marker=dict(size=2.5, color=colour, opacity=0.7), hovertemplate=short(names[i]) + "<extra></extra>",
        )  # fmt: skip
        fig.add_scatter3d(
            x=[0, corner[0]], y=[0, corner[1]], z=[0, corner[2]], mode="lines+markers+text", showlegend=False,
            line=dict(color=colour, width=5, dash="solid" if i < known else "dot"), text=["", short(names[i], 12)],
            marker=dict(size=[0, 7], color=colour, symbol="diamond" if i < known else "diamond-open"),
            textfont=dict(size=14, color=colour), hoverinfo="skip",
        )  # fmt: skip
    hidden = dict(visible=False, range=[-1.15, 1.15])
    fig.update_layout(
        height=height, margin=dict(l=0, r=0, t=0, b=0), paper_bgcolor="rgba(0,0,0,0)", showlegend=False,
        scene=dict(
            xaxis=hidden, yaxis=hidden, zaxis=hidden, aspectmode="cube", camera_eye=dict(x=1.5, y=-0.55, z=0.75)
        ),
    )  # fmt: skip
    return fig
