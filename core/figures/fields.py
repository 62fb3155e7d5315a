"""Fields over a picture as image arrays and figures: orientation, frequency, ticks, the frequency plane."""

import base64
import io

import numpy as np
import plotly.graph_objects as go

from core.figures.chart import LINE, figure
from core.figures.palette import BASIS, REFERENCE, diverging, sequential

INK = "#d55e00"


def shown(values: np.ndarray) -> np.ndarray:
    """`(C, H, W)` in 0..1 as bytes `(H, W, 3)`; what is outside is clipped."""
    pixels = np.moveaxis(np.clip(values, 0, 1), 0, -1)
    pixels = np.rint(255 * pixels).astype(np.uint8)
    return np.repeat(pixels, 3, axis=2) if pixels.shape[2] == 1 else pixels


def enlarged(image: np.ndarray, side: int = 512) -> np.ndarray:
    """An image of bytes enlarged pixel by pixel to at least `side` on its long side, so that no browser blurs it."""
    times = max(1, -(-side // max(image.shape[:2])))
    return image.repeat(times, axis=0).repeat(times, axis=1)


def difference(values: np.ndarray, largest: float | None = None) -> np.ndarray:
    """`(C, H, W)` signed, the channels' mean, as bytes: blue below zero, orange above."""
    return diverging(values.mean(0), largest)


def orientation(angle: np.ndarray, energy: np.ndarray) -> np.ndarray:
    """Angles modulo 180 degrees as hue, energy as brightness, `(H, W, 3)` bytes."""
    top = float(np.percentile(energy, 99)) or 1.0
    value = np.sqrt(np.clip(energy / top, 0, 1))
    hue = (np.asarray(angle) % 180) / 180
    # three cosines a third of a turn apart run round the circle without the jumps of the usual HSV
    turn = 2 * np.pi * (hue[..., None] - np.array([0, 1 / 3, 2 / 3]))
    colour = np.clip(0.5 + 0.62 * np.cos(turn), 0, 1)
    return np.rint(255 * colour * value[..., None]).astype(np.uint8)


def wheel(side: int = 96) -> np.ndarray:
    """The legend of `orientation`: each hue where its wave vector points, with y downwards."""
    at = np.linspace(-1, 1, side)
    y, x = np.meshgrid(at, at, indexing="ij")
    radius = np.hypot(y, x)
    image = orientation(np.degrees(np.arctan2(y, x)), np.ones_like(x))
    image = np.dstack([image, np.where((radius <= 1) & (radius > 0.45), 255, 0).astype(np.uint8)])
    return image


def octaves(magnitude: np.ndarray, low: float, high: float) -> np.ndarray:
    """Frequencies on a logarithmic scale from `low` to `high` as bytes `(H, W, 3)`."""
    span = max(np.log2(high / low), 1e-6)
    return sequential(np.log2(np.maximum(magnitude, 1e-6) / low) / span)


def dimmed(image: np.ndarray, hide: np.ndarray) -> np.ndarray:
    """An image of bytes, grey in the measure of `hide` `(H, W)` in 0..1."""
    amount = np.clip(hide, 0, 1)[..., None]
    return np.rint(image * (1 - amount) + 128 * amount).astype(np.uint8)


def over_picture(image: np.ndarray, *, height: int = 460, opacity: float = 1.0) -> go.Figure:
    """A picture with rows downwards and square pixels, for marks on top."""
    from PIL import Image

    h, w = image.shape[:2]
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "PNG")
    fig = figure("", "", height=height)
    fig.add_layout_image(
        source="data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode(),
        x=-0.5, y=-0.5, sizex=w, sizey=h, xref="x", yref="y", sizing="stretch", layer="below", opacity=opacity,
    )  # fmt: skip
    fig.update_xaxes(range=[-0.5, w - 0.5], visible=False, constrain="domain")
    fig.update_yaxes(range=[h - 0.5, -0.5], visible=False, scaleanchor="x", constrain="domain")
    fig.update_layout(margin=dict(l=0, r=0, t=0, b=0), dragmode=False)
    return fig


def add_ticks(
    fig: go.Figure, frequency: np.ndarray, energy: np.ndarray, *, step: int = 8, along: str = "stripes"
) -> go.Figure:
    """Strokes without heads (`w` and `-w` are the same) every `step` samples.

    Args:
        frequency: `(2, H, W)` y, then x.
        along: `stripes`, or `wave` for the wave vector itself.
    """
    h, w = energy.shape
    ys, xs = np.meshgrid(np.arange(step // 2, h, step), np.arange(step // 2, w, step), indexing="ij")
    ys, xs = ys.ravel(), xs.ravel()
    fy, fx = frequency[0, ys, xs], frequency[1, ys, xs]
    size = np.maximum(np.hypot(fy, fx), 1e-9)
    dy, dx = (fy / size, fx / size) if along == "wave" else (-fx / size, fy / size)
    strong = energy[ys, xs] > 0.02 * float(np.percentile(energy, 99))
    half = 0.42 * step * strong
    gap = np.full(len(ys), np.nan)
    across = np.stack([xs - half * dx, xs + half * dx, gap], 1).ravel()
    down = np.stack([ys - half * dy, ys + half * dy, gap], 1).ravel()
    fig.add_scatter(x=across, y=down, mode="lines", line=dict(color=INK, width=1.8), hoverinfo="skip")
    return fig


def add_places(fig: go.Figure, shape: tuple[int, int], most: int = 32) -> go.Figure:
    """An invisible lattice of points to click; y is the row, x the column."""
    step = max(1, -(-max(shape) // most))
    ys, xs = np.meshgrid(np.arange(step // 2, shape[0], step), np.arange(step // 2, shape[1], step), indexing="ij")
    ys, xs = ys.ravel(), xs.ravel()
    fig.add_scatter(
        x=xs, y=ys, mode="markers", marker=dict(size=14, opacity=0.001, color=BASIS, symbol="square"),
        hovertemplate="row %{y}, column %{x}<extra></extra>", name="places",
        unselected=dict(marker_opacity=0.001), selected=dict(marker_opacity=0.001),
    )  # fmt: skip
    return fig


def add_mark(fig: go.Figure, row: float, column: float, name: str = "") -> go.Figure:
    """A ring around one place."""
    fig.add_scatter(
        x=[column], y=[row], mode="markers+text", text=[name], textposition="top center", hoverinfo="skip",
        textfont=dict(color="white", size=15),
        marker=dict(size=15, color="rgba(0,0,0,0)", line=dict(color="white", width=4)),
    )  # fmt: skip
    fig.add_scatter(
        x=[column], y=[row], mode="markers", hoverinfo="skip",
        marker=dict(size=15, color="rgba(0,0,0,0)", line=dict(color=REFERENCE, width=2)),
    )  # fmt: skip
    return fig


def carrier_plane(
    power: np.ndarray, carriers: np.ndarray, radius: float, weight: np.ndarray, *, height: int = 420
) -> go.Figure:
    """Carriers and their negatives over the picture's spectrum, with the disc that each of them serves.

    Args:
        power: `(M, M)` log power around frequency 0, one cycle a side a bin.
        carriers: `(K, 2)` y, then x.
        radius: of a disc, half the cells of the grid.
        weight: `(K,)` sizes of the carriers.
    """
    half = power.shape[0] // 2
    at = np.arange(-half, power.shape[0] - half)
    fig = figure("cycles a side, across", "cycles a side, down", height=height)
    fig.add_heatmap(z=power, x=at, y=at, colorscale="Greys", showscale=False, hoverinfo="skip")
    turn = np.linspace(0, 2 * np.pi, 49)
    centres = np.concatenate([carriers, -carriers])
    gap = np.full((len(centres), 1), np.nan)
    across = np.concatenate([centres[:, 1:] + radius * np.cos(turn), gap], 1).ravel()
    down = np.concatenate([centres[:, :1] + radius * np.sin(turn), gap], 1).ravel()
    fig.add_scatter(x=across, y=down, mode="lines", line=dict(color=BASIS, width=1), hoverinfo="skip")
    share = np.tile(weight / max(float(weight.max()), 1e-12), 2)
    fig.add_scatter(
        x=centres[:, 1], y=centres[:, 0], mode="markers", customdata=np.tile(np.arange(1, len(carriers) + 1), 2),
        marker=dict(size=5 + 9 * share, color=INK, line=dict(color="white", width=1)),
        hovertemplate="carrier %{customdata}: %{x:.1f} across, %{y:.1f} down<extra></extra>",
    )  # fmt: skip
    return _square(fig, half)


def local_plane(
    freqs: np.ndarray,
    power: np.ndarray,
    carriers: np.ndarray,
    amplitude: np.ndarray,
    moved: np.ndarray,
    reach: float,
    *,
    height: int = 420,
) -> go.Figure:
    """The local spectrum of one place: carriers as discs, lines to where their phase moves them, the windowed FFT.

    Args:
        freqs, power: of the windowed transform, `(M,)` and `(M, M)`.
        carriers, moved: `(K, 2)`, and amplitude `(K,)`.
        reach: cycles a side at the edge of the plot.
    """
    fig = figure("cycles a side, across", "cycles a side, down", height=height)
    near = np.abs(freqs) <= 1.05 * reach
    z = power[np.ix_(near, near)]
    fig.add_contour(
        x=freqs[near], y=freqs[near], z=np.sqrt(z), ncontours=8, showscale=False, hoverinfo="skip",
        contours_coloring="lines", colorscale=[[0, LINE], [1, "#56b4e9"]], line_width=1.5,
    )  # fmt: skip
    centres, ends = np.concatenate([carriers, -carriers]), np.concatenate([moved, -moved])
    share = np.tile(amplitude / max(float(amplitude.max()), 1e-12), 2)
    strong = share > 0.1
    gap = np.full(int(strong.sum()), np.nan)
    fig.add_scatter(
        x=np.stack([centres[strong, 1], ends[strong, 1], gap], 1).ravel(),
        y=np.stack([centres[strong, 0], ends[strong, 0], gap], 1).ravel(),
        mode="lines", line=dict(color=INK, width=2), hoverinfo="skip",
    )  # fmt: skip
    fig.add_scatter(
        x=centres[:, 1], y=centres[:, 0], mode="markers", customdata=np.tile(amplitude, 2),
        marker=dict(size=4 + 18 * share, color=share, colorscale="Cividis", line=dict(color="white", width=1)),
        hovertemplate="%{x:.1f} across, %{y:.1f} down: amplitude %{customdata:.3g}<extra></extra>",
    )  # fmt: skip
    return _square(fig, reach)


def _square(fig: go.Figure, reach: float) -> go.Figure:
    fig.update_xaxes(range=[-reach, reach], constrain="domain", showgrid=False, zeroline=True, zerolinecolor=LINE)
    fig.update_yaxes(
        range=[reach, -reach], scaleanchor="x", constrain="domain", showgrid=False, zeroline=True, zerolinecolor=LINE
    )
    return fig
