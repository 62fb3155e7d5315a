"""All directions of a basis on one sheet, for a paper or a slide: PNG, SVG or a page of HTML."""

import html
import io
from collections.abc import Sequence

import numpy as np

from core.figures.chart import short
from core.figures.palette import BASIS, NEGATIVE, POSITIVE, diverging
from core.figures.samples import FormLike

MOST = 144
MOST_BARS = 8


def sheet(directions: np.ndarray, form: FormLike, titles: Sequence[str], ending: str) -> bytes:
    """Directions in the form of the data, one small axes each.

    Args:
        directions: `(K, D)`; the first 144 are drawn.
        form: of one sample.
        titles: K texts above the axes.
        ending: `png`, `svg` or `html` (the SVG inside a page).
    """
    from matplotlib.figure import Figure  # half a second, only when a file is wanted

    directions = directions[:MOST]
    columns = min(len(directions), 8 if form.kind == "image" else 4)
    rows = -(-len(directions) // columns)
    wide, high = (1.5, 1.7) if form.kind == "image" else (3.2, 1.9)
    figure = Figure(figsize=(columns * wide, rows * high), layout="constrained")
    for axes, values, title in zip(
        figure.subplots(rows, columns, squeeze=False).flat, directions, titles, strict=False
    ):
        _draw(axes, values, form)
        axes.set_title(title.replace("$", r"\$"), fontsize=8)
    for axes in figure.axes[len(directions) :]:
        axes.set_axis_off()
    out = io.BytesIO()
    if ending == "png":
        figure.savefig(out, format="png", dpi=150)
        return out.getvalue()
    figure.savefig(out, format="svg", metadata={"Date": None})
    if ending == "svg":
        return out.getvalue()
    drawing = out.getvalue().decode()
    drawing = drawing[drawing.index("<svg") :]
    names = ", ".join(html.escape(t) for t in titles[:MOST])
    page = f'<!doctype html><meta charset="utf-8"><title>Directions</title><p>{names}</p>{drawing}'
    return page.encode()


def _draw(axes, values: np.ndarray, form: FormLike) -> None:
    if form.kind == "image":
        axes.imshow(diverging(values.reshape(form.shape)) if len(form.shape) == 2 else _colour(values, form))
        axes.set_axis_off()
        return
    axes.tick_params(labelsize=6)
    axes.spines[["top", "right"]].set_visible(False)
    if form.kind == "bars":
        features = form.features or [str(i + 1) for i in range(len(values))]
        most = np.argsort(-np.abs(values))[:MOST_BARS][::-1]
        names = [short(features[i], 18).replace("$", r"\$") for i in most]
        axes.barh(range(len(most)), values[most], color=[POSITIVE if v > 0 else NEGATIVE for v in values[most]])
        axes.set_yticks(range(len(most)), names)
    else:
        across = form.positions if form.positions is not None else np.arange(form.shape[-1])
        axes.axhline(0, color="#bbbbbb", linewidth=0.6)
        for channel in values.reshape(-1, form.shape[-1]):
            axes.plot(across, channel, linewidth=1, color=BASIS)
        axes.set_xlabel(form.axis, fontsize=6)


def _colour(values: np.ndarray, form: FormLike) -> np.ndarray:
    top = np.abs(values).max() or 1.0
    return np.clip(0.5 + 0.5 * values.reshape(form.shape) / top, 0, 1)
