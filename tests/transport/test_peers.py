"""Yardsticks, networks and the race between them."""

import numpy as np
import pytest
import torch

from core.errors import InputError
from core.transport.codecs import jpeg, truncated_dct
from core.transport.contenders import NETWORKS, build, choose_decoder
from core.transport.descent import Descent
from core.transport.fit import psnr
from core.transport.narrow import narrow_share
from core.transport.networks import HashGrid, Siren
from core.transport.race import exact_settings, race, verdict
from core.transport.samples import linear_chirp, photograph, warped_fringe
from core.transport.splines import Grid

FRINGE = warped_fringe(48)[0][None].astype(np.float32)


def test_all_coefficients_give_the_picture_and_half_give_the_largest_half():
    picture = photograph("camera", 24)[None]
    assert psnr(picture, truncated_dct(picture, 24 * 24, kept="lowest").values) > 100
    coded = truncated_dct(picture, 200)
    assert coded.stored == 200
    from scipy.fft import dctn

    spectrum = np.abs(dctn(picture[0].astype(float), norm="ortho")).ravel()
    left = np.sort(spectrum)[:-100]
    error = float(((coded.values - picture) ** 2).sum())
    assert error == pytest.approx(float((left**2).sum()), rel=1e-3)


def test_jpeg_keeps_to_its_bytes_and_grows_with_them():
    picture = photograph("astronaut", 64, colour=True)
    values = np.moveaxis(picture, -1, 0)
    small, large = jpeg(values, 1500), jpeg(values, 5000)
    assert small.stored <= 1500 < large.stored <= 5000
    assert psnr(values, large.values) > psnr(values, small.values) + 2
    assert jpeg(values, 10) is None


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize(("c", "shape"), [(1, (20, 30)), (3, (16, 16)), (1, (200,)), (1, (8, 8, 8))])
def test_every_network_fits_its_budget_in_every_dimension(name, c, shape):
    values = np.random.default_rng(0).random((c, *shape)).astype(np.float32)
    net = build(name, 1500, values)
    assert 900 < net.stored <= 1530
    out = net(torch.rand(7, len(shape)))
    assert out.shape == (7, c) and torch.isfinite(out).all()
    names = {id(p) for group in net.groups() for p in group["params"]}
    assert names == {id(p) for p in net.parameters()}


def test_a_sine_layer_is_that_of_the_paper():
    torch.manual_seed(0)
    net = Siren(2, 1, 16, 3)
    x = torch.rand(50, 2)
    h = 2 * x - 1
    for layer in net.layers:
        h = torch.sin(30 * (h @ (layer.weight / 30).T + layer.bias / 30))
    assert torch.allclose(net(x), net.last(h), atol=1e-4)
    assert net.layers[1].weight.abs().max() <= np.sqrt(6 / 16) + 1e-6
    assert net.layers[0].weight.abs().max() <= 15 + 1e-6


def test_an_unhashed_level_interpolates_linearly():
    net = HashGrid(2, 1, 4, 1, levels=1, features=1, table=100, coarsest=3, finest=3)
    with torch.no_grad():
        corner = torch.arange(16).float()
        net.tables[0].copy_((corner % 4 + 10 * (corner // 4))[:, None])  # 10 y + x at the knots
    captured = {}
    net.layers[0].register_forward_hook(lambda m, i, o: captured.update(read=i[0]))
    x = torch.tensor([[0.2, 0.7], [0.5, 0.1]])
    net(x)
    assert torch.allclose(captured["read"][:, 0], 3 * (10 * x[:, 0] + x[:, 1]), atol=1e-4)


def test_narrow_share_is_near_one_for_a_chirp_and_small_for_noise():
    noise = np.random.default_rng(0).standard_normal((64, 64)).astype(np.float32)
    assert narrow_share(linear_chirp(64, 4, 16)[0].astype(np.float32)) > 0.95
    assert narrow_share(noise) < 0.4
    assert narrow_share(np.zeros((32, 32))) == 1.0
    assert choose_decoder(warped_fringe()[0][None]) == "relu" and choose_decoder(noise[None]) == "sine"


def test_descent_is_repeatable_and_begins_again_when_it_collapsed():
    one, two = (Descent(build("siren", 600, FRINGE, seed=1), FRINGE, batch=256, seed=1) for _ in range(2))
    for i in range(15):
        one.step(i / 15)
        two.step(i / 15)
    assert np.array_equal(one.draw(), two.draw()) and one.scale == 1.0
    with torch.no_grad():
        two.field.last.weight.zero_()
        two.field.last.bias.fill_(float(FRINGE.mean()))
    two._checked, two.step_number, two._recent = 0, 64, [torch.tensor(float(FRINGE.var()))]
    two.step(0.2)
    assert two.scale == 0.5 and two.begun == 0.2
    assert any(p.abs().max() > 0 for p in two.field.last.parameters())


def test_a_training_whose_error_rises_goes_on_at_half_the_rate():
    calm, wild = (Descent(build("siren", 600, FRINGE, seed=1), FRINGE, batch=256, seed=1) for _ in range(2))
    for descent, found in ((calm, [4.0, 2.0, 1.0, 1.05]), (wild, [4.0, 2.0, 3.0, 2.9])):
        for part, error in enumerate(found, start=1):
            descent._sum, descent._steps = torch.tensor(32 * error), 32
            descent._slow((part + 0.5) / descent.parts)
            descent._slow((part + 0.6) / descent.parts)  # once a part
    assert calm.scale == 1.0 and wild.scale == 0.25


def test_a_race_is_even_and_the_exact_fit_leads_on_the_fringe():
    fringe = warped_fringe()[0][None].astype(np.float32)
    *_, entries = race(fringe, budget=3000, seconds=0.6, judgements=2, names=("siren", "deep", "fourier"))
    by = {e.name: e for e in entries}
    assert {"exact", "dct-largest", "dct-lowest", "siren", "deep", "fourier"} <= set(by)
    for name in ("siren", "deep", "fourier"):
        assert by[name].stored <= 3060 and len(by[name].seconds) == 2 and by[name].values is not None
        assert by[name].seconds[-1] >= 0.6
    assert by["exact"].stored <= 3000
    assert all(by["exact"].final > by[n].final + 10 for n in ("siren", "deep", "fourier"))
    said = verdict(fringe, entries)
    assert said.startswith("Exact fit leads") and "% of the local energy" in said


def test_the_exact_fit_uses_its_budget():
    settings = exact_settings(FRINGE, 3000)
    used = 17 * Grid.over((48, 48), settings.cells).size + 16
    assert 2200 < used <= 3000


def test_unknown_network():
    with pytest.raises(InputError, match="no network"):
        build("oracle", 1000, FRINGE)
