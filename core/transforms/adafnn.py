"""Basis functions learned with the task, for curves with a number to predict."""

import itertools
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from core.basis import Basis
from core.errors import InputError
from core.models import Model, Settings, register, setting
from core.training import Batches, TrainSettings, mix, seeded, train
from core.transforms.curves import trapezoid


@dataclass(frozen=True)
class AdaFNNSettings(Settings):
    k: int = setting(4, "Number of basis functions.", low=1, high=64)
    width: int = setting(64, "Units in each network that is a basis function.", low=4, high=512)
    depth: int = setting(3, "Hidden layers of it.", low=1, high=6, more=True)
    head: int = setting(64, "Units of the two layers that predict from the scores.", low=2, high=512, more=True)
    lasso: float = setting(0.0, "Weight of the mean absolute value of the functions: shorter support.", low=0, high=100)
    orthogonality: float = setting(0.5, "Weight of the mean absolute inner product of two functions.", low=0, high=100)
    steps: int = setting(4000, "Training steps.", low=1, high=1_000_000, log=True)
    batch: int = setting(128, "Curves a step.", low=2, high=4096, more=True)
    lr: float = setting(3e-3, "Learning rate.", low=1e-5, high=0.1, log=True, more=True)
    test_share: float = setting(0.2, "Share of curves kept for the test.", low=0.05, high=0.8, more=True)


class BasisFunctions(nn.Module):
    """K functions of one number, each a small network of its own: `(T,)` to `(K, T)`, computed side by side."""

    def __init__(self, k: int, width: int, depth: int):
        super().__init__()
        sizes = [1] + [width] * depth + [1]
        self.weights = nn.ParameterList(
            nn.Parameter(torch.randn(k, a, b) * (2 / a) ** 0.5 * (1 if a > 1 else 3))
            for a, b in itertools.pairwise(sizes)
        )
        self.biases = nn.ParameterList(
            nn.Parameter(torch.randn(k, 1, b) * (2 if i == 0 else 0)) for i, b in enumerate(sizes[1:])
        )
        self.gains = nn.ParameterList(nn.Parameter(torch.ones(k, 1, width)) for _ in range(depth))

    def forward(self, t: torch.Tensor) -> torch.Tensor:
        h = (2 * t - 1)[None, :, None]
        last = len(self.weights) - 1
        for i, (w, b) in enumerate(zip(self.weights, self.biases, strict=True)):
            new = h @ w + b
            if i == last:
                return new[..., 0]
            new = torch.relu(nn.functional.layer_norm(new, new.shape[-1:]) * self.gains[i])
            h = new + h if h.shape[-1] == new.shape[-1] else new
        return h


class AdaFNNModule(nn.Module):
    """Scores `c_k = integral beta_k X` by the trapezoid rule, and a network that predicts from them."""

    def __init__(self, t: torch.Tensor, quadrature: torch.Tensor, settings: AdaFNNSettings):
        super().__init__()
        self.register_buffer("t", t)
        self.register_buffer("quadrature", quadrature)
        self.functions = BasisFunctions(settings.k, settings.width, settings.depth)
        self.head = nn.Sequential(
            nn.Linear(settings.k, settings.head),
            nn.ReLU(),
            nn.Linear(settings.head, settings.head),
            nn.ReLU(),
            nn.Linear(settings.head, 1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Predictions `(B,)` of standardised curves `(B, T)`."""
        return self.head(x @ (self.functions(self.t) * self.quadrature).T)[:, 0]

    def penalties(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Mean L1 norm and mean absolute inner product of the functions, each of unit L2 norm."""
        beta = self.functions(self.t)
        beta = beta / (beta.square() @ self.quadrature).clamp_min(1e-12).sqrt()[:, None]
        lasso = (beta.abs() @ self.quadrature).mean()
        gram = (beta * self.quadrature) @ beta.T
        off = gram - torch.diag(torch.diagonal(gram))
        k = len(beta)
        return lasso, off.abs().sum() / max(1, k * (k - 1))


@register
class AdaFNN(Model):
    """Basis functions for curves, learned together with what they are to predict (Yao, Mueller and Wang 2021).

    Curves are standardised point by point, and so is the target. The loss often rests near its start (standardised, 1)
    for many steps before it drops: that is the search for the first useful function, not a failure. As in the
    authors' code, scores use the functions as they are and only the penalties use normalised ones. A function of
    standardised curves is divided by the spread of each point to be one of the curves themselves: `functions()`.

    Attributes after fitting: `rmse_`, `r2_` on the held-out curves, `train_r2_`, `test_` their indices.
    """

    family = "transforms.adafnn"
    title = "AdaFNN"
    summary = "Basis functions for curves, learned together with the number they are to predict."
    source = "Yao, Mueller and Wang 2021, Deep Learning for Functional Data Analysis with Adaptive Basis Layers"
    Settings = AdaFNNSettings
    iterative = True
    parallel = True

    def _fit(self, dataset, *, seed, run):
        if len(dataset.shape) != 1 or dataset.shape[0] < 3:
            raise InputError("AdaFNN needs curves of at least three points.")
        y = self.target(dataset.labels)
        points = dataset.shape[0]
        fit, self.test_ = split_curves(len(y), self.settings.test_share, seed)
        x = dataset.samples
        self.mean_ = x[fit].mean(axis=0)
        spread, least = x[fit].std(axis=0), 1e-6 * max(float(np.abs(x).max()), 1e-30)
        # where the curves do not vary a function is free, and a tiny scale would make it the whole picture
        self.scale_ = np.where(spread > least, spread, max(float(spread.max()), least)).astype(np.float32)
        self.centre_, self.spread_ = float(y[fit].mean()), float(y[fit].std()) or 1.0
        self._build(seed, points)
        inputs = torch.as_tensor((x[fit] - self.mean_) / self.scale_)
        target = torch.as_tensor(((y[fit] - self.centre_) / self.spread_)[:, None], dtype=torch.float32)
        s = self.settings

        def loss(batch, _step):
            error = (self.module_(batch[:, :-1]) - batch[:, -1]).square().mean()
            lasso, overlap = self.module_.penalties()
            return error + s.lasso * lasso + s.orthogonality * overlap, {"error": error, "overlap": overlap}

        train(
            self.module_,
            loss,
            Batches(torch.cat([inputs, target], 1), s.batch, seed=seed, device=self.device),
            TrainSettings(steps=s.steps, batch=s.batch, lr=s.lr, warmup=50, mixed=False),
            seed=seed,
            run=run,
        )
        self.rmse_, self.r2_ = self.score(x[self.test_], y[self.test_])
        self.train_r2_ = self.score(x[fit], y[fit])[1]

    def seconds(self, dataset):
        s = self.settings
        return 2.0 + s.steps * (1.5e-3 + 1.2e-9 * s.k * s.depth * dataset.d * s.width**1.5)

    @staticmethod
    def target(labels) -> np.ndarray:
        """Labels as numbers `(N,)`.

        Raises:
            InputError: labels that are no finite numbers, or all the same.
        """
        try:
            y = np.asarray(labels, dtype=np.float64)
        except (TypeError, ValueError):
            y = np.array(np.nan)
        if y.ndim != 1 or not np.isfinite(y).all() or np.ptp(y) == 0:
            raise InputError("Each curve needs a number as its label, and the numbers must differ.")
        return y

    def _build(self, seed: int, points: int) -> None:
        t = np.linspace(0, 1, points)
        with seeded(seed):
            self.module_ = AdaFNNModule(
                torch.as_tensor(t, dtype=torch.float32),
                torch.as_tensor(trapezoid(t), dtype=torch.float32),
                self.settings,
            ).to(self.device)

    @torch.no_grad()
    def predict(self, samples: np.ndarray) -> np.ndarray:
        """`(N,)` predictions in the units of the target."""
        x = (np.asarray(samples, np.float32).reshape(-1, *self.shape_) - self.mean_) / self.scale_
        y = self.module_(torch.as_tensor(x, device=self.device)).cpu().numpy().astype(np.float64)
        return y * self.spread_ + self.centre_

    def score(self, samples: np.ndarray, targets: np.ndarray) -> tuple[float, float]:
        """Root mean squared error and R2."""
        error = float(np.mean((self.predict(samples) - targets) ** 2))
        return error**0.5, 1 - error / max(float(np.var(targets)), 1e-300)

    @torch.no_grad()
    def functions(self) -> np.ndarray:
        """`(K, T)` functions whose integral against a curve, less that of the mean curve, is the score."""
        return self.module_.functions(self.module_.t).cpu().numpy() / self.scale_

    def encode(self, samples):
        x = np.asarray(samples, np.float32).reshape(-1, *self.shape_) - self.mean_
        return x @ (self.functions() * trapezoid(np.linspace(0, 1, self.shape_[0])).astype(np.float32)).T

    def decode(self, codes):
        """The smallest curve (least squares, plus the mean) with these scores."""
        weighted = self.functions() * trapezoid(np.linspace(0, 1, self.shape_[0]))
        return self.mean_ + np.atleast_2d(codes) @ np.linalg.pinv(weighted).T

    def bases(self):
        functions = self.functions()
        return {"functions": Basis(functions, self.mean_, names=[f"function {i + 1}" for i in range(len(functions))])}

    def arrays(self):
        state = {f"module.{n}": p.detach().cpu().numpy() for n, p in self.module_.state_dict().items()}
        numbers = np.array([self.centre_, self.spread_, self.rmse_, self.r2_, self.train_r2_])
        return {**state, "mean": self.mean_, "scale": self.scale_, "numbers": numbers, "test": self.test_}

    def _load(self, arrays):
        self.mean_, self.scale_ = np.asarray(arrays["mean"]), np.asarray(arrays["scale"])
        self.centre_, self.spread_, self.rmse_, self.r2_, self.train_r2_ = map(float, arrays["numbers"])
        self.test_ = np.asarray(arrays["test"])
        self._build(0, len(self.mean_))
        state = {n[7:]: torch.as_tensor(np.asarray(a)) for n, a in arrays.items() if n.startswith("module.")}
        self.module_.load_state_dict(state)
        self.module_.eval()


def split_curves(count: int, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices to train on and to test on, `(N - M,)` and `(M,)`, the same for the same seed.

    Raises:
        InputError: too few curves.
    """
    order = np.random.default_rng(mix(seed, 5)).permutation(count)
    cut = max(1, round(share * count))
    if count - cut < 2:
        raise InputError("There are too few curves to train on; give at least three.")
    return np.sort(order[cut:]), np.sort(order[:cut])


def span_r2(functions: np.ndarray, truth: np.ndarray, t: np.ndarray | None = None) -> float:
    """Share of a function `(T,)` that lies in the span of others `(K, T)`, under the trapezoid integral."""
    root = np.sqrt(trapezoid(np.linspace(0, 1, len(truth)) if t is None else t))
    a, b = (functions * root).T, truth * root
    answer, *_ = np.linalg.lstsq(a, b, rcond=None)
    return float(1 - np.sum((a @ answer - b) ** 2) / np.sum(b**2))
