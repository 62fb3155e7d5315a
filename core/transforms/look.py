"""What there is to see of a wavelet on data: energy in few coefficients, beside the classical ones, and the rebuilt."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from core.errors import InputError
from core.transforms.filters import FilterPair, from_angles, known, low_pass, to_angles
from core.transforms.wavelets import Bank, backward, forward, left_over, reconstruction_error


def continued(samples: np.ndarray, levels: int) -> torch.Tensor:
    """`(N, *sides)` float64 whose sides `2 ** levels` divides, continued with their border values.

    Raises:
        InputError: samples too short for so many levels.
    """
    x = np.asarray(samples, dtype=np.float64)
    block = 2**levels
    if min(x.shape[1:]) < block:
        sides = " x ".join(map(str, x.shape[1:]))
        raise InputError(f"Samples of {sides} do not suit {levels} levels; at most {max_levels(x.shape[1:])} do.")
    return torch.as_tensor(np.pad(x, [(0, 0), *((0, -s % block) for s in x.shape[1:])], mode="edge"))


def max_levels(sides: Sequence[int]) -> int:
    """How many times the shortest side can be halved."""
    return max(1, min(12, int(np.log2(min(sides)))))


def presets(taps: int) -> dict[str, str]:
    """Classical orthogonal wavelets of that many taps: title by name of PyWavelets."""
    m = taps // 2
    found = {"db1": "Haar"} if m == 1 else {f"db{m}": f"Daubechies db{m}"}
    if 2 <= m <= 20:
        found[f"sym{m}"] = f"Symlet sym{m}"
    if m % 3 == 0 and m // 3 <= 5:
        found[f"coif{m // 3}"] = f"Coiflet coif{m // 3}"
    return found


def preset_angles(name: str) -> np.ndarray:
    """Angles `(M,)` in radians of a classical wavelet."""
    return to_angles(known(name))


def random_angles(count: int, seed: int) -> np.ndarray:
    """Angles `(count,)` drawn evenly from -pi to pi."""
    return np.random.default_rng(seed).uniform(-np.pi, np.pi, count)


def held(angles: np.ndarray) -> np.ndarray:
    """The angles with the last one set so that the filter is low-pass, brought back to -pi to pi."""
    last = low_pass(torch.as_tensor(np.asarray(angles, dtype=np.float64))).numpy()
    return np.angle(np.exp(1j * last))


def bank_of(angles: np.ndarray) -> Bank:
    """The orthogonal bank of angles `(M,)` in radians."""
    return FilterPair(from_angles(torch.as_tensor(np.asarray(angles, dtype=np.float64))))


@dataclass(frozen=True, eq=False)
class Look:
    """What a bank makes of a data set.

    Attributes:
        error: of rebuilding a sample from all coefficients, relative to its largest value.
        counts: `(C,)` numbers of coefficients kept.
        lost: `(C,)` mean share of energy lost.
        at: that share at the chosen count.
        rebuilt: the chosen sample rebuilt from the chosen count of coefficients.
    """

    error: float
    counts: np.ndarray
    lost: np.ndarray
    at: float
    rebuilt: np.ndarray


@torch.no_grad()
def look(samples: np.ndarray, index: int, bank: Bank, levels: int, keep: int) -> Look:
    """Look at a bank on samples `(N, *sides)`.

    Args:
        index: of the sample that is rebuilt.
        keep: coefficients kept.

    Raises:
        InputError: samples too short for so many levels.
    """
    x = continued(samples, levels)
    axes = x.ndim - 1
    n = int(np.prod(x.shape[1:]))
    keep = min(keep, n)
    counts = np.unique(np.geomspace(max(1, keep // 16), min(8 * keep, n // 2 + 1), 20).round().astype(int))
    one = x[index : index + 1]
    rebuilt = _kept(one, bank, levels, keep, axes)[0].numpy()[tuple(slice(0, s) for s in samples.shape[1:])]
    return Look(
        error=reconstruction_error(one, bank, levels, axes),
        counts=counts,
        lost=_curve(x, bank, levels, counts, axes),
        at=float(_curve(x, bank, levels, np.array([keep]), axes)[0]),
        rebuilt=rebuilt,
    )


def _curve(x: torch.Tensor, bank: Bank, levels: int, counts: np.ndarray, axes: int) -> np.ndarray:
    """Of an orthogonal bank from the sorted energies at once; others are rebuilt for each count."""
    c = forward(x, bank, levels, axes).flatten(1)
    energy = x.flatten(1).square().sum(1).clamp_min(1e-30)
    total = c.square().sum(1)
    back = backward(c.view(x.shape), bank, levels, axes)
    if (total - energy).abs().max() < 1e-9 * energy.max() and (back - x).abs().max() < 1e-9 * x.abs().max():
        most = int(counts.max())
        kept = c.square().topk(most, dim=1).values.cumsum(1)[:, counts - 1]
        return (1 - kept / energy[:, None]).clamp_min(0).mean(0).numpy()
    return np.array([float(left_over(x, bank, levels, int(n), axes).mean()) for n in counts])


def _kept(x: torch.Tensor, bank: Bank, levels: int, keep: int, axes: int) -> torch.Tensor:
    c = forward(x, bank, levels, axes)
    flat = c.flatten(1)
    top = flat.abs().topk(keep, dim=1).indices
    small = torch.zeros_like(flat).scatter(1, top, flat.gather(1, top))
    return backward(small.view(c.shape), bank, levels, axes)
