"""A small family that really trains, as slowly as a test wants; workers load this file before anything else."""

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
class PacedSettings(Settings):
    k: int = setting(2, "How many directions.", low=1, high=64)
    steps: int = setting(50, "Steps of Adam.", low=1, high=100_000)
    lr: float = setting(0.01, "Learning rate.", low=0, high=1)
    pause: float = setting(0.0, "Seconds of sleep in each step.", low=0, high=10)
    fail_at: int = setting(0, "The step that raises an error, 0 for none.", low=0, high=100_000)


@register
class Paced(LinearModel):
    """A linear autoencoder by gradient descent, with pauses."""

    family = "tests.paced"
    title = "Paced"
    Settings = PacedSettings
    iterative = True

    def _fit(self, dataset, *, seed, run):
        s = self.settings
        mean = dataset.matrix.mean(axis=0)
        with seeded(seed):
            net = nn.Linear(dataset.d, s.k, bias=False)

        def loss(batch, step):
            time.sleep(s.pause)
            if s.fail_at and step.number + 1 == s.fail_at:
                raise ArithmeticError("as asked")
            noisy = batch + 0.01 * torch.randn(batch.shape, generator=step.generator)
            return ((noisy @ net.weight.T @ net.weight - batch) ** 2).mean(), {}

        train(
            net,
            loss,
            Batches(dataset.matrix - mean, 16, seed=seed),
            TrainSettings(steps=s.steps, lr=s.lr, ema=0.9),
            seed=seed,
            run=run,
            preview=lambda: np.clip(net.weight.detach().numpy() + 0.5, 0, 1),
        )
        self.basis_ = Basis(net.weight.detach().numpy(), mean)
