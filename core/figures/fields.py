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


def distance(values: np.ndarray, largest: float) -> np.ndarray:
    """A signed distance `(H, W)` as bytes: blue inside, orange outside, a dark line at zero and faint ones in steps."""
    image = diverging(values, largest).astype(float)
    steps = np.floor(values / (largest / 6))
    edge, level = np.zeros(values.shape, dtype=bool), np.zeros(values.shape, dtype=bool)
    for axis in (0, 1):
        moved = np.roll(values, 1, axis)
        turned = (moved < 0) != (values < 0)
        stepped = np.roll(steps, 1, axis) != steps
        for found, into in ((turned, edge), (stepped, level)):
            found.swapaxes(0, axis)[0] = False  # what rolled in from the other side
            into |= found
    image[level] *= 0.86
    image[edge] = 20
    return np.rint(image).astype(np.uint8)


def png_source(image: np.ndarray) -> str:
    """An image of bytes as a data address, for the layout of a figure."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def over_picture(image: np.ndarray, *, height: int = 460, opacity: float = 1.0) -> go.Figure:
    """A picture with rows downwards and square pixels, for marks on top."""
    h, w = image.shape[:2]
    fig = figure("", "", height=height)
    fig.add_layout_image(
        source=png_source(image),
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
    """The local spectrum of one place in polar form: direction, and octaves of frequency outwards.

    Carriers stand as discs with lines to where their phase moves them, over contours of the windowed FFT. A wave
    vector and its negative are one wave, so all is drawn twice.

    Args:
        freqs, power: of the windowed transform, `(M,)` ascending and `(M, M)`.
        carriers, moved: `(K, 2)`, and amplitude `(K,)`.
        reach: cycles a side at the edge of the plot.
    """
    from scipy.ndimage import map_coordinates

    edge = float(np.log2(1 + reach))
    fig = figure("", "", height=height)
    at = np.linspace(-edge, edge, 121)
    y, x = np.meshgrid(at, at, indexing="ij")
    radius = np.maximum(np.hypot(y, x), 1e-9)
    step = freqs[1] - freqs[0]
    back = [(2**radius - 1) * a / radius / step - freqs[0] / step for a in (y, x)]
    z = np.where(radius <= edge, map_coordinates(np.sqrt(power), back, order=1, mode="constant"), np.nan)
    fig.add_contour(
        x=at, y=at, z=z, ncontours=8, showscale=False, hoverinfo="skip",
        contours_coloring="lines", colorscale=[[0, LINE], [1, "#56b4e9"]], line_width=1.5,
    )  # fmt: skip
    _octave_rings(fig, edge, reach)
    centres, ends = np.concatenate([carriers, -carriers]), np.concatenate([moved, -moved])
    share = np.tile(amplitude / max(float(amplitude.max()), 1e-12), 2)
    strong = share > 0.1
    gap = np.full(int(strong.sum()), np.nan)
    from_, to = _outwards(centres), _outwards(ends)
    fig.add_scatter(
        x=np.stack([from_[strong, 1], to[strong, 1], gap], 1).ravel(),
        y=np.stack([from_[strong, 0], to[strong, 0], gap], 1).ravel(),
        mode="lines", line=dict(color=INK, width=2), hoverinfo="skip",
    )  # fmt: skip
    size, angle = np.hypot(*centres.T), np.degrees(np.arctan2(centres[:, 0], centres[:, 1])) % 180
    fig.add_scatter(
        x=from_[:, 1], y=from_[:, 0], mode="markers",
        customdata=np.stack([size, angle, np.tile(amplitude, 2)], 1),
        marker=dict(size=4 + 18 * share, color=share, colorscale="Cividis", line=dict(color="white", width=1)),
        hovertemplate="%{customdata[0]:.1f} cycles a side at %{customdata[1]:.0f}°: amplitude %{customdata[2]:.3g}"
        "<extra></extra>",
    )  # fmt: skip
    fig.update_layout(margin=dict(l=0, r=0, t=0, b=0))
    fig.update_xaxes(range=[-1.06 * edge, 1.06 * edge], constrain="domain", visible=False)
    fig.update_yaxes(range=[1.06 * edge, -1.06 * edge], scaleanchor="x", constrain="domain", visible=False)
    return fig


def _outwards(w: np.ndarray) -> np.ndarray:
    """Wave vectors `(N, 2)` with their length on the scale `log2(1 + length)`, which is linear near zero."""
    size = np.maximum(np.linalg.norm(w, axis=1, keepdims=True), 1e-9)
    return w / size * np.log2(1 + size)


def _octave_rings(fig: go.Figure, edge: float, reach: float) -> None:
    turn = np.linspace(0, 2 * np.pi, 97)
    octaves_ = 2.0 ** np.arange(0, np.floor(np.log2(max(reach, 1))) + 1)
    rings = [(np.log2(1 + f), f) for f in octaves_]
    across = np.concatenate([np.append(r * np.cos(turn), np.nan) for r, _ in rings])
    down = np.concatenate([np.append(r * np.sin(turn), np.nan) for r, _ in rings])
    for way in np.radians([0, 45, 90, 135]):
        across = np.append(across, [-edge * np.cos(way), edge * np.cos(way), np.nan])
        down = np.append(down, [-edge * np.sin(way), edge * np.sin(way), np.nan])
    fig.add_scatter(x=across, y=down, mode="lines", line=dict(color=LINE, width=1), hoverinfo="skip")
    tilt = np.radians(-67.5)  # between two spokes
    fig.add_scatter(
        x=[r * np.cos(tilt) for r, _ in rings], y=[r * np.sin(tilt) for r, _ in rings], mode="text",
        text=[f"{f:g}" for _, f in rings], textfont=dict(size=11), hoverinfo="skip",
    )  # fmt: skip


def _square(fig: go.Figure, reach: float) -> go.Figure:
    fig.update_xaxes(range=[-reach, reach], constrain="domain", showgrid=False, zeroline=True, zerolinecolor=LINE)
    fig.update_yaxes(
        range=[reach, -reach], scaleanchor="x", constrain="domain", showgrid=False, zeroline=True, zerolinecolor=LINE
    )
    return fig
