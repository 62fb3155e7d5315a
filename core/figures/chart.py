"""Plotly figures in one manner: small margins, no background, axes with units, one palette."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.figures.palette import BASIS, CATEGORICAL, CONTROL, DIVERGING, NEGATIVE, POSITIVE, REFERENCE, SEQUENTIAL

LINE = "rgba(128, 128, 128, 0.35)"  # readable on light and dark pages alike


def figure(x: str, y: str, *, height: int = 280, legend: bool = False) -> go.Figure:
    """An empty figure with axis titles (write units into them)."""
    return go.Figure(
        layout=dict(  # at once: an update afterwards takes ten times as long
            height=height,
            margin=dict(l=8, r=8, t=28 if legend else 8, b=8),
            paper_bgcolor="rgba(0,0,0,0)",
            plot_bgcolor="rgba(0,0,0,0)",
            showlegend=legend,
            legend=dict(orientation="h", y=1.02, yanchor="bottom", x=0, title_text=""),
            colorway=CATEGORICAL,
            bargap=0.08,
            hoverlabel=dict(namelength=-1),
            xaxis=dict(title_text=x, automargin=True, showgrid=False, zeroline=False, linecolor=LINE),
            yaxis=dict(title_text=y, automargin=True, gridcolor=LINE, zeroline=False),
        )
    )


def histogram(
    values: np.ndarray,
    *,
    x: str,
    y: str = "samples",
    control: np.ndarray | None = None,
    control_name: str = "random control",
    log_y: bool = False,
    bins: int = 48,
    mark: float | None = None,
    height: int = 280,
) -> go.Figure:
    """How often values fall in equal intervals; a control is drawn as a step line in the same intervals."""
    values = np.asarray(values, dtype=np.float64)
    every = values if control is None else np.concatenate([values, np.asarray(control, dtype=np.float64)])
    edges = np.histogram_bin_edges(every, bins=bins)
    counts = np.histogram(values, edges)[0]
    fig = figure(x, y, height=height, legend=control is not None)
    middle, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    fig.add_bar(x=middle, y=counts, width=width, marker_color=BASIS, marker_line_width=0, name="this basis")
    if control is not None:
        other = np.histogram(control, edges)[0] * (len(values) / max(len(control), 1))
        fig.add_scatter(
            x=middle, y=other, mode="lines", line=dict(color=CONTROL, shape="hvh", width=2), name=control_name
        )
    if mark is not None:
        fig.add_vline(x=float(mark), line=dict(color=REFERENCE, width=2, dash="dot"))
    fig.update_traces(hovertemplate="%{x:.3g}: %{y:,.3g}")
    fig.update_yaxes(type="log" if log_y else "linear", dtick=1 if log_y else None)
    return fig


def bars(
    names: Sequence[str],
    values: np.ndarray,
    *,
    value: str,
    name: str = "",
    signed: bool = False,
    horizontal: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Named values as bars, in the order given; of signed values the colour shows the sign."""
    values = np.asarray(values, dtype=np.float64)
    height = height or (max(160, 22 * len(values) + 60) if horizontal else 280)
    fig = figure(value if horizontal else name, name if horizontal else value, height=height)
    at = np.arange(len(values))
    colour = [POSITIVE if v > 0 else NEGATIVE for v in values] if signed else BASIS
    across = dict(x=values, y=at, orientation="h") if horizontal else dict(x=at, y=values)
    place = "%{customdata}: %{" + ("x" if horizontal else "y") + ":.3g}<extra></extra>"
    fig.add_bar(
        **across, marker_color=colour, marker_line_width=0, customdata=[short(n) for n in names], hovertemplate=place
    )
    ticks = dict(tickmode="array", tickvals=at, ticktext=[short(n) for n in names])
    if horizontal:
        fig.update_yaxes(autorange="reversed", showgrid=False, **ticks)
        fig.update_xaxes(showgrid=True, gridcolor=LINE, zeroline=True, zerolinecolor=LINE)
    else:
        step = max(1, len(values) // 16)
        fig.update_xaxes(tickmode="array", tickvals=at[::step], ticktext=[short(n) for n in list(names)[::step]])
        fig.update_yaxes(zeroline=True, zerolinecolor=LINE)
    return fig


def lines(
    curves: Mapping[str, tuple[np.ndarray, np.ndarray]],
    *,
    x: str,
    y: str,
    colours: Sequence[str] | None = None,
    dashed: Sequence[str] = (),
    log_x: bool = False,
    log_y: bool = False,
    percent: bool = False,
    height: int = 300,
    legend: bool | None = None,
    width: float = 2,
) -> go.Figure:
    """Named curves `(x, y)` in one figure."""
    fig = figure(x, y, height=height, legend=len(curves) > 1 if legend is None else legend)
    for i, (name, (across, up)) in enumerate(curves.items()):
        line = dict(color=(colours or CATEGORICAL)[i % len(colours or CATEGORICAL)], width=width)
        if name in dashed:
            line["dash"] = "dash"
        mode = "lines+markers" if len(across) <= 16 else "lines"
        fig.add_scatter(x=np.asarray(across), y=np.asarray(up), mode=mode, name=name, line=line, marker_size=5)
    fig.update_traces(hovertemplate="%{x:.4g}: %{y:.1%}" if percent else "%{x:.4g}: %{y:.3g}")
    if log_x:  # 1, 2, 5, 10 over a few decades; powers of ten over many
        every = np.concatenate([np.asarray(across, dtype=float) for across, _ in curves.values()] or [np.ones(1)])
        every = every[every > 0]
        fig.update_xaxes(type="log", **_log_ticks(every))
    fig.update_yaxes(type="log" if log_y else "linear", tickformat=".3~%" if percent else None)
    return fig


def _log_ticks(values: np.ndarray) -> dict[str, Any]:
    if not values.size or values.max() >= 1000 * values.min():
        return dict(dtick=1)
    low, high = np.log10(values.min()), np.log10(values.max())
    ticks = [m * 10.0**e for e in range(int(np.floor(low)), int(np.ceil(high)) + 1) for m in (1, 2, 5)]
    said = [f"{t / 1e6:g}M" if t >= 1e6 else f"{t / 1000:g}k" if t >= 1000 else f"{t:g}" for t in ticks]
    return dict(tickvals=ticks, ticktext=said)


def add_band(fig: go.Figure, x: np.ndarray, low: np.ndarray, high: np.ndarray, name: str) -> go.Figure:
    """Shade the space between two curves."""
    across = np.concatenate([x, np.asarray(x)[::-1]])
    up = np.concatenate([high, np.asarray(low)[::-1]])
    fig.add_scatter(
        x=across, y=up, fill="toself", mode="lines", line_width=0, fillcolor="rgba(153,153,153,0.35)", name=name,
        hoverinfo="skip",
    )  # fmt: skip
    return fig


def heatmap(
    matrix: np.ndarray,
    *,
    x: str,
    y: str,
    value: str,
    x_names: Sequence[str] | None = None,
    y_names: Sequence[str] | None = None,
    signed: bool = True,
    height: int = 360,
    largest: float | None = None,
) -> go.Figure:
    """A matrix as a coloured field, first row on top; signed values are white at zero."""
    matrix = np.asarray(matrix, dtype=np.float32)
    top = float(np.abs(matrix).max()) if largest is None else largest
    fig = figure(x, y, height=height)
    fig.add_heatmap(
        z=matrix,
        colorscale=list(DIVERGING) if signed else SEQUENTIAL,
        zmin=-top if signed else 0,
        zmax=top or 1.0,
        colorbar=dict(title=dict(text=value, side="right"), thickness=10),
        hovertemplate="%{y}, %{x}: %{z:.3g}<extra></extra>",
    )
    for axis, names, count in (("xaxis", x_names, matrix.shape[1]), ("yaxis", y_names, matrix.shape[0])):
        if names is not None:
            step = max(1, count // 12)
            ticks = dict(
                tickmode="array",
                tickvals=list(range(0, count, step)),
                ticktext=[short(n, 12) for n in list(names)[::step]],
            )
            fig.update_layout({axis: ticks})
    fig.update_yaxes(autorange="reversed", showgrid=False)
    return fig


def short(name: str, most: int = 28) -> str:
    """A name cut to `most` characters, harmless as one of plotly's labels (which read some HTML)."""
    name = name if len(name) <= most else name[: most - 1] + "…"
    return name.replace("&", "&amp;").replace("<", "&lt;")
