"""The families of this page as models: a local spectrum, and the trained networks beside it."""

from dataclasses import dataclass

import numpy as np
import torch

from core.basis import Basis
from core.datasets.dataset import Dataset
from core.models import Model, Settings, register, setting
from core.progress import Run
from core.training import steps as counted
from core.transport.contenders import build
from core.transport.deep import Modulated
from core.transport.descent import Descent, draw_at
from core.transport.fit import SpectrumSettings, fit_spectrum, psnr
from core.transport.networks import Field
from core.transport.refine import refine
from core.transport.signal import axes_of, channels_first, sample_layout
from core.transport.spectrum import LocalSpectrum
from core.transport.splines import Grid, positions

PAPER = "after arXiv 2511.18384, 2025 (withdrawn)"


class SignalModel(Model):
    """A model of one signal, the first sample. Its basis is what it adds up: one direction a wave.

    A code is the weight of each wave; the fitted signal is `mean_code()`. Encoding another signal of the same shape
    finds the weights that draw it best.
    """

    affine = True
    smallest = 1
    axes_: int

    def _fit(self, dataset: Dataset, *, seed: int, run: Run) -> None:
        self.axes_ = axes_of(dataset)
        self._fit_values(channels_first(dataset.samples[0], self.axes_), seed=seed, run=run)

    def _fit_values(self, values: np.ndarray, *, seed: int, run: Run) -> None:
        raise NotImplementedError

    def waves(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Directions `(K, C, *shape)`, mean `(C, *shape)`, and the code `(K,)` of the fitted signal."""
        raise NotImplementedError

    def render(self, scale: float = 1.0) -> np.ndarray:
        """The fitted signal `(C, *shape)` at `scale` times its resolution."""
        raise NotImplementedError

    @property
    def stored(self) -> int:
        """Numbers that must be kept to draw the signal again."""
        raise NotImplementedError

    def _flat(self, values: np.ndarray) -> np.ndarray:
        return np.stack([sample_layout(v, self.shape_).ravel() for v in values])

    def bases(self):
        directions, mean, _ = self.waves()
        return {"waves": Basis(self._flat(directions), self._flat(mean[None])[0])}

    def mean_code(self):
        return np.asarray(self.waves()[2], dtype=np.float32)

    def encode(self, samples):
        samples = np.asarray(samples, dtype=np.float32)
        return self.bases()["waves"].encode(samples.reshape(len(samples), -1))

    def decode(self, codes):
        return self.bases()["waves"].decode(np.atleast_2d(codes))


@register
class Spectrum(SignalModel):
    """A few global sinusoids whose amplitudes change over space: the exact least-squares fit, carriers fixed."""

    family = "transport.spectrum"
    title = "Local spectrum"
    summary = "A few global sinusoids whose amplitudes change from place to place, fitted exactly."
    source = PAPER
    Settings = SpectrumSettings
    spectrum_: LocalSpectrum

    def _fit_values(self, values, *, seed, run):
        fitted = fit_spectrum(values, self.settings, seed=seed, device=self.device, should_stop=run.should_stop)
        if self.settings.refine:
            fitted = refine(values, fitted, self.settings, steps=self.settings.refine, run=run, device=self.device)
        self.spectrum_ = fitted.spectrum
        run.progress(1, 1, {"psnr": psnr(values, fitted.spectrum.synthesise())})

    @property
    def stored(self):
        return self.spectrum_.stored

    def render(self, scale=1.0):
        return self.spectrum_.synthesise(scale)

    def waves(self):
        s = self.spectrum_
        parts = np.moveaxis(s.maps() * s.waves(), 1, 0)  # (K, C, *shape)
        mean = s.synthesise(gains=np.zeros(s.k))
        return np.concatenate([parts.real, parts.imag]), mean, np.repeat([1.0, 0.0], s.k)

    def arrays(self):
        return {**self.spectrum_.arrays(), "axes": np.array(self.axes_)}

    def _load(self, arrays):
        self.spectrum_, self.axes_ = LocalSpectrum.from_arrays(arrays), int(arrays["axes"])

    def seconds(self, dataset):
        return 0.5 * dataset.d / 2**14 * (1 + self.settings.refine / 20)


@dataclass(frozen=True)
class NetworkSettings(Settings):
    numbers: int = setting(2800, "How many numbers may be stored.", low=300, high=200_000, log=True)
    steps: int = setting(4000, "Training steps.", low=10, high=200_000, log=True)
    batch: int = setting(1024, "Samples a step.", low=16, high=65536, more=True)
    rate: float = setting(0.0, "Learning rate; 0 takes the network's own.", low=0.0, high=0.1, more=True)


@dataclass(frozen=True)
class DeepSettings(NetworkSettings):
    decoder: str = setting(
        "auto", "Layers after the modulated sines; auto looks at the signal.", choices=("auto", "sine", "relu")
    )


class NetworkModel(SignalModel):
    """A network from place to value, trained by Adam on the samples of one signal."""

    iterative = True
    Settings = NetworkSettings
    kind: str

    def _build(self, values: np.ndarray, seed: int) -> Field:
        return build(self.kind, self.settings.numbers, values, seed=seed)

    def _fit_values(self, values, *, seed, run):
        low, high = float(values.min()), float(values.max())
        self.low_, self.span_ = low, (high - low) or 1.0
        scaled = (values - self.low_) / self.span_
        self.signal_shape_ = values.shape[1:]
        self.field_ = self._build(scaled, seed).to(self.device)
        plan = self.settings
        descent = Descent(self.field_, scaled, batch=plan.batch, rate=plan.rate or None, seed=seed)
        metrics: dict = {}

        def preview():
            shown = descent.draw().T.reshape(values.shape)
            return np.clip(np.moveaxis(shown, 0, -1).squeeze(), 0, 1) if self.axes_ == 2 else None

        for step in counted(run, plan.steps, metrics=metrics, save=descent.state, load=descent.load, preview=preview):
            metrics["mse"] = descent.step(step / plan.steps)

    @property
    def stored(self):
        return self.field_.stored

    def render(self, scale=1.0):
        return draw_at(self.field_, positions(self.signal_shape_, scale)) * self.span_ + self.low_

    def waves(self):
        last = self.field_.last
        c, width = last.weight.shape
        axes = positions(self.signal_shape_)
        waves = _features(self.field_, axes)  # (W, *shape)
        out = np.zeros((c * width, c, *self.signal_shape_), dtype=np.float32)
        for i in range(c):
            out[i * width : (i + 1) * width, i] = waves
        bias = last.bias.detach().cpu().numpy() * self.span_ + self.low_
        mean = np.broadcast_to(bias.reshape(c, *[1] * self.axes_), (c, *self.signal_shape_))
        return out * self.span_, mean, last.weight.detach().cpu().numpy().ravel()

    def arrays(self):
        state = {f"net.{n}": t.detach().cpu().numpy() for n, t in self.field_.state_dict().items()}
        more = {"axes": self.axes_, "low": self.low_, "span": self.span_, "shape": self.signal_shape_}
        return {**state, **{n: np.asarray(v) for n, v in more.items()}}

    def _load(self, arrays):
        self.axes_, self.low_, self.span_ = int(arrays["axes"]), float(arrays["low"]), float(arrays["span"])
        self.signal_shape_ = tuple(int(n) for n in np.atleast_1d(arrays["shape"]))
        state = {n[4:]: torch.as_tensor(np.array(v)) for n, v in arrays.items() if n.startswith("net.")}
        self.field_ = self._rebuild(state, arrays).to(self.device)
        self.field_.load_state_dict(state)

    def _rebuild(self, state, arrays) -> Field:
        flat = np.zeros((len(state["last.bias"]), *[2] * self.axes_), dtype=np.float32)
        return build(self.kind, self.settings.numbers, flat)


def _features(field: Field, axes: list[np.ndarray]) -> np.ndarray:
    shape = tuple(len(a) for a in axes)
    places = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(shape)).astype(np.float32)
    device = next(field.parameters()).device
    with torch.no_grad():
        parts = [
            field.features(torch.as_tensor(p, device=device)).cpu()
            for p in np.array_split(places, 1 + len(places) // 2**15)
        ]
    return torch.cat(parts).numpy().T.reshape(-1, *shape)


@register
class Deep(NetworkModel):
    """Modulated sines into a small network: the picture-quality model. Its amplitudes are no spectrum to read."""

    family = "transport.deep"
    title = "Modulated sines, deep"
    summary = "Sines with amplitudes on a grid, into a small network; draws well, but its S is no readable spectrum."
    source = PAPER
    Settings = DeepSettings
    kind = "deep"

    def _build(self, values, seed):
        return build("deep", self.settings.numbers, values, seed=seed, decoder=self.settings.decoder)

    def arrays(self):
        net: Modulated = self.field_
        more = {"cells": net.grid.cells, "spacing": net.grid.spacing, "degree": net.grid.degree}
        sine = {"sine": net.decoder == "sine"}
        return super().arrays() | {n: np.asarray(v) for n, v in {**more, **sine}.items()}

    def _rebuild(self, state, arrays):
        cells = tuple(int(n) for n in np.atleast_1d(arrays["cells"]))
        grid = Grid(cells, float(arrays["spacing"]), int(arrays["degree"]))
        weights = [n for n in state if n.startswith("layers.") and n.endswith(".weight")]
        return Modulated(
            self.axes_,
            len(state["last.bias"]),
            np.zeros(tuple(state["w"].shape)),
            grid,
            decoder="sine" if bool(arrays["sine"]) else "relu",
            width=len(state[weights[0]]),
            depth=len(weights),
        )


@register
class SirenModel(NetworkModel):
    """Sine layers, deep and narrow."""

    family = "transport.siren"
    title = "SIREN"
    summary = "A network of sine layers from place to value."
    source = "Sitzmann et al. 2020"
    kind = "siren"


@register
class FinerModel(NetworkModel):
    """Sine layers whose frequency varies by neuron."""

    family = "transport.finer"
    title = "FINER"
    summary = "Sine layers with a variable period."
    source = "Liu et al. 2024"
    kind = "finer"


@register
class FourierModel(NetworkModel):
    """Fixed random sines into a ReLU network."""

    family = "transport.fourier"
    title = "Fourier features"
    summary = "Random global sines into a network of ReLU layers."
    source = "Tancik et al. 2020"
    kind = "fourier"


@register
class HashModel(NetworkModel):
    """Feature tables at several resolutions into a ReLU network."""

    family = "transport.hash"
    title = "Multiresolution hash grid"
    summary = "Feature tables at several resolutions, hashed where they are short, into a small network."
    source = "Müller et al. 2022"
    kind = "hash"
