"""A small picture of some directions, for the progress panel of a running training."""

import numpy as np


def montage(rows: np.ndarray, shape: tuple[int, ...], most: int = 64) -> np.ndarray | None:
    """Directions side by side in a square grid, each with its own contrast and zero in the middle.

    Args:
        rows: `(K, D)`; the first `most` are drawn.
        shape: of one sample: `(H, W)` or `(H, W, 3)`, else there is nothing to draw and None comes back.

    Returns:
        `(rows * (H + 1) - 1, columns * (W + 1) - 1[, 3])` in 0..1, or None.
    """
    image = len(shape) == 2 or (len(shape) == 3 and shape[2] == 3)
    if not image or len(rows) == 0 or rows.shape[1] != int(np.prod(shape)):
        return None
    tiles = np.asarray(rows[:most], dtype=np.float32)
    tiles = 0.5 + 0.5 * tiles / np.maximum(np.abs(tiles).max(axis=1, keepdims=True), 1e-12)
    columns = int(np.ceil(np.sqrt(len(tiles))))
    lines = -(-len(tiles) // columns)
    h, w, *colour = shape
    grid = np.ones((lines * (h + 1), columns * (w + 1), *colour), dtype=np.float32)
    for i, tile in enumerate(tiles):
        top, left = (i // columns) * (h + 1), (i % columns) * (w + 1)
        grid[top : top + h, left : left + w] = tile.reshape(shape)
    return grid[:-1, :-1]
