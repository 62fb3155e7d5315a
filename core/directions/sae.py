"""A sparse autoencoder: one hidden layer, few units at work, unit decoder rows, dead units revived."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from core.directions.dictionary import first_atoms, unit_rows
from core.directions.sparse import SparseModel, flops_seconds
from core.errors import InputError
from core.models import Settings, register, setting
from core.training import Batches, Step, TrainSettings, mix, train

DEAD_AFTER = 50  # batches without firing


@dataclass(frozen=True)
class SAESettings(Settings):
    k: int = setting(64, "How many units; there may be more than numbers in a sample.", low=1, high=16_384)
    activation: str = setting(
        "topk", "What keeps codes sparse: the largest few weights, or a penalty on all.", choices=("topk", "relu")
    )
    active: int = setting(8, "Weights at work in a sample (topk).", low=1, high=1024)
    l1: float = setting(0.3, "Penalty on the weights (relu).", low=0.0, high=100.0, log=True)
    revive: bool = setting(True, "Whether units that never fire are given another chance.", more=True)
    steps: int = setting(2000, "How many batches to learn from.", low=1, high=1_000_000, log=True)
    batch: int = setting(512, "Samples a batch.", low=1, high=65_536, more=True)
    lr: float = setting(2e-3, "Learning rate.", low=1e-6, high=1.0, log=True, more=True)


class SparseAutoencoder(nn.Module):
    """`z = act((x - b) W_e^T + b_e)`, `x' = b + z W_d`, the rows of `W_d (K, D)` of unit length.

    Args:
        atoms: `(K, D)` unit rows to start from; the encoder starts as their transpose.
        active: weights at work in a sample (topk), or None for plain ReLU.
    """

    def __init__(self, atoms: torch.Tensor, active: int | None):
        super().__init__()
        self.active = active
        self.decoder = nn.Parameter(atoms.clone())
        self.encoder = nn.Parameter(atoms.clone())
        self.encoder_bias = nn.Parameter(torch.zeros(len(atoms)))
        self.bias = nn.Parameter(torch.zeros(atoms.shape[1]))
        self.register_buffer("idle", torch.zeros(len(atoms)))  # batches since a unit last fired

    def pre(self, x: torch.Tensor) -> torch.Tensor:
        """`(N, K)` before the activation."""
        return torch.addmm(self.encoder_bias, x - self.bias, self.encoder.T)

    def act(self, a: torch.Tensor) -> torch.Tensor:
        """Codes `(N, K)`, not negative."""
        if self.active is None:
            return torch.relu(a)
        top, where = a.topk(self.active, dim=1)
        return torch.zeros_like(a).scatter(1, where, torch.relu(top))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.act(self.pre(x))


def auxiliary(model: SparseAutoencoder, a: torch.Tensor, residual: torch.Tensor, most: int) -> torch.Tensor:
    """How badly the dead units alone predict what the living left over, relative to its size; zero without dead units.

    Args:
        a: `(N, K)` pre-activations.
        residual: `(N, D)`, without gradient.
        most: how many dead units a sample may use.

    Source: Gao et al. 2024, section 2.4 and appendix A.2.
    """
    dead = model.idle >= DEAD_AFTER
    n = min(most, int(dead.sum()))
    if n == 0:
        return a.new_zeros(())
    top, where = a.masked_fill(~dead, -torch.inf).topk(n, dim=1)
    codes = torch.zeros_like(a).scatter(1, where, torch.relu(top))
    error = (codes @ model.decoder - residual).square().mean()
    return error / residual.square().mean().clamp_min(1e-12)


def resample(model: SparseAutoencoder, x: torch.Tensor, step: Step, optimizer: torch.optim.Optimizer) -> int:
    """Point dead units at residuals of badly reconstructed samples, with a quiet encoder and fresh optimiser moments.

    Returns:
        How many units were given another chance.

    Source: Bricken et al. 2023, appendix "Neuron resampling".
    """
    dead = (model.idle >= DEAD_AFTER).nonzero().flatten()[: len(x)]
    if not len(dead):
        return 0
    residual = x - model.bias - model(x) @ model.decoder
    chance = residual.square().sum(1) + 1e-12
    drawn = torch.multinomial(chance, len(dead), generator=step.generator)
    fresh = unit_rows(residual[drawn] + 1e-6)
    alive = (model.idle < DEAD_AFTER).nonzero().flatten()
    norm = model.encoder[alive].norm(dim=1).mean() if len(alive) else torch.ones((), device=x.device)
    model.decoder[dead], model.encoder[dead], model.encoder_bias[dead] = fresh, 0.2 * norm * fresh, 0.0
    for weight in (model.decoder, model.encoder, model.encoder_bias):
        for name in ("exp_avg", "exp_avg_sq"):
            if name in optimizer.state.get(weight, {}):
                optimizer.state[weight][name][dead] = 0.0
    model.idle[dead] = 0
    return len(dead)


@register
class SAE(SparseModel):
    """Codes by one layer, TopK or ReLU with an L1 penalty; samples as `mean + code @ directions` with unit directions.

    TopK minimises `|x - x'|^2` with `active` weights a sample, and an auxiliary loss lets dead units learn what is left
    over; ReLU adds `l1 * |z|_1` and resamples dead units. `dead_` is the share of units that no sample of the training
    data uses.
    """

    family = "directions.sae"
    title = "Sparse autoencoder"
    summary = "Many unit directions, of which each sample uses few; codes by one fast layer, never negative."
    source = "Bricken et al. 2023; Gao et al. 2024"
    Settings = SAESettings
    parallel = True
    dead_: float

    def _fit(self, dataset, *, seed, run):
        s = self.settings
        topk = s.activation == "topk"
        if topk and s.active > s.k:
            raise InputError(f"Of {s.k} units at most {s.k} can be at work; active is {s.active}.")
        x = self._standard(dataset, s.k)
        atoms = first_atoms(x, s.k, torch.Generator().manual_seed(mix(seed, 4)))
        model = SparseAutoencoder(atoms, s.active if topk else None).to(self.device)
        batches = Batches(x, s.batch, seed=seed, device=self.device)
        size = dataset.d**0.5
        last: list[torch.Tensor] = []

        def loss(batch, step):
            a = model.pre(batch)
            z = model.act(a)
            residual = batch - model.bias - z @ model.decoder
            error = residual.square().mean()
            fired = (z.detach() > 0).any(0)
            model.idle.copy_(torch.where(fired, 0, model.idle + 1))
            last[:] = [batch]
            total = error
            if not topk:
                total = total + s.l1 * z.sum(1).mean() / size
            elif s.revive:
                total = total + auxiliary(model, a, residual.detach(), max(s.active, dataset.d // 2)) / 32
            dead = (model.idle >= DEAD_AFTER).float().mean()
            return total, {"error": error, "active": (z > 0).float().sum(1).mean(), "dead": dead}

        def after(step, optimizer):
            model.decoder.copy_(unit_rows(model.decoder))
            late = step.number >= 0.8 * s.steps
            if not topk and s.revive and not late and step.number % DEAD_AFTER == DEAD_AFTER - 1:
                resample(model, last[0], step, optimizer)

        how = TrainSettings(steps=s.steps, batch=s.batch, lr=s.lr, warmup=min(50, s.steps // 10), mixed=False)
        train(
            model,
            loss,
            batches,
            how,
            seed=seed,
            run=run,
            after_step=after,
            preview=lambda: self._preview(model.decoder),
            advice="lower the learning rate",
        )
        self._finish_with(model, x)

    def _finish_with(self, model: SparseAutoencoder, x: torch.Tensor) -> None:
        self.model_, self.lam_ = model, 0.0
        self._mean = self._mean + self._unit * model.bias.detach().cpu().numpy()
        model.bias.data.zero_()  # it is part of the mean now

        def sort(order):
            index = torch.as_tensor(order.copy(), device=self.device)
            for weight in (model.decoder, model.encoder, model.encoder_bias, model.idle):
                weight.data = weight.data[index]

        self._finish(model.decoder, x, sort)
        with torch.no_grad():
            used = [(model(part.to(self.device)) > 0).any(0).cpu() for part in x.split(4096)]
        self.dead_ = 1.0 - float(torch.stack(used).any(0).float().mean())

    def encode(self, samples):
        return self._mapped(samples, lambda x: self._unit * self.model_(x / self._unit))

    def arrays(self):
        encoder = {"encoder": self.model_.encoder, "encoder_bias": self.model_.encoder_bias}
        more = {name: t.detach().cpu().numpy() for name, t in encoder.items()}
        return {**super().arrays(), **more, "unit": np.float64(self._unit), "dead": np.float64(self.dead_)}

    def _load(self, arrays):
        super()._load(arrays)
        self._unit, self.dead_ = float(arrays["unit"]), float(arrays["dead"])
        s = self.settings
        model = SparseAutoencoder(torch.tensor(self.basis_.directions), s.active if s.activation == "topk" else None)
        model.encoder.data = torch.tensor(arrays["encoder"])
        model.encoder_bias.data = torch.tensor(arrays["encoder_bias"])
        if model.encoder.shape != model.decoder.shape or model.encoder_bias.shape != (self.basis_.k,):
            raise ValueError("encoder and directions differ in shape")
        self.model_ = model.eval().to(self.device)

    def seconds(self, dataset):
        s = self.settings
        return flops_seconds(14 * s.steps * min(s.batch, len(dataset)) * s.k * dataset.d) + 3e-3 * s.steps
