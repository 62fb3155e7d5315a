"""The encoder: a picture to one vector and its feature maps."""

import math
from itertools import pairwise

import torch
from torch import nn

from core.face.network.layers import Blur, Conv, LeakyBias
from core.face.network.sizes import Sizes


class Down(nn.Module):
    """A residual block to half the side: two 3x3 convolutions, a 1x1 short cut, and their sum over sqrt(2)."""

    def __init__(self, a: int, b: int, equalised: bool):
        super().__init__()
        self.conv1 = nn.Sequential(Conv(a, a, 3, equalised=equalised), LeakyBias(a))
        self.conv2 = nn.Sequential(Blur((2, 2)), Conv(a, b, 3, stride=2, padding=0, equalised=equalised), LeakyBias(b))
        self.skip = nn.Sequential(Blur((1, 1)), Conv(a, b, 1, stride=2, equalised=equalised))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (self.conv2(self.conv1(x)) + self.skip(x)) / math.sqrt(2)


class Pyramid(nn.Module):
    """`(N, 3, S, S)` to the vector h `(N, latent)` and the feature maps of every side but the coarsest."""

    def __init__(self, sizes: Sizes):
        super().__init__()
        c, equalised = sizes.channels[::-1], sizes.equalised
        blocks = [Down(a, b, equalised) for a, b in pairwise(c)]
        first = nn.Sequential(Conv(3, c[0], 1, equalised=equalised), LeakyBias(c[0]))
        last = Conv(c[-1], sizes.latent, sizes.base, padding=0, equalised=equalised)
        self.convs = nn.ModuleList([first, *blocks, last])

    def forward(self, picture: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """The vector, and the maps coarse to fine, the last of the picture's side."""
        maps, x = [], picture
        for block in self.convs[:-1]:
            x = block(x)
            maps.append(x)
        return self.convs[-1](x).flatten(1), maps[-2::-1]


class Encoder(nn.Module):
    """The pyramid under the name that released networks give it.

    Source: LIA (Wang et al. 2022), section 3.2; StyleGAN2 (Karras et al. 2020), the residual discriminator.
    """

    def __init__(self, sizes: Sizes):
        super().__init__()
        self.net_app = Pyramid(sizes)

    def forward(self, picture: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """As `Pyramid.forward`."""
        return self.net_app(picture)
