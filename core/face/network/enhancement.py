"""Expression enhancement: the source's feature maps changed by the expression before they are warped."""

from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from core.face.network.sizes import Sizes


class StyleNorm(nn.Module):
    """Adaptive instance normalisation: a vector makes the scale and shift of each channel.

    Source: Huang and Belongie 2017; here two linear layers with a ReLU between make scale and shift.
    """

    def __init__(self, channels: int, latent: int, width: int):
        super().__init__()
        self.mlp_shared = nn.Sequential(nn.Linear(latent, width), nn.ReLU())
        self.mlp_gamma = nn.Linear(width, channels)
        self.mlp_beta = nn.Linear(width, channels)

    def forward(self, normed: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
        """`normed * (1 + gamma) + beta`, of a map that has mean 0 and variance 1 in each channel already."""
        hidden = self.mlp_shared(vector)
        gamma, beta = self.mlp_gamma(hidden), self.mlp_beta(hidden)
        return normed * (1 + gamma[:, :, None, None]) + beta[:, :, None, None]


class Enhancer(nn.Module):
    """One feature map under an expression: `x + scale * norm(conv(x)) + shift`.

    Of the two convolutions in the released files only the second acts: the published block hands it the map itself,
    not what the first one made. The normalised convolution does not depend on the expression, so it is prepared once
    for a source.

    Source: EDTalk (Tan et al. 2024), section 3.4; the residual block is that of PIRenderer (Ren et al. 2021).
    """

    def __init__(self, channels: int, sizes: Sizes):
        super().__init__()
        norm = partial(StyleNorm, channels, sizes.latent, sizes.enhancer_width)
        if sizes.spare:
            self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)
        if sizes.spare:
            self.norm1 = norm()
        self.norm2 = norm()

    def prepare(self, x: torch.Tensor) -> torch.Tensor:
        """What of a map `(N, C, H, W)` does not depend on the expression."""
        return F.instance_norm(self.conv2(x))

    def forward(self, x: torch.Tensor, prepared: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
        """The changed map under the displacement `(N, latent)` that the expression codes make."""
        return self.norm2(prepared, vector).to(x.dtype) + x
