"""Uniform B-splines on a coarse grid: where the local spectrum keeps its numbers."""

from dataclasses import dataclass
from math import ceil

import numpy as np

DEGREES = {"bilinear": 1, "cubic": 3}

# Row j: the polynomial of the j-th spline that touches a cell, in the place t = 0..1 inside it (powers 0, 1, 2, 3).
_PIECES = {
    1: np.array([[1, -1], [0, 1]], dtype=float),
    3: np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]], dtype=float) / 6,
}


def pieces(t: np.ndarray, degree: int, order: int = 0) -> np.ndarray:
    """`(N, degree + 1)` values at `t` `(N,)` of the splines that touch a cell, or of their derivative by `t`."""
    powers = np.polynomial.polynomial.polyder(_PIECES[degree], order, axis=1) if order else _PIECES[degree]
    if powers.shape[1] == 0:
        return np.zeros((len(t), degree + 1))
    return np.vander(t, powers.shape[1], increasing=True) @ powers.T


@dataclass(frozen=True)
class Grid:
    """Knots over a box that starts at 0 in every axis.

    Positions are in units of the longest side of the signal, so that a frequency is in cycles a side in every axis.

    Attributes:
        cells: cells along each axis.
        spacing: width of a cell, the same in every axis.
        degree: 1 (bilinear) or 3 (cubic).
    """

    cells: tuple[int, ...]
    spacing: float
    degree: int = 3

    @classmethod
    def over(cls, shape: tuple[int, ...], cells: int, degree: int = 3) -> "Grid":
        """A grid with `cells` cells along the longest side of a signal of this shape.

        Along a single axis the spacing is a whole number of samples, at most that of `cells` cells.
        """
        longest = max(shape)
        cells = max(1, min(cells, longest))
        spacing = max(1, longest // cells) / longest if len(shape) == 1 else 1.0 / cells
        return cls(tuple(max(1, ceil(n / longest / spacing - 1e-9)) for n in shape), spacing, degree)

    @property
    def knots(self) -> tuple[int, ...]:
        """Numbers along each axis: cells plus degree."""
        return tuple(c + self.degree for c in self.cells)

    @property
    def size(self) -> int:
        """Numbers in one map."""
        return int(np.prod(self.knots))

    def locate(self, x: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
        """Cell `(N,)` and place inside it, 0..1, of positions along one axis; outside, the nearest cell's."""
        u = np.asarray(x, dtype=float) / self.spacing
        cell = np.clip(np.floor(u), 0, self.cells[axis] - 1).astype(int)
        return cell, u - cell

    def matrix(self, x: np.ndarray, axis: int, order: int = 0) -> np.ndarray:
        """`(N, knots)`: what each knot gives to each position along one axis, or to the derivative there."""
        cell, t = self.locate(x, axis)
        out = np.zeros((len(cell), self.knots[axis]))
        values = pieces(t, self.degree, order) / self.spacing**order
        np.put_along_axis(out, cell[:, None] + np.arange(self.degree + 1), values, axis=1)
        return out

    def scattered(self, points: np.ndarray, orders: tuple[int, ...] | None = None) -> np.ndarray:
        """`(N, size)`: the same for points `(N, d)` anywhere, all axes at once."""
        out = np.ones((len(points), 1))
        for axis in range(points.shape[1]):
            one = self.matrix(points[:, axis], axis, orders[axis] if orders else 0)
            out = (out[:, :, None] * one[:, None, :]).reshape(len(points), -1)
        return out


def positions(shape: tuple[int, ...], scale: float = 1.0) -> list[np.ndarray]:
    """Centres of the samples along each axis, in units of the longest side.

    Args:
        shape: of the signal, without channels.
        scale: 2 for twice as many samples in each axis over the same box.
    """
    longest = max(shape)
    counts = [max(1, round(n * scale)) for n in shape]
    return [(np.arange(c) + 0.5) * (n / longest / c) for n, c in zip(shape, counts, strict=True)]
