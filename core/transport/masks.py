"""Regions drawn by hand: a coarse lattice of cells that fits into a link, and the soft mask it stands for."""

import base64
import binascii
import zlib

import numpy as np

MOST = 32  # cells along the longest side


def step_of(shape: tuple[int, int]) -> int:
    """Samples along one cell."""
    return max(1, -(-max(shape) // MOST))


def empty(shape: tuple[int, int]) -> np.ndarray:
    """`(rows, columns)` of cells over a picture of this shape, none of them chosen."""
    step = step_of(shape)
    return np.zeros([-(-n // step) for n in shape], dtype=bool)


def brushed(
    cells: np.ndarray, places: np.ndarray, shape: tuple[int, int], *, add: bool, radius: float = 0
) -> np.ndarray:
    """The cells with those around some places added or taken away.

    Args:
        places: `(N, 2)` rows and columns of samples.
        radius: of a dab, in cells; 0 for the cell itself.
    """
    out = cells.copy()
    at = np.clip(np.asarray(places, dtype=float) // step_of(shape), 0, np.array(cells.shape) - 1)
    rows, columns = np.indices(cells.shape)
    for row, column in at:
        out[(rows - row) ** 2 + (columns - column) ** 2 <= radius**2] = add
    return out


def write(cells: np.ndarray) -> str:
    """The cells as a short text."""
    return base64.urlsafe_b64encode(zlib.compress(np.packbits(cells).tobytes(), 9)).decode().rstrip("=")


def read(text: str, shape: tuple[int, int]) -> np.ndarray:
    """The inverse of `write`; none chosen where the text is of another shape or altered."""
    cells = empty(shape)
    try:
        packed = zlib.decompressobj().decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), MOST * MOST)
    except (binascii.Error, ValueError, zlib.error):
        return cells
    bits = np.unpackbits(np.frombuffer(packed, dtype=np.uint8))
    return bits[: cells.size].reshape(cells.shape).astype(bool) if -(-cells.size // 8) == len(packed) else cells


def soft(cells: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """`(H, W)` 0..1: the cells at the samples, with an edge that is one cell wide."""
    from scipy.ndimage import gaussian_filter

    step = step_of(shape)
    hard = cells.repeat(step, axis=0).repeat(step, axis=1)[: shape[0], : shape[1]].astype(np.float32)
    return gaussian_filter(hard, step / 2, mode="nearest")
