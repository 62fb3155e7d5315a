"""The training loop that every torch family shares. Knows no page and no scheduler.

Two levels: `steps` is the bare loop (resume, stop, checkpoint, report, divergence) around any body; `train` puts
gradient descent on it. Everything random in step s is drawn from (seed, s), so a run that was resumed at step s gives
the numbers of one that was never interrupted.
"""

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

from core.device import half
from core.errors import InputError
from core.parallel import Team
from core.progress import Run

REPORT_SECONDS, PREVIEW_SECONDS = 0.1, 1.0
RESIDENT_BYTES = 2**31  # samples up to this size live on the device; larger ones go there batch by batch
_init_lock = threading.Lock()


def mix(*numbers: int) -> int:
    """One 63-bit seed out of several numbers; different numbers give unrelated streams."""
    state = np.random.SeedSequence([int(n) % 2**64 for n in numbers]).generate_state(1, np.uint64)
    return int(state[0] >> np.uint64(1))


@contextlib.contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Build a module inside this block: its initial weights come from the seed, on the CPU, on every machine."""
    with _init_lock, torch.random.fork_rng(devices=[]):
        torch.manual_seed(mix(seed, 0x1717))
        yield


class Step:
    """The number of a step, from 0, and the random stream that belongs to it."""

    def __init__(self, number: int, seed: int, device: torch.device | str = "cpu"):
        self.number, self._seed, self._device = number, seed, device
        self._generator: torch.Generator | None = None

    @property
    def generator(self) -> torch.Generator:
        """A generator on the device of the training, the same for the same seed and step."""
        if self._generator is None:
            self._generator = torch.Generator(self._device).manual_seed(mix(self._seed, 1, self.number))
        return self._generator


class Batches:
    """Which samples each step sees: every epoch is one shuffle, drawn from (seed, epoch).

    Args:
        samples: `(N, ...)` tensor or array.
        size: samples a batch, at most N are taken; the incomplete rest of an epoch is left out.
        seed, device: where the shuffle comes from and where the batches go.
    """

    def __init__(self, samples: torch.Tensor | np.ndarray, size: int, *, seed: int, device: torch.device | str = "cpu"):
        self.samples = torch.as_tensor(samples)
        self.device = torch.device(device)
        if self.samples.nbytes <= RESIDENT_BYTES:
            self.samples = self.samples.to(self.device)
        self.size = max(1, min(size, len(self.samples)))
        self.per_epoch = len(self.samples) // self.size
        self._seed, self._epoch, self._order = seed, -1, torch.empty(0)

    def indices(self, step: int) -> torch.Tensor:
        """`(size,)` indices of the samples of a step."""
        epoch, place = divmod(step, self.per_epoch)
        if epoch != self._epoch:
            generator = torch.Generator().manual_seed(mix(self._seed, 2, epoch))
            self._order = torch.randperm(len(self.samples), generator=generator).to(self.samples.device)
            self._epoch = epoch
        return self._order[place * self.size : (place + 1) * self.size]

    def at(self, step: int, part: slice = slice(None)) -> torch.Tensor:
        """`(size, ...)` samples of a step, or those of a part of it, on the device."""
        return self.samples[self.indices(step)[part]].to(self.device)


def steps(
    run: Run,
    total: int,
    *,
    metrics: MutableMapping[str, Any],
    save: Callable[[], Mapping[str, Any]] | None = None,
    load: Callable[[dict[str, Any]], None] | None = None,
    preview: Callable[[], np.ndarray | None] | None = None,
    advice: str = "lower the learning rate",
    state: dict[str, Any] | None = None,
) -> Iterator[int]:
    """The numbers of the steps that are left; the body of the `for` is one step.

    Args:
        run: asked for a checkpoint at the start and to stop at every step; told of progress and offered checkpoints.
        total: steps of the whole training.
        metrics: the body writes named numbers (or tensors of one number) here; they are looked at when reported.
        save, load: give and take the state, a flat mapping; the step number is added here.
        preview: makes a small picture, asked for at most once a second.
        advice: what to change when the numbers are no longer finite.
        state: the restored state, when the caller has already asked the run for it.

    Raises:
        InputError: a metric became infinite or no number, or the checkpoint is of another training.
    """
    state = run.restore() if state is None else state
    first = 0
    if state and load:
        try:
            first = int(state["step"])
            load(state)
        except (KeyError, RuntimeError, ValueError) as error:
            raise InputError("The checkpoint belongs to other settings or data; start the training anew.") from error
    reported = previewed = -math.inf
    if first >= total:
        run.progress(total, total)
    for step in range(first, total):
        if run.should_stop():
            return
        yield step
        done, now = step + 1, time.monotonic()
        if save:
            run.checkpoint(partial(_sound_state, save, metrics, advice, done))
        if done == total or now - reported >= REPORT_SECONDS:
            numbers, picture = _numbers(metrics, advice, done), None
            if preview and (done == total or now - previewed >= PREVIEW_SECONDS):
                picture, previewed = preview(), now
            run.progress(done, total, numbers, picture)
            reported = now


def _sound_state(save: Callable, metrics: Mapping[str, Any], advice: str, step: int) -> dict[str, Any]:
    _numbers(metrics, advice, step)  # a state that has diverged must not overwrite a good one
    return {**save(), "step": step}


def _numbers(metrics: Mapping[str, Any], advice: str, step: int) -> dict[str, float]:
    numbers = {name: float(value) for name, value in metrics.items()}
    bad = [name for name, value in numbers.items() if not math.isfinite(value)]
    if bad:
        raise InputError(f"The training diverged at step {step} ({bad[0]} is no longer a number): {advice}.")
    return numbers


@dataclass(frozen=True)
class TrainSettings:
    """How `train` descends.

    Attributes:
        steps, batch: how many steps, of how many samples each.
        lr: learning rate at its highest; it rises over `warmup` steps and falls along a half cosine to `final * lr`.
        weight_decay: of AdamW.
        clip: largest norm of the gradient; 0 leaves it alone.
        ema: decay of the running average of the weights that is kept in the end; 0 keeps the last weights.
        patience: how many checks without a better value end the training, which then keeps the best weights;
            0 never ends early.
        check_every: steps between two checks.
        mixed: bfloat16 arithmetic on devices that have it.
    """

    steps: int = 2000
    batch: int = 256
    lr: float = 1e-3
    warmup: int = 0
    final: float = 0.01
    weight_decay: float = 0.0
    clip: float = 1.0
    ema: float = 0.0
    patience: int = 0
    check_every: int = 100
    mixed: bool = True

    def rate(self, step: int) -> float:
        """The learning rate of a step."""
        rise = min(1.0, (step + 1) / (self.warmup + 1))
        along = min(1.0, step / max(1, self.steps))
        return self.lr * rise * (self.final + (1 - self.final) * 0.5 * (1 + math.cos(math.pi * along)))


@dataclass(frozen=True)
class Trained:
    """What `train` says in the end: steps done, why it ended (`done`, `stopped`, `early`), the best check."""

    steps: int
    ended: str
    best: float | None = None


def train(
    module: nn.Module,
    loss: Callable[[torch.Tensor, Step], tuple[torch.Tensor, Mapping[str, torch.Tensor]]],
    batches: Batches,
    settings: TrainSettings,
    *,
    seed: int,
    run: Run | None = None,
    check: Callable[[], float] | None = None,
    after_step: Callable[[Step, torch.optim.Optimizer], None] | None = None,
    preview: Callable[[], np.ndarray | None] | None = None,
    advice: str = "lower the learning rate",
) -> Trained:
    """Train a module in place with AdamW; stopping it keeps what there is.

    In a process that is one of several ranks the training is shared with the others (see `core.parallel`): the loss
    should then be a mean over the samples of the batch, and of what the ranks end with only rank 0's counts.

    Args:
        module: on the device of the batches. All that must survive a resume is in its parameters and buffers.
        loss: of a batch and a step, a scalar and further named numbers. It uses `module` as it is.
        check: a number on held-out samples, lower is better, for `settings.patience`; it sees the averaged weights.
        after_step: called after each update (projections, revival); draws at random only from the step's generator.
        preview, advice: as in `steps`.

    Returns:
        A `Trained`; the module is in evaluation mode and holds the last, the averaged or the best weights.

    Raises:
        InputError: the training diverged, or the checkpoint is of another training.
    """
    run, device = run or Run(), batches.device
    weights = [p for p in module.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=settings.lr, weight_decay=settings.weight_decay)
    average = AveragedModel(module, multi_avg_fn=_ema(settings.ema), use_buffers=False) if settings.ema else None
    memory = Memory(module, optimizer, average)
    dtype = half(device) if settings.mixed else None
    metrics: dict[str, Any] = {}
    done, ended = 0, "done"
    own, part, team = seed, slice(None), Team.of(run)
    if team:
        run, part = team, team.share(batches.size)
        own = mix(seed, 5, team.rank) if team.rank else seed  # the ranks' shares get noise of their own
        loss, check = team.loss(module, loss), check and partial(team.number, check)
    module.train()
    state = run.restore()
    done = int(state["step"]) if state else 0
    with _own_randomness(device):
        for number in steps(
            run,
            settings.steps,
            metrics=metrics,
            save=memory.save,
            load=memory.load,
            preview=preview,
            advice=advice,
            state=state or {},
        ):
            if memory.bad_checks >= settings.patience > 0:
                ended = "early"
                break
            step = Step(number, own, device)
            with _init_lock:  # another thread may be building a module from the same stream
                torch.manual_seed(mix(own, 3, number))  # for dropout and the like, which take no generator
            for group in optimizer.param_groups:
                group["lr"] = settings.rate(number)
            with torch.autocast(device.type, dtype=dtype, enabled=dtype is not None):
                value, more = loss(batches.at(number, part), step)
            optimizer.zero_grad(set_to_none=True)
            value.backward()
            if settings.clip:
                nn.utils.clip_grad_norm_(weights, settings.clip)
            optimizer.step()
            if after_step:
                with torch.no_grad():
                    after_step(step, optimizer)
            if team:
                team.follow(module)
            if average is not None:
                average.update_parameters(module)
            numbers = {"loss": value.detach(), **{name: _detached(v) for name, v in more.items()}}
            metrics.update(team.mean(numbers, device) if team else numbers)
            done = number + 1
            if check and settings.patience and done % settings.check_every == 0:
                metrics["check"] = memory.judge(check)
    if ended == "done" and done < settings.steps:
        ended = "stopped"
    _numbers(metrics, advice, done)
    memory.settle(best=settings.patience > 0 and check is not None)
    module.eval()
    return Trained(done, ended, memory.best_value if math.isfinite(memory.best_value) else None)


def _detached(value: Any) -> Any:
    return value.detach() if isinstance(value, torch.Tensor) else value


def _ema(decay: float):
    def update(averaged, current, count):
        n = float(count)
        keep = min(decay, (1 + n) / (10 + n))  # early on the average follows quickly, or it would keep the first guess
        torch._foreach_lerp_(list(averaged), list(current), 1 - keep)

    return update


@contextlib.contextmanager
def _own_randomness(device: torch.device) -> Iterator[None]:
    """Inside, the process's random stream may be seeded at will; outside, it goes on as if nothing had happened."""
    kinds = {} if device.type == "cpu" else {"device_type": device.type}
    fork = torch.random.fork_rng(devices=[] if device.type == "cpu" else [device.index or 0], **kinds)
    with _init_lock:
        fork.__enter__()
    try:
        yield
    finally:
        with _init_lock:
            fork.__exit__(None, None, None)


class Memory:
    """The state of a training as one flat mapping: weights, optimiser, average, best weights and counters."""

    def __init__(self, module: nn.Module, optimizer: torch.optim.Optimizer, average: AveragedModel | None):
        self.module, self.optimizer, self.average = module, optimizer, average
        self.best: dict[str, torch.Tensor] | None = None
        self.best_value, self.bad_checks = math.inf, 0

    def save(self) -> dict[str, Any]:
        flat: dict[str, Any] = {f"module.{n}": t for n, t in self.module.state_dict().items()}
        for i, values in self.optimizer.state_dict()["state"].items():
            flat.update({f"optimizer.{i}.{n}": v for n, v in values.items()})
        if self.average is not None:
            flat.update({f"average.{n}": t for n, t in self.average.state_dict().items()})
        if self.best is not None:
            flat.update({f"best.{n}": t for n, t in self.best.items()}, best_value=self.best_value)
        return {**flat, "bad_checks": self.bad_checks}

    def load(self, flat: Mapping[str, Any]) -> None:
        self.module.load_state_dict(_under(flat, "module."))
        state: dict[int, dict[str, Any]] = {}
        for name, value in _under(flat, "optimizer.").items():
            i, key = name.split(".", 1)
            state.setdefault(int(i), {})[key] = value
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": state, "param_groups": groups})
        if self.average is not None:
            self.average.load_state_dict(_under(flat, "average."))
        if "best_value" in flat:
            self.best, self.best_value = _under(flat, "best."), float(flat["best_value"])
        self.bad_checks = int(flat["bad_checks"])

    def judge(self, check: Callable[[], float]) -> float:
        """The check of the weights that would be kept now; they are remembered when they are the best so far."""
        kept = {n: t.clone() for n, t in self.module.state_dict().items()}
        self._take_average()
        self.module.eval()
        with torch.no_grad():
            value = float(check())
        if value < self.best_value:
            self.best_value, self.bad_checks = value, 0
            self.best = {n: t.clone() for n, t in self.module.state_dict().items()}
        else:
            self.bad_checks += 1
        self.module.train()
        self.module.load_state_dict(kept)
        return value

    def settle(self, *, best: bool) -> None:
        """Put the weights that are kept into the module."""
        if best and self.best is not None:
            self.module.load_state_dict(self.best)
        else:
            self._take_average()

    def _take_average(self) -> None:
        if self.average is not None and int(self.average.n_averaged) > 0:
            for mine, averaged in zip(self.module.parameters(), self.average.module.parameters(), strict=True):
                mine.data.copy_(averaged)


def _under(flat: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {name[len(prefix) :]: value for name, value in flat.items() if name.startswith(prefix)}
