"""What lies behind lids and lips: the eye and the teeth of the photograph, which do not move with the skin, and a
painted mouth where the photograph shows none."""

import numpy as np
from PIL import Image, ImageDraw
from scipy.ndimage import gaussian_filter

from core.face.photo.mesh import LOWER_LIP, UPPER_LIP
from core.face.photo.raster import sample, trace

_FINE = 4  # samples on a side of a pixel along the edge of an opening
_DARK = np.array([38.0, 14.0, 14.0])
_TONGUE = np.array([158.0, 84.0, 82.0])
_TEETH = np.array([232.0, 216.0, 192.0])
_TOOTH = 0.115  # of the mouth's width


def opening(upper: np.ndarray, lower: np.ndarray, window: tuple[int, int, int, int]) -> np.ndarray:
    """How much of each pixel lies between two rows of points, `(h, w)` in 0 to 1.

    Args:
        upper, lower: `(n, 2)` pixels, from the same corner to the same corner.
        window: left, top, width, height.
    """
    x0, y0, w, h = window
    ring = (np.concatenate([upper, lower[-2:0:-1]]) - [x0, y0]) * _FINE - 0.5
    mask = Image.new("L", (w * _FINE, h * _FINE))
    ImageDraw.Draw(mask).polygon([(float(x), float(y)) for x, y in ring], fill=255)
    fine = np.asarray(mask, dtype=np.float32).reshape(h, _FINE, w, _FINE)
    return fine.mean((1, 3)) / 255


def window_of(points: np.ndarray, shape: tuple[int, ...], margin: int = 3) -> tuple[int, int, int, int] | None:
    """Left, top, width and height of the pixels around points `(n, 2)`, inside a picture; None when outside."""
    h, w = shape[:2]
    low, high = np.floor(points.min(0)).astype(int) - margin, np.ceil(points.max(0)).astype(int) + margin
    x0, y0, x1, y1 = max(0, low[0]), max(0, low[1]), min(w, high[0]), min(h, high[1])
    return (int(x0), int(y0), int(x1 - x0), int(y1 - y0)) if x1 > x0 and y1 > y0 else None


def outward(still: np.ndarray, moved: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Points `(n, 2)` that follow `moved` away from the opposite row, but not towards it.

    Args:
        still: the row where the head alone takes it.
        moved: the row where the skin goes.
        other: the opposite row where the head alone takes it.
    """
    away = still - other
    length = np.linalg.norm(away, axis=1, keepdims=True)
    across = away / np.maximum(length, 1e-6)
    step = moved - still
    along = (step * across).sum(1, keepdims=True)
    return still + step - np.minimum(along, 0) * across


def content(picture, source, target, triangles, window) -> tuple[np.ndarray, np.ndarray]:
    """Colours `(h, w, 3)` that triangles bring into a window, and where they do `(h, w)` bool."""
    x0, y0, w, h = window
    flat = np.column_stack([target, np.zeros(len(target))])
    place, which = trace(flat, source, triangles, x0, y0, w, h)
    out = np.zeros((h, w, 3), dtype=np.float32)
    sample(picture, place, out)
    return out, which >= 0


def painted_mouth(window, upper, lower, still_upper, still_lower, light: float, teeth: bool) -> np.ndarray:
    """A mouth's inside `(h, w, 3)`: dark, with a tongue, the lower teeth, and the upper ones if asked for.

    Args:
        window: left, top, width, height.
        upper, lower: `(11, 2)` inner edges of the lips in the new picture.
        still_upper, still_lower: the same where the head alone takes them; the upper teeth hang there.
        light: brightness of the face, 1 for an evenly lit pale one.
        teeth: whether to paint the upper teeth.
    """
    x0, y0, w, h = window
    middle, across = (still_upper[0] + still_upper[-1]) / 2, still_upper[-1] - still_upper[0]
    width = float(np.linalg.norm(across))
    ex = across / width
    ey = np.array([-ex[1], ex[0]])
    rows, columns = np.mgrid[:h, :w]
    p = np.stack([columns + x0 + 0.5, rows + y0 + 0.5], -1) - middle
    x, y = p @ ex / width, p @ ey / width  # shares of the mouth's width
    top, bottom = ((row[5] - middle) @ ey / width for row in (upper, lower))
    rest = float((still_upper[5] - middle) @ ey / width)
    deep = max(bottom - top, 1e-3)
    t = np.clip((y - top) / deep, 0, 1)
    soft = 0.5 / width + 0.012
    out = np.broadcast_to(_DARK, (h, w, 3)) * (0.7 + 0.5 * t[..., None])
    tongue = _step((t - 0.58 + 0.9 * x**2) / 0.35) * min(1.0, deep / 0.3)
    out = out + (tongue * 0.8)[..., None] * (_TONGUE * (0.5 + 0.45 * t[..., None]) - out)
    low = bottom - 0.035 - 0.30 * x**2 + 0.06 * (1 - min(1.0, deep / 0.35))  # upper edge of the lower teeth
    cover = _step((y - low) / soft) * _step((0.26 - np.abs(x)) / 0.1)
    out = out + (0.7 * cover)[..., None] * (_TEETH * 0.5 * _gaps(x * 1.3)[..., None] - out)
    if teeth:
        scallop = 0.008 * np.abs(np.sin(np.pi * x / _TOOTH))
        edge = rest + 0.085 + scallop - 0.32 * x**2
        shade = np.clip(0.62 + 2.2 * (y - rest), 0.55, 0.86) * (1 - 2.0 * x**2)
        cover = _step((edge - y) / soft) * _step((0.36 - np.abs(x)) / 0.12) * _step(deep / 0.1)
        out = out + cover[..., None] * (_TEETH * (shade * _gaps(x))[..., None] - out)
    blur = 0.011 * width  # no sharper than a photographed mouth of that size
    return (gaussian_filter(out, (blur, blur, 0), mode="nearest") * light).astype(np.float32)


def _gaps(x: np.ndarray) -> np.ndarray:
    """Slightly darker lines between teeth."""
    return 1 - 0.13 * np.abs(np.cos(np.pi * (x / _TOOTH + 0.5))) ** 12


def _step(t: np.ndarray) -> np.ndarray:
    t = np.clip(t, 0, 1)
    return t * t * (3 - 2 * t)


def lips(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The inner edges `(11, 2)` of upper and lower lip of a face's points."""
    return points[list(UPPER_LIP), :2], points[list(LOWER_LIP), :2]
