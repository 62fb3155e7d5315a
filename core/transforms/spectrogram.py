"""A spectrogram whose kernels and mel filters are trained with the task."""

from dataclasses import dataclass

import numpy as np
import torch
from sklearn.model_selection import train_test_split
from torch import nn

from core.basis import Basis
from core.datasets.dataset import Dataset
from core.datasets.guard import shown
from core.errors import InputError
from core.models import Model, Settings, register, setting
from core.training import Batches, TrainSettings, mix, seeded, train
from core.transforms.mel import fourier_kernels, mel_filters

SMALL = 1e-5


@dataclass(frozen=True)
class SpectrogramSettings(Settings):
    trained: str = setting("mel", "What is trained beside the classifier.", choices=("none", "mel", "kernels", "both"))
    n_fft: int = setting(256, "Samples of a frame.", low=16, high=4096)
    hop: int = setting(128, "Samples between two frames.", low=1, high=4096)
    mels: int = setting(10, "Number of mel filters.", low=2, high=256)
    steps: int = setting(500, "Training steps.", low=1, high=100_000)
    batch: int = setting(64, "Clips a step.", low=2, high=4096, more=True)
    lr: float = setting(0.01, "Learning rate.", low=1e-5, high=1.0, log=True, more=True)
    test_share: float = setting(0.3, "Share of clips kept for the test.", low=0.1, high=0.8, more=True)


def split_clips(y: np.ndarray, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices to train on and to test on, labels in equal shares, the same for the same seed.

    Args:
        y: `(N,)` class numbers.

    Raises:
        InputError: too few clips.
    """
    try:
        return train_test_split(np.arange(len(y)), test_size=share, stratify=y, random_state=mix(seed) % 2**32)
    except ValueError:
        raise InputError("There are too few clips for a test part with every label; give more clips.") from None


class Spectrogram(nn.Module):
    """Frames times kernels, squared, times mel filters, log, mean and spread over time, linear classifier."""

    def __init__(self, settings: SpectrogramSettings, rate: float, classes: int):
        super().__init__()
        self.hop, n = settings.hop, settings.n_fft
        train_kernels = settings.trained in ("kernels", "both")
        train_mel = settings.trained in ("mel", "both")
        self.kernels = nn.Parameter(torch.as_tensor(fourier_kernels(n), dtype=torch.float32), train_kernels)
        self.mel = nn.Parameter(torch.as_tensor(mel_filters(settings.mels, n, rate), dtype=torch.float32), train_mel)
        self.register_buffer("centre", torch.zeros(settings.mels))
        self.register_buffer("spread", torch.ones(settings.mels))
        self.classifier = nn.Linear(settings.mels, classes)

    def power(self, x: torch.Tensor) -> torch.Tensor:
        """`(B, frames, bins)` power of clips `(B, T)`."""
        frames = x.unfold(-1, self.kernels.shape[-1], self.hop)
        return (frames @ self.kernels[0].T).square() + (frames @ self.kernels[1].T).square()

    def features(self, x: torch.Tensor) -> torch.Tensor:
        """`(B, mels)` mean over time of log mel power; filters count with their positive part."""
        return torch.log(self.power(x) @ self.mel.relu().T + SMALL).mean(1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits `(B, C)`."""
        return self.classifier((self.features(x) - self.centre) / self.spread)


@register
class TrainableSpectrogram(Model):
    """Fourier kernels and mel filters that start as they are and bend to the task (Cheuk and others; nnAudio).

    The dataset holds labelled clips `(N, T)`. The code of a clip is its mean log energy in each filter; decoding makes
    a steady sound with that energy in each filter (random phases, the same every time). Attributes after fitting:
    `accuracy_` on held-out clips, `train_accuracy_`, `confusion_` `(C, C)` (row: true), `classes_`, `importance_`
    `(mels,)`.
    """

    family = "transforms.spectrogram"
    title = "Trainable spectrogram"
    summary = "Fourier kernels and mel filters, trained with a classifier of sounds."
    source = "Cheuk, Choi, Kong and others 2022; nnAudio, Cheuk and others 2020"
    Settings = SpectrogramSettings
    iterative = True
    parallel = True

    def _fit(self, dataset, *, seed, run):
        if len(dataset.shape) != 1 or dataset.labels is None:
            raise InputError("A trainable spectrogram needs clips of one length, each with a label.")
        self.rate_ = float(dataset.rate or 1.0)
        self.classes_, y = np.unique(np.asarray(dataset.labels).astype(str), return_inverse=True)
        if not 2 <= len(self.classes_) <= 100 or np.bincount(y).min() < 2:
            raise InputError("The clips need 2 to 100 labels, each on at least two clips.")
        if dataset.shape[0] < self.settings.n_fft:
            raise InputError(f"A clip has {dataset.shape[0]} samples, fewer than a frame; make the frame shorter.")
        fit, _ = split_clips(y, self.settings.test_share, seed)
        x = torch.tensor(dataset.samples)
        level = float(x[fit].square().mean().sqrt()) or 1.0
        x, target = (x / level).to(self.device), torch.as_tensor(y, device=self.device)
        with seeded(seed):
            self.module_ = Spectrogram(self.settings, self.rate_, len(self.classes_)).to(self.device)
        self.level_ = level
        with torch.no_grad():
            first = torch.cat([self.module_.features(x[fit[i : i + 256]]) for i in range(0, len(fit), 256)])
            self.module_.centre.copy_(first.mean(0))
            self.module_.spread.copy_(first.std(0).clamp_min(1e-3))
        place = torch.as_tensor(fit, device=self.device)

        def loss(index, _step):
            use = place[index]
            return nn.functional.cross_entropy(self.module_(x[use]), target[use]), {}

        train(
            self.module_,
            loss,
            Batches(torch.arange(len(fit)), self.settings.batch, seed=seed, device=self.device),
            TrainSettings(steps=self.settings.steps, batch=self.settings.batch, lr=self.settings.lr, mixed=False),
            seed=seed,
            run=run,
        )
        self.accuracy_, self.train_accuracy_, self.confusion_ = self.judge(dataset)
        code = self.encode(dataset.samples[fit])
        weight = self.module_.classifier.weight.detach().cpu().numpy() / self.module_.spread.cpu().numpy()
        self.importance_ = np.linalg.norm(weight - weight.mean(0), axis=0) * code.std(axis=0)
        self.mean_, self.scale_ = code.mean(axis=0), code.std(axis=0)

    def seconds(self, dataset):
        s = self.settings
        frames = max(1, (dataset.d - s.n_fft) // s.hop + 1)
        work = min(s.batch, len(dataset)) * frames * s.n_fft**2 * 2.0
        return 2.0 + s.steps * (2e-3 + work * (1e-10 if s.trained in ("none", "mel") else 3e-10))

    @torch.no_grad()
    def _blocks(self, samples, call):
        x = np.asarray(samples, dtype=np.float32).reshape(-1, *self.shape_) / self.level_
        parts = [call(torch.as_tensor(x[i : i + 256], device=self.device)).cpu() for i in range(0, len(x), 256)]
        return torch.cat(parts).numpy()

    def predict(self, samples: np.ndarray) -> np.ndarray:
        """`(N,)` class numbers, an index into `classes_`."""
        return self._blocks(samples, self.module_).argmax(axis=1)

    def held_out(self, dataset: Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Class numbers `(N,)` of labelled clips, and the indices of a training and a test part.

        Of the data it was fitted to, these are the parts that it was trained on and tested on.

        Raises:
            InputError: a label that the model does not know, or too few clips.
        """
        words = np.asarray(dataset.labels).astype(str)
        y = np.searchsorted(self.classes_, words).clip(max=len(self.classes_) - 1)
        if (self.classes_[y] != words).any():
            known = ", ".join(shown(c, 30) for c in self.classes_[:6])
            raise InputError(f"This model tells apart {known}; these clips have other labels.")
        return y, *split_clips(y, self.settings.test_share, self.seed_)

    def judge(self, dataset: Dataset) -> tuple[float, float, np.ndarray]:
        """Accuracy on held-out clips, on the others, and the confusion `(C, C)` of the held-out ones (row: true).

        Raises:
            InputError: as `held_out`.
        """
        y, fit, test = self.held_out(dataset)
        predicted = self.predict(dataset.samples)
        confusion = np.zeros((len(self.classes_),) * 2, dtype=int)
        np.add.at(confusion, (y[test], predicted[test]), 1)
        right = predicted == y
        return float(right[test].mean()), float(right[fit].mean()), confusion

    def encode(self, samples):
        return self._blocks(samples, self.module_.features)

    def decode(self, codes):
        energy = np.maximum(np.exp(np.atleast_2d(codes)) - SMALL, 0)
        power = np.maximum(energy @ np.linalg.pinv(self.filters()).T, 0)  # (N, bins) of one frame
        return np.stack([self._sound(p) for p in power])

    def filters(self) -> np.ndarray:
        """`(mels, bins)` mel filters, not negative."""
        return self.module_.mel.detach().relu().cpu().numpy()

    def kernels(self) -> np.ndarray:
        """`(2, bins, n_fft)` cosine and sine kernels."""
        return self.module_.kernels.detach().cpu().numpy()

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Mel filters and kernels before training."""
        n = self.settings.n_fft
        return mel_filters(self.settings.mels, n, self.rate_), fourier_kernels(n)

    def responses(self) -> np.ndarray:
        """`(mels, bins)` what each filter lets through of a sine at each frequency, kernels and filters together."""
        n = self.settings.n_fft
        spectrum = np.abs(np.fft.rfft(self.kernels(), axis=-1)) ** 2
        return self.filters() @ spectrum.sum(axis=0) / (n / 4) ** 2

    def start_responses(self) -> np.ndarray:
        """`responses` before training."""
        n = self.settings.n_fft
        filters, kernels = self.start()
        return filters @ (np.abs(np.fft.rfft(kernels, axis=-1)) ** 2).sum(axis=0) / (n / 4) ** 2

    @torch.no_grad()
    def pictures(self, clip: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of one clip `(T,)`: `(bins, frames)` power and `(mels, frames)` energy in the filters, both in decibel."""
        x = torch.as_tensor(np.asarray(clip, dtype=np.float32)[None] / self.level_, device=self.device)
        power = self.module_.power(x)[0]
        both = power.T, self.module_.mel.relu() @ power.T
        return tuple(10 * np.log10(p.cpu().numpy() + SMALL) for p in both)

    def filter_sound(self, index: int, seconds: float = 1.0) -> np.ndarray:
        """`(T,)` steady noise through one filter, largest sample 0.5, at the rate of the clips."""
        wave = self._sound(self.responses()[index], max(1, round(seconds * self.rate_)))
        return 0.5 * wave / max(np.abs(wave).max(), 1e-12)

    def _sound(self, power: np.ndarray, length: int | None = None) -> np.ndarray:
        """Noise with fixed random phases whose frames have this mean power, at the level of the clips."""
        length = length or self.shape_[0]
        n = self.settings.n_fft
        at = np.linspace(0, len(power) - 1, length // 2 + 1)
        size = np.sqrt(np.interp(at, np.arange(len(power)), power))
        phase = np.random.default_rng(0).uniform(0, 2 * np.pi, len(size))
        # a frame of white noise of unit variance has the power sum(window^2) = 3n/8 in each bin
        wave = np.fft.irfft(size * np.exp(1j * phase), length) * np.sqrt(length / (3 * n / 8))
        return self.level_ * wave

    def bases(self):
        return {
            "filters": Basis(self.filters() + 0.0, names=[f"filter {i + 1}" for i in range(self.settings.mels)]),
            "cosine kernels": Basis(self.kernels()[0]),
        }

    def arrays(self):
        state = {f"module.{n}": p.detach().cpu().numpy() for n, p in self.module_.state_dict().items()}
        facts = dict(rate=self.rate_, level=self.level_, accuracy=self.accuracy_, train_accuracy=self.train_accuracy_)
        return {
            **state,
            **{k: np.array(v, dtype=np.float64) for k, v in facts.items()},
            "confusion": self.confusion_,
            "importance": self.importance_,
            "classes": np.frombuffer("\0".join(self.classes_).encode(), dtype=np.uint8),
        }

    def _load(self, arrays):
        for name in ("rate", "level", "accuracy", "train_accuracy"):
            setattr(self, name + "_", float(arrays[name]))
        self.confusion_, self.importance_ = np.asarray(arrays["confusion"]), np.asarray(arrays["importance"])
        self.classes_ = np.array(np.asarray(arrays["classes"], dtype=np.uint8).tobytes().decode().split("\0"))
        with seeded(0):
            self.module_ = Spectrogram(self.settings, self.rate_, len(self.classes_))
        state = {n[7:]: torch.as_tensor(np.asarray(a)) for n, a in arrays.items() if n.startswith("module.")}
        self.module_.load_state_dict(state)
        self.module_.to(self.device).eval()
