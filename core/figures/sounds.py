"""Sounds as figures: time across in seconds, frequency up in hertz."""

import numpy as np
import plotly.graph_objects as go

from core.figures.chart import figure
from core.figures.fields import png_source
from core.figures.palette import REFERENCE, sequential


def time_frequency(shares: np.ndarray, seconds: float, hertz: float, *, height: int = 260) -> go.Figure:
    """Shares in 0..1 `(F, T)`, low frequencies first, as a picture over its axes."""
    fig = figure("time, s", "frequency, Hz", height=height)
    fig.add_layout_image(
        source=png_source(sequential(shares[::-1])), x=0, y=hertz, sizex=seconds, sizey=hertz, xref="x", yref="y",
        sizing="stretch", layer="below",
    )  # fmt: skip
    fig.update_xaxes(range=[0, seconds])
    fig.update_yaxes(range=[0, hertz], showgrid=False)
    return fig


def add_ridge(fig: go.Figure, seconds: np.ndarray, hertz: np.ndarray, energy: np.ndarray, name: str) -> go.Figure:
    """A line through the frequencies; it is broken where there is next to no energy."""
    heard = np.where(energy > 0.01 * float(energy.max() or 1.0), hertz, np.nan)
    fig.add_scatter(
        x=seconds, y=heard, mode="lines", line=dict(color=REFERENCE, width=2), name=name,
        hovertemplate="%{x:.3f} s: %{y:.0f} Hz",
    )  # fmt: skip
    return fig


def on_hertz(rows: np.ndarray, maps: np.ndarray, hertz: float, *, lines: int = 160) -> np.ndarray:
    """`(lines, T)`: each carrier's amplitude `(K, T)` in a band around its frequency, up to halfway to its neighbours.

    Above the highest and below the lowest the band is as wide as on its other side.

    Args:
        rows: `(K,)` carriers in hertz, ascending.
        hertz: at the top.
    """
    at = (np.arange(lines) + 0.5) * hertz / lines
    away = np.abs(at[:, None] - rows)
    nearest = away.argmin(1)
    gaps = np.diff(rows)
    widest = np.concatenate([gaps[:1], np.maximum(gaps[1:], gaps[:-1]), gaps[-1:]]) if len(gaps) else [hertz]
    inside = away.min(1) <= np.maximum(np.asarray(widest)[nearest] / 2, hertz / lines)
    return np.where(inside[:, None], maps[nearest], 0)
