"""Two trainings in one process do not disturb each other."""

import threading

import torch
from torch import nn

from core.training import Batches, TrainSettings, seeded, train


def _train(module: nn.Module) -> None:
    data = torch.ones(16, 3)

    def loss(batch, step):
        return module(batch).square().mean(), {}

    train(module, loss, Batches(data, 4, seed=0), TrainSettings(steps=20, batch=4), seed=0)


def test_a_module_is_built_the_same_while_another_thread_trains():
    with seeded(1):
        expected = torch.rand(4)
    module = nn.Linear(3, 1)
    with seeded(1):
        other = threading.Thread(target=_train, args=(module,))
        other.start()
        other.join(0.5)  # a training that reseeded the stream would do so now
        found = torch.rand(4)
    other.join()
    assert torch.equal(found, expected)
