"""The linear map from a local spectrum to a signal, and its adjoint, without ever writing the matrix down.

`f(x) = S_0(x) + Re sum_i S_i(x) exp(2 pi j w_i . x)` with complex `S_i`, which is the quadrature pair
`Re S_i cos - Im S_i sin`. Splines and carriers both factor over the axes, so each axis is one small matrix a carrier.
"""

import numpy as np
import torch

from core.transport.splines import Grid, pieces

COMPLEX = {torch.float32: torch.complex64, torch.float64: torch.complex128}


def with_mean(carriers: np.ndarray) -> np.ndarray:
    """`(K + 1, d)`: the un-modulated carrier, frequency 0, before the others."""
    carriers = np.asarray(carriers, dtype=float)
    return np.concatenate([np.zeros((1, carriers.shape[1])), carriers])


class Synthesis:
    """Separable synthesis on a box of samples in one to three (or more) axes.

    Coefficients are complex `(C, K + 1, *knots)`, the first map real; signals are real `(C, *shape)`.

    Args:
        grid: the knots.
        carriers: `(K, d)` cycles a side.
        places: positions along each axis.
    """

    line = False

    def __init__(
        self,
        grid: Grid,
        carriers: np.ndarray | torch.Tensor,
        places: list[np.ndarray],
        *,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ):
        self.grid, self.dtype, self.device = grid, dtype, torch.device(device)
        self.places = places
        self.splines = [torch.as_tensor(grid.matrix(x, a), dtype=dtype, device=device) for a, x in enumerate(places)]
        w = carriers if isinstance(carriers, torch.Tensor) else torch.as_tensor(with_mean(carriers))
        self.axes = [self._modulated(w[:, a], a) for a in range(len(places))]
        first = self.axes[0].transpose(0, 1).reshape(len(places[0]), -1)  # (n, (K + 1) m)
        self.first = torch.cat([first.real, -first.imag], dim=1).contiguous()

    def _modulated(self, w: torch.Tensor, axis: int) -> torch.Tensor:
        x = torch.as_tensor(self.places[axis], dtype=torch.float64, device=self.device)
        turn = (2 * torch.pi) * torch.remainder(w.to(self.device, torch.float64)[:, None] * x, 1.0)
        wave = torch.polar(torch.ones_like(turn), turn).to(COMPLEX[self.dtype])
        return wave[:, :, None] * self.splines[axis]

    @property
    def shape(self) -> tuple[int, ...]:
        """Samples along each axis."""
        return tuple(len(x) for x in self.places)

    def forward(self, s: torch.Tensor) -> torch.Tensor:
        """Signals `(C, *shape)` of coefficients `(C, K + 1, *knots)`."""
        c, k = s.shape[:2]
        for axis in range(len(self.axes) - 1, 0, -1):
            s = _along(s, self.axes[axis], axis)
        s = s.reshape(c, k * s.shape[2], -1)
        out = self.first @ torch.cat([s.real, s.imag], dim=1)
        return out.reshape(c, *self.shape)

    def adjoint(self, f: torch.Tensor) -> torch.Tensor:
        """`(C, K + 1, *knots)`: the gradient of `<f, forward(s)>` by `s`, real part and imaginary part."""
        c, k, m = len(f), len(self.axes[0]), self.grid.knots
        u = self.first.T @ f.reshape(c, len(self.places[0]), -1)
        half = u.shape[1] // 2
        s = torch.complex(u[:, :half], u[:, half:]).reshape(c, k, m[0], *self.shape[1:])
        for axis in range(1, len(self.axes)):
            s = _along(s, self.axes[axis].conj().transpose(1, 2), axis)
        return real_mean(s)


class LineSynthesis:
    """The same along one axis with a whole number of samples in each cell: one small matrix serves every cell.

    A long sound costs `samples x 4 (K + 1)` multiplications, and no matrix as long as the sound is made.
    """

    line = True

    def __init__(self, grid: Grid, carriers, length: int, *, dtype=torch.float32, device="cpu"):
        self.grid, self.length, self.dtype = grid, length, dtype
        self.places = [(np.arange(length) + 0.5) / length]
        per = round(grid.spacing * length)
        w = (carriers if isinstance(carriers, torch.Tensor) else torch.as_tensor(with_mean(carriers)))[:, 0].to(device)
        inside = torch.as_tensor((np.arange(per) + 0.5) / length, device=device)
        touch = torch.as_tensor(pieces((np.arange(per) + 0.5) / per, grid.degree).T, device=device)  # (4, per)
        wave = torch.exp(2j * torch.pi * w[:, None] * inside)
        small = (touch[None] * wave[:, None]).reshape(-1, per)  # ((K + 1) 4, per)
        self.small = torch.cat([small.real, -small.imag]).to(dtype)
        starts = torch.arange(grid.cells[0], device=device, dtype=torch.float64) * per / length
        turn = torch.remainder(w[:, None] * starts, 1.0) * (2 * torch.pi)
        self.turn = torch.polar(torch.ones_like(turn), turn).to(COMPLEX[dtype])[:, :, None]

    @property
    def shape(self) -> tuple[int, ...]:
        """Samples."""
        return (self.length,)

    def forward(self, s: torch.Tensor) -> torch.Tensor:
        """Signals `(C, n)` of coefficients `(C, K + 1, knots)`."""
        near = s.unfold(2, self.grid.degree + 1, 1) * self.turn  # (C, K + 1, cells, 4)
        near = near.transpose(1, 2).reshape(len(s), self.grid.cells[0], -1)
        return (torch.cat([near.real, near.imag], dim=2) @ self.small).reshape(len(s), -1)[:, : self.length]

    def adjoint(self, f: torch.Tensor) -> torch.Tensor:
        """`(C, K + 1, knots)`, as for `Synthesis`."""
        cells, touch = self.grid.cells[0], self.grid.degree + 1
        full = cells * self.small.shape[1]
        f = torch.nn.functional.pad(f, (0, full - self.length)).reshape(len(f), cells, -1)
        u = f @ self.small.T
        half = u.shape[2] // 2
        near = torch.complex(u[..., :half], u[..., half:]).reshape(len(f), cells, -1, touch).transpose(1, 2)
        near = near * self.turn.conj()
        s = near.new_zeros(len(f), near.shape[1], self.grid.knots[0])
        for j in range(touch):
            s[:, :, j : j + cells] += near[..., j]
        return real_mean(s)


def synthesis(grid: Grid, carriers, places: list[np.ndarray], *, dtype=torch.float32, device="cpu"):
    """The cheapest of the two that suits the samples."""
    n, per = len(places[0]), grid.spacing * len(places[0])
    if len(places) == 1 and n > 512 and abs(per - round(per)) < 1e-6:
        return LineSynthesis(grid, carriers, n, dtype=dtype, device=device)
    return Synthesis(grid, carriers, places, dtype=dtype, device=device)


def _along(s: torch.Tensor, matrices: torch.Tensor, axis: int) -> torch.Tensor:
    """`s` `(C, K, ...)` times the carriers' matrices `(K, n, m)` along one axis after the first two."""
    moved = s.movedim(axis + 2, -1)
    flat = moved.reshape(s.shape[0], s.shape[1], -1, s.shape[axis + 2])
    out = flat @ matrices.transpose(1, 2)
    return out.reshape(*moved.shape[:-1], out.shape[-1]).movedim(-1, axis + 2)


def real_mean(s: torch.Tensor) -> torch.Tensor:
    """The same coefficients with a real first map."""
    s = s.clone()
    s[:, 0].imag.zero_()
    return s
