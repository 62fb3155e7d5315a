"""The generator: a vector z and a source's feature maps to flows, masks and a picture."""

from dataclasses import dataclass
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import nn

from core.face.network.enhancement import Enhancer
from core.face.network.layers import Conv, Enlarge, LeakyBias, ModulatedConv
from core.face.network.sizes import Sizes


class Start(nn.Module):
    """The learned coarsest map, the same for every sample."""

    def __init__(self, channels: int, side: int):
        super().__init__()
        self.input = nn.Parameter(torch.randn(1, channels, side, side))


class Noise(nn.Module):
    """The weight of a noise that StyleGAN2 adds; released face networks keep the number and never use it."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))


class Styled(nn.Module):
    """A modulated 3x3 convolution, then bias and leaky ReLU."""

    def __init__(self, a: int, b: int, sizes: Sizes, *, up: bool = False):
        super().__init__()
        self.conv = ModulatedConv(a, b, 3, sizes.latent, up=up, equalised=sizes.equalised)
        if sizes.spare:
            self.noise = Noise()
        self.activate = LeakyBias(b)

    def forward(self, x: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
        return self.activate(self.conv(x, z))


class ToColour(nn.Module):
    """A feature map to three colours, added to the enlarged colours of the coarser map."""

    def __init__(self, channels: int, sizes: Sizes, *, first: bool = False):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(1, 3, 1, 1))
        if not first:
            self.upsample = Enlarge()
        self.conv = nn.Sequential(Conv(channels, 3, 1, equalised=sizes.equalised), LeakyBias(3))

    def forward(self, x: torch.Tensor, coarser: torch.Tensor | None) -> torch.Tensor:
        colour = self.conv(x) + self.bias
        return colour if coarser is None else colour + self.upsample(coarser)


class ToFlow(nn.Module):
    """A trunk map to two channels of flow and one of mask, before tanh and sigmoid, summed over the scales."""

    def __init__(self, channels: int, sizes: Sizes):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(1, 3, 1, 1))
        self.upsample = Enlarge()
        self.conv = ModulatedConv(channels, 3, 1, sizes.latent, demodulate=False, equalised=sizes.equalised)

    def forward(self, x: torch.Tensor, z: torch.Tensor, coarser: torch.Tensor | None) -> torch.Tensor:
        logits = self.conv(x, z).float() + self.bias
        return logits if coarser is None else logits + self.upsample(coarser)


@dataclass(frozen=True)
class Drawn:
    """What the generator makes.

    Attributes:
        picture: `(N, 3, S, S)`, not clamped.
        flow: `(N, 2, S, S)` x and y offsets of the finest scale; 2 is the width of the picture.
        mask: `(N, 1, S, S)` how much of the finest map comes from the source, 0 to 1.
    """

    picture: torch.Tensor
    flow: torch.Tensor
    mask: torch.Tensor


def grid(flow: torch.Tensor) -> torch.Tensor:
    """`(N, H, W, 2)` places to sample at, for offsets `(N, 2, H, W)`: those of an even grid from -1 to 1, moved."""
    h, w = flow.shape[2:]
    x, y = (torch.linspace(-1, 1, n, dtype=torch.float64).to(flow) for n in (w, h))
    even = torch.stack([x.expand(h, w), y[:, None].expand(h, w)])
    return (flow + even).movedim(1, -1)


def warp(x: torch.Tensor, flow: torch.Tensor, *, exact: bool = False) -> torch.Tensor:
    """A map `(N, C, H, W)` read bilinearly at moved places; outside it is zero, with `exact` as at the border.

    Released networks place -1 and 1 at the outer edges of the border pixels when they sample and at their centres
    when they make the grid, so that no flow still enlarges by n / (n - 1). With `exact` both are the centres, and no
    flow changes nothing.
    """
    # In single precision: half a grid step of 256 pixels is about what half precision resolves
    with torch.autocast(x.device.type, enabled=False):
        outside = "border" if exact else "zeros"
        read = F.grid_sample(x.float(), grid(flow.float()), padding_mode=outside, align_corners=exact)
        return read.to(x.dtype).contiguous()


def _masked(warped: torch.Tensor, x: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """`mask * warped`, and that plus `(1 - mask) * x`; without gradients in the place of both."""
    if torch.is_grad_enabled():
        warped = warped * mask
        return warped, warped + x * (1 - mask)
    return warped.mul_(mask), x.mul_(1 - mask).add_(warped)


class Generator(nn.Module):
    """The flow decoder.

    At each scale the trunk is enlarged and convolved under the style z, gives a flow and a mask, and takes in the
    warped source: `trunk = mask * warped + (1 - mask) * trunk`. Colours come from `mask * warped` alone.

    Args:
        sizes: how large.
        direction: the bank, in networks that keep it in the decoder.

    Source: LIA (Wang et al. 2022), section 3.3; EDTalk (Tan et al. 2024), section 3.
    """

    def __init__(self, sizes: Sizes, direction: nn.Module | None = None):
        super().__init__()
        c = sizes.channels
        if direction is not None:
            self.direction = direction
        self.input = Start(c[0], sizes.base)
        self.conv1 = Styled(c[0], c[0], sizes)
        if sizes.spare:
            self.to_rgb1 = ToColour(c[0], sizes, first=True)
        self.convs = nn.ModuleList(
            layer for a, b in pairwise(c) for layer in (Styled(a, b, sizes, up=True), Styled(b, b, sizes))
        )
        self.to_rgbs = nn.ModuleList(ToColour(b, sizes) for b in c[1:])
        self.to_flows = nn.ModuleList(ToFlow(b, sizes) for b in c[1:])
        if sizes.enhanced:
            self.fineadainresblock = nn.ModuleList(Enhancer(b, sizes) for b in c[1:])
        if sizes.picture_warp:
            # how much of the warped picture is kept, and colours from the trunk for what the source does not show
            self.to_mix = nn.Conv2d(c[-1], 4, 1)
            nn.init.zeros_(self.to_mix.weight)
            nn.init.zeros_(self.to_mix.bias)
            nn.init.constant_(self.to_mix.bias[:1], 2.0)  # starts as the warped picture, mostly

    @property
    def enhanced(self) -> bool:
        """Whether an expression changes the source's maps."""
        return hasattr(self, "fineadainresblock")

    def prepare(self, maps: list[torch.Tensor]) -> list[torch.Tensor]:
        """What the enhancement needs of a source's maps, once for all expressions; empty where there is none."""
        return [b.prepare(m) for b, m in zip(self.fineadainresblock, maps, strict=True)] if self.enhanced else []

    def forward(
        self,
        z: torch.Tensor,
        maps: list[torch.Tensor],
        picture: torch.Tensor,
        expression: torch.Tensor | None = None,
        prepared: list[torch.Tensor] | None = None,
    ) -> Drawn:
        """Draw.

        Args:
            z: `(N, latent)`.
            maps: of the source, coarse to fine, each `(N, C, H, W)` or `(1, C, H, W)` for all.
            picture: of the source, `(N or 1, 3, S, S)`; only read with `picture_warp`.
            expression: `(N, latent)` displacement by the expression codes, or None to leave the maps alone.
            prepared: of the maps; found here when left out.
        """
        n = len(z)
        enhance = self.enhanced and expression is not None
        if enhance and not prepared:
            prepared = self.prepare(maps)
        x = self.conv1(self.input.input.expand(n, -1, -1, -1), z)
        logits = colour = None
        for i, (to_flow, to_rgb) in enumerate(zip(self.to_flows, self.to_rgbs, strict=True)):
            x = self.convs[2 * i + 1](self.convs[2 * i](x, z), z)
            source = maps[i]
            if enhance:
                source = self.fineadainresblock[i](source, prepared[i], expression)
            logits = to_flow(x, z, logits)
            flow, mask = torch.tanh(logits[:, :2]), torch.sigmoid(logits[:, 2:])
            warped = warp(source.expand(n, -1, -1, -1), flow)
            warped, x = _masked(warped, x, mask.to(x.dtype))
            colour = to_rgb(warped, colour)
        if hasattr(self, "to_mix"):
            mix = self.to_mix(x)
            share, colour = torch.sigmoid(mix[:, :1]), colour + mix[:, 1:]
            colour = share * warp(picture.expand(n, -1, -1, -1), flow, exact=True) + (1 - share) * colour
        return Drawn(colour.float(), flow, mask)
