"""Weights and pictures drawn by a rule, so that two implementations can be compared without anybody's checkpoint."""

import math
from functools import cache
from pathlib import Path

import torch
import torch.nn.functional as F

DATA = Path(__file__).parent / "data"


@cache
def tensors(name: str) -> list[tuple[str, tuple[int, ...], str, bool]]:
    """Name, shape, number format of each tensor of a released network, and whether it is a parameter."""
    found, here = [], False
    for line in (DATA / "released_names.txt").read_text().splitlines()[1:]:
        if line.startswith("["):
            here = line == f"[{name}]"
        elif here:
            key, shape, kind, letter = line.split()
            found.append((key, () if shape == "-" else tuple(map(int, shape.split("x"))), kind, letter == "p"))
    return found


def weights(name: str) -> dict[str, torch.Tensor]:
    """All parameters of a released network, in order, from one stream seeded with 0.

    Vectors and biases are `base + 0.05 n` (base 1 for the bias of a modulation, else 0), matrices of the enhancement
    `n / sqrt(row)`, all others `n`, with `n` standard normal.
    """
    generator, made = torch.Generator().manual_seed(0), {}
    for key, shape, _, parameter in tensors(name):
        if not parameter:
            continue
        drawn = torch.randn(shape, generator=generator)
        if len(shape) <= 1 or key.endswith(("bias", "gamma")) or "noise" in key:
            drawn = 0.05 * drawn + float(key.endswith("modulation.bias"))
        elif "mlp_" in key or "fineadain" in key:
            drawn = drawn / math.sqrt(drawn[0].numel())
        made[key] = drawn
    return made


def checkpoint(name: str) -> dict[str, torch.Tensor]:
    """The parameters by the rule, with the blur kernels that every released file carries."""
    taps = torch.tensor([1.0, 3.0, 3.0, 1.0])
    kernel, made = torch.outer(taps, taps) / 64, weights(name)
    for key, shape, _, parameter in tensors(name):
        if not parameter:
            assert shape == (4, 4) and key.endswith("kernel")
            made[key] = kernel * (1 if key.startswith("enc") else 4)  # in the decoder they follow spread-out zeros
    return made


def pictures(n: int) -> torch.Tensor:
    """`(n, 3, 256, 256)` smooth colours from a stream seeded with 1: source, mouth, pose, expression."""
    coarse = torch.rand(n, 3, 8, 8, generator=torch.Generator().manual_seed(1)) * 2 - 1
    return F.interpolate(coarse, size=256, mode="bicubic", align_corners=False).clamp(-1, 1)
