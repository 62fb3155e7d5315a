"""The representations a person would otherwise pick, on one surface: positions `(N, d)` in 0..1 to values `(N, C)`.

Each is an `nn.Module` with `stored`, the count of numbers that must be kept to draw the signal again, and `groups`,
its parameters with the learning rate each wants.
"""

import itertools
import math

import torch
from torch import nn


class Field(nn.Module):
    """What all of them share: `features` of places, and a linear `last` layer on them."""

    rate = 2e-3
    can_collapse = False  # whether high rates can turn it into a constant for good
    last: nn.Linear

    def features(self, x: torch.Tensor) -> torch.Tensor:
        """`(N, W)`: the last hidden layer, the waves that the last layer mixes."""
        raise NotImplementedError

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Values `(N, C)` at places `(N, d)`."""
        return self.last(self.features(x))

    @property
    def stored(self) -> int:
        """Numbers that must be kept: all trained ones, and drawn ones that no seed brings back."""
        return sum(p.numel() for p in self.parameters())

    def groups(self, rate: float | None = None) -> list[dict]:
        """Parameter groups for an optimiser; each has `lr`."""
        return [{"params": list(self.parameters()), "lr": rate or self.rate}]


class Siren(Field):
    """Sine layers with the initialisation of Sitzmann et al. 2020; here deep and narrow.

    The factor `w0` is inside the weights, so a layer is one product and one sine; Adam does not see the difference
    when the rate of the sine layers is multiplied by `w0`.
    """

    rate = 2e-3
    can_collapse = True

    def __init__(self, d: int, c: int, width: int = 29, depth: int = 4, *, w0: float = 30.0, first: float = 30.0):
        super().__init__()
        self.w0 = w0
        sizes = [d] + [width] * depth
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in itertools.pairwise(sizes))
        self.last = nn.Linear(width, c)
        with torch.no_grad():
            for i, layer in enumerate(self.layers):
                _uniform(layer.weight, first / layer.in_features if i == 0 else math.sqrt(6 / layer.in_features))
                _uniform(layer.bias, (first if i == 0 else w0) / math.sqrt(layer.in_features))
            _uniform(self.last.weight, math.sqrt(6 / width) / w0)
            self.last.bias.fill_(0.5)

    def groups(self, rate=None):
        """Sine layers at `w0` times the rate, which is what the factor outside the weights would do.

        The network's own rate falls with the width: wide ones run away at what narrow ones need.
        """
        rate = rate or self.rate * min(1.0, 40 / self.last.in_features)
        return [
            {"params": list(self.layers.parameters()), "lr": rate * self.w0},
            {"params": list(self.last.parameters()), "lr": rate},
        ]

    def features(self, x):
        x = 2 * x - 1
        for layer in self.layers:
            x = torch.sin(layer(x))
        return x


class Finer(Siren):
    """Sine of `(|z| + 1) z` with wide first biases: frequency that varies by neuron (Liu et al. 2024)."""

    def __init__(self, d: int, c: int, width: int = 29, depth: int = 4, *, w0: float = 30.0, first: float = 30.0):
        super().__init__(d, c, width, depth, w0=w0, first=first)
        with torch.no_grad():
            _uniform(self.layers[0].bias, 1.0 * first)

    def features(self, x):
        x = 2 * x - 1
        for layer in self.layers:
            z = layer(x)
            x = torch.sin((z.detach().abs() / self.w0 + 1) * z)
        return x


class FourierFeatures(Field):
    """Fixed random sines into a ReLU network (Tancik et al. 2020); the drawn frequencies come back from the seed."""

    rate = 5e-3

    def __init__(self, d: int, c: int, width: int = 32, depth: int = 2, features: int = 32, *, sigma: float = 8.0):
        super().__init__()
        self.register_buffer("b", torch.randn(d, features) * sigma * 2 * math.pi)
        sizes = [2 * features] + [width] * depth
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in itertools.pairwise(sizes))
        self.last = nn.Linear(width, c)
        nn.init.constant_(self.last.bias, 0.5)

    def features(self, x):
        turn = x @ self.b
        x = torch.cat([torch.sin(turn), torch.cos(turn)], 1)
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


class HashGrid(Field):
    """Tables of features at several resolutions, hashed when they are short, into a small ReLU network.

    Mueller et al. 2022. Interpolation is linear in each axis.
    """

    rate = 1e-2
    _primes = (1, 2654435761, 805459861)

    def __init__(
        self,
        d: int,
        c: int,
        width: int = 16,
        depth: int = 1,
        *,
        levels: int = 6,
        features: int = 2,
        table: int = 256,
        coarsest: int = 4,
        finest: int = 64,
    ):
        super().__init__()
        growth = (finest / coarsest) ** (1 / max(1, levels - 1))
        self.sides = [round(coarsest * growth**i) for i in range(levels)]
        self.sizes = [min(table, (s + 1) ** d) for s in self.sides]
        self.tables = nn.ParameterList(nn.Parameter(torch.empty(n, features).uniform_(-1e-1, 1e-1)) for n in self.sizes)
        sizes = [levels * features] + [width] * depth
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in itertools.pairwise(sizes))
        self.last = nn.Linear(width, c)
        nn.init.constant_(self.last.bias, 0.5)
        corners = torch.tensor([[(i >> a) & 1 for a in range(d)] for i in range(2**d)])
        self.register_buffer("corners", corners, persistent=False)

    def groups(self, rate=None):
        """Tables at five times the rate of the network."""
        rate = rate or self.rate
        rest = [*self.layers.parameters(), *self.last.parameters()]
        return [{"params": list(self.tables), "lr": 2 * rate}, {"params": rest, "lr": rate}]

    def features(self, x):
        read = []
        for side, size, table in zip(self.sides, self.sizes, self.tables, strict=True):
            at = x * side
            cell = at.floor().clamp(0, side - 1)
            t = (at - cell)[:, None]
            corner = cell.long()[:, None] + self.corners  # (N, 2^d, d)
            if size == (side + 1) ** x.shape[1]:
                index = corner[..., 0]
                for a in range(1, x.shape[1]):
                    index = index * (side + 1) + corner[..., a]
            else:
                index = corner[..., 0] * self._primes[0]
                for a in range(1, x.shape[1]):
                    index = index ^ (corner[..., a] * self._primes[a])
                index = index % size
            weight = torch.where(self.corners.bool(), t, 1 - t).prod(-1)
            read.append((table[index] * weight[..., None]).sum(1))
        x = torch.cat(read, 1)
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


def _uniform(p: torch.Tensor, bound: float) -> None:
    p.uniform_(-bound, bound)
