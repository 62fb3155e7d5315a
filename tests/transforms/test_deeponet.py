"""Operators, POD modes and DeepONet."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

from core.datasets.dataset import Dataset
from core.errors import InputError
from core.transforms.deeponet import DeepONet, pod
from core.transforms.operators import (
    OPERATORS,
    antiderivative,
    heat,
    operator_pairs,
    pendulum,
    random_functions,
    uploaded_pairs,
)


def test_operators_solve_their_equations():
    x = np.linspace(0, 1, 1001)
    assert np.abs(antiderivative(np.cos(3 * x)[None])[0] - np.sin(3 * x) / 3).max() < 1e-6
    u = random_functions(2, seed=1)
    force = CubicSpline(x, u[0])
    truth = solve_ivp(lambda t, s: [s[1], force(t) - np.sin(s[0])], (0, 1), [0, 0], t_eval=x, rtol=1e-9, atol=1e-11).y[
        0
    ]
    assert np.abs(pendulum(u)[0] - truth).max() < 1e-7
    start = np.sin(np.pi * x) + 0.5 * np.sin(3 * np.pi * x)
    after = np.exp(-(np.pi**2) * 0.01) * np.sin(np.pi * x) + 0.5 * np.exp(-9 * np.pi**2 * 0.01) * np.sin(3 * np.pi * x)
    assert np.abs(heat(start[None])[0] - after).max() < 1e-10


def test_random_functions_have_their_covariance():
    u = random_functions(4000, 0.2, points=101)
    assert np.abs(u.std(axis=0) - 1).max() < 0.06
    assert np.corrcoef(u[:, 30], u[:, 50])[0, 1] == pytest.approx(np.exp(-0.5), abs=0.05)


def test_pod_modes_equal_the_singular_value_decomposition():
    x = np.random.default_rng(0).standard_normal((30, 12)) @ np.diag(np.arange(12, 0, -1))
    mean, modes, values = pod(x, 5)
    _, s, vt = np.linalg.svd(x - x.mean(0), full_matrices=False)
    assert (
        np.allclose(np.abs(np.sum(modes * vt[:5], axis=1)), 1)
        and np.allclose(values, s)
        and np.allclose(mean, x.mean(0))
    )
    with pytest.raises(InputError, match="modes"):
        pod(x, 13)


@pytest.mark.parametrize("basis", ["trunk", "pod"])
def test_deeponet_learns_an_operator(basis):
    pairs = operator_pairs("antiderivative", 200, sensors=20, points=30)
    settings = dict(basis=basis, k=6, width=20, train_count=120, steps=250, lr=5e-3)
    model = DeepONet(**settings).fit(pairs)
    inputs, outputs = pairs.extra["inputs"], pairs.samples
    constant = np.mean(np.linalg.norm(outputs - outputs.mean(0), axis=1) / np.linalg.norm(outputs, axis=1))
    assert model.error_ < 0.35 * constant
    assert np.allclose(model.branch(inputs) @ model.functions() + model.offset(), model.predict(inputs), atol=1e-4)
    best = model.decode(model.encode(outputs))
    assert np.square(best - outputs).sum() <= np.square(model.predict(inputs) - outputs).sum()
    assert sorted(model.by_energy(inputs)) == list(range(6))
    overlap = model.pod_overlap()
    assert overlap[0] > 0.95 and (overlap <= 1 + 1e-6).all()
    if basis == "pod":
        assert np.allclose(overlap, 1)
    loaded = DeepONet.from_arrays(model.get_params(), model.arrays(), model.shape_)
    assert np.array_equal(loaded.predict(inputs), model.predict(inputs)) and set(loaded.bases()) == {"trunk", "pod"}
    few = [DeepONet(**{**settings, "steps": 5}).fit(pairs).predict(inputs) for _ in range(2)]
    assert np.array_equal(*few)


def test_pairs_that_do_not_suit_are_refused():
    x = np.random.default_rng(0).standard_normal((20, 8))
    made = uploaded_pairs(x, x)
    assert made.take(np.arange(5)).extra["inputs"].shape == (5, 8)
    with pytest.raises(InputError, match="left for the test"):
        DeepONet(train_count=20).fit(made)
    with pytest.raises(InputError, match="pairs"):
        DeepONet().fit(Dataset(x, "curves"))
    for a, b, words in ((x, x[:5], "same number"), (x[:4], x[:4], "ten"), (x, x * np.nan, "finite")):
        with pytest.raises(InputError, match=words):
            uploaded_pairs(a, b)
    with pytest.raises(InputError, match="antiderivative"):
        operator_pairs("magic")
    assert set(OPERATORS) == {"antiderivative", "pendulum", "heat"}
