"""Wavelets learned from a person's own series or images, as a model."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from torch import nn

from core.basis import Basis
from core.datasets.dataset import Dataset
from core.errors import InputError
from core.models import Model, Settings, register, setting
from core.training import Batches, TrainSettings, seeded, train
from core.transforms.filters import FilterPair, Lifting, from_angles, high_pass, known, low_pass, to_angles
from core.transforms.wavelets import Bank, Shape, backward, forward, left_over, reconstruction_error, shape

WHOLE_BASIS = 1024
STARTS = ("db", "sym", "random")


@dataclass(frozen=True)
class WaveletSettings(Settings):
    form: str = setting(
        "orthogonal",
        "Filters from angles (always orthogonal), free taps, or lifting steps (always invertible).",
        choices=("orthogonal", "free", "lifting"),
    )
    taps: int = setting(8, "Taps of the filters.", low=2, high=32, step=2)
    levels: int = setting(5, "Levels of the transform.", low=1, high=12)
    keep: int = setting(
        64, "The energy outside this many largest coefficients of a sample is made small.", low=1, high=100_000
    )
    low_pass: bool = setting(True, "Hold the angles to a sum that makes the first filter low-pass (orthogonal form).")
    start: str = setting("sym", "The classical wavelet that learning starts from, or random filters.", choices=STARTS)
    steps: int = setting(300, "Training steps; 0 keeps the start.", low=0, high=100_000)
    batch: int = setting(64, "Samples a step.", low=1, high=4096, more=True)
    lr: float = setting(0.02, "Learning rate.", low=1e-5, high=1.0, log=True, more=True)


class WaveletModule(nn.Module):
    """The trainable filters, float64; `bank()` is what they are now."""

    def __init__(self, settings: WaveletSettings):
        super().__init__()
        self.form, self.hold = settings.form, settings.low_pass
        if settings.taps % 2:
            raise InputError("A filter needs an even number of taps.")
        m = settings.taps // 2
        if settings.form == "lifting":  # start from Haar, the shortest scheme: predict by the neighbour, update by half
            first, second = torch.zeros(m, dtype=torch.float64), torch.zeros(m, dtype=torch.float64)
            first[m // 2], second[m // 2] = 1.0, 0.5
            if settings.start == "random":
                first, second = first + 0.3 * torch.randn(m).double(), second + 0.3 * torch.randn(m).double()
            self.steps = nn.ParameterList([nn.Parameter(first), nn.Parameter(second)])
            self.scale = nn.Parameter(torch.tensor(0.5 * np.log(2), dtype=torch.float64))
            return
        if settings.start == "random":
            angles = torch.rand(m, dtype=torch.float64) * 2 * np.pi - np.pi
        else:
            name = "haar" if m == 1 else f"{settings.start}{m}"
            angles = torch.as_tensor(to_angles(known(name)))
        if settings.form == "orthogonal":
            self.angles = nn.Parameter(angles)
        else:
            self.taps = nn.Parameter(from_angles(angles)[0].detach())

    def bank(self) -> Bank:
        """The filters or lifting steps of the present parameters."""
        if self.form == "lifting":
            return Lifting(list(self.steps), self.scale)
        if self.form == "free":
            return FilterPair(torch.stack([self.taps, high_pass(self.taps)]))
        return FilterPair(from_angles(low_pass(self.angles) if self.hold else self.angles))


@register
class WaveletModel(Model):
    """A wavelet whose filters make the energy outside the largest coefficients small.

    Orthogonal filters are a product of rotations (WavSpA: Zhuang and others 2024), so that they stay orthogonal while
    their angles are learned; left free, the angles give filters that are usually not low-pass. Free taps are used with
    their mirror and transpose, as if they were orthogonal, and need not rebuild the samples. Lifting steps always do.
    Samples whose sides `2 ** levels` does not divide are continued with their border value.
    """

    family = "transforms.wavelets"
    title = "Learned wavelet"
    summary = "A wavelet basis whose filters are learned, orthogonal by construction."
    source = "WavSpA, Zhuang and others 2024; Vaidyanathan and Hoang 1988; Sweldens 1996"
    Settings = WaveletSettings
    iterative = True
    smallest = 1
    _first: np.ndarray | None = None

    def fit_from(self, angles: np.ndarray, dataset: Dataset, **how) -> Self:
        """`fit` that starts at these angles `(taps / 2,)` in radians (orthogonal form)."""
        self._first = np.asarray(angles, dtype=np.float64)
        return self.fit(dataset, **how)

    def _fit(self, dataset, *, seed, run):
        self._prepare()
        x = self._inside(dataset.samples)
        spread = x.flatten(1).square().sum(1)
        if not (spread > 0).any():
            raise InputError("These samples are all zero; a wavelet needs some energy to gather.")
        x = x[spread > 0]
        with seeded(seed):
            self.module_ = WaveletModule(self.settings)
        if self._first is not None:
            self.module_.angles.data.copy_(torch.as_tensor(self._first))
        self.start_ = self.loss(dataset.samples)
        if self.settings.steps:
            train(
                self.module_,
                lambda batch, _: (self._left(batch).mean(), {}),
                Batches(x, self.settings.batch, seed=seed),
                TrainSettings(
                    steps=self.settings.steps, batch=self.settings.batch, lr=self.settings.lr, clip=1.0, mixed=False
                ),
                seed=seed,
                run=run,
            )
        self.loss_ = self.loss(dataset.samples)

    def seconds(self, dataset):
        return 1.0 + self.settings.steps * 2e-7 * min(self.settings.batch, len(dataset)) * (20_000 + 4 * dataset.d)

    def _prepare(self) -> None:
        if len(self.shape_) not in (1, 2):
            raise InputError("Wavelets take series or grey images; cut colour images to grey first.")
        self.axes_ = len(self.shape_)
        block = 2**self.settings.levels
        self.inside_ = tuple(-(-s // block) * block for s in self.shape_)
        if min(self.shape_) < block // 2 or np.prod(self.inside_) > 2**24:
            raise InputError(
                f"Samples of {' x '.join(map(str, self.shape_))} do not suit {self.settings.levels} levels."
            )

    def _inside(self, samples: np.ndarray) -> torch.Tensor:
        """`(N, *sides)` float64, continued to sides that divide."""
        x = np.asarray(samples, dtype=np.float64).reshape(-1, *self.shape_)
        more = [(0, b - a) for a, b in zip(self.shape_, self.inside_, strict=True)]
        return torch.as_tensor(np.pad(x, [(0, 0), *more], mode="edge"))

    def _left(self, x: torch.Tensor) -> torch.Tensor:
        return left_over(x, self.module_.bank(), self.settings.levels, self.settings.keep, self.axes_)

    @torch.no_grad()
    def loss(self, samples: np.ndarray, keep: int | None = None) -> float:
        """Mean share of energy that is lost when each sample keeps its `keep` largest coefficients."""
        x = self._inside(samples)
        bank = self.module_.bank()
        return float(left_over(x, bank, self.settings.levels, keep or self.settings.keep, self.axes_).mean())

    @torch.no_grad()
    def reconstruction_error(self, samples: np.ndarray) -> float:
        """Largest error of rebuilding from all coefficients, relative to the largest sample."""
        return reconstruction_error(self._inside(samples), self.module_.bank(), self.settings.levels, self.axes_)

    @property
    def wavelet(self) -> Shape:
        """The filters, functions, responses and moments."""
        return shape(self.module_.bank())

    @property
    def angles_(self) -> np.ndarray | None:
        """The M angles of the orthogonal form, else None."""
        if self.settings.form != "orthogonal":
            return None
        angles = self.module_.angles.detach()
        return (low_pass(angles) if self.settings.low_pass else angles).numpy().copy()

    @torch.no_grad()
    def encode(self, samples):
        x = self._inside(samples)
        return forward(x, self.module_.bank(), self.settings.levels, self.axes_).flatten(1).numpy()

    @torch.no_grad()
    def decode(self, codes):
        c = torch.as_tensor(np.atleast_2d(np.asarray(codes, dtype=np.float64))).view(-1, *self.inside_)
        x = backward(c, self.module_.bank(), self.settings.levels, self.axes_)
        for axis, side in enumerate(self.shape_):
            x = x.narrow(axis + 1, 0, side)
        return x.flatten(1).numpy()

    def bases(self):
        """All directions of short samples; of long ones, one direction in the middle of each band."""
        k = int(np.prod(self.inside_))
        if k <= WHOLE_BASIS:
            codes, names = np.eye(k), None
        else:
            places = self._middles()
            codes = np.zeros((len(places), k))
            codes[np.arange(len(places)), list(places.values())] = 1
            names = list(places)
        return {"directions": Basis(self.decode(codes), names=names)}

    def _middles(self) -> dict[str, int]:
        found = {}
        for level in range(self.settings.levels, -1, -1):
            low = [s >> max(level, 1) for s in self.inside_]
            corners = [[0] * self.axes_] if level == 0 else []
            if level:
                corners = [list(c) for c in np.ndindex(*[2] * self.axes_) if any(c)]
            for corner in corners:
                scale = self.settings.levels if level == 0 else level
                low = [s >> scale for s in self.inside_]
                place = [c * s + s // 2 for c, s in zip(corner, low, strict=True)]
                word = "coarse" if level == 0 else f"level {level}" + (f" {corner}" if self.axes_ == 2 else "")
                found[word] = int(np.ravel_multi_index(place, self.inside_))
        return found

    def arrays(self):
        return {n: p.detach().numpy() for n, p in self.module_.state_dict().items()}

    def _load(self, arrays):
        self._prepare()
        with seeded(0):
            self.module_ = WaveletModule(self.settings)
        state = {n: torch.as_tensor(np.asarray(a, dtype=np.float64)) for n, a in arrays.items()}
        self.module_.load_state_dict(state)
