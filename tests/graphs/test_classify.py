"""Node classification on samples and planted graphs."""

import numpy as np
import pytest
import torch

from core.errors import InputError
from core.graphs.classify import BASES, ClassifySettings, PolynomialNetwork, _tensor, classify, split
from core.graphs.graph import graph
from core.graphs.polynomials import optimal
from core.graphs.samples import sample
from core.progress import CallbackRun


def ring_of_opposites(n=120, seed=0):
    """Neighbours on a ring have opposite classes; each node's own feature is nearly useless."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    features = (2 * y - 1)[:, None] * 0.4 + rng.standard_normal((n, 4))
    return graph(np.arange(n), (np.arange(n) + 1) % n, attributes={"side": y}, features=features)


def test_the_layer_computes_the_optimal_basis_of_each_channel():
    made = sample("karate")
    network = PolynomialNetwork(2, 3, ClassifySettings(degree=5))
    x = torch.randn(34, 3, generator=torch.Generator().manual_seed(0))
    columns = network.columns(_tensor(made, "cpu"), x)
    for channel in range(3):
        truth = optimal(made.propagation(), x[:, channel].numpy(), 5).columns
        ours = torch.stack([c[:, channel] for c in columns], 1).numpy() / np.sqrt(34)
        assert np.abs(ours - truth).max() < 1e-4


def test_gradients_through_the_recurrence_equal_finite_differences():
    made = sample("karate")
    p = _tensor(made, "cpu").to(torch.float64)
    for basis in ("optimal", "favard"):
        network = PolynomialNetwork(2, 2, ClassifySettings(degree=3, basis=basis)).double()
        x = torch.randn(34, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(1), requires_grad=True)
        assert torch.autograd.gradcheck(lambda v, n=network: torch.stack(n.columns(p, v)), (x,), atol=1e-5)


@pytest.mark.parametrize("basis", ["optimal", "favard"])
def test_filters_find_what_the_network_alone_cannot(basis):
    made = ring_of_opposites()
    settings = dict(degree=6, hidden=16, steps=120, dropout=0.2)
    found = classify(made, "side", ClassifySettings(basis=basis, **settings))
    alone = classify(made, "side", ClassifySettings(basis="none", **settings))
    assert found.test > 0.9 > alone.test and found.majority <= 0.6
    assert found.weights.shape == (7, 2) and (found.gamma is not None) == (basis == "favard")
    assert sum(found.sizes) == 120


def test_karate_without_features_the_same_seed_and_a_stop():
    made = sample("karate")
    settings = ClassifySettings(degree=4, steps=60, hidden=16)
    one, two = classify(made, "club", settings, seed=1), classify(made, "club", settings, seed=1)
    assert one.test >= 0.7 and np.array_equal(one.predicted, two.predicted) and np.array_equal(one.weights, two.weights)
    assert classify(made, "club", settings, run=CallbackRun(lambda _: True)).steps < 60


def test_splits_are_apart_and_depend_on_the_seed():
    y = np.repeat([0, 1, 2, -1], [50, 30, 20, 10])
    parts = split(y, 0.6, 0)
    assert sorted(np.concatenate(parts)) == list(range(100)) and [len(p) for p in parts] == [60, 20, 20]
    assert not np.array_equal(parts[0], split(y, 0.6, 1)[0])
    with pytest.raises(InputError, match="three labelled"):
        split(np.array([0] * 20 + [1, 1]), 0.6, 0)


def test_attributes_that_are_no_classes_are_refused():
    made = sample("karate")
    assert set(BASES) >= {"optimal", "favard"}
    with pytest.raises(InputError, match="club"):
        classify(made, "hair colour")
    with pytest.raises(InputError, match="classes"):
        sample("digits").classes("ink", most=5)
    with pytest.raises(InputError, match="numbers"):
        made.numbers("club")
