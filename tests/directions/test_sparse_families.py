"""FISTA against scikit-learn, a planted dictionary, the predictor of PSD, and the dead units of the autoencoder."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from sklearn.datasets import load_sample_images
from sklearn.decomposition import sparse_encode

from core.datasets import Dataset
from core.directions.dictionary import descend, first_atoms, matched_correlation, reseed, unit_rows
from core.directions.fista import energy, fista, gap, ista, lipschitz
from core.directions.psd import PSD
from core.directions.sae import DEAD_AFTER, SAE, SparseAutoencoder, auxiliary, resample
from core.directions.sparse_coding import SparseCoding
from core.training import Step


def patches(n, side, seed=0):
    rng = np.random.default_rng(seed)
    image = load_sample_images().images[0].mean(2) / 255
    i, j = rng.integers(0, image.shape[0] - side, n), rng.integers(0, image.shape[1] - side, n)
    cut = np.stack([image[a : a + side, b : b + side] for a, b in zip(i, j, strict=True)])
    return (cut - cut.mean((1, 2), keepdims=True)).astype(np.float32)


def problem(seed=0, n=60, d=36, k=80, dtype=torch.float64):
    x = torch.tensor(patches(n, 6, seed).reshape(n, -1), dtype=dtype)
    atoms = torch.tensor(patches(k, 6, seed + 1).reshape(k, -1), dtype=dtype)
    return x / x.square().mean().sqrt(), unit_rows(atoms)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("lam, positive", [(0.3, False), (2.0, False), (2.0, True)])
def test_fista_reaches_the_objective_of_scikit_learn(lam, positive, dtype):
    x, d = problem(dtype=dtype)
    theirs = sparse_encode(
        x.double().numpy(), d.double().numpy(), algorithm="lasso_cd", alpha=lam / 2, max_iter=100_000, positive=positive
    )
    ours = fista(x, d, lam, 3000, nonnegative=positive).double()
    assert not positive or ours.min() >= 0
    x, d = x.double(), d.double()
    reference = energy(x, torch.tensor(theirs), d, lam)
    assert torch.all(energy(x, ours, d, lam) <= reference * (1 + 1e-6))


def test_the_gap_bounds_the_distance_to_the_minimum_and_ends_the_search():
    x, d = problem()
    best = energy(x, fista(x, d, 1.0, 5000), d, 1.0)
    for steps in (0, 5, 40):
        primal, distance = gap(x, fista(x, d, 1.0, steps), d, 1.0)
        assert torch.all(distance >= primal - best - 1e-9)
    rough = fista(x, d, 1.0, 5000, tol=1e-2)
    primal, distance = gap(x, rough, d, 1.0)
    assert 1e-6 < distance.sum() / primal.sum() <= 1e-2


def test_momentum_beats_plain_steps_and_both_never_rise():
    x, d = problem()
    plain = [energy(x, ista(x, d, 1.0, n), d, 1.0).sum() for n in (5, 20, 80)]
    fast = [energy(x, fista(x, d, 1.0, n), d, 1.0).sum() for n in (5, 20, 80)]
    assert plain == sorted(plain, reverse=True) and fast == sorted(fast, reverse=True)
    assert fast[2] < plain[2]


def test_a_strong_pull_wins_over_the_data_and_a_start_is_used():
    x, d = problem()
    pull = torch.ones(len(x), len(d), dtype=x.dtype)
    assert torch.allclose(fista(x, d, 1e-6, 500, pull=pull, weight=1e6), pull, atol=1e-3)
    z = fista(x, d, 1.0, 3000)
    assert torch.allclose(fista(x, d, 1.0, 1, start=z), z, atol=1e-6)


@pytest.mark.parametrize("shape", [(60, 80), (80, 60)])
def test_lipschitz_is_the_largest_eigenvalue_and_power_iteration_stays_above_it(shape):
    a = torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    exact = float(torch.linalg.matrix_norm(a, 2) ** 2)
    assert lipschitz(a) == pytest.approx(exact)
    assert exact <= lipschitz(a, most=10) <= 1.2 * exact


def test_coordinate_descent_on_the_dictionary_lowers_the_error_atom_by_atom():
    x, d = problem(n=200, k=20)
    z = fista(x, d, 1.0, 200)
    errors = [(x - z @ d).square().sum()]
    for _ in range(30):
        d = descend(d, z.T @ z / len(z), z.T @ x / len(z))
        errors.append((x - z @ d).square().sum())
    assert all(b <= a + 1e-9 for a, b in pairwise(errors))
    used = z.square().sum(0) > 1e-9
    # at the minimum over the unit sphere each atom's negative gradient points along the atom
    slope = z.T @ (x - z @ d)
    along = torch.nn.functional.cosine_similarity(slope[used], d[used], dim=1).abs()
    assert along.min() > 0.99 and torch.allclose(d.norm(dim=1), torch.ones(20, dtype=d.dtype))


def test_dead_atoms_become_directions_of_large_residuals():
    generator = torch.Generator().manual_seed(0)
    x = torch.zeros(50, 4)
    x[7] = torch.tensor([0.0, 0.0, 3.0, 0.0])
    new = reseed(torch.eye(4)[:2], torch.tensor([False, True]), x, x, generator)
    assert torch.equal(new[0], torch.eye(4)[0]) and new[1, 2] > 0.99
    assert first_atoms(x, 3, generator).isfinite().all()


@pytest.mark.parametrize("seed", [0, 1])
def test_a_planted_dictionary_is_recovered(seed):
    rng = np.random.default_rng(seed)
    planted = rng.standard_normal((64, 32))
    planted /= np.linalg.norm(planted, axis=1, keepdims=True)
    codes = np.zeros((4000, 64))
    for row in codes:
        row[rng.choice(64, 5, replace=False)] = rng.standard_normal(5)
    clean = codes @ planted
    noisy = clean + rng.standard_normal(clean.shape) * np.sqrt(np.mean(clean**2) / 100)  # 20 dB
    data = Dataset(noisy, "table")
    model = SparseCoding(k=64, device="cpu").fit(data, seed=seed)
    found = torch.tensor(model.basis_.directions)
    planted = torch.tensor(planted, dtype=torch.float32)
    assert matched_correlation(found, planted).mean() > 0.95
    start = first_atoms(torch.tensor(noisy, dtype=torch.float32), 64, torch.Generator().manual_seed(0))
    assert matched_correlation(start, planted).mean() < 0.9  # the start has not found it
    z = model.encode(data.samples[:100])
    exact = sparse_encode(
        (data.samples[:100] - model.basis_.mean).astype(np.float64),
        model.basis_.directions.astype(np.float64),
        alpha=model.lam_ / 2,
        algorithm="lasso_cd",
        max_iter=10_000,
    )
    assert model.energy(data.samples[:100], z).sum() <= model.energy(
        data.samples[:100], exact.astype(np.float32)
    ).sum() * (1 + 1e-4)
    assert np.all(np.diff(model.basis_.scale) <= 0)


@pytest.mark.parametrize("encoder", ["shrink", "tanh-shrink"])
def test_the_predictor_of_psd_comes_within_a_quarter_of_the_least_energy(encoder):
    data = Dataset(patches(3000, 8), "images")
    model = PSD(k=64, steps=100, encoder_steps=500, batch=256, encoder=encoder, device="cpu").fit(data, seed=0)
    held_out = patches(500, 8, seed=7)
    least = model.energy(held_out, model.exact(held_out)).mean()
    predicted = model.energy(held_out, model.encode(held_out)).mean()
    nothing = model.energy(held_out, np.zeros((500, 64), np.float32)).mean()
    assert least <= predicted < 1.25 * least < nothing


@pytest.mark.parametrize("encoder", ["tanh", "linear"])
def test_the_other_predictors_learn_too(encoder):
    data = Dataset(patches(2000, 6), "images")
    how = dict(k=48, steps=60, encoder=encoder, prediction_in_inference=False, target="codes", device="cpu")
    start = PSD(encoder_steps=0, **how).fit(data, seed=0)
    end = PSD(encoder_steps=300, **how).fit(data, seed=0)
    off = [np.square(m.encode(data.samples) - m.exact(data.samples)).sum() for m in (start, end)]
    atoms = [torch.tensor(m.basis_.directions) for m in (start, end)]
    assert matched_correlation(*atoms).min() > 0.9999 and off[1] < off[0]  # the dictionary rests while F learns
    exact = PSD.from_arrays({**end.get_params(), "exact": True}, end.arrays(), data.shape, device="cpu")
    assert np.array_equal(exact.encode(data.samples), end.exact(data.samples))


def concepts(n=3000, k=40, d=24, active=2, seed=0):
    rng = np.random.default_rng(seed)
    atoms = rng.standard_normal((k, d))
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    codes = np.zeros((n, k))
    for row in codes:
        row[rng.choice(k, active, replace=False)] = 1 + rng.random(active)
    return atoms, Dataset(codes @ atoms + 0.02 * rng.standard_normal((n, d)), "activations")


@pytest.mark.parametrize("how", [dict(activation="topk", active=2), dict(activation="relu", l1=0.4, lr=5e-3)])
def test_sparse_autoencoder_finds_planted_concepts(how):
    atoms, data = concepts()
    model = SAE(k=40, steps=1000, batch=128, device="cpu", **how).fit(data, seed=0)
    z = model.encode(data.samples)
    assert z.min() >= 0 and ((z > 0).sum(1) <= 2).all() == (how["activation"] == "topk")
    assert model.dead_ == pytest.approx(np.mean(~(z > 0).any(0)), abs=1e-6)
    error = np.square(model.decode(z) - data.matrix).mean() / data.matrix.var()
    atoms = torch.tensor(atoms, dtype=torch.float32)
    start = first_atoms(torch.tensor(data.matrix), 40, torch.Generator().manual_seed(0))
    found = matched_correlation(torch.tensor(model.basis_.directions), atoms).mean()
    assert error < 0.35 and found > 0.8 and found > matched_correlation(start, atoms).mean() + 0.05


def test_resampling_points_dead_units_at_what_is_reconstructed_badly():
    x = torch.zeros(64, 6)
    x[:, 0] = 1.0
    x[[5, 9], 3] = 50.0  # all but two samples are along axis 0
    model = SparseAutoencoder(torch.eye(6)[:3], None)
    model.idle[1:] = DEAD_AFTER
    optimizer = torch.optim.AdamW(model.parameters())
    (model(x) @ model.decoder).square().sum().backward()
    optimizer.step()
    with torch.no_grad():
        model.decoder.copy_(torch.eye(6)[:3])
        assert resample(model, x, Step(0, 0), optimizer) == 2
    assert (model.decoder[1:, 3] > 0.99).all() and (model.idle == 0).all()
    moments = optimizer.state[model.decoder]["exp_avg"]
    assert (moments[1:] == 0).all() and not (moments[0] == 0).all()


def test_the_auxiliary_loss_pulls_on_dead_units_alone():
    model = SparseAutoencoder(unit_rows(torch.randn(5, 4, generator=torch.Generator().manual_seed(0))), 2)
    x = torch.randn(30, 4, generator=torch.Generator().manual_seed(1))
    a = model.pre(x)
    assert auxiliary(model, a, x, 2) == 0
    model.idle[3] = DEAD_AFTER
    auxiliary(model, a, x, 2).backward()
    touched = model.decoder.grad.abs().sum(1) > 0
    assert touched.tolist() == [False, False, False, True, False]
