"""DeepONet: an operator as a sum of learned functions, beside the modes of proper orthogonal decomposition."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from core.basis import Basis
from core.errors import InputError
from core.models import Model, Settings, register, setting
from core.training import Batches, TrainSettings, mix, seeded, train


@dataclass(frozen=True)
class DeepONetSettings(Settings):
    k: int = setting(40, "Number of trunk functions.", low=1, high=512)
    basis: str = setting("trunk", "Learn the functions, or fix them at the POD modes.", choices=("trunk", "pod"))
    width: int = setting(40, "Units of the hidden layers.", low=4, high=1024)
    train_count: int = setting(150, "How many pairs are trained on; the others are the test.", low=2, high=100_000)
    steps: int = setting(10_000, "Training steps.", low=1, high=1_000_000, log=True)
    batch: int = setting(150, "Pairs a step.", low=2, high=4096, more=True)
    lr: float = setting(5e-3, "Learning rate.", low=1e-5, high=0.1, log=True, more=True)


class DeepONetModule(nn.Module):
    """`G(u)(x) = sum_k b_k(u) t_k(x) + b_0`; with POD modes, t is fixed and b_0 the mean function."""

    def __init__(self, sensors: int, points: int, settings: DeepONetSettings):
        super().__init__()
        k, w = settings.k, settings.width
        self.fixed = settings.basis == "pod"
        self.branch = nn.Sequential(nn.Linear(sensors, w), nn.ReLU(), nn.Linear(w, k))
        self.trunk = nn.Sequential(nn.Linear(1, w), nn.Tanh(), nn.Linear(w, w), nn.Tanh(), nn.Linear(w, k))
        self.register_buffer("x", torch.linspace(-1, 1, points)[:, None])
        self.register_buffer("modes", torch.zeros(k, points))
        self.register_buffer("mean", torch.zeros(points))
        self.bias = nn.Parameter(torch.zeros(()))
        if self.fixed:
            self.trunk.requires_grad_(False)
            self.bias.requires_grad_(False)

    def functions(self) -> torch.Tensor:
        """`(K, points)`."""
        return self.modes if self.fixed else self.trunk(self.x).T

    def forward(self, u: torch.Tensor) -> torch.Tensor:
        """Outputs `(B, points)` of inputs `(B, sensors)`."""
        return self.branch(u) @ self.functions() + self.mean + self.bias


def pod(outputs: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean `(P,)`, modes `(K, P)` with orthonormal rows, and all singular values, of output functions `(N, P)`.

    Raises:
        InputError: more modes than functions or points.
    """
    if k > min(outputs.shape):
        raise InputError(
            f"{len(outputs)} functions of {outputs.shape[1]} points have {min(outputs.shape)} modes, not {k}."
        )
    mean = outputs.mean(axis=0, dtype=np.float64)
    _, s, vt = np.linalg.svd(outputs - mean, full_matrices=False)
    return mean, vt[:k], s


def split_pairs(count: int, train_count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices to train on and to test on, the same for the same seed.

    Raises:
        InputError: nothing would be left for the test.
    """
    if train_count >= count:
        raise InputError(f"There are {count} pairs; train on fewer of them, so that some are left for the test.")
    order = np.random.default_rng(mix(seed, 9)).permutation(count)
    return order[:train_count], order[train_count:]


@register
class DeepONet(Model):
    """Trunk functions learned with the operator, or POD modes with a learned branch (Lu and others 2021, 2022).

    The dataset holds output functions, and `extra["inputs"]` the input functions. The code of an output is its
    least-squares weights on the functions. Attributes after fitting: `error_` mean relative L2 error on the test
    pairs, `mse_`, `singular_values_` of the training outputs, `pod_` their modes.
    """

    family = "transforms.deeponet"
    title = "DeepONet"
    summary = "An operator between functions as a sum of learned functions."
    source = "Lu and others 2021, Nature Machine Intelligence; Lu and others 2022 (POD)"
    Settings = DeepONetSettings
    iterative = True
    parallel = True

    def _fit(self, dataset, *, seed, run):
        inputs = dataset.extra.get("inputs")
        if inputs is None or len(inputs) != len(dataset) or len(dataset.shape) != 1:
            raise InputError("DeepONet needs pairs: output functions and, for each, the input function.")
        s = self.settings
        fit, test = split_pairs(len(dataset), s.train_count, seed)
        outputs = dataset.samples
        self.center_, self.spread_ = float(inputs[fit].mean()), float(inputs[fit].std()) or 1.0
        self.size_ = float(outputs[fit].std()) or 1.0
        most = min(s.train_count, dataset.shape[0])
        mean, self.pod_, self.singular_values_ = pod(outputs[fit], min(s.k, most) if s.basis == "trunk" else s.k)
        self.mean_ = mean.astype(np.float32)
        self.sensors_ = inputs.shape[1]
        self._build(seed)
        if s.basis == "pod":
            self.module_.mean.copy_(torch.as_tensor(mean / self.size_, dtype=torch.float32))
            # unit spread in each mode would need one rate per mode; the first mode's is enough for Adam
            scale = self.singular_values_[0] / np.sqrt(len(fit)) / self.size_
            self.module_.modes.copy_(torch.as_tensor(self.pod_ * scale, dtype=torch.float32))
        u = torch.as_tensor((inputs[fit] - self.center_) / self.spread_, dtype=torch.float32)
        v = torch.as_tensor(outputs[fit] / self.size_)

        def loss(batch, _step):
            return (self.module_(batch[:, : self.sensors_]) - batch[:, self.sensors_ :]).square().mean(), {}

        train(
            self.module_,
            loss,
            Batches(torch.cat([u, v], 1), s.batch, seed=seed, device=self.device),
            TrainSettings(steps=s.steps, batch=s.batch, lr=s.lr, warmup=100, mixed=False),
            seed=seed,
            run=run,
        )
        self._order()
        self.error_, self.mse_ = self.score(inputs[test], outputs[test])
        self.train_error_ = self.score(inputs[fit], outputs[fit])[0]

    def seconds(self, dataset):
        s = self.settings
        return 2.0 + s.steps * (1e-3 + 2e-9 * min(s.batch, s.train_count) * dataset.d * s.k)

    def _build(self, seed: int) -> None:
        with seeded(seed):
            self.module_ = DeepONetModule(self.sensors_, self.shape_[0], self.settings).to(self.device)

    def _order(self) -> None:
        """The functions in the order of the energy that they carry together, as an orthonormal set."""
        functions = self.functions()
        _, s, vt = np.linalg.svd(functions, full_matrices=False)
        self.span_ = vt[s > s[0] * 1e-6]

    @torch.no_grad()
    def predict(self, inputs: np.ndarray) -> np.ndarray:
        """Output functions `(N, points)` of input functions `(N, sensors)`."""
        u = torch.as_tensor((np.asarray(inputs, np.float32) - self.center_) / self.spread_, dtype=torch.float32)
        return self.module_(u.to(self.device)).cpu().numpy() * self.size_

    @torch.no_grad()
    def branch(self, inputs: np.ndarray) -> np.ndarray:
        """Weights `(N, K)` that the branch gives the functions, `predict = branch @ functions + offset`."""
        u = torch.as_tensor((np.asarray(inputs, np.float32) - self.center_) / self.spread_, dtype=torch.float32)
        return self.module_.branch(u.to(self.device)).cpu().numpy()

    def score(self, inputs: np.ndarray, outputs: np.ndarray) -> tuple[float, float]:
        """Mean relative L2 error and mean squared error."""
        difference = (self.predict(inputs) - outputs).astype(np.float64)
        size = np.maximum(np.linalg.norm(outputs, axis=1), 1e-12)
        return float(np.mean(np.linalg.norm(difference, axis=1) / size)), float(np.mean(difference**2))

    @torch.no_grad()
    def functions(self) -> np.ndarray:
        """`(K, points)` functions in the units of the outputs."""
        return self.module_.functions().cpu().numpy() * self.size_

    @torch.no_grad()
    def offset(self) -> np.ndarray:
        """`(points,)` what is added: a constant, or the mean function with POD modes."""
        return (self.module_.mean + self.module_.bias).cpu().numpy() * self.size_

    def by_energy(self, inputs: np.ndarray) -> np.ndarray:
        """Indices of the functions, the one with the largest mean square share `b_k t_k` first."""
        share = (self.branch(inputs) ** 2).mean(axis=0) * (self.functions() ** 2).mean(axis=1)
        return np.argsort(-share)

    def pod_overlap(self) -> np.ndarray:
        """`(K',)` how much of each POD mode lies in the span of the functions, 0 to 1, largest modes first."""
        return np.sum((self.pod_ @ self.span_.T) ** 2, axis=1)

    def encode(self, samples):
        x = np.asarray(samples, dtype=np.float64).reshape(-1, *self.shape_) - self.offset()
        return x @ np.linalg.pinv(self.functions().astype(np.float64), rcond=1e-6)

    def decode(self, codes):
        return np.atleast_2d(codes) @ self.functions() + self.offset()

    def bases(self):
        names = [f"function {i + 1}" for i in range(self.settings.k)]
        return {
            "trunk": Basis(self.functions(), self.offset(), names=names),
            "pod": Basis(self.pod_, self.mean_, names=[f"mode {i + 1}" for i in range(len(self.pod_))]),
        }

    def arrays(self):
        state = {f"module.{n}": p.detach().cpu().numpy() for n, p in self.module_.state_dict().items()}
        numbers = np.array([self.center_, self.spread_, self.size_, self.error_, self.mse_, self.train_error_])
        return {
            **state,
            "numbers": numbers,
            "sensors": np.array([self.sensors_]),
            "pod": self.pod_,
            "mean": self.mean_,
            "singular_values": self.singular_values_,
        }

    def _load(self, arrays):
        numbers = map(float, arrays["numbers"])
        self.center_, self.spread_, self.size_, self.error_, self.mse_, self.train_error_ = numbers
        self.sensors_ = int(arrays["sensors"][0])
        self.pod_, self.mean_ = np.asarray(arrays["pod"]), np.asarray(arrays["mean"])
        self.singular_values_ = np.asarray(arrays["singular_values"])
        self._build(0)
        state = {n[7:]: torch.as_tensor(np.asarray(a)) for n, a in arrays.items() if n.startswith("module.")}
        self.module_.load_state_dict(state)
        self.module_.eval()
        self._order()
