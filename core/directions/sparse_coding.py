"""Sparse coding: an overcomplete dictionary learned in small batches, codes by FISTA."""

from dataclasses import dataclass

import torch

from core.directions.dictionary import descend, first_atoms, reseed
from core.directions.fista import energy, fista
from core.directions.sparse import SparseModel, flops_seconds, sparsity_setting
from core.models import Settings, register, setting
from core.training import Batches, Step, mix, steps

REVIVE_EVERY = 20


@dataclass(frozen=True)
class SparseCodingSettings(Settings):
    k: int = setting(64, "How many directions to learn; there may be more than numbers in a sample.", low=1, high=4096)
    sparsity: float = sparsity_setting()
    nonnegative: bool = setting(False, "Whether weights may only add, never take away.")
    steps: int = setting(300, "How many batches to learn from.", low=1, high=100_000, log=True)
    batch: int = setting(512, "Samples a batch.", low=1, high=65_536, more=True)
    inference: int = setting(20, "FISTA steps a batch while learning.", low=1, high=1000, more=True)
    window: int = setting(10, "How many batches the dictionary remembers.", low=1, high=10_000, more=True)


class DictionaryLearner:
    """The state of mini-batch dictionary learning: atoms, averaged statistics of the codes, how often each atom fires.

    Args:
        x: `(N, D)` standardised samples.
        k: atoms.
        window: batches that the averages reach back.
    """

    NAMES = ("dictionary", "zz", "zx", "fired")

    def __init__(self, x: torch.Tensor, k: int, window: int, *, seed: int, device: torch.device):
        self.seed, self.window = seed, window
        generator = torch.Generator().manual_seed(mix(seed, 4))
        self.dictionary = first_atoms(x, k, generator).to(device)
        self.zz = torch.zeros(k, k, device=device)
        self.zx = torch.zeros(k, x.shape[1], device=device)
        self.fired = torch.zeros(k, device=device)

    def learn(self, number: int, x: torch.Tensor, z: torch.Tensor, *, revive: bool) -> None:
        """One step of the dictionary after codes `z` were found for the batch `x`; dead atoms may start again."""
        share = max(1 / (number + 1), 1 / self.window)
        self.zz.lerp_(z.T @ z / len(z), share)
        self.zx.lerp_(z.T @ x / len(z), share)
        self.dictionary = descend(self.dictionary, self.zz, self.zx)
        self.fired += (z != 0).float().mean(0) / REVIVE_EVERY
        if (number + 1) % REVIVE_EVERY == 0:
            if revive:
                self._revive(number, x, z)
            self.fired.zero_()

    def _revive(self, number: int, x: torch.Tensor, z: torch.Tensor) -> None:
        likeness = (self.dictionary @ self.dictionary.T).abs()
        twin = torch.triu(likeness > 0.98, diagonal=1).any(0)  # the later one of two equal atoms is of no use
        dead = (self.fired <= 0.02 * self.fired.mean()) | twin
        step = Step(number, self.seed)
        self.dictionary = reseed(self.dictionary, dead, x, x - z @ self.dictionary, step.generator)
        self.zz[dead], self.zx[dead] = 0, 0
        self.zz[:, dead] = 0

    def save(self) -> dict[str, torch.Tensor]:
        """The state, flat."""
        return {name: getattr(self, name) for name in self.NAMES}

    def load(self, state: dict) -> None:
        """Take back what `save` gave.

        Raises:
            ValueError: it is of another shape.
        """
        for name in self.NAMES:
            mine = getattr(self, name)
            if state[name].shape != mine.shape:
                raise ValueError(f"{name} is {tuple(state[name].shape)}, not {tuple(mine.shape)}")
            setattr(self, name, state[name].to(mine).clone())


@register
class SparseCoding(SparseModel):
    """Unit atoms `D` and codes that minimise `sum ||x - mean - z D||^2 + lam |z|_1`.

    Each batch: codes by FISTA, running averages of `z^T z` and `z^T x`, one round of block coordinate descent on the
    atoms. `lam_ = 2 * sparsity * (root mean square length of a centred sample)`.
    """

    family = "directions.sparse_coding"
    title = "Sparse coding"
    summary = "Many unit directions, of which each sample uses few; codes are exact minimisers."
    source = "Olshausen and Field 1996; Mairal et al. 2010; Beck and Teboulle 2009"
    Settings = SparseCodingSettings

    def _fit(self, dataset, *, seed, run):
        s = self.settings
        x = self._standard(dataset, s.k)
        lam = 2 * s.sparsity * dataset.d**0.5
        learner = DictionaryLearner(x, s.k, s.window, seed=seed, device=self.device)
        batches, metrics = Batches(x, s.batch, seed=seed, device=self.device), {}
        for number in steps(
            run,
            s.steps,
            metrics=metrics,
            save=learner.save,
            load=learner.load,
            preview=lambda: self._preview(learner.dictionary),
            advice="use a larger sparsity or fewer directions",
        ):
            batch = batches.at(number)
            z = fista(batch, learner.dictionary, lam, s.inference, s.nonnegative)
            metrics["energy"] = energy(batch, z, learner.dictionary, lam).mean() / dataset.d
            metrics["active"] = (z != 0).float().sum(1).mean()
            learner.learn(number, batch, z, revive=number < 0.75 * s.steps)
        self.lam_ = lam * self._unit
        self._finish(learner.dictionary, x)

    def encode(self, samples):
        return self.exact(samples, self.settings.nonnegative)

    def seconds(self, dataset):
        s, n = self.settings, len(dataset)
        batch = min(s.batch, n)
        learning = s.steps * (2 * batch * s.k * (s.k * s.inference + 2 * dataset.d) + 2 * s.k**2 * dataset.d)
        return flops_seconds(learning + 2 * min(n, 4096) * s.k**2 * 200) + s.steps * s.k * 5e-5
