"""Two-channel filter banks from angles: every choice of angles is an orthogonal wavelet."""

from collections.abc import Sequence

import numpy as np
import pywt
import torch

from core.errors import InputError


def from_angles(angles: torch.Tensor) -> torch.Tensor:
    """`(2, 2M)` low-pass and high-pass filter of M angles: rotations and delays in turn (Vaidyanathan and Hoang 1988).

    The two rows and all their shifts by even numbers are orthonormal, whatever the angles are. Their sum decides the
    rest: the first filter sums to `cos S + sin S` with S the sum of the angles, and only S = pi/4 makes it low-pass.
    """
    c, s = torch.cos(angles), torch.sin(angles)
    h, g = torch.stack([c[0], s[0]]), torch.stack([-s[0], c[0]])
    zero = h.new_zeros(2)
    for i in range(1, len(angles)):
        h, g = torch.cat([h, zero]), torch.cat([zero, g])
        h, g = c[i] * h + s[i] * g, c[i] * g - s[i] * h
    return torch.stack([h, g])


def low_pass(angles: torch.Tensor) -> torch.Tensor:
    """The same angles with the last one set so that they add up to pi/4: the first filter then sums to sqrt(2)."""
    return torch.cat([angles[:-1], (np.pi / 4 - angles[:-1].sum())[None]])


def to_angles(filters: np.ndarray) -> np.ndarray:
    """The M angles `(M,)` in -pi to pi of an orthogonal low-pass filter `(2M,)`: the rotations are peeled off again.

    Raises:
        InputError: an odd number of taps, or shifts that are not orthonormal to 1e-6.
    """
    h = np.asarray(filters, dtype=np.float64)
    if h.ndim != 1 or len(h) < 2 or len(h) % 2:
        raise InputError("A filter needs an even number of taps, at least two.")
    for shift in range(0, len(h), 2):
        if abs(h[shift:] @ h[: len(h) - shift] - (shift == 0)) > 1e-6:
            raise InputError("This filter is not orthogonal to its shifts by even numbers.")
    g = high_pass(h)
    angles = []
    while len(h) > 2:
        last = 2 * (np.hypot(h[-2], g[-2]) <= np.hypot(h[-1], g[-1])) - 1
        last = -1 if last == 1 else -2
        angle = np.arctan2(h[last], g[last])
        c, s = np.cos(angle), np.sin(angle)
        h, g = (c * h - s * g)[:-2], (s * h + c * g)[2:]
        angles.append(angle)
    angles.append(np.arctan2(h[1], h[0]))
    return np.array(angles[::-1])


def high_pass(h: np.ndarray | torch.Tensor):
    """The other filter of an orthogonal pair: the taps backwards with alternating signs."""
    signs = np.where(np.arange(len(h)) % 2, 1.0, -1.0)
    if isinstance(h, torch.Tensor):
        return h.flip(0) * torch.as_tensor(signs, dtype=h.dtype)
    return h[::-1] * signs


def known(name: str) -> np.ndarray:
    """Low-pass taps of a classical orthogonal wavelet of PyWavelets, such as `db4`, `sym4`, `haar`.

    Raises:
        InputError: an unknown wavelet or one that is not orthogonal.
    """
    try:
        wavelet = pywt.Wavelet(name)
    except (ValueError, TypeError):
        raise InputError(
            f"There is no wavelet {name!r}; db1 to db38, sym2 to sym20, coif1 to coif17 are known."
        ) from None
    if not wavelet.orthogonal:
        raise InputError(f"The wavelet {name} is not orthogonal; db, sym and coif are.")
    return np.array(wavelet.rec_lo)


def periodic(h: torch.Tensor, n: int) -> torch.Tensor:
    """`(n/2, taps)` places that the filter reads of a signal of n samples, which goes on periodically."""
    return (2 * torch.arange(n // 2)[:, None] + torch.arange(len(h))) % n


def split(x: torch.Tensor, pair: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """One level along the last axis: coarse and fine halves `(..., n/2)` of `(..., n)`, n even."""
    window = x[..., periodic(pair[0], x.shape[-1])]
    return window @ pair[0], window @ pair[1]


def merge(coarse: torch.Tensor, fine: torch.Tensor, pair: torch.Tensor) -> torch.Tensor:
    """The transpose of `split`, which undoes it when the pair is orthogonal."""
    n = 2 * coarse.shape[-1]
    parts = coarse[..., None] * pair[0] + fine[..., None] * pair[1]
    out = parts.new_zeros(*coarse.shape[:-1], n)
    return out.index_add(-1, periodic(pair[0], n).flatten(), parts.flatten(-2))


class FilterPair:
    """Analysis and synthesis by one pair of filters; exact when the pair is orthogonal."""

    def __init__(self, pair: torch.Tensor):
        self.pair = pair

    def split(self, x):
        return split(x, self.pair)

    def merge(self, coarse, fine):
        return merge(coarse, fine, self.pair)


class Lifting:
    """Predict-and-update steps (Sweldens 1996): undone exactly by walking them backwards, whatever the taps are.

    Args:
        steps: taps of alternating steps: even samples predict odd ones, then odd details update even ones, and so on.
        scale: log of the factor on the coarse half; the fine half is divided by it.
    """

    def __init__(self, steps: Sequence[torch.Tensor], scale: torch.Tensor):
        self.steps, self.scale = list(steps), scale

    def split(self, x):
        even, odd = x[..., ::2], x[..., 1::2]
        for i, taps in enumerate(self.steps):
            if i % 2 == 0:
                odd = odd - _circular(even, taps)
            else:
                even = even + _circular(odd, taps)
        return even * torch.exp(self.scale), odd * torch.exp(-self.scale)

    def merge(self, coarse, fine):
        even, odd = coarse * torch.exp(-self.scale), fine * torch.exp(self.scale)
        for i, taps in reversed(list(enumerate(self.steps))):
            if i % 2 == 0:
                odd = odd + _circular(even, taps)
            else:
                even = even - _circular(odd, taps)
        return torch.stack([even, odd], dim=-1).flatten(-2)


def _circular(x: torch.Tensor, taps: torch.Tensor) -> torch.Tensor:
    """Periodic correlation with taps centred on the sample."""
    middle = len(taps) // 2
    return sum(t * torch.roll(x, middle - i, dims=-1) for i, t in enumerate(taps))
