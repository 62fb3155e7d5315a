"""A small family whose training ranks may share: a linear map with what makes sharing hard."""

import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from core.basis import Basis
from core.linear import LinearModel
from core.models import register
from core.settings import Settings, setting
from core.training import Batches, TrainSettings, seeded, train


@dataclass(frozen=True)
class SharedSettings(Settings):
    k: int = setting(3, "How many directions.", low=1, high=64)
    steps: int = setting(20, "Steps of AdamW.", low=1, high=100_000)
    batch: int = setting(16, "Samples a batch.", low=1, high=1000)
    pause: float = setting(0.0, "Seconds of sleep in each step.", low=0, high=10)
    fail_at: int = setting(0, "The step at which one rank raises an error, 0 for none.", low=0, high=100_000)


class Net(nn.Module):
    """A linear map, weights that only the first step uses, and a buffer that a step adds to."""

    def __init__(self, k: int, d: int):
        super().__init__()
        self.weight = nn.Parameter(0.3 * torch.randn(k, d))
        self.rare = nn.Parameter(torch.ones(d))
        self.register_buffer("seen", torch.zeros(()))
        self.register_buffer("first", torch.zeros(d))


@register
class Shared(LinearModel):
    """A linear autoencoder by gradient descent, whose loss is the mean over the batch."""

    family = "tests.shared"
    title = "Shared"
    Settings = SharedSettings
    iterative = True
    parallel = True

    def _fit(self, dataset, *, seed, run):
        s = self.settings
        with seeded(seed):
            net = Net(s.k, dataset.d)

        def loss(batch, step):
            time.sleep(s.pause)
            if (
                s.fail_at
                and step.number + 1 == s.fail_at
                and len(batch) < s.batch
                and (batch == self.last).all(1).any()
            ):
                raise ArithmeticError("as asked")
            net.seen += len(batch)
            shown = batch if step.number else batch * net.rare
            return ((shown @ net.weight.T @ net.weight - batch) ** 2).mean(), {"shown": shown.square().mean()}

        def after(step, optimizer):
            net.first.copy_(torch.rand(dataset.d, generator=step.generator))  # differs by rank

        def check():
            return float(((batches.samples @ net.weight.T @ net.weight - batches.samples) ** 2).mean())

        batches = Batches(torch.tensor(dataset.matrix), s.batch, seed=seed)
        self.last = batches.at(s.fail_at - 1)[-1] if s.fail_at else None
        how = TrainSettings(steps=s.steps, batch=s.batch, lr=0.01, ema=0.9, patience=1000, check_every=5)
        train(net, loss, batches, how, seed=seed, run=run, check=check, after_step=after)
        self.basis_ = Basis(net.weight.detach().numpy(), np.zeros(dataset.d, np.float32))
        self.more_ = {name: t.detach().numpy() for name, t in net.state_dict().items()}

    def arrays(self):
        return {**super().arrays(), **{f"net.{n}": a for n, a in self.more_.items()}}

    def _load(self, arrays):
        super()._load(arrays)
        self.more_ = {n.removeprefix("net."): np.asarray(a) for n, a in arrays.items() if n.startswith("net.")}
