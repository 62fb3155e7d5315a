"""Eyelids that close over the eye: the skin between lashes and brow is drawn down, the eye behind stays as it is."""

import numpy as np
from scipy.interpolate import PchipInterpolator

from core.face.photo.interior import window_of
from core.face.photo.raster import sample

# the upper lid's edge comes from `mesh.lids`; above it, from the outer to the inner corner, lie:
CREASE = ((247, 30, 29, 27, 28, 56, 190), (467, 260, 259, 257, 258, 286, 414))  # where the lashes end
BROW = ((46, 53, 52, 65, 55), (276, 283, 282, 295, 285))  # lower edge of the brow, which stays
_HAIR = 0.35  # share of the skin between brow and lashes that stays, since hair may grow there
_OVER = 0.2  # of the opening, how far a closed lid reaches over its lower edge
_WIDEST = -0.45  # how far an eye opens beyond its own opening


class Lid:
    """One eye of a face.

    Args:
        points: `(468, 3)` landmarks.
        side: 0 the person's right eye, 1 the left one.
        upper, lower: numbers of the points of the two lids, outer to inner corner.
    """

    def __init__(self, points: np.ndarray, side: int, upper: tuple[int, ...], lower: tuple[int, ...]):
        flat = points[:, :2]
        self._corner = flat[upper[0]]
        across = flat[upper[-1]] - self._corner
        self._width = max(float(np.linalg.norm(across)), 1e-6)
        self._along = across / self._width
        self._down = np.array([-self._along[1], self._along[0]])
        if self._down[1] < 0:
            self._down = -self._down
        self._rows = [self._curve(flat[list(r)]) for r in (upper, lower, CREASE[side], BROW[side])]
        s = np.linspace(0.2, 0.8, 13) * self._width
        self.gap = float(np.median(self._rows[1](s) - self._rows[0](s)))
        self._reach = flat[[*upper, *lower, *CREASE[side], *BROW[side]]]

    def close(self, picture: np.ndarray, out: np.ndarray, share: float) -> None:
        """Write the eye with its lid closed by a share into `out`.

        Args:
            picture: `(H, W, 3)` uint8, the photograph.
            out: the same shape, uint8; changed around the eye.
            share: 0 as in the photograph, 1 closed, below 0 wider.
        """
        box = window_of(self._reach, picture.shape, 2 + int(0.2 * self._width))
        if box is None or share == 0:
            return
        share = float(np.clip(share, _WIDEST, 1.0))
        x0, y0, w, h = box
        rows, columns = np.mgrid[:h, :w]
        p = np.stack([columns + (x0 + 0.5), rows + (y0 + 0.5)], -1) - self._corner
        s, v = p @ self._along, p @ self._down
        inside = np.clip(s, 0, self._width)
        upper, lower, crease, brow = (row(inside) for row in self._rows)
        fade = np.clip(1 - (np.abs(s - inside) / (0.12 * self._width)), 0, 1)
        gap = np.maximum(lower - upper, 0)
        lower = lower + _OVER * gap * max(0.0, 2 * share - 1)  # landmarks often leave a rim of the eye below them
        gap = np.maximum(lower - upper, 0)
        drop = share * gap * fade
        crease = np.minimum(crease, upper - 0.5)
        brow = np.minimum(brow + _HAIR * (crease - brow), crease - 1)
        edge, fold = upper + drop, crease + drop  # the lashes move as one
        stretched = brow + (v - brow) * (crease - brow) / np.maximum(fold - brow, 1e-3)
        lid = np.where(v > fold, v - drop, np.where(v > brow, stretched, v))
        eye = v
        if share < 0:  # a wider eye: its upper half is drawn up
            middle = (upper + lower) / 2
            rise = (v - edge) * (middle - upper) / np.maximum(middle - edge, 1e-3) + upper
            eye = np.where(v < middle, rise, v)
        under = picture[y0 : y0 + h, x0 : x0 + w].astype(np.float32)
        colours = []
        for target in (lid, eye):
            place = self._corner + s[..., None] * self._along + target[..., None] * self._down
            place[np.abs(target - v) < 1e-3] = np.nan
            colours.append(under.copy())
            sample(picture, place.astype(np.float32), colours[-1])
        cover = np.clip(edge - v + 0.5, 0, 1)
        cover = np.where(v > lower + 1, 0, cover)[..., None]
        out[y0 : y0 + h, x0 : x0 + w] = np.rint(colours[1] + cover * (colours[0] - colours[1])).astype(np.uint8)

    def _curve(self, points: np.ndarray):
        """Distance downwards as a smooth function of the place between the corners, level outside."""
        s, v = (points - self._corner) @ self._along, (points - self._corner) @ self._down
        order = np.argsort(s)
        s, v = s[order], v[order]
        kept = np.concatenate([[True], np.diff(s) > 1e-3 * self._width])
        s, v = s[kept], v[kept]
        curve = PchipInterpolator(s, v)
        return lambda where: curve(np.clip(where, s[0], s[-1]))
