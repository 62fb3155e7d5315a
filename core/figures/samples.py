"""Samples and directions as image arrays, in the form of the data."""

from typing import Protocol

import numpy as np
from PIL import Image, ImageDraw

from core.figures.palette import NEGATIVE, POSITIVE, diverging

PAPER, INK, FAINT = (255, 255, 255), (75, 96, 117), (205, 210, 216)
CHANNELS = ("#0072b2", "#e69f00", "#009e73", "#d55e00")
MOST_BARS = 16


class FormLike(Protocol):
    """How a sample is drawn: `core.ui.components.Form` has these attributes and explains them."""

    kind: str
    shape: tuple[int, ...]
    signed: bool
    low: float | None
    high: float | None


def picture(values: np.ndarray, form: FormLike, *, direction: bool = False, size: int = 96) -> np.ndarray:
    """One sample or direction as an image `(H, W, 3)` of bytes.

    Args:
        values: D numbers.
        form: what they are.
        direction: drawn within its own largest entry, zero in the middle; a sample is drawn in the form's range.
        size: pixels of the longer side. Small images are enlarged pixel by pixel to a whole multiple.
    """
    values = np.asarray(values, dtype=np.float64).ravel()
    low, high = _range(values, form, direction)
    if form.kind == "image":
        return _enlarged(_image(values.reshape(form.shape), low, high, direction or form.signed), size)
    if form.kind == "bars":
        return _bars(values, low, high, size)
    return _curve(values.reshape(form.shape), low, high, size)


def montage(
    samples: np.ndarray, form: FormLike, *, columns: int = 12, direction: bool = False, size: int = 96, gap: int = 4
) -> np.ndarray:
    """Samples `(N, D)` side by side on white, `columns` in a row, as one image of bytes."""
    if not len(samples):
        raise ValueError("a montage needs at least one sample")
    tiles = [picture(s, form, direction=direction, size=size) for s in samples]
    h, w = tiles[0].shape[:2]
    columns = min(columns, len(tiles))
    rows = -(-len(tiles) // columns)
    page = np.full((rows * (h + gap) - gap, columns * (w + gap) - gap, 3), 255, dtype=np.uint8)
    for i, tile in enumerate(tiles):
        y, x = i // columns * (h + gap), i % columns * (w + gap)
        page[y : y + h, x : x + w] = tile
    return page


def reduced(samples: np.ndarray, form: FormLike, most: int = 32) -> tuple[np.ndarray, tuple[int, ...]]:
    """Samples `(N, D)` with fewer entries for thumbnails: means over blocks of images, over stretches of curves.

    Returns:
        The smaller samples `(N, D')` and the shape of one. Bars stay as they are.
    """
    samples = np.asarray(samples, dtype=np.float32)
    n, shape = len(samples), form.shape
    if form.kind == "bars":
        return samples, shape
    full = samples.reshape(n, *shape)
    axes = (1, 2) if form.kind == "image" else (full.ndim - 1,)
    most = most if form.kind == "image" else 4 * most
    for axis in axes:
        factor = -(-full.shape[axis] // most)
        if factor > 1:
            full = np.add.reduceat(full, np.arange(0, full.shape[axis], factor), axis=axis)
            sizes = np.full(full.shape[axis], factor, dtype=np.float32)
            sizes[-1] = shape[axis - 1] - factor * (len(sizes) - 1)
            full = full / sizes.reshape([-1 if a == axis else 1 for a in range(full.ndim)])
    return full.reshape(n, -1), full.shape[1:]


def _range(values: np.ndarray, form: FormLike, direction: bool) -> tuple[float, float]:
    if direction:
        top = float(np.abs(values).max()) or 1.0
        return -top, top
    low = float(values.min()) if form.low is None else form.low
    high = float(values.max()) if form.high is None else form.high
    if form.signed and form.kind == "image":
        high = max(abs(low), abs(high))
        low = -high
    return (low, high) if high > low else (low - 1, low + 1)


def _image(values: np.ndarray, low: float, high: float, signed: bool) -> np.ndarray:
    if signed and values.ndim == 2:
        return diverging(values, high)
    grey = np.rint(255 * np.clip((values - low) / (high - low), 0, 1)).astype(np.uint8)
    return grey if grey.ndim == 3 else np.repeat(grey[..., None], 3, axis=2)


def _enlarged(image: np.ndarray, size: int) -> np.ndarray:
    longest = max(image.shape[:2])
    if longest > size:
        ratio = size / longest
        h, w = (max(1, round(s * ratio)) for s in image.shape[:2])
        return np.asarray(Image.fromarray(image).resize((w, h), Image.Resampling.BOX))
    times = size // longest
    return image.repeat(times, axis=0).repeat(times, axis=1)


def _blank(width: int, height: int) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    page = Image.new("RGB", (width, height), PAPER)
    return page, ImageDraw.Draw(page)


def _curve(values: np.ndarray, low: float, high: float, size: int) -> np.ndarray:
    """Drawn at three times the size and reduced, which smooths the line."""
    channels = values.reshape(-1, values.shape[-1])
    width, height = 3 * size, 3 * round(size * 0.625)
    page, pen = _blank(width, height)
    x = np.linspace(3, width - 4, channels.shape[1])

    def up(v):
        return 6 + (high - np.clip(v, low, high)) / (high - low) * (height - 13)

    if low < 0 < high:
        pen.line([(0, float(up(0.0))), (width, float(up(0.0)))], fill=FAINT, width=3)
    for i, channel in enumerate(channels):
        colour = INK if len(channels) == 1 else CHANNELS[i % len(CHANNELS)]
        pen.line(list(zip(x.tolist(), up(channel).tolist(), strict=True)), fill=colour, width=4)
    return np.asarray(page.resize((width // 3, height // 3), Image.Resampling.BOX))


def _bars(values: np.ndarray, low: float, high: float, size: int) -> np.ndarray:
    """The entries of largest magnitude, in their own order, as bars to the left and right of zero."""
    kept = np.sort(np.argsort(-np.abs(values), kind="stable")[:MOST_BARS])
    low, high = min(low, 0.0), max(high, 0.0)
    page, pen = _blank(size, size)
    row = size / len(kept)

    def across(v):
        return 1 + (min(max(v, low), high) - low) / (high - low) * (size - 3)

    for i, v in enumerate(values[kept]):
        ends = sorted((across(0.0), across(float(v))))
        colour = POSITIVE if v > 0 else NEGATIVE
        pen.rectangle([ends[0], i * row + 0.15 * row, ends[1], i * row + 0.85 * row], fill=colour)
    pen.line([(across(0.0), 0), (across(0.0), size)], fill=FAINT)
    return np.asarray(page)
