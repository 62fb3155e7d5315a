"""Small networks trained one after another on more and more classes: where compatibility is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from core.compatible.pairs import unit_rows
from core.compatible.simplex import SimplexHead
from core.device import pick
from core.errors import InputError
from core.progress import Run
from core.settings import Settings, setting
from core.training import Batches, TrainSettings, mix, seeded, train


@dataclass(frozen=True)
class VersionSettings(Settings):
    head: str = setting(
        "simplex", "Directions of the classes: learned, or fixed at a simplex.", choices=("learned", "simplex")
    )
    align: str = setting(
        "none",
        "A further loss that holds a version to the one before: copy its features, or tell items apart by them.",
        choices=("none", "distill", "contrast"),
    )
    weight: float = setting(1.0, "Weight of that loss.", low=0.0, high=100.0)
    room: int = setting(10, "How many classes the head has room for.", low=2, high=1000)
    hidden: int = setting(128, "Units of the hidden layer.", low=4, high=2048, more=True)
    steps: int = setting(400, "Training steps of each version.", low=10, high=100_000)
    batch: int = setting(128, "Samples a step.", low=8, high=4096, more=True)
    lr: float = setting(3e-3, "Learning rate.", low=1e-5, high=0.1, log=True, more=True)
    scale: float = setting(12.0, "Inverse temperature of the cosines of a simplex head.", low=1, high=100, more=True)


@dataclass(frozen=True, eq=False)
class Version:
    """One trained network.

    Attributes:
        classes: which classes it was trained on, by number.
        features: `(N_test, d)` unit rows of the held-out items, all classes.
        train_features: `(N, d)` unit rows of all training items, also of classes it was not trained on; maps are fitted
            on these.
        accuracy: on held-out items of the classes it knows.
        directions: `(room, d)` unit rows, its class directions.
        module: the network up to the features.
    """

    classes: tuple[int, ...]
    features: np.ndarray
    train_features: np.ndarray
    accuracy: float
    directions: np.ndarray
    module: nn.Module


class Network(nn.Module):
    """Two hidden layers to `room - 1` features, and a head with `room` classes."""

    def __init__(self, width: int, settings: VersionSettings):
        super().__init__()
        features = settings.room - 1
        self.body = nn.Sequential(
            nn.Linear(width, settings.hidden),
            nn.ReLU(),
            nn.Linear(settings.hidden, settings.hidden),
            nn.ReLU(),
            nn.Linear(settings.hidden, features),
        )
        if settings.head == "simplex":
            self.head: nn.Module = SimplexHead(settings.room, settings.scale)
        else:
            self.head = nn.Linear(features, settings.room)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Features `(B, room - 1)`."""
        return self.body(x)


class _Part(Run):
    """One of several trainings of a run: passes reports on, and keeps no checkpoint."""

    def __init__(self, run: Run, part: int, parts: int):
        self._run, self._part, self._parts = run, part, parts

    def progress(self, step, total, metrics=None, preview=None):
        self._run.progress(self._part * total + step, self._parts * total, metrics, preview)

    def should_stop(self):
        return self._run.should_stop()


def train_versions(
    x: np.ndarray,
    y: np.ndarray,
    test_x: np.ndarray,
    test_y: np.ndarray,
    known: Sequence[int],
    settings: VersionSettings | None = None,
    *,
    seed: int = 0,
    run: Run | None = None,
    device: str | None = None,
) -> list[Version]:
    """Train one network for each entry of `known`, each from its own random start.

    Args:
        x, test_x: `(N, D)` and `(M, D)` float32.
        y, test_y: whole numbers from 0.
        known: how many classes (0 to that number minus one) each version is trained on, such as `(5, 10)`.
        settings: head and alignment. `distill` is feature distillation on the items whose class the version before
            knew (CL2R: Biondi and others 2023); `contrast` tells the old features of the same item from those of items
            of other classes (HOC: Biondi and others 2024).
        run: told of progress, asked to stop; a stopped training returns the versions that are complete.

    Raises:
        InputError: classes beyond the head's room, or a version with fewer than two classes.
    """
    settings, run, where = settings or VersionSettings(), run or Run(), pick(device)
    if max(int(y.max()), int(test_y.max()), max(known) - 1) >= settings.room:
        raise InputError(f"The head has room for {settings.room} classes and the data has more; raise room.")
    if min(known) < 2:
        raise InputError("Each version needs at least two classes.")
    all_x, all_y = torch.as_tensor(x, device=where), torch.as_tensor(y, dtype=torch.int64, device=where)
    versions: list[Version] = []
    for i, many in enumerate(known):
        use = torch.nonzero(all_y < many).flatten()
        mine_x, mine_y = all_x[use], all_y[use]
        with seeded(mix(seed, i)):
            network = Network(x.shape[1], settings).to(where)
        before, familiar = None, None
        if versions and settings.align != "none":
            with torch.no_grad():
                before = nn.functional.normalize(versions[-1].module.to(where)(mine_x), dim=1)
            familiar = mine_y < known[i - 1]
        trained = train(
            network,
            _loss(network, mine_x, mine_y, before, familiar, settings),
            Batches(torch.arange(len(use)), settings.batch, seed=mix(seed, i), device=where),
            TrainSettings(steps=settings.steps, batch=settings.batch, lr=settings.lr, weight_decay=1e-4, mixed=False),
            seed=mix(seed, i),
            run=_Part(run, i, len(known)),
        )
        if trained.ended == "stopped":
            break
        versions.append(_version(network, many, all_x, test_x, test_y, where))
    return versions


def _loss(network, x, y, before, familiar, settings):
    def loss(index, _step):
        features = network(x[index])
        value = nn.functional.cross_entropy(network.head(features), y[index])
        if before is None:
            return value, {}
        mine, old = nn.functional.normalize(features, dim=1), before[index]
        if settings.align == "distill":
            apart = 1 - (mine * old).sum(1)
            extra = (apart * familiar[index]).sum() / familiar[index].sum().clamp(min=1)
        else:
            logits = mine @ old.T / 0.1
            same = y[index][:, None] == y[index][None]
            same.fill_diagonal_(False)
            extra = nn.functional.cross_entropy(
                logits.masked_fill(same, -torch.inf), torch.arange(len(index), device=logits.device)
            )
        return value + settings.weight * extra, {"classes": value, "alignment": extra}

    return loss


@torch.no_grad()
def _version(
    network: Network, many: int, train_x: torch.Tensor, test_x: np.ndarray, test_y: np.ndarray, where
) -> Version:
    features = network(torch.as_tensor(test_x, device=where))
    logits = network.head(features).cpu().numpy()
    familiar = test_y < many
    right = logits[familiar].argmax(axis=1) == test_y[familiar]
    return Version(
        classes=tuple(range(many)),
        features=unit_rows(features.cpu().numpy()),
        train_features=unit_rows(network(train_x).cpu().numpy()),
        accuracy=float(right.mean()),
        directions=unit_rows(network.head.weight.detach().cpu().numpy()),
        module=network.cpu(),
    )
