"""Yardsticks that need no training: a truncated cosine transform, and JPEG at the same number of bytes."""

import io
from dataclasses import dataclass

import numpy as np
from scipy.fft import dctn, idctn

BYTES_A_NUMBER = 2  # a stored number as a half-precision float


@dataclass(frozen=True, eq=False)
class Coded:
    """What a codec draws, and what it kept: numbers (positions charged) or bytes."""

    values: np.ndarray
    stored: int


def truncated_dct(values: np.ndarray, numbers: int, *, kept: str = "largest") -> Coded:
    """`(C, *shape)` out of few cosine coefficients (orthonormal DCT-II).

    Args:
        numbers: at most this many are stored. The `largest` coefficients need a position each, which counts as one
            number more; the `lowest` frequencies need none. Channels share the count evenly.
    """
    c = len(values)
    each = max(1, numbers // (c * (2 if kept == "largest" else 1)))
    out = np.empty(values.shape, dtype=np.float64)
    for i, one in enumerate(np.asarray(values, dtype=np.float64)):
        spectrum = dctn(one, norm="ortho")
        if kept == "largest":
            rank = -np.abs(spectrum).ravel()
        else:
            rank = sum(np.square(np.indices(one.shape)[a] / one.shape[a]) for a in range(one.ndim)).ravel()
        keep = np.argsort(rank, kind="stable")[:each]
        few = np.zeros(spectrum.size)
        few[keep] = spectrum.ravel()[keep]
        out[i] = idctn(few.reshape(one.shape), norm="ortho")
    stored = c * min(each, values[0].size) * (2 if kept == "largest" else 1)
    return Coded(out.astype(np.float32), stored)


def jpeg(values: np.ndarray, size: int) -> Coded | None:
    """A picture `(C, H, W)` in 0..1 as the best JPEG of at most `size` bytes, tables included.

    Returns None when even the lowest quality is larger.
    """
    from PIL import Image

    pixels = (np.clip(values, 0, 1) * 255 + 0.5).astype(np.uint8)
    picture = Image.fromarray(pixels[0] if len(values) == 1 else np.moveaxis(pixels, 0, -1))
    best, low, high = None, 1, 95
    while low <= high:
        quality = (low + high) // 2
        buffer = io.BytesIO()
        picture.save(buffer, "JPEG", quality=quality, optimize=True, subsampling=0 if quality > 80 else 2)
        if buffer.tell() <= size:
            best, low = buffer, quality + 1
        else:
            high = quality - 1
    if best is None:
        return None
    read = np.asarray(Image.open(io.BytesIO(best.getvalue())), dtype=np.float32) / 255
    return Coded(read[None] if read.ndim == 2 else np.moveaxis(read, -1, 0), len(best.getvalue()))
