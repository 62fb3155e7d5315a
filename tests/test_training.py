import math

import numpy as np
import pytest
import torch
from torch import nn

from core.errors import InputError
from core.progress import Run
from core.training import Batches, Step, TrainSettings, mix, seeded, train


class Recorder(Run):
    def __init__(self, stop_after=None, kept=None):
        self.stop_after, self.kept, self.reports, self.asked = stop_after, kept, [], 0

    def progress(self, step, total, metrics=None, preview=None):
        self.reports.append((step, total, dict(metrics or {})))

    def should_stop(self):
        self.asked += 1
        return self.stop_after is not None and self.asked > self.stop_after

    def checkpoint(self, state):
        self.kept = {n: v.detach().clone() if isinstance(v, torch.Tensor) else v for n, v in state().items()}

    def restore(self):
        return self.kept


def net(seed=0):
    with seeded(seed):
        return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.3), nn.Tanh(), nn.Linear(8, 4))


def fit(module, run=None, check=True, **values):
    x = torch.randn(70, 4, generator=torch.Generator().manual_seed(5))
    how = TrainSettings(**{**dict(steps=40, batch=16, lr=1e-2, ema=0.9, patience=50, check_every=5), **values})

    def loss(batch, step):
        noise = 0.1 * torch.randn(batch.shape, generator=step.generator)
        error = (module(batch + noise) - batch).square().mean()
        return error, {"error": error}

    def held_out():
        return float((module(x[:20]) - x[:20]).square().mean())

    trained = train(
        module, loss, Batches(x, how.batch, seed=2), how, seed=2, run=run or Run(), check=held_out if check else None
    )
    return trained, {n: t.clone() for n, t in module.state_dict().items()}


@pytest.mark.parametrize("cut", [1, 13, 25, 39])
def test_interrupted_and_resumed_equals_uninterrupted(cut):
    _, whole = fit(net())
    run = Recorder(stop_after=cut)
    trained, _ = fit(net(), run)
    assert (trained.steps, trained.ended) == (cut, "stopped") and run.kept["step"] == cut
    torch.randn(7)  # what happens to the process's random stream in between must not matter
    again = Recorder(kept=run.kept)
    trained, resumed = fit(net(seed=9), again)
    assert (trained.steps, trained.ended, again.asked) == (40, "done", 40 - cut)
    for name, value in whole.items():
        assert torch.equal(value, resumed[name]), name


def test_the_outside_random_stream_is_left_alone():
    torch.manual_seed(3)
    expected = torch.randn(3)
    torch.manual_seed(3)
    fit(net(), steps=3)
    assert torch.equal(torch.randn(3), expected)


def test_every_epoch_sees_each_sample_once():
    batches = Batches(torch.arange(12), 4, seed=1)
    epochs = [torch.cat([batches.at(3 * e + i) for i in range(3)]) for e in range(2)]
    assert all(sorted(e.tolist()) == list(range(12)) for e in epochs)
    assert not torch.equal(*epochs)
    assert torch.equal(Batches(torch.arange(12), 4, seed=1).at(4), epochs[1][4:8])  # without the steps before


def test_rate_rises_then_falls_along_a_cosine():
    how = TrainSettings(steps=100, lr=0.1, warmup=9, final=0.1)
    assert how.rate(0) == pytest.approx(0.01)
    assert how.rate(50) == pytest.approx(0.1 * (0.1 + 0.9 * 0.5))
    assert how.rate(100) == pytest.approx(0.01)


def test_average_of_weights_follows_its_recurrence():
    module, seen = nn.Linear(1, 1, bias=False), []
    module.weight.data.fill_(0.0)
    how = TrainSettings(steps=5, lr=0.1, ema=0.5, clip=0)
    x = torch.ones(4, 1)
    train(
        module,
        lambda b, s: ((module(b) - 1).square().mean(), {}),
        Batches(x, 4, seed=0),
        how,
        seed=0,
        after_step=lambda s, o: seen.append(float(module.weight)),
    )
    average = seen[0]
    for n, value in enumerate(seen[1:], start=1):
        keep = min(0.5, (1 + n) / (10 + n))
        average = keep * average + (1 - keep) * value
    assert module.weight.item() == pytest.approx(average, rel=1e-5)


def test_gradient_is_clipped():
    module = nn.Linear(1, 1, bias=False)
    norms = []
    train(
        module,
        lambda b, s: (1e6 * module(b).mean(), {}),
        Batches(torch.ones(2, 1), 2, seed=0),
        TrainSettings(steps=1, clip=0.5),
        seed=0,
        after_step=lambda s, o: norms.append(float(module.weight.grad.norm())),
    )
    assert norms == [pytest.approx(0.5, rel=1e-4)]


def test_early_stop_keeps_the_best_weights():
    module = nn.Linear(1, 1, bias=False)
    module.weight.data.fill_(1.0)
    trained = train(
        module,
        lambda b, s: (module(b).mean(), {}),  # falls for ever
        Batches(torch.ones(2, 1), 2, seed=0),
        TrainSettings(steps=1000, lr=0.01, patience=3, check_every=10, final=1.0),
        seed=0,
        check=lambda: abs(module.weight.item() - 0.7),  # best after 30 steps
    )
    assert trained.ended == "early" and trained.steps == 60
    assert module.weight.item() == pytest.approx(0.7, abs=0.02)


def test_divergence_names_what_to_change_and_keeps_the_last_good_state():
    module, run = nn.Linear(1, 1), Recorder()
    with pytest.raises(InputError, match="lower the learning rate"):
        train(
            module,
            lambda b, s: (module(b).mean() * (math.nan if s.number >= 3 else 1.0), {}),
            Batches(torch.ones(2, 1), 2, seed=0),
            TrainSettings(steps=10),
            seed=0,
            run=run,
        )
    assert run.kept["step"] == 3


def test_a_checkpoint_of_another_training_is_refused():
    run = Recorder(stop_after=2)
    fit(net(), run)
    other = nn.Linear(4, 4)
    with pytest.raises(InputError, match="other settings"):
        fit(other, Recorder(kept=run.kept))


def test_reports_are_few_and_end_with_the_last_step():
    run = Recorder()
    fit(net(), run)
    assert run.reports[-1][0] == 40 and {"loss", "error"} <= run.reports[-1][2].keys()
    assert [r[0] for r in run.reports] == sorted({r[0] for r in run.reports})


def test_seeds_of_steps_differ():
    assert len({mix(s, k, n) for s in range(4) for k in range(4) for n in range(50)}) == 800
    first, again = Step(4, 7), Step(4, 7)
    assert np.array_equal(torch.rand(5, generator=first.generator), torch.rand(5, generator=again.generator))
