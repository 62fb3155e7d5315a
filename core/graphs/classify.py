"""Node classification with a learned polynomial filter on the output of a small network."""

import warnings
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.model_selection import train_test_split
from torch import nn

from core.device import pick
from core.errors import InputError
from core.graphs.graph import Graph
from core.progress import Run
from core.settings import Settings, setting
from core.training import Batches, TrainSettings, mix, seeded, train

BASES = ("optimal", "favard", "chebyshev", "monomial", "none")


@dataclass(frozen=True)
class ClassifySettings(Settings):
    basis: str = setting("optimal", "Polynomial basis of the filter; none is the network alone.", choices=BASES)
    degree: int = setting(10, "Degree of the polynomials.", low=1, high=50)
    hidden: int = setting(64, "Units of the hidden layer.", low=4, high=1024, more=True)
    steps: int = setting(
        300, "Most training steps; it ends early when validation no longer improves.", low=10, high=10_000
    )
    lr: float = setting(0.02, "Learning rate.", low=1e-4, high=0.5, log=True, more=True)
    weight_decay: float = setting(5e-4, "Weight decay.", low=0.0, high=0.1, more=True)
    dropout: float = setting(0.5, "Share of inputs dropped in training.", low=0.0, high=0.9, more=True)
    train_share: float = setting(0.6, "Share of labelled nodes to train on; a fifth validates.", low=0.02, high=0.7)


@dataclass(frozen=True, eq=False)
class Classification:
    """One trained classifier.

    Attributes:
        basis: which.
        test, validation: accuracy on the two held-out parts.
        majority: accuracy on the test part of always saying the largest class.
        sizes: nodes that were trained on, validated on and tested on.
        predicted: `(N,)` class numbers of all nodes.
        weights: `(K+1, C)` filter coefficients of each class's channel.
        gamma, root_beta: `(K, C)` and `(K+1, C)` of Favard's recurrence, else None.
        steps: done before the best validation was passed.
        seed: of split and initial weights.
    """

    basis: str
    test: float
    validation: float
    majority: float
    sizes: tuple[int, int, int]
    predicted: np.ndarray
    weights: np.ndarray
    gamma: np.ndarray | None
    root_beta: np.ndarray | None
    steps: int
    seed: int


class _Propagate(torch.autograd.Function):
    """`P @ H` for a constant symmetric P; the gradient is the same product."""

    @staticmethod
    def forward(ctx, p, h):
        ctx.p = p
        return p @ h

    @staticmethod
    def backward(ctx, slope):
        return None, ctx.p @ slope


class PolynomialNetwork(nn.Module):
    """`Z = sum_k w_k * p_k(P) MLP(X)`, one filter for each class (FavardGNN and OptBasisGNN: Guo and Wei 2023).

    The optimal basis follows the published layer: each channel's own three-term recurrence, without
    re-orthogonalisation, with gradients through it. Its columns have mean square 1 instead of length 1, so that the
    logits do not shrink as graphs grow.
    """

    def __init__(self, features: int, classes: int, settings: ClassifySettings):
        super().__init__()
        self.basis, self.degree = settings.basis, settings.degree if settings.basis != "none" else 0
        self.first, self.second = nn.Linear(features, settings.hidden), nn.Linear(settings.hidden, classes)
        self.drop = nn.Dropout(settings.dropout)
        weight = torch.zeros(self.degree + 1, classes)
        weight[0] = 1
        self.weight = nn.Parameter(weight)
        if settings.basis == "favard":
            self.gamma = nn.Parameter(torch.zeros(self.degree, classes))
            self.root = nn.Parameter(torch.ones(self.degree + 1, classes))

    def forward(self, p: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Logits `(N, C)` of all nodes."""
        h = self.second(self.drop(torch.relu(self.first(self.drop(x)))))
        return sum(w * column for w, column in zip(self.weight, self.columns(p, h), strict=True))

    def columns(self, p: torch.Tensor, x: torch.Tensor) -> list[torch.Tensor]:
        """`p_k(P) x` for k = 0 .. K, each `(N, C)`."""
        step = lambda v: _Propagate.apply(p, v)  # noqa: E731
        h = [x]
        if self.basis == "optimal":
            size = len(x) ** 0.5
            h = [x / x.norm(dim=0).clamp(min=1e-8)]
            for k in range(self.degree):
                v = step(h[-1])
                v = v - (v * h[-1]).sum(0) * h[-1]
                if k:
                    v = v - (v * h[-2]).sum(0) * h[-2]
                h.append(v / v.norm(dim=0).clamp(min=1e-8))
            h = [size * column for column in h]
        elif self.basis == "favard":
            root = self.root.clamp(min=0.01)
            h = [x / root[0]]
            for k in range(self.degree):
                v = step(h[-1]) - self.gamma[k] * h[-1]
                if k:
                    v = v - root[k] * h[-2]
                h.append(v / root[k + 1])
        else:
            for k in range(self.degree):
                twice = self.basis == "chebyshev" and k > 0
                h.append(2 * step(h[-1]) - h[-2] if twice else step(h[-1]))
        return h


def classify(
    graph: Graph,
    attribute: str,
    settings: ClassifySettings | None = None,
    *,
    seed: int = 0,
    run: Run | None = None,
    device: str | None = None,
) -> Classification:
    """Learn the classes of nodes from a part of them.

    The features are the graph's own, else the eigenvectors that a few smoothing steps leave of random ones, so that
    a graph without features can be classified by its edges alone. Splits are stratified and drawn by `seed`.

    Args:
        attribute: the node attribute that holds the classes; nodes without one are neither trained on nor tested.

    Raises:
        InputError: fewer than two classes, or too few labelled nodes for three parts.
    """
    settings, where = settings or ClassifySettings(), pick(device)
    y, classes = graph.classes(attribute)
    parts = split(y, settings.train_share, seed)
    x = torch.as_tensor(node_features(graph, seed=seed), device=where)
    target = torch.as_tensor(np.maximum(y, 0), device=where)
    p = _tensor(graph, where)
    use = [torch.as_tensor(part, device=where) for part in parts]
    with seeded(seed):
        network = PolynomialNetwork(x.shape[1], len(classes), settings).to(where)

    def loss(_index, _step):
        return nn.functional.cross_entropy(network(p, x)[use[0]], target[use[0]]), {}

    def check() -> float:
        return float(nn.functional.cross_entropy(network(p, x)[use[1]], target[use[1]]))

    trained = train(
        network,
        loss,
        Batches(torch.arange(2), 2, seed=seed, device=where),
        TrainSettings(
            steps=settings.steps,
            lr=settings.lr,
            weight_decay=settings.weight_decay,
            clip=0,
            patience=10,
            check_every=10,
            mixed=False,
        ),
        seed=seed,
        run=run,
        check=check,
    )
    with torch.no_grad():
        predicted = network(p, x).argmax(1).cpu().numpy()
    counts = np.bincount(y[parts[0]], minlength=len(classes))
    accuracy = [float((predicted[part] == y[part]).mean()) for part in parts]
    favard = settings.basis == "favard"
    return Classification(
        basis=settings.basis,
        test=accuracy[2],
        validation=accuracy[1],
        majority=float((y[parts[2]] == counts.argmax()).mean()),
        sizes=tuple(len(part) for part in parts),
        predicted=predicted,
        weights=network.weight.detach().cpu().numpy(),
        gamma=network.gamma.detach().cpu().numpy() if favard else None,
        root_beta=network.root.detach().clamp(min=0.01).cpu().numpy() if favard else None,
        steps=trained.steps,
        seed=seed,
    )


def split(y: np.ndarray, train_share: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labelled nodes to train on, to validate on (a fifth) and to test on, with the classes in equal shares.

    Raises:
        InputError: a class with fewer than three nodes.
    """
    labelled = np.flatnonzero(y >= 0)
    if np.bincount(y[labelled]).min() < 3 or len(labelled) < 10:
        raise InputError("Each class needs at least three labelled nodes, and all together at least ten.")
    fit_size, check_size = round(train_share * len(labelled)), round(0.2 * len(labelled))
    try:
        rest, test = train_test_split(
            labelled,
            test_size=len(labelled) - fit_size - check_size,
            random_state=mix(seed, 1) % 2**32,
            stratify=y[labelled],
        )
        fit, check = train_test_split(rest, test_size=check_size, random_state=mix(seed, 2) % 2**32, stratify=y[rest])
    except ValueError:
        raise InputError("There are too few labelled nodes for this split; train on a larger share of them.") from None
    return np.sort(fit), np.sort(check), np.sort(test)


def node_features(graph: Graph, *, seed: int = 0, width: int = 32) -> np.ndarray:
    """`(N, F)` float32: the graph's features, or smoothed random ones, orthonormalised."""
    if graph.features is not None:
        return np.asarray(graph.features, dtype=np.float32)
    p = graph.propagation()
    x = np.random.default_rng(seed).standard_normal((len(graph), min(width, max(2, len(graph) // 3))))
    for _ in range(20):
        x = np.linalg.qr(0.5 * (x + p @ x))[0]
    return (x * np.sqrt(len(graph))).astype(np.float32)


def _tensor(graph: Graph, device) -> torch.Tensor:
    p = graph.propagation()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch says once that its sparse tensors are young
        return _csr(p, device)


def _csr(p, device) -> torch.Tensor:
    return torch.sparse_csr_tensor(
        torch.as_tensor(p.indptr, dtype=torch.int64),
        torch.as_tensor(p.indices, dtype=torch.int64),
        torch.as_tensor(p.data, dtype=torch.float32),
        size=p.shape,
        check_invariants=False,
        device=device,
    )
