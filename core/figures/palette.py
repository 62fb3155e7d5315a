"""The one set of colours of all figures, safe for the common kinds of colour blindness."""

from collections.abc import Sequence

import numpy as np

# Okabe and Ito 2008, in an order that keeps the first ones far apart. Their black is lost on a dark page, and a grey in
# its place looks like the purple to deuteranopes: a brown stands there.
CATEGORICAL = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442", "#8c510a")
SYMBOLS = ("circle", "square", "triangle", "diamond")
MOST_CLASSES = len(CATEGORICAL) * len(SYMBOLS)

BASIS, CONTROL, REFERENCE = "#0072b2", "#999999", "#d55e00"  # this basis, the random control, another known basis

SEQUENTIAL = "Cividis"
# From deep blue over near-white to rust, the same as in the browser's components.
DIVERGING = ("#0c3470", "#2e6eac", "#7eb0d6", "#cee0ec", "#f7f6f3", "#f5d6ba", "#e79b64", "#be5624", "#70260c")
NEGATIVE, POSITIVE = "#3f87c6", "#d2701f"  # bars and lines that show a sign

_CIVIDIS = ("#00224e", "#2a3f6d", "#575c6d", "#7d7c78", "#a69d75", "#d3c164", "#fee838")


def marks(count: int) -> list[tuple[str, str]]:
    """`count` pairs of colour and symbol, all different up to `MOST_CLASSES`: the symbol changes after each round."""
    c, s = len(CATEGORICAL), len(SYMBOLS)
    return [(CATEGORICAL[i % c], SYMBOLS[i // c % s]) for i in range(count)]


def ramp(shares: np.ndarray, colours: Sequence[str]) -> np.ndarray:
    """Colours `(..., 3)` as bytes for shares in 0..1 along evenly spaced colours."""
    stops = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colours], dtype=np.float64)
    at = np.clip(np.nan_to_num(np.asarray(shares, dtype=np.float64), nan=0.0), 0, 1)
    channels = [np.interp(at, np.linspace(0, 1, len(stops)), stops[:, i]) for i in range(3)]
    return np.rint(np.stack(channels, axis=-1)).astype(np.uint8)


def diverging(values: np.ndarray, largest: float | None = None) -> np.ndarray:
    """Signed values as bytes `(..., 3)`: blue below zero, near-white at zero, orange above."""
    top = float(np.abs(values).max()) if largest is None else largest
    return ramp(0.5 + 0.5 * np.asarray(values) / (top or 1.0), DIVERGING)


def sequential(shares: np.ndarray) -> np.ndarray:
    """Shares in 0..1 as bytes `(..., 3)` of the sequential scale."""
    return ramp(shares, _CIVIDIS)


def sequential_stops() -> tuple[str, ...]:
    """Evenly spaced colours of the sequential scale, for drawing it in a browser."""
    return _CIVIDIS
