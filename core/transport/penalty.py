"""The quadratic price of a local spectrum, and the preconditioner that knows it.

Price of one map: `rho sum |S|^2 + lam sum_axes |h^2 d^2 S / dx_a^2|^2`, sums over the samples of the signal (first
derivatives for a bilinear grid). In the splines' own Gram matrices it factors over the axes.
"""

import numpy as np
import scipy.linalg
import torch

from core.transport.splines import Grid, pieces


def _grams(grid: Grid, places: list[np.ndarray]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    order = 2 if grid.degree == 3 else 1
    g, d = [], []
    for axis, x in enumerate(places):
        b, db = grid.matrix(x, axis), grid.matrix(x, axis, order) * grid.spacing**order
        gram = b.T @ b
        g.append(gram + 1e-7 * np.trace(gram) / len(gram) * np.eye(len(gram)))
        d.append(db.T @ db)
    return g, d


class Penalty:
    """For a box of samples: dense matrices a few dozen knots wide, one pair an axis.

    `weight` is what one sample of a carrier counts in the fit: one half for a wave, one for the mean.
    """

    def __init__(self, grid: Grid, places: list[np.ndarray], rho: float, lam: float, *, dtype, device="cpu"):
        self.rho, self.lam = rho, lam
        grams, bends = _grams(grid, places)
        solved = [scipy.linalg.eigh(d, g) for g, d in zip(grams, bends, strict=True)]
        self.v = [torch.as_tensor(v, dtype=dtype, device=device) for _, v in solved]
        self.g = [torch.as_tensor(g, dtype=dtype, device=device) for g in grams]
        self.d = [torch.as_tensor(d, dtype=dtype, device=device) for d in bends]
        total = torch.zeros([1] * len(places), dtype=dtype, device=device)
        for axis, (values, _) in enumerate(solved):
            shape = [-1 if a == axis else 1 for a in range(len(places))]
            total = total + torch.as_tensor(np.maximum(values, 0), dtype=dtype, device=device).reshape(shape)
        self.price = rho + lam * total

    def apply(self, s: torch.Tensor) -> torch.Tensor:
        """Half the gradient of the price, `(..., *knots)`."""
        if not self.rho and not self.lam:
            return torch.zeros_like(s)
        out = self.rho * _all(s, self.g)
        for axis in range(len(self.g) if self.lam else 0):
            out = out + self.lam * _all(s, [self.d[a] if a == axis else g for a, g in enumerate(self.g)])
        return out

    def precondition(self, s: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """The exact inverse of the fit of each carrier alone."""
        inner = _all(s, [v.T for v in self.v])
        return _all(inner / (weight.reshape(-1, *[1] * len(self.v)) + self.price), self.v)


class LinePenalty:
    """The same along one long axis: bands instead of dense matrices."""

    def __init__(self, grid: Grid, places: list[np.ndarray], rho: float, lam: float, *, dtype, device="cpu"):
        self.rho, self.lam, self.device = rho, lam, device
        self.gram, self.bend = _line_bands(grid, len(places[0]))
        self.bands = torch.as_tensor(rho * self.gram + lam * self.bend, dtype=dtype, device=device)
        self._factors: dict[float, np.ndarray] = {}

    def apply(self, s: torch.Tensor) -> torch.Tensor:
        """Half the gradient of the price, `(..., knots)`."""
        if not self.rho and not self.lam:
            return torch.zeros_like(s)
        out = s * self.bands[0]
        for j in range(1, len(self.bands)):
            out[..., :-j] += s[..., j:] * self.bands[j, :-j]
            out[..., j:] += s[..., :-j] * self.bands[j, :-j]
        return out

    def precondition(self, s: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """The exact inverse of the fit of each carrier alone."""
        out = torch.empty_like(s)
        for value in weight.unique().tolist():
            if value not in self._factors:
                bands = (value + self.rho) * self.gram + self.lam * self.bend
                self._factors[value] = scipy.linalg.cholesky_banded(bands, lower=True)
            which = weight == value
            rows = s[:, which]
            flat = rows.reshape(-1, s.shape[-1]).T.cpu().numpy()
            solved = scipy.linalg.cho_solve_banded((self._factors[value], True), flat).T
            out[:, which] = torch.as_tensor(solved, dtype=s.dtype, device=s.device).reshape(rows.shape)
        return out


def _line_bands(grid: Grid, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Lower bands `(degree + 1, knots)` of the two Gram matrices, a cell's own matrix added up over the cells."""
    per, touch = round(grid.spacing * n), grid.degree + 1
    t = (np.arange(per) + 0.5) / per
    out = []
    for values in (pieces(t, grid.degree), pieces(t, grid.degree, 2 if grid.degree == 3 else 1)):
        own, bands = values.T @ values, np.zeros((touch, grid.knots[0]))
        for i in range(touch):
            for j in range(i, touch):
                bands[j - i, i : i + grid.cells[0]] += own[i, j]
        out.append(bands)
    out[0][0] += 1e-7 * out[0][0].mean()
    return out[0], out[1]


def penalty(grid: Grid, places: list[np.ndarray], rho: float, lam: float, *, dtype, device="cpu", line: bool = False):
    """The kind that goes with the synthesis."""
    return (LinePenalty if line else Penalty)(grid, places, rho, lam, dtype=dtype, device=device)


def _all(s: torch.Tensor, matrices: list[torch.Tensor]) -> torch.Tensor:
    """`s` `(..., *knots)`, each of the last axes times its matrix."""
    for axis, matrix in enumerate(reversed(matrices)):
        s = (s.movedim(-1 - axis, -1) @ matrix.to(s.dtype).T).movedim(-1, -1 - axis)
    return s
