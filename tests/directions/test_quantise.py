"""Rounding to codebooks and lattices, and the models around them."""

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

from core.datasets import Dataset
from core.directions.quantise import LatticeQuantiser, VectorQuantiser, babai, straight_through, usage
from core.directions.quantised import VQ, Lattice
from core.training import seeded


def strokes():
    """4 x 4 pieces of digits that are not empty."""
    images = load_digits().images.astype(np.float32) / 16
    pieces = np.concatenate([images[:, i : i + 4, j : j + 4] for i in (0, 4) for j in (0, 4)])
    return Dataset(pieces[pieces.std((1, 2)) > 0.05][::2], "images")


def test_babai_finds_the_nearest_point_of_the_lattice():
    z = torch.tensor(np.random.default_rng(0).uniform(-2, 2, (200, 2)), dtype=torch.float64)
    spacing = torch.tensor([0.7, -0.3], dtype=torch.float64)
    q, n = babai(z, spacing)
    i, j = torch.meshgrid(torch.arange(-9, 10), torch.arange(-9, 10), indexing="ij")
    points = torch.stack([i.flatten() * 0.7, j.flatten() * 0.3], 1).double()
    nearest = torch.cdist(z, points).amin(1)
    assert torch.allclose((z - q).norm(dim=1), nearest) and torch.allclose(q, n * spacing)
    assert babai(z, torch.zeros(2, dtype=torch.float64))[0].isfinite().all()


def test_straight_through_and_the_gradients_of_the_lattice():
    with seeded(0):
        quantiser = LatticeQuantiser(3, 27, gamma=0.5)
    assert quantiser.spacing.abs().max() <= 1 / (27 ** (1 / 3) - 1)
    z = torch.randn(40, 3, generator=torch.Generator().manual_seed(0)).requires_grad_()
    q, n, loss = quantiser(z)
    weight = torch.arange(3.0)
    assert torch.allclose(torch.autograd.grad((q * weight).sum(), z, retain_graph=True)[0], weight.expand(40, 3))
    got = torch.autograd.grad(loss, quantiser.spacing)[0]
    b, zd = quantiser.spacing.detach().double(), z.detach().double()

    def by_hand(b):  # the integers held still
        return ((b * n - zd) ** 2).mean() - 0.5 * b.abs().sum()

    for i in range(3):
        e = 1e-5 * torch.eye(3, dtype=torch.float64)[i]
        assert float(got[i]) == pytest.approx(float((by_hand(b + e) - by_hand(b - e)) / 2e-5), rel=1e-3, abs=1e-5)
    assert torch.equal(straight_through(z, q).detach(), q.detach())


def test_vector_quantiser_takes_the_nearest_and_its_losses_pull_apart():
    with seeded(0):
        quantiser = VectorQuantiser(2, 5).eval()
    z = torch.randn(50, 2, generator=torch.Generator().manual_seed(1)).requires_grad_()
    q, indices, loss = quantiser(z)
    assert torch.equal(indices, torch.cdist(z, quantiser.codebook).argmin(1))
    assert torch.allclose(q, quantiser.codebook[indices])
    to_z, to_book = torch.autograd.grad(loss, (z, quantiser.codebook))
    assert torch.allclose(to_z, 0.25 * 2 * (z - q).detach() / 100, atol=1e-6)
    expected = torch.zeros(5, 2).index_add(0, indices, 2 * (q - z).detach() / 100)
    assert torch.allclose(to_book, expected, atol=1e-6)


def test_running_means_converge_to_the_means_of_the_cells_and_restarts_use_every_vector():
    generator = torch.Generator().manual_seed(0)
    centres = torch.tensor([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]])
    z = centres.repeat(40, 1) + 0.1 * torch.randn(120, 2, generator=generator)
    quantiser = VectorQuantiser(2, 3, ema=True, decay=0.8)
    quantiser.start(z, generator)
    for _ in range(60):
        quantiser(z)
    means = torch.stack([z[i::3].mean(0) for i in range(3)])
    assert torch.cdist(means, quantiser.codebook).amin(1).max() < 1e-3
    stuck = VectorQuantiser(2, 6, ema=True, restart=True, decay=0.8)
    stuck.codebook.data.fill_(50.0)
    stuck.total.fill_(50.0)
    for _ in range(60):
        _, indices, _ = stuck(z, generator)
    assert usage(indices)[0] == 6


def test_usage_counts_and_measures_bits():
    assert usage(torch.tensor([0, 1, 2, 3])) == (4, pytest.approx(2.0))
    assert usage(torch.tensor([[0, 1], [0, 1], [1, 0], [1, 0]])) == (2, pytest.approx(1.0))
    share = np.array([5, 3, 2]) / 10
    bits = -(share * np.log2(share)).sum()
    assert usage(torch.tensor([7] * 5 + [2] * 3 + [4] * 2))[1] == pytest.approx(bits)


def test_the_lattice_uses_five_times_more_codes_than_vq_of_the_same_nominal_size():
    data, how = strokes(), dict(codes=64, d=4, steps=400, batch=128, hidden=64, device="cpu")
    vq, lattice = VQ(**how).fit(data, seed=0), Lattice(gamma=1.0, **how).fit(data, seed=0)
    assert 16 < vq.distinct_ <= 64
    assert lattice.distinct_ >= 5 * vq.distinct_
    for model in (vq, lattice):
        assert model.bits_ <= np.log2(model.distinct_) + 1e-9
        assert model.distinct_ == len(np.unique(model.encode(data.samples), axis=0))
        error = np.square(model.decode(model.encode(data.samples)) - data.matrix).mean()
        assert model.error_ == pytest.approx(error, rel=1e-4) and error < 0.4 * data.matrix.var()
    assert lattice.error_ < vq.error_
    assert np.allclose(
        lattice.encode(data.samples),
        lattice.integers(data.samples)[:, 0] * lattice.net_.quantiser.spacing.detach().numpy(),
    )
    assert np.allclose(vq.encode(data.samples), vq.codebook()[vq.integers(data.samples)[:, 0]])


def test_a_reward_for_spacing_makes_the_lattice_wider_and_the_code_shorter():
    data, how = strokes(), dict(codes=64, d=2, steps=300, batch=128, hidden=32, device="cpu")
    narrow, wide = Lattice(gamma=0.0, **how).fit(data, seed=0), Lattice(gamma=5.0, **how).fit(data, seed=0)
    assert wide.bits_ < narrow.bits_ and wide.error_ > narrow.error_
    codes = wide.encode(data.samples)[:9]
    assert np.allclose(
        wide.decode(codes), wide.decode(codes + 0.3 * wide.spacing()), atol=1e-6
    )  # decoding rounds first
