"""Multi-level wavelet transforms with any pair or lifting scheme, and what there is to see of a wavelet."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from core.errors import InputError
from core.transforms.filters import FilterPair, Lifting, high_pass, known

Bank = FilterPair | Lifting


def forward(x: torch.Tensor, bank: Bank, levels: int, axes: int = 1) -> torch.Tensor:
    """Coefficients in the place of the samples: coarse ones first along the last axes.

    Args:
        x: `(..., n)` or, with `axes` 2, `(..., h, w)`; sides that `2 ** levels` divides.
        axes: 1 for series, 2 for images (both directions at each level).

    Raises:
        InputError: sides that do not divide.
    """
    if levels == 0:
        return x
    _check(x.shape[-axes:], levels)
    coarse, fine = bank.split(x)
    if axes == 1:
        return torch.cat([forward(coarse, bank, levels - 1), fine], -1)
    (cc, cf), (fc, ff) = (tuple(v.mT for v in bank.split(half.mT)) for half in (coarse, fine))
    cc = forward(cc, bank, levels - 1, 2)
    return torch.cat([torch.cat([cc, fc], -1), torch.cat([cf, ff], -1)], -2)


def backward(coefficients: torch.Tensor, bank: Bank, levels: int, axes: int = 1) -> torch.Tensor:
    """Samples out of what `forward` gave."""
    if levels == 0:
        return coefficients
    n = coefficients.shape[-1] // 2
    if axes == 1:
        return bank.merge(backward(coefficients[..., :n], bank, levels - 1), coefficients[..., n:])
    m = coefficients.shape[-2] // 2
    top, bottom = coefficients[..., :m, :], coefficients[..., m:, :]
    cc = backward(top[..., :n], bank, levels - 1, 2)
    coarse = bank.merge(cc.mT, bottom[..., :n].mT).mT
    fine = bank.merge(top[..., n:].mT, bottom[..., n:].mT).mT
    return bank.merge(coarse, fine)


def _check(sides: Any, levels: int) -> None:
    if any(s % 2**levels or s < 2 for s in sides):
        raise InputError(f"{levels} levels need sides that {2**levels} divides; crop or pad the samples.")


def classical(name: str) -> FilterPair:
    """The filter pair of a wavelet of PyWavelets."""
    h = known(name)
    return FilterPair(torch.as_tensor(np.stack([h, high_pass(h)])))


def left_over(x: torch.Tensor, bank: Bank, levels: int, count: int, axes: int = 1) -> torch.Tensor:
    """Share of the energy `(N,)` of each sample that is lost when only its `count` largest coefficients are kept.

    For an orthogonal bank this is the energy of the other coefficients; for others the samples are rebuilt.
    """
    c = forward(x, bank, levels, axes)
    flat = c.flatten(-axes)
    count = min(count, flat.shape[-1])
    energy = x.flatten(-axes).square().sum(-1).clamp_min(1e-30)
    top = flat.abs().topk(count, dim=-1)
    kept = torch.zeros_like(flat).scatter(-1, top.indices, flat.gather(-1, top.indices))
    rebuilt = backward(kept.view(c.shape), bank, levels, axes)
    return (rebuilt - x).flatten(-axes).square().sum(-1) / energy


def reconstruction_error(x: torch.Tensor, bank: Bank, levels: int, axes: int = 1) -> float:
    """Largest difference between samples and their rebuilt selves, relative to the largest sample."""
    rebuilt = backward(forward(x, bank, levels, axes), bank, levels, axes)
    return float((rebuilt - x).abs().max() / x.abs().max().clamp_min(1e-30))


@dataclass(frozen=True, eq=False)
class Shape:
    """What there is to see of a wavelet.

    Attributes:
        low, high: taps of the two analysis filters.
        x: `(S,)` places, scaling, wavelet: `(S,)` the functions after `stages` refinements; they settle into a curve
            only for a low-pass filter.
        frequency: `(F,)` 0 to pi, low_gain, high_gain: `(F,)` absolute responses.
        sum: of the low taps, sqrt(2) for a low-pass filter.
        moments: `(8,)` relative sizes of the moments 0 .. 7 of the high taps.
        vanishing: how many of them vanish (1e-6), counted from moment 0.
        orthogonality: largest entry by which the shifts by even numbers fail to be orthonormal.
    """

    low: np.ndarray
    high: np.ndarray
    x: np.ndarray
    scaling: np.ndarray
    wavelet: np.ndarray
    frequency: np.ndarray
    low_gain: np.ndarray
    high_gain: np.ndarray
    sum: float
    moments: np.ndarray
    vanishing: int
    orthogonality: float


def shape(bank: Bank, *, stages: int = 7) -> Shape:
    """Look at a bank; lifting steps are first turned into the filters that they amount to."""
    low, high = impulse(bank) if isinstance(bank, Lifting) else bank.pair.detach().numpy().astype(np.float64)
    scaling, wavelet = low.copy(), high.copy()
    for _ in range(stages - 1):  # phi(x) = sqrt(2) sum h_k phi(2x - k), from an impulse
        grown = [np.zeros(2 * len(f) - 1) for f in (scaling, wavelet)]
        for g, f in zip(grown, (scaling, wavelet), strict=True):
            g[::2] = f
        scaling, wavelet = (np.convolve(g, low) for g in grown)
    size = 2.0 ** (stages / 2)
    frequency = np.linspace(0, np.pi, 257)
    waves = np.exp(-1j * np.outer(frequency, np.arange(len(low))))
    k = np.arange(len(high)) - (len(high) - 1) / 2
    moments = np.array(
        [abs(np.sum(k**p * high)) / max(np.sum(np.abs(k) ** p * np.abs(high)), 1e-300) for p in range(8)]
    )
    off = 0.0
    for shift in range(0, len(low), 2):
        for a, b, same in ((low, low, 1), (high, high, 1), (low, high, 0), (high, low, 0)):
            off = max(off, abs(a[shift:] @ b[: len(b) - shift] - same * (shift == 0)))
    return Shape(
        low=low,
        high=high,
        x=np.arange(len(scaling)) / 2**stages,
        scaling=scaling * size,
        wavelet=wavelet * size,
        frequency=frequency,
        low_gain=np.abs(waves @ low),
        high_gain=np.abs(waves @ high),
        sum=float(low.sum()),
        moments=moments,
        vanishing=int(np.argmax(np.append(moments > 1e-6, True))),
        orthogonality=float(off),
    )


def impulse(bank: Bank) -> tuple[np.ndarray, np.ndarray]:
    """The two filters that one level of a bank applies, read off unit impulses, cut to where they are not zero."""
    n = 64
    with torch.no_grad():
        coarse, fine = bank.split(torch.eye(n, dtype=torch.float64))
    low, high = (np.roll(half[:, n // 4].numpy(), 0) for half in (coarse, fine))
    used = np.flatnonzero(np.abs(low) + np.abs(high) > 1e-14)
    first, last = used[0] - used[0] % 2, used[-1] + 1 - (used[-1] + 1) % 2 + 2
    return low[first:last], high[first:last]
