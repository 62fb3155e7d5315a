"""Learned wavelets, against PyWavelets and their own promises."""

import numpy as np
import pytest
import pywt
import torch

from core.datasets.dataset import Dataset
from core.errors import InputError
from core.models import families
from core.transforms.filters import FilterPair, Lifting, from_angles, high_pass, known, low_pass, split, to_angles
from core.transforms.wavelet_model import WaveletModel
from core.transforms.wavelets import backward, classical, forward, left_over, reconstruction_error, shape


def signal(n=256, seed=0):
    rng = np.random.default_rng(seed)
    return torch.as_tensor(np.cumsum(rng.standard_normal((3, n)), axis=1))


@pytest.mark.parametrize("name", ["haar", "db2", "db4", "db8", "sym4", "sym8", "coif2"])
def test_classical_wavelets_are_reached_at_their_angles(name):
    h = known(name)
    angles = to_angles(h)
    pair = from_angles(torch.as_tensor(angles)).numpy()
    assert len(angles) == len(h) // 2
    assert np.abs(pair[0] - h).max() < 1e-10 and np.abs(pair[1] - high_pass(h)).max() < 1e-10


@pytest.mark.parametrize("m", [1, 2, 4, 7])
def test_any_angles_give_an_orthogonal_filter(m):
    angles = torch.as_tensor(np.random.default_rng(m).uniform(-np.pi, np.pi, m))
    looked = shape(FilterPair(from_angles(angles)))
    assert looked.orthogonality < 1e-12
    assert looked.sum == pytest.approx(float(torch.cos(angles.sum()) + torch.sin(angles.sum())))
    held = shape(FilterPair(from_angles(low_pass(angles))))
    assert held.sum == pytest.approx(np.sqrt(2)) and held.vanishing >= 1
    assert held.low_gain[0] == pytest.approx(np.sqrt(2)) and held.high_gain[0] == pytest.approx(0, abs=1e-12)
    assert np.allclose(held.low_gain**2 + held.high_gain**2, 2)
    x = signal()
    assert reconstruction_error(x, FilterPair(from_angles(angles)), 5) < 1e-10


@pytest.mark.parametrize("name", ["haar", "db2", "db4", "sym4"])
def test_one_level_equals_pywavelets(name):
    x = signal()[0]
    theirs = pywt.dwt(x.numpy(), name, mode="periodization")
    shifted = [
        split(torch.roll(x, i), classical(name).pair) for i in range(len(x))
    ]  # they start elsewhere on the circle
    for band in (0, 1):
        ours = torch.stack([pair[band] for pair in shifted]).numpy()
        assert min(np.abs(sign * ours - theirs[band]).max(axis=1).min() for sign in (1, -1)) < 1e-10


def test_images_keep_their_energy_and_come_back():
    image = torch.as_tensor(np.random.default_rng(0).random((2, 16, 24)))
    c = forward(image, classical("db2"), 3, 2)
    assert torch.allclose(c.square().sum((1, 2)), image.square().sum((1, 2)))
    assert (backward(c, classical("db2"), 3, 2) - image).abs().max() < 1e-10
    flat = torch.ones(1, 8, 8, dtype=torch.float64)
    assert float(forward(flat, classical("haar"), 3, 2)[0, 0, 0]) == pytest.approx(8)


def test_lifting_comes_back_whatever_its_taps_and_haar_is_one():
    generator = torch.Generator().manual_seed(0)
    steps = [torch.randn(4, generator=generator, dtype=torch.float64) for _ in range(3)]
    bank = Lifting(steps, torch.tensor(0.3, dtype=torch.float64))
    assert reconstruction_error(signal(), bank, 4) < 1e-10
    half = Lifting([torch.tensor([1.0]).double(), torch.tensor([0.5]).double()], torch.tensor(0.5 * np.log(2)))
    looked = shape(half)
    assert np.allclose(np.abs(looked.low[np.abs(looked.low) > 1e-12]), np.sqrt(0.5))
    assert looked.vanishing == 1 and looked.sum == pytest.approx(np.sqrt(2))


def test_what_is_left_over_is_the_energy_of_the_other_coefficients():
    x = signal()
    c = np.sort(np.abs(forward(x, classical("db4"), 4).numpy()), axis=1)
    expected = (c[:, :-20] ** 2).sum(1) / (x.numpy() ** 2).sum(1)
    assert np.allclose(left_over(x, classical("db4"), 4, 20).numpy(), expected)


@pytest.mark.parametrize("name, moments", [("haar", 1), ("db2", 2), ("db4", 4), ("sym4", 4)])
def test_shapes_match_pywavelets(name, moments):
    looked = shape(classical(name), stages=6)
    assert looked.vanishing == moments and looked.sum == pytest.approx(np.sqrt(2))
    phi, psi, x = pywt.Wavelet(name).wavefun(level=8)
    assert np.abs(np.interp(looked.x, x, phi) - looked.scaling).max() < (0.2 if name != "haar" else 1.5)
    step = looked.x[1]
    assert looked.scaling.sum() * step == pytest.approx(1) and (looked.wavelet**2).sum() * step == pytest.approx(1)
    assert len(psi) == len(x)


@pytest.mark.parametrize("form", ["orthogonal", "free", "lifting"])
def test_learning_gathers_energy(form):
    x = pywt.data.ecg().astype(np.float32)[None, :512].repeat(2, 0)
    model = WaveletModel(form=form, steps=40, keep=32, levels=4).fit(Dataset(x, "curves"))
    assert model.loss_ < model.start_
    few = [WaveletModel(form=form, steps=5, keep=32, levels=4).fit(Dataset(x, "curves")).loss_ for _ in range(2)]
    assert few[0] == few[1]
    if form != "free":
        assert model.reconstruction_error(x) < 1e-10
        assert np.abs(model.decode(model.encode(x)) - x).max() < 1e-5
    if form == "orthogonal":
        assert model.wavelet.sum == pytest.approx(np.sqrt(2)) and len(model.angles_) == 4
        sym4 = WaveletModel(steps=0, keep=32, levels=4).fit(Dataset(x, "curves"))
        assert model.loss_ < sym4.loss_
    loaded = WaveletModel.from_arrays(model.get_params(), model.arrays(), model.shape_)
    assert np.array_equal(loaded.encode(x), model.encode(x))


def test_a_wavelet_model_is_a_basis_and_takes_odd_lengths_and_images():
    x = signal(100).numpy().astype(np.float32)
    model = WaveletModel(steps=2, levels=3).fit(Dataset(x, "curves"))
    assert np.abs(model.decode(model.encode(x)) - x).max() < 1e-4 and model.encode(x).shape == (3, 104)
    whole = WaveletModel(steps=2, levels=3).fit(Dataset(x[:, :64], "curves"))
    assert whole.bases()["directions"].orthonormal
    images = np.random.default_rng(0).random((4, 40, 48)).astype(np.float32)
    big = WaveletModel(steps=2, levels=3, batch=2).fit(Dataset(images, "images"))
    basis = big.bases()["directions"]
    assert basis.k == 3 * 3 + 1 and np.allclose(np.diag(basis.gram()), 1, atol=1e-5)
    assert np.abs(big.decode(big.encode(images)).reshape(images.shape) - images).max() < 1e-5


def test_what_does_not_suit_is_refused():
    for call, words in (
        (lambda: known("bior2.2"), "not orthogonal"),
        (lambda: known("moon"), "no wavelet"),
        (lambda: to_angles(np.array([1.0, 1.0])), "not orthogonal"),
        (lambda: to_angles(np.ones(3)), "even number"),
        (lambda: forward(torch.ones(1, 12), classical("haar"), 3), "divides"),
        (lambda: WaveletModel(levels=9).fit(Dataset(np.ones((3, 10)), "curves")), "levels"),
        (lambda: WaveletModel(levels=1).fit(Dataset(np.zeros((3, 10)), "curves")), "zero"),
        (lambda: WaveletModel(levels=1).fit(Dataset(np.ones((3, 8, 8, 3)), "images")), "grey"),
        (lambda: WaveletModel(taps=5), "taps"),
    ):
        with pytest.raises(InputError, match=words):
            made = call()
            if isinstance(made, WaveletModel):
                made.fit(Dataset(signal(64).numpy(), "curves"))


def test_all_families_are_listed():
    assert list(families("transforms")) == [
        f"transforms.{n}" for n in ("spectrogram", "wavelets", "adafnn", "deeponet")
    ]
