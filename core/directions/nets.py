"""Small encoders and decoders: linear, one hidden layer, or convolutional for images of any side from 8 on."""

from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import nn

from core.errors import InputError

KINDS = ("linear", "mlp", "conv")
LEAST_SIDE = 8


def check_kind(kind: str, shape: tuple[int, ...]) -> None:
    """Refuse a convolution on what is no image.

    Raises:
        InputError: `conv` with samples that are not `(H, W)` or `(H, W, 3)` with sides of at least 8.
    """
    image = len(shape) == 2 or (len(shape) == 3 and shape[2] == 3)
    if kind == "conv" and not (image and min(shape[:2]) >= LEAST_SIDE):
        raise InputError(
            f"A convolutional encoder takes images with sides of at least {LEAST_SIDE}; "
            f"a sample of this data has the shape {' x '.join(map(str, shape))}. Use mlp or linear."
        )


def sides(shape: tuple[int, ...]) -> list[tuple[int, int]]:
    """The picture sizes on the way down: halved, rounding up, until the shorter side is at most 4; 5 times at most."""
    found = [tuple(shape[:2])]
    while min(found[-1]) > 4 and len(found) < 6:
        h, w = found[-1]
        found.append(((h + 1) // 2, (w + 1) // 2))
    return found


def _widths(levels: int, width: int) -> list[int]:
    return [width * min(2**i, 4) for i in range(levels)]


class ConvEncoder(nn.Module):
    """Flat images `(N, D)` to `(N, out)` by convolutions of stride 2 and one linear layer."""

    def __init__(self, shape: tuple[int, ...], out: int, width: int = 16):
        super().__init__()
        self.shape, self.channels = tuple(shape), 1 if len(shape) == 2 else shape[2]
        way = sides(shape)
        widths = [self.channels, *_widths(len(way) - 1, width)]
        self.convs = nn.ModuleList(nn.Conv2d(a, b, 3, stride=2, padding=1) for a, b in pairwise(widths))
        self.out = nn.Linear(widths[-1] * way[-1][0] * way[-1][1], out)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.reshape(len(x), *self.shape[:2], self.channels).movedim(3, 1)
        for conv in self.convs:
            x = F.gelu(conv(x))
        return self.out(x.flatten(1))


class ConvDecoder(nn.Module):
    """`(N, d)` to flat images `(N, D)`: one linear layer, then enlarge and convolve up to the full size."""

    def __init__(self, shape: tuple[int, ...], d: int, width: int = 16):
        super().__init__()
        self.channels = 1 if len(shape) == 2 else shape[2]
        self.way = sides(shape)[::-1]
        widths = _widths(len(self.way) - 1, width)[::-1]
        self.first = (widths[0], *self.way[0])
        self.start = nn.Linear(d, widths[0] * self.way[0][0] * self.way[0][1])
        self.convs = nn.ModuleList(
            nn.Conv2d(a, b, 3, padding=1) for a, b in zip(widths, [*widths[1:], width], strict=True)
        )
        self.last = nn.Conv2d(width, self.channels, 3, padding=1)

    def forward(self, z: torch.Tensor) -> torch.Tensor:
        x = F.gelu(self.start(z)).reshape(-1, *self.first)
        for conv, side in zip(self.convs, self.way[1:], strict=True):
            x = F.gelu(conv(F.interpolate(x, size=side, mode="nearest")))
        return self.last(x).movedim(1, 3).flatten(1)


def encoder(kind: str, shape: tuple[int, ...], d: int, out: int, hidden: int = 128) -> nn.Module:
    """A network from flat samples `(N, d)` of the shape to `(N, out)`."""
    if kind == "conv":
        return ConvEncoder(shape, out)
    if kind == "mlp":
        return nn.Sequential(nn.Linear(d, hidden), nn.GELU(), nn.Linear(hidden, out))
    return nn.Linear(d, out)


def decoder(kind: str, shape: tuple[int, ...], d: int, into: int, hidden: int = 128) -> nn.Module:
    """A network from `(N, into)` to flat samples `(N, d)` of the shape."""
    if kind == "conv":
        return ConvDecoder(shape, into)
    if kind == "mlp":
        return nn.Sequential(nn.Linear(into, hidden), nn.GELU(), nn.Linear(hidden, d))
    return nn.Linear(into, d)


def multiplications(kind: str, shape: tuple[int, ...], d: int, out: int, hidden: int = 128) -> float:
    """Roughly how many a sample costs on its way through encoder and decoder."""
    if kind == "conv":
        widths = [16 * min(2**i, 4) for i in range(6)]
        way = sides(shape)
        return 9.0 * sum(h * w * widths[min(i, 5)] * widths[max(i - 1, 0)] * 2 for i, (h, w) in enumerate(way))
    return 2.0 * (d * hidden + hidden * out if kind == "mlp" else d * out)
