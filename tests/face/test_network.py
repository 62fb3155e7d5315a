"""The face networks on tiny sizes: banks, heads, the exact source, gradients, batches."""

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load, save

from core.errors import InputError
from core.face.network import LIA, SMALL, FaceNetwork, Sizes

TINY = Sizes(
    side=32,
    channels=(12, 10, 8, 6),
    latent=24,
    banks=(("mouth", 4), ("pose", 3), ("expression", 2)),
    shared=2,
    own=2,
    enhancer_width=5,
)
OWN = replace(TINY, equalised=False, relative=True, spare=False, picture_warp=True)


def network(sizes=TINY, kind=FaceNetwork):
    torch.manual_seed(0)
    return kind(sizes, device="cpu")


def pictures(n=1, side=32, seed=1):
    coarse = torch.rand(n, 3, 8, 8, generator=torch.Generator().manual_seed(seed)) * 2 - 1
    return torch.nn.functional.interpolate(coarse, size=side, mode="bicubic").clamp(-1, 1)


def apart(a, b):
    """Difference over size. Random weights make rough maps: a flow off by rounding moves single pixels by more."""
    return float(torch.linalg.vector_norm(a - b) / torch.linalg.vector_norm(b))


@pytest.mark.parametrize("sizes", [TINY, OWN, SMALL])
def test_banks_stay_orthonormal_through_training_and_a_file(sizes):
    net = network(sizes).train()

    def error(of):
        directions = np.concatenate([b.directions for b in of.bases().values()])
        return np.abs(directions @ directions.T - np.eye(sizes.codes)).max()

    assert error(net) < 1e-5
    optimiser = torch.optim.SGD(net.bank.parameters(), lr=5.0)
    before = net.bank.directions().detach().clone()
    target = torch.randn(sizes.codes, sizes.latent)
    for _ in range(3):
        optimiser.zero_grad()
        (net.bank.directions() - target).square().sum().backward()
        optimiser.step()
    assert error(net) < 1e-5
    kept = FaceNetwork(sizes, device="cpu")
    kept.load_state_dict(load(save(net.state_dict())))
    assert error(kept) < 1e-5
    for name, basis in net.bases().items():
        assert np.array_equal(basis.directions, kept.bases()[name].directions)
        assert basis.names[0] == f"{name} 1"
    rows = net.rows()["expression"]
    assert (net.bank.directions().detach() - before)[rows].abs().max() > 1e-3


def test_expression_cannot_disturb_mouth_and_pose():
    net = network()
    before = net.bank.directions().detach().clone()
    with torch.no_grad():
        net.direction_exp.weight.normal_()
    after = net.bank.directions().detach()
    assert (after - before)[:7].abs().max() < 1e-6 < (after - before)[7:].abs().max()


@pytest.mark.parametrize("kind", [FaceNetwork, LIA])
def test_all_heads_are_one_affine_map(kind):
    net = network(TINY if kind is FaceNetwork else replace(TINY, banks=(("motion", 5),), enhanced=False), kind)
    a, b = net.code_matrix()
    h = torch.randn(6, 24)
    assert torch.allclose(net.codes_of(h), h @ a.T + b, atol=1e-5)


def test_composition_is_the_sum_of_weighted_directions():
    net = network()
    source, other = net.encode(pictures()), net.encode(pictures(seed=2))
    bases = net.bases()
    by_hand = source.h.double().numpy()
    for name, codes in net.split(other.codes).items():
        by_hand = by_hand + codes.double().numpy() @ bases[name].directions
    z, shift = net.vector(source, other.codes)
    assert np.allclose(z.detach(), by_hand, atol=1e-5)
    assert np.allclose(shift, net.split(other.codes)["expression"].numpy() @ bases["expression"].directions, atol=1e-5)
    z, shift = net.vector(source, other.codes, expression=False)
    without = net.mix(other.codes, {"expression": torch.zeros(1, 2)})
    assert shift is None and torch.allclose(z, net.vector(source, without)[0], atol=1e-6)


def test_relative_codes_leave_the_vector_alone():
    net = network(OWN)
    source = net.encode(pictures())
    z, shift = net.vector(source, source.codes)
    assert torch.equal(z, source.h) and not shift.any()


@pytest.mark.parametrize("sizes", [TINY, OWN])
def test_own_codes_with_detail_give_back_the_picture(sizes):
    net, picture = network(sizes), pictures(2)
    source = net.encode(picture)
    assert (net.decode(source, source.codes, keep_detail=True) - picture).abs().max() < 1e-5
    assert (net.decode(source, source.codes) - picture).abs().max() > 0.05  # the plain network of random weights
    moved = source.codes + 3 * torch.randn(2, 9, generator=torch.Generator().manual_seed(3))
    assert (net.decode(source, moved, keep_detail=True) - picture).abs().max() > 1e-3


def test_a_batch_is_its_samples_one_by_one():
    net = network()
    picture = pictures(3)
    source = net.encode(picture)
    codes = source.codes + 1
    together = net.draw(source, codes).picture
    for i in range(3):
        one = net.encode(picture[i : i + 1])
        assert torch.allclose(one.codes, source.codes[i : i + 1], atol=1e-5)
        assert apart(net.draw(one, codes[i : i + 1]).picture, together[i : i + 1]) < 1e-4
    shared = net.encode(picture[:1])
    many = net.draw(shared, codes).picture
    assert apart(many[1:2], net.draw(shared, codes[1:2]).picture) < 1e-4


def test_the_flow_is_in_pixels_and_tells_where_the_picture_comes_from():
    net = network(replace(OWN, enhanced=False))
    source = net.encode(pictures())
    with torch.no_grad():
        for parameter in net.dec.to_flows.parameters():
            parameter.zero_()
        net.dec.to_flows[-1].bias[0, 0] = np.arctanh(2 * 3 / 32)  # of a width of 2: three pixels to the right
        net.dec.to_mix.bias.fill_(40.0)  # the warped picture alone
    flow = net.flow(source)
    assert torch.allclose(flow[:, 0], torch.full((1, 32, 32), 3.0), atol=1e-5) and not flow[:, 1].any()
    step = 3 * 31 / 32  # the exact grid has 31 steps in its width
    x = np.arange(32) + step
    left = np.floor(x).astype(int)
    keep = left < 31
    picture = source.picture[0, 0].numpy()
    wanted = picture[:, left[keep]] * (1 - (x - left)[keep]) + picture[:, left[keep] + 1] * (x - left)[keep]
    assert np.abs(net.decode(source)[0, 0].numpy()[:, keep] - wanted).max() < 1e-5


def test_transfer_adds_the_motion_since_the_start():
    net = network(replace(TINY, banks=(("motion", 5),), enhanced=False), LIA)
    source, target, start = (net.encode(pictures(seed=i)) for i in range(3))
    z, _ = net.vector(source, net.transfer(source, target.codes, start.codes))
    q = net.bases()["motion"].directions
    by_hand = source.h.numpy() + (target.codes.numpy() @ q - start.codes.numpy() @ q) + source.codes.numpy() @ q
    assert np.allclose(z, by_hand, atol=1e-5)


def test_gradients_reach_every_part_that_a_picture_depends_on():
    net = network(OWN).train()
    source = net.encode(pictures())
    net.draw(source, source.codes + 1).picture.square().mean().backward()
    without = [name for name, p in net.named_parameters() if p.grad is None]
    assert without == [], without
    net.eval()
    assert not net.decode(net.encode(pictures())).requires_grad


def test_spare_parts_change_nothing():
    net = network()
    source = net.encode(pictures())
    before = net.draw(source, source.codes + 1).picture
    other = copy.deepcopy(net)
    with torch.no_grad():
        for name, parameter in other.named_parameters():
            if "noise" in name or "to_rgb1" in name or (".conv1." in name and "fineadain" in name) or "norm1" in name:
                parameter.normal_()
    again = other.encode(pictures())
    assert torch.equal(other.draw(again, again.codes + 1).picture, before)


@pytest.mark.parametrize("sizes", [TINY, OWN])
def test_short_numbers_keep_flow_and_banks_exact(sizes):
    net = network(sizes)
    picture = pictures(2)
    source = net.encode(picture)
    codes = source.codes + 1
    whole = net.draw(source, codes)
    with torch.autocast("cpu", torch.float16):
        short = net.draw(net.encode(picture), codes)
        again = net.draw(source, codes)
    assert again.picture.dtype == again.flow.dtype == torch.float32
    assert 1e-5 < apart(again.picture, whole.picture) < 0.03 and apart(short.picture, whole.picture) < 0.03
    assert (again.flow - again.flow.half().float()).abs().max() > 1e-5  # summed over the scales in single precision


def test_what_does_not_fit_is_refused():
    net = network()
    with pytest.raises(InputError, match="32 x 32"):
        net.encode(torch.zeros(1, 3, 16, 16))
    source = net.encode(pictures())
    with pytest.raises(InputError, match="9 codes"):
        net.decode(source, torch.zeros(1, 4))
    for wrong in (
        dict(side=33),
        dict(banks=()),
        dict(banks=(("mouth", 30),)),
        dict(banks=(("expression", 1), ("pose", 1))),
    ):
        with pytest.raises(InputError):
            network(replace(TINY, **wrong))
    assert Sizes.of(OWN.as_dict()) == OWN
