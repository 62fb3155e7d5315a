"""Arrows of a motion over a picture."""

import numpy as np
from PIL import Image, ImageDraw


def arrows(
    picture: np.ndarray, points: np.ndarray, flow: np.ndarray, *, side: int = 560, least: float = 0.6
) -> np.ndarray:
    """A picture with arrows from points to where they go, faded so that the arrows stand out.

    Args:
        picture: `(H, W, 3)` uint8.
        points: `(n, 2)` pixels, x and y.
        flow: `(n, 2)` pixels.
        side: of the longer side of the result.
        least: pixels of the result; shorter arrows are left out.

    Returns:
        `(h, w, 3)` uint8.
    """
    h, w = picture.shape[:2]
    scale = side / max(h, w)
    size = (max(1, round(w * scale)), max(1, round(h * scale)))
    small = np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.LANCZOS), dtype=np.float32)
    grey = small.mean(-1, keepdims=True)
    image = Image.fromarray(np.rint(255 - 0.6 * (255 - grey.repeat(3, -1))).astype(np.uint8))
    pen = ImageDraw.Draw(image)
    for start, step in zip(points * scale, flow * scale, strict=True):
        length = float(np.hypot(*step))
        if length < least:
            continue
        end = start + step
        pen.line([tuple(start), tuple(end)], fill=(192, 60, 20), width=1)
        tip = min(4.0, 0.45 * length)
        along = step / length
        for way in (0.5, -0.5):
            back = -along + way * np.array([-along[1], along[0]])
            pen.line([tuple(end), tuple(end + tip * back)], fill=(192, 60, 20), width=1)
    return np.asarray(image)
