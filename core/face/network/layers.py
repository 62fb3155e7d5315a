"""Layers of the face networks: convolutions with weights rescaled at run time, blur, modulated convolutions.

Source: Karras et al. 2018 (equalised learning rate), 2019 (low-pass filtered scaling), 2020 (weight demodulation).
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

from core.device import pick

GAIN = math.sqrt(2)
SLOPE = 0.2
TAPS = (1.0, 3.0, 3.0, 1.0)
EPSILON = 1e-8
CACHED = 150_000  # weights that stay in a core's cache
TURNED = 64  # side of the smallest map worth turning


def place(network: nn.Module, device: str | torch.device | None) -> None:
    """Put a new network on a device (the best there is when None), ready to use.

    One that was built on torch's device `meta` has no weights yet: it stays there until it is given some.
    """
    if not next(network.parameters()).is_meta:
        network.to(pick(str(device)) if device is not None else pick())
    network.eval()


class _Scaled(nn.Module):
    """A weight that is either of unit variance and scaled at run time, or plain and drawn at that scale."""

    def __init__(self, shape: tuple[int, ...], fan_in: int, equalised: bool):
        super().__init__()
        scale = 1 / math.sqrt(fan_in)
        self.weight = nn.Parameter(torch.randn(shape) * (1.0 if equalised else scale))
        self.scale = scale if equalised else 1.0

    def scaled(self) -> torch.Tensor:
        return self.weight if self.scale == 1.0 else self.weight * self.scale


class Conv(_Scaled):
    """A square convolution of `(N, A, H, W)` to B channels, without bias; the side stays unless `padding` says else."""

    def __init__(
        self, a: int, b: int, size: int, *, stride: int = 1, padding: int | None = None, equalised: bool = True
    ):
        super().__init__((b, a, size, size), a * size * size, equalised)
        self.stride, self.padding = stride, size // 2 if padding is None else padding

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.conv2d(x, self.scaled(), stride=self.stride, padding=self.padding)


class Linear(_Scaled):
    """An affine map `(..., A)` to `(..., B)` without activation."""

    def __init__(self, a: int, b: int, *, bias: float = 0.0, equalised: bool = True):
        super().__init__((b, a), a, equalised)
        self.bias = nn.Parameter(torch.full((b,), float(bias)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.linear(x, self.scaled(), self.bias)


class LeakyBias(nn.Module):
    """`gain * leaky_relu(x + bias)`, one bias a channel; the gain keeps the variance.

    Without gradients the map it is given is overwritten: always what a convolution has just made.
    """

    def __init__(self, channels: int):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(1, channels, 1, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        bias = self.bias.to(x.dtype)
        if torch.is_grad_enabled():
            return F.leaky_relu(x + bias, SLOPE) * GAIN
        return F.leaky_relu_(x.add_(bias), SLOPE).mul_(GAIN)


class Blur(nn.Module):
    """The binomial low-pass filter [1, 3, 3, 1], in both directions, each channel for itself.

    The filter is one depthwise convolution over all channels.

    Args:
        pad: zeros before and after, in both directions.
        up: the filter's sum is 4, for a map that was spread with zeros in between.
    """

    def __init__(self, pad: tuple[int, int], *, up: bool = False):
        super().__init__()
        taps = torch.tensor(TAPS)
        kernel = torch.outer(taps, taps) / taps.sum() ** 2
        self.register_buffer("kernel", kernel * 4 if up else kernel)
        self.pad = pad

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        before, after = self.pad
        if before != after:
            x, before = F.pad(x, (before, after, before, after)), 0
        c = x.shape[1]
        weight = self.kernel.to(x.dtype).expand(c, 1, -1, -1)
        return F.conv2d(x, weight, padding=before, groups=c)


class Enlarge(nn.Module):
    """Twice the side: zeros between the pixels, then the binomial filter, each channel for itself."""

    def __init__(self):
        super().__init__()
        taps = torch.tensor(TAPS)
        self.register_buffer("kernel", torch.outer(taps, taps) / taps.sum() ** 2 * 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, c, h, w = x.shape
        spread = x.new_zeros(n, c, 2 * h + 3, 2 * w + 3)  # with the margin that the filter needs
        spread[:, :, 2 : 2 * h + 1 : 2, 2 : 2 * w + 1 : 2] = x
        with torch.autocast(x.device.type, enabled=False):  # flows and colours keep their precision
            return F.conv2d(spread, self.kernel.to(x.dtype).expand(c, 1, -1, -1), groups=c)


class ModulatedConv(nn.Module):
    """A convolution whose weights are scaled, per sample, by a style on the input channels.

    With weights `w`, style `s = affine(z)` and `e = 1e-8`, channel `b` of the output is
    `d_b * conv(s * x, w_b)`, where `d_b = 1 / sqrt(sum (w_b s)^2 + e)` with demodulation and 1 without. Scaling the
    input and the output instead of the weights is the same sum, with one convolution for a whole batch.

    Args:
        a, b: channels in and out.
        size: of the kernel.
        style: length of z.
        demodulate: normalise each output channel.
        up: double the side (transposed convolution of stride 2, then the blur).

    Source: Karras et al. 2020, equations 1 to 3.
    """

    def __init__(
        self,
        a: int,
        b: int,
        size: int,
        style: int,
        *,
        demodulate: bool = True,
        up: bool = False,
        equalised: bool = True,
    ):
        super().__init__()
        scale = 1 / math.sqrt(a * size * size)
        self.weight = nn.Parameter(torch.randn(1, b, a, size, size) * (1.0 if equalised else scale))
        self.scale = scale if equalised else 1.0
        self.demodulate, self.up, self.padding = demodulate, up, size // 2
        if up:
            self.blur = Blur((1, 1), up=True)
        self.modulation = Linear(style, a, bias=1.0, equalised=equalised)

    def forward(self, x: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
        weight, norm = self.weight[0], None
        with torch.autocast(x.device.type, enabled=False):  # sums of squares of thousands of terms
            style = self.modulation(z.float())
            if len(z) == 1:
                # In the released order of operations: deep flows magnify what another order rounds differently
                weight = self._under(weight, style[0])
            else:
                style = style * self.scale
                norm = self._norm(weight, style)
                x = x * style.to(x.dtype)[:, :, None, None]
        if self.up:
            x = self._enlarged(x, weight)
        else:
            x = F.conv2d(x, weight, padding=self.padding)
        return x if norm is None else x * norm.to(x.dtype)[:, :, None, None]

    def _enlarged(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        # On a CPU both steps take half the time on large maps with the channels last, and with the released sizes
        # they give the same bits
        turned = x.device.type == "cpu" and x.shape[-1] >= TURNED and not torch.is_grad_enabled()
        if turned:
            x = x.contiguous(memory_format=torch.channels_last)
        x = self.blur(F.conv_transpose2d(x, weight.transpose(0, 1), stride=2))
        return x.contiguous() if turned else x

    def _under(self, weight: torch.Tensor, style: torch.Tensor) -> torch.Tensor:
        style = style[None, :, None, None]
        if torch.is_grad_enabled() or weight.device.type != "cpu":
            return self._normed(weight * self.scale * style)
        made = torch.empty_like(weight)
        step = max(1, CACHED // weight[0].numel())  # some output channels at a time, as many as the cache holds
        for part, out in zip(weight.split(step), made.split(step), strict=True):
            self._normed(torch.mul(part, self.scale, out=out).mul_(style), out)
        return made

    def _normed(self, weight: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        if not self.demodulate:
            return weight
        power = weight.pow(2).sum(dim=(1, 2, 3), keepdim=True)
        return torch.mul(weight, torch.rsqrt(power + EPSILON), out=out)

    def _norm(self, weight: torch.Tensor, style: torch.Tensor) -> torch.Tensor | None:
        if not self.demodulate:
            return None
        return torch.rsqrt(style.square() @ weight.square().sum(dim=(2, 3)).T + EPSILON)
