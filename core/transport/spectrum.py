"""A local spectrum: a few carriers, and how much of each there is at every place."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch

from core.transport.splines import Grid, positions
from core.transport.synthesis import synthesis


@dataclass(frozen=True, eq=False)
class LocalSpectrum:
    """`f(x) = S_0(x) + Re sum_i S_i(x) exp(2 pi j w_i . x)`, S on a coarse grid of splines.

    `|S_i|` is the amplitude of carrier i at a place, its angle a local shift of phase. Positions are in units of the
    longest side, so carriers are in cycles a side.

    Attributes:
        carriers: `(K, d)`.
        coefficients: complex64 `(C, K + 1, *knots)`, the un-modulated mean first (a constant where it was not fitted).
        grid: the knots.
        shape: samples along each axis of the signal that was fitted.
        mean: whether the un-modulated grid was fitted too.
    """

    carriers: np.ndarray
    coefficients: np.ndarray
    grid: Grid
    shape: tuple[int, ...]
    mean: bool = True

    @property
    def k(self) -> int:
        """Carriers."""
        return len(self.carriers)

    @property
    def d(self) -> int:
        """Axes."""
        return len(self.shape)

    @property
    def channels(self) -> int:
        """Colours or sides of the sound."""
        return len(self.coefficients)

    @property
    def stored(self) -> int:
        """Numbers that must be kept to draw the signal again."""
        level = self.channels * (self.grid.size if self.mean else 1)
        return self.channels * 2 * self.k * self.grid.size + level + self.carriers.size

    def places(self, scale: float = 1.0, box: tuple[slice, ...] | None = None) -> list[np.ndarray]:
        """Positions of the samples along each axis at a resolution, or of the part `box` of them."""
        axes = positions(self.shape, scale)
        return axes if box is None else [x[b] for x, b in zip(axes, box, strict=True)]

    def synthesise(
        self, scale: float = 1.0, gains: np.ndarray | None = None, box: tuple[slice, ...] | None = None
    ) -> np.ndarray:
        """The signal `(C, *shape)` at `scale` times the resolution.

        Args:
            gains: `(K,)` complex or real factors of the carriers, or `(K + 1,)` with that of the mean first.
            box: slices of samples at that resolution, for a zoom.
        """
        s = self.coefficients
        if gains is not None:
            gains = np.asarray(gains)
            gains = np.concatenate([[1.0], gains]) if len(gains) == self.k else gains
            s = s * gains.astype(np.complex64).reshape(1, -1, *[1] * self.d)
        operator = synthesis(self.grid, self.carriers, self.places(scale, box))
        return operator.forward(torch.as_tensor(s)).numpy()

    def maps(self, scale: float = 1.0, *, along: int | None = None, box: tuple[slice, ...] | None = None) -> np.ndarray:
        """`S_i(x)`, complex64 `(C, K, *shape)`, or its derivative along an axis, per longest side."""
        out = self.coefficients[:, 1:]
        for axis, x in enumerate(self.places(scale, box)):
            matrix = self.grid.matrix(x, axis, int(axis == along)).astype(np.float32)
            out = np.moveaxis(np.moveaxis(out, axis + 2, -1) @ matrix.T, -1, axis + 2)
        return np.ascontiguousarray(out)

    def gradient(self, scale: float = 1.0, *, box: tuple[slice, ...] | None = None) -> np.ndarray:
        """`dS_i / dx_a`, complex64 `(d, C, K, *shape)`."""
        return np.stack([self.maps(scale, along=a, box=box) for a in range(self.d)])

    def waves(self, scale: float = 1.0, *, box: tuple[slice, ...] | None = None) -> np.ndarray:
        """`exp(2 pi j w_i . x)`, complex64 `(K, *shape)`."""
        out = np.ones((self.k, *[1] * self.d), dtype=np.complex64)
        for axis, x in enumerate(self.places(scale, box)):
            turn = np.exp(2j * np.pi * np.modf(self.carriers[:, axis, None] * x)[0]).astype(np.complex64)
            out = out * turn.reshape(self.k, *[-1 if a == axis else 1 for a in range(self.d)])
        return out

    def at(self, point: np.ndarray) -> np.ndarray:
        """`S_i` at one position `(d,)` in units of the longest side: complex `(C, K)`."""
        touch = self.grid.scattered(np.atleast_2d(point))[0].astype(np.float32)
        return self.coefficients[:, 1:].reshape(self.channels, self.k, -1) @ touch

    @cached_property
    def weight(self) -> np.ndarray:
        """`(K,)` root mean square of each carrier's amplitude over the knots."""
        power = np.abs(self.coefficients[:, 1:]) ** 2
        return np.sqrt(power.sum(0).reshape(self.k, -1).mean(1))

    def sorted(self) -> "LocalSpectrum":
        """The same with carriers ordered by frequency."""
        order = np.argsort(np.linalg.norm(self.carriers, axis=1), kind="stable")
        s = np.concatenate([self.coefficients[:, :1], self.coefficients[:, 1:][:, order]], axis=1)
        return replace(self, carriers=self.carriers[order], coefficients=s)

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything as plain arrays, for an npz or a store."""
        return {
            "carriers": self.carriers.astype(np.float64),
            "real": np.ascontiguousarray(self.coefficients.real),
            "imag": np.ascontiguousarray(self.coefficients.imag),
            "cells": np.array(self.grid.cells),
            "spacing": np.array(self.grid.spacing),
            "degree": np.array(self.grid.degree),
            "shape": np.array(self.shape),
            "mean": np.array(self.mean),
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray]) -> "LocalSpectrum":
        """The inverse of `arrays`.

        Raises:
            ValueError: arrays that do not fit each other.
        """
        cells = tuple(int(c) for c in np.atleast_1d(arrays["cells"]))
        grid = Grid(cells, float(arrays["spacing"]), int(arrays["degree"]))
        s = (arrays["real"] + 1j * arrays["imag"]).astype(np.complex64)
        carriers = np.asarray(arrays["carriers"], dtype=float)
        if s.shape[1:] != (len(carriers) + 1, *grid.knots):
            raise ValueError("carriers, grid and coefficients disagree")
        return cls(carriers, s, grid, tuple(int(n) for n in arrays["shape"]), bool(arrays["mean"]))


def gradient_energy(spectrum: LocalSpectrum, scale: float = 1.0) -> np.ndarray:
    """`|grad S|^2`, `(*shape)`: what is left to explain; a flat S has none."""
    return (np.abs(spectrum.gradient(scale)) ** 2).sum((0, 1, 2))
