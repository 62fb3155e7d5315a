"""The layers of the face networks against SciPy and against sums written out."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from scipy.ndimage import map_coordinates
from scipy.signal import convolve2d, upfirdn

from core.face.network.enhancement import Enhancer
from core.face.network.generator import warp
from core.face.network.layers import Blur, Conv, Enlarge, LeakyBias, Linear, ModulatedConv
from core.face.network.sizes import Sizes

TAPS = np.array([1.0, 3, 3, 1]) / 8


def noise(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("pad", [(2, 2), (1, 1), (2, 1)])
def test_blur_is_the_binomial_filter_of_each_channel(pad):
    x = noise(2, 3, 7, 6)
    ours = Blur(pad)(x)
    for n in range(2):
        for c in range(3):
            padded = np.pad(x[n, c].double().numpy(), pad)
            assert np.allclose(ours[n, c], convolve2d(padded, np.outer(TAPS, TAPS), mode="valid"), atol=1e-6)
    assert torch.allclose(Blur(pad, up=True)(x), 4 * ours, atol=1e-6)


def test_enlarging_is_upfirdn():
    x = noise(2, 3, 5, 4)
    rows = upfirdn(2 * TAPS, x.double().numpy(), up=2, axis=2)[:, :, 1:11]
    wanted = upfirdn(2 * TAPS, rows, up=2, axis=3)[:, :, :, 1:9]
    assert np.allclose(Enlarge()(x), wanted, atol=1e-6)
    flat = Enlarge()(torch.ones(1, 1, 6, 6))
    assert torch.allclose(flat[:, :, 1:-1, 1:-1], torch.ones(1, 1, 10, 10))  # keeps the level inside


@pytest.mark.parametrize("up", [False, True])
@pytest.mark.parametrize("demodulate", [False, True])
@pytest.mark.parametrize("equalised", [False, True])
def test_modulated_convolution_has_a_kernel_for_each_sample(up, demodulate, equalised):
    torch.manual_seed(0)
    layer = ModulatedConv(4, 5, 3, 6, up=up, demodulate=demodulate, equalised=equalised)
    x, z = noise(3, 4, 8, 8), noise(3, 6, seed=1)
    together = layer(x, z)
    weight = layer.weight[0].double() * (1 / math.sqrt(4 * 9) if equalised else 1)
    style = z.double() @ layer.modulation.weight.double().T * (1 / math.sqrt(6) if equalised else 1) + 1
    for n in range(3):
        kernel = weight * style[n][None, :, None, None]
        if demodulate:
            kernel = kernel / torch.sqrt((kernel**2).sum(dim=(1, 2, 3), keepdim=True) + 1e-8)
        one = x[n : n + 1].double()
        if up:
            spread = torch.zeros(1, 4, 15, 15, dtype=torch.float64)
            spread[:, :, ::2, ::2] = one
            # Full convolution (the kernel turned round) of the spread map, then the blur with a margin of one
            full = F.conv2d(spread, kernel.flip(2, 3), padding=2)
            blur = torch.tensor(np.outer(TAPS, TAPS) * 4)
            wanted = F.conv2d(full.transpose(0, 1), blur[None, None], padding=1).transpose(0, 1)
        else:
            wanted = F.conv2d(one, kernel, padding=1)
        assert together.shape[2:] == wanted.shape[2:]
        assert torch.allclose(together[n : n + 1].double(), wanted, atol=1e-5)
        with torch.no_grad():  # where arrays are reused and large maps turned
            assert torch.allclose(layer(x[n : n + 1], z[n : n + 1]).double(), wanted, atol=1e-5)


def test_large_maps_are_turned_without_a_change():
    layer = ModulatedConv(2, 3, 3, 4, up=True)
    x, z = noise(1, 2, 64, 64), noise(1, 4, seed=1)
    with torch.no_grad():
        turned = layer(x, z)
    assert turned.is_contiguous() and torch.allclose(turned, layer(x, z), atol=1e-5)


def test_equalised_layers_rescale_and_keep_their_variance():
    torch.manual_seed(0)
    x = noise(64, 16, 9, 9)
    conv = Conv(16, 64, 3, padding=0)
    assert torch.allclose(conv(x), F.conv2d(x, conv.weight) / 12, atol=1e-5)
    assert 0.9 < conv.weight.std() < 1.1 and 0.8 < conv(x).std() < 1.2
    plain = Conv(16, 64, 3, padding=0, equalised=False)
    assert torch.allclose(plain(x), F.conv2d(x, plain.weight), atol=1e-5) and 0.8 < plain(x).std() < 1.2
    linear = Linear(4, 3, bias=2.0)
    assert torch.allclose(linear(x[:, :4, 0, 0]), x[:, :4, 0, 0] @ linear.weight.T / 2 + 2, atol=1e-5)


def test_leaky_bias_reuses_its_input_only_without_gradients():
    layer = LeakyBias(3)
    with torch.no_grad():
        layer.bias.copy_(torch.tensor([0.0, 1, -1]).reshape(1, 3, 1, 1))
    x = noise(2, 3, 4, 4)
    y = x.double() + layer.bias.double()
    wanted = math.sqrt(2) * torch.where(y > 0, y, 0.2 * y)
    before = x.clone()
    assert torch.allclose(layer(x).double(), wanted, atol=1e-6) and torch.equal(x, before)
    with torch.no_grad():
        assert torch.allclose(layer(x).double(), wanted, atol=1e-6) and not torch.equal(x, before)


@pytest.mark.parametrize("exact", [False, True])
def test_warping_reads_bilinearly(exact):
    x, flow = noise(1, 2, 6, 6), 0.2 * noise(1, 2, 6, 6, seed=1)
    even = np.linspace(-1, 1, 6)
    places = flow[0].double().numpy() + np.stack(np.meshgrid(even, even))
    # With exact, -1 and 1 are the centres of the border pixels; without, their outer edges
    column, row = (places + 1) / 2 * 5 if exact else ((places + 1) * 6 - 1) / 2
    outside = "nearest" if exact else "grid-constant"
    for c in range(2):
        wanted = map_coordinates(x[0, c].double().numpy(), [row, column], order=1, mode=outside)
        assert np.allclose(warp(x, flow, exact=exact)[0, c], wanted, atol=1e-5)
    still = warp(x, torch.zeros(1, 2, 6, 6), exact=exact)
    assert torch.allclose(still, x, atol=1e-6) == exact


def test_enhancement_is_a_styled_norm_of_the_second_convolution():
    torch.manual_seed(0)
    block = Enhancer(3, Sizes(side=32, channels=(3, 3, 3, 3), latent=7, banks=(("expression", 2),), enhancer_width=4))
    x, vector = noise(2, 3, 5, 5), noise(2, 7, seed=1)
    y = F.conv2d(x, block.conv2.weight, block.conv2.bias, padding=1).double()
    y = (y - y.mean(dim=(2, 3), keepdim=True)) / torch.sqrt(y.var(dim=(2, 3), keepdim=True, correction=0) + 1e-5)
    norm = block.norm2
    hidden = (vector @ norm.mlp_shared[0].weight.T + norm.mlp_shared[0].bias).clamp(min=0)
    gamma, beta = (hidden @ m.weight.T + m.bias for m in (norm.mlp_gamma, norm.mlp_beta))
    wanted = x + (1 + gamma[:, :, None, None]) * y + beta[:, :, None, None]
    assert torch.allclose(block(x, block.prepare(x), vector).double(), wanted, atol=1e-5)
