"""Predictive sparse decomposition: a dictionary, and a feed-forward encoder that predicts its sparse codes."""

from dataclasses import dataclass

import numpy as np
import torch

from core.directions.encoders import KINDS, Predictor
from core.directions.fista import energy, fista
from core.directions.sparse import SparseModel, flops_seconds, sparsity_setting
from core.directions.sparse_coding import DictionaryLearner
from core.models import Settings, register, setting
from core.training import Batches, Memory, TrainSettings, seeded, steps


@dataclass(frozen=True)
class PSDSettings(Settings):
    k: int = setting(64, "How many directions to learn; there may be more than numbers in a sample.", low=1, high=4096)
    sparsity: float = sparsity_setting()
    encoder: str = setting("shrink", "The bend at the end of the encoder.", choices=KINDS)
    rounds: int = setting(0, "Further rounds of a shrink encoder: slower, closer.", low=0, high=8, more=True)
    exact: bool = setting(False, "Encode by exact minimisation instead of the trained encoder.")
    steps: int = setting(300, "Batches that teach dictionary and encoder together.", low=1, high=100_000, log=True)
    encoder_steps: int = setting(
        2000, "Batches that teach the encoder alone, the dictionary being done.", low=0, high=100_000, more=True
    )
    target: str = setting(
        "energy",
        "What the encoder alone learns to do: reach a low energy, or come close to the exact codes as in the paper.",
        choices=("energy", "codes"),
        more=True,
    )
    prediction_in_inference: bool = setting(
        True, "Whether codes are drawn to their prediction while learning, as in the paper.", more=True
    )
    alpha: float = setting(0.2, "How strongly codes are drawn to their prediction.", low=0.0, high=100.0, more=True)
    batch: int = setting(512, "Samples a batch.", low=1, high=65_536, more=True)
    inference: int = setting(20, "FISTA steps a batch while learning.", low=1, high=1000, more=True)
    lr: float = setting(3e-3, "Learning rate of the encoder.", low=1e-6, high=1.0, log=True, more=True)


@register
class PSD(SparseModel):
    """Unit atoms `D`, codes `z` and an encoder F that minimise `||x - z D||^2 + lam |z|_1 + alpha ||z - F(x)||^2`.

    Each batch: codes by FISTA from the prediction on, one step of the dictionary, one step of the encoder towards the
    codes. Then the dictionary rests and the encoder learns on alone. The authors' released code leaves the prediction
    term out of the inference; `prediction_in_inference=False` does so too.

    After fitting: `predictor_`, `basis_`, `lam_`; `encode` uses the predictor, `exact` minimises.
    """

    family = "directions.psd"
    title = "Predictive sparse decomposition"
    summary = "Sparse coding with a fast encoder that predicts the codes."
    source = "Kavukcuoglu, Ranzato and LeCun 2008; Gregor and LeCun 2010"
    Settings = PSDSettings

    def _fit(self, dataset, *, seed, run):
        s = self.settings
        x = self._standard(dataset, s.k)
        lam, alpha = 2 * s.sparsity * dataset.d**0.5, s.alpha * s.prediction_in_inference
        learner = DictionaryLearner(x, s.k, 10, seed=seed, device=self.device)
        with seeded(seed):
            predictor = Predictor(s.k, dataset.d, s.encoder, s.rounds).to(self.device)
        predictor.start(learner.dictionary, lam)
        optimizer = torch.optim.Adam(predictor.parameters(), lr=s.lr)
        alone = TrainSettings(steps=s.encoder_steps, lr=s.lr)
        memory = Memory(predictor, optimizer, None)
        batches, metrics = Batches(x, s.batch, seed=seed, device=self.device), {}

        def load(state):
            learner.load(state)
            memory.load(state)

        for number in steps(
            run,
            s.steps + s.encoder_steps,
            metrics=metrics,
            save=lambda: {**learner.save(), **memory.save()},
            load=load,
            preview=lambda: self._preview(learner.dictionary),
            advice="lower the learning rate or use a larger sparsity",
        ):
            batch, together = batches.at(number), number < s.steps
            for group in optimizer.param_groups:
                group["lr"] = s.lr if together else alone.rate(number - s.steps)
            predicted = predictor(batch)
            z = None
            if together or s.target == "codes":
                guess = predicted.detach()
                pull = guess if together and alpha else None
                z = fista(batch, learner.dictionary, lam, s.inference, start=guess, pull=pull, weight=alpha)
                loss = (z - predicted).square().sum(1).mean()
            else:
                loss = energy(batch, predicted, learner.dictionary, lam).mean()
            optimizer.zero_grad(set_to_none=True)
            (loss / dataset.d).backward()
            torch.nn.utils.clip_grad_norm_(predictor.parameters(), 1.0)
            optimizer.step()
            with torch.no_grad():
                of_prediction = energy(batch, predicted, learner.dictionary, lam).mean() / dataset.d
                metrics["predicted energy"] = of_prediction
                if z is not None:
                    metrics["energy"] = energy(batch, z, learner.dictionary, lam).mean() / dataset.d
                    metrics["active"] = (z != 0).float().sum(1).mean()
                if together:
                    learner.learn(number, batch, z, revive=number < 0.75 * s.steps)
        self.lam_ = lam * self._unit
        self._keep(predictor.cpu().eval(), np.arange(s.k))
        self._finish(learner.dictionary, x, lambda order: self._keep(self.predictor_, order))

    def _keep(self, predictor: Predictor, order: np.ndarray) -> None:
        """Take the predictor with its units in another order."""
        state = predictor.state_dict()
        index = torch.as_tensor(order.copy())
        for name, value in state.items():
            if name == "threshold":
                state[name] = value[:, index]
            else:
                state[name] = value[index][:, index] if name == "mutual" else value[index]
        predictor.load_state_dict(state)
        self.predictor_ = predictor.to(self.device)

    def encode(self, samples):
        if self.settings.exact:
            return self.exact(samples)
        return self._mapped(samples, lambda x: self._unit * self.predictor_(x / self._unit))

    def arrays(self):
        state = {f"predictor.{n}": t.detach().cpu().numpy() for n, t in self.predictor_.state_dict().items()}
        return {**super().arrays(), "unit": np.float64(self._unit), **state}

    def _load(self, arrays):
        super()._load(arrays)
        self._unit = float(arrays["unit"])
        predictor = Predictor(self.basis_.k, self.basis_.d, self.settings.encoder, self.settings.rounds)
        predictor.load_state_dict({n: torch.tensor(arrays[f"predictor.{n}"]) for n in predictor.state_dict()})
        self.predictor_ = predictor.eval().to(self.device)

    def seconds(self, dataset):
        s, batch = self.settings, min(self.settings.batch, len(dataset))
        searching = s.steps + (s.encoder_steps if s.target == "codes" else 0)
        searching *= 2 * batch * s.k * (s.k * s.inference + 2 * dataset.d) + 2 * s.k**2 * dataset.d
        predicting = 6 * (s.steps + s.encoder_steps) * batch * s.k * (2 * dataset.d + s.rounds * s.k)
        return flops_seconds(searching + predicting) + s.steps * s.k * 5e-5
