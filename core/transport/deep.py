"""The picture-quality model: sines modulated by the local spectrum, not summed, into a small network.

`f(x) = g(S_1(x) sin(w_1 . x + b_1), ..., S_K(x) sin(w_K . x + b_K))`. With a decoder in between, S is no spectrum that
one may read: layers multiply frequencies.
"""

import itertools
import math

import numpy as np
import torch
from torch import nn

from core.transport.networks import Field, _uniform
from core.transport.splines import Grid


class Modulated(Field):
    """Sines with amplitudes on a grid of splines into sine or ReLU layers.

    Args:
        d, c: axes and channels.
        carriers: `(K, d)` first frequencies in cycles a side.
        grid: of the amplitudes, which start at 1: at first the model is a plain network on sines.
        decoder: `sine` or `relu`.
        width, depth: of the hidden layers.
        extent: `(d,)` box of positions in units of the longest side; one each when left out.
    """

    rate = 2e-3

    def __init__(
        self,
        d: int,
        c: int,
        carriers: np.ndarray,
        grid: Grid,
        *,
        decoder: str = "sine",
        width: int = 22,
        depth: int = 4,
        w0: float = 30.0,
        grid_rate: float = 30.0,
        carrier_rate: float = 2.4,
    ):
        super().__init__()
        k = len(carriers)
        self.grid, self.decoder, self.w0 = grid, decoder, w0
        self.can_collapse = decoder == "sine"
        self.grid_rate, self.carrier_rate = grid_rate, carrier_rate
        self.w = nn.Parameter(torch.as_tensor(2 * math.pi * carriers, dtype=torch.float32))
        self.b = nn.Parameter(torch.rand(k) * 2 * math.pi)
        self.s = nn.Parameter(torch.ones(grid.size, k))
        sizes = [k] + [width] * depth
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in itertools.pairwise(sizes))
        self.last = nn.Linear(sizes[-1], c)
        with torch.no_grad():
            if decoder == "sine":
                for layer in self.layers:
                    _uniform(layer.weight, math.sqrt(6 / layer.in_features))
                    _uniform(layer.bias, w0 / math.sqrt(layer.in_features))
                _uniform(self.last.weight, math.sqrt(6 / sizes[-1]) / w0)
            self.last.bias.fill_(0.5)

    def groups(self, rate=None):
        """The grid and the carriers have rates of their own; as for `Siren`, wide decoders learn more slowly."""
        rate = rate or self.rate * min(1.0, 32 / self.last.in_features)
        sine = self.decoder == "sine"
        return [
            {"params": list(self.layers.parameters()), "lr": rate * (self.w0 if sine else 1)},
            {"params": list(self.last.parameters()), "lr": rate},
            {"params": [self.s], "lr": rate * self.grid_rate},
            {"params": [self.w, self.b], "lr": rate * self.carrier_rate * 2 * math.pi},
        ]

    def touch(self, x: torch.Tensor) -> torch.Tensor:
        """`(N, knots)`: what each knot gives to each position; fixed, so a training makes it once."""
        return torch.as_tensor(self.grid.scattered(x.cpu().numpy()), dtype=torch.float32, device=x.device)

    def features(self, x, touch=None):
        touch = self.touch(x) if touch is None else touch
        h = (touch @ self.s) * torch.sin(torch.addmm(self.b, x, self.w.T))
        act = torch.sin if self.decoder == "sine" else torch.relu
        for layer in self.layers:
            h = act(layer(h))
        return h

    def forward(self, x, touch=None):
        return self.last(self.features(x, touch))
