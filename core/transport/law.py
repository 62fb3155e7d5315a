"""The equation: a small network F that says how the local spectrum changes from place to place, grad S ~ F(x, S).

Any smooth S has some F(x, .) with no error at all, so F says something only when it is small: its size is always
given, and beside it stand F(S), F(x) and F = 0.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from core.errors import InputError
from core.progress import Run
from core.settings import Settings, setting
from core.training import Batches, TrainSettings, seeded, train
from core.transport.spectrum import LocalSpectrum

INPUTS = ("x and S", "S", "x")
FIELDS = ("amplitude", "signed")
_PLACES = 2**14


@dataclass(frozen=True)
class LawSettings(Settings):
    field: str = setting("amplitude", "Which numbers of S it is about: |S|, or S with its signs.", choices=FIELDS)
    inputs: str = setting("x and S", "What F is told.", choices=INPUTS)
    width: int = setting(64, "Neurons in a layer of F.", low=2, high=512)
    depth: int = setting(1, "Hidden layers of F.", low=1, high=4)
    steps: int = setting(900, "Training steps.", low=10, high=20000)
    batch: int = setting(1024, "Places a step.", low=16, high=16384, more=True)
    rate: float = setting(3e-3, "Learning rate.", low=1e-5, high=1e-1, log=True, more=True)
    noise: float = setting(0.0, "Noise on S while training, in standard deviations.", low=0.0, high=1.0)


@dataclass(frozen=True, eq=False)
class SpectrumField:
    """What F is about, at places: values `(N, M)`, their gradient `(N, d, M)`, and the places `(N, d)`.

    M is C K for amplitudes and 2 C K for signed S (real parts, then imaginary parts).
    """

    values: np.ndarray
    gradient: np.ndarray
    places: np.ndarray
    shape: tuple[int, ...]


def spectrum_field(spectrum: LocalSpectrum, field: str = "amplitude", *, most: int = _PLACES) -> SpectrumField:
    """The field on the samples of the signal, or on a coarser lattice of about `most` places."""
    scale = min(1.0, (most / np.prod(spectrum.shape)) ** (1 / spectrum.d))
    axes = spectrum.places(scale)
    shape = tuple(len(a) for a in axes)
    m = spectrum.channels * spectrum.k
    maps = spectrum.maps(scale).reshape(m, -1)
    slopes = [spectrum.maps(scale, along=a).reshape(m, -1) for a in range(spectrum.d)]
    values, gradient = _numbers(maps, slopes, field)
    places = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, spectrum.d)
    return SpectrumField(values, gradient, places.astype(np.float32), shape)


def field_along(spectrum: LocalSpectrum, points: np.ndarray, field: str = "amplitude") -> np.ndarray:
    """`(N, M)` true values at points `(N, d)` in units of the longest side."""
    touch = spectrum.grid.scattered(points).astype(np.float32)
    maps = spectrum.coefficients[:, 1:].reshape(spectrum.channels * spectrum.k, -1) @ touch.T
    return _numbers(maps, [], field)[0]


def _numbers(maps: np.ndarray, slopes: list[np.ndarray], field: str) -> tuple[np.ndarray, np.ndarray]:
    if field == "amplitude":
        size = np.abs(maps)
        values = size
        change = [(maps.conj() * s).real / np.maximum(size, 1e-9) for s in slopes]
    else:
        values = np.concatenate([maps.real, maps.imag])
        change = [np.concatenate([s.real, s.imag]) for s in slopes]
    gradient = np.stack(change, 1).transpose(2, 1, 0) if change else np.zeros((0, 0, 0))
    return np.ascontiguousarray(values.T, dtype=np.float32), np.ascontiguousarray(gradient, dtype=np.float32)


class Transport(nn.Module):
    """F: standardised inputs into SiLU layers, out to a gradient `(N, d, M)`."""

    def __init__(self, d: int, m: int, settings: LawSettings):
        super().__init__()
        self.d, self.m, self.inputs = d, m, settings.inputs
        into = (d if "x" in settings.inputs else 0) + (m if "S" in settings.inputs else 0)
        sizes = [into] + [settings.width] * settings.depth
        layers: list[nn.Module] = []
        for a, b in itertools.pairwise(sizes):
            layers += [nn.Linear(a, b), nn.SiLU()]
        self.net = nn.Sequential(*layers, nn.Linear(sizes[-1], d * m))
        self.register_buffer("centre", torch.zeros(m))
        self.register_buffer("spread", torch.ones(m))
        self.register_buffer("slope", torch.ones(()))

    @property
    def size(self) -> int:
        """Trained numbers in F."""
        return sum(p.numel() for p in self.parameters())

    def scale_to(self, field: SpectrumField) -> None:
        """Take the units from the field it is fitted to."""
        self.centre.copy_(torch.as_tensor(field.values.mean(0)))
        self.spread.copy_(torch.as_tensor(np.maximum(field.values.std(0), 1e-6)))
        self.slope.copy_(torch.as_tensor(max(float(np.sqrt((field.gradient**2).mean())), 1e-9)))

    def forward(self, x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
        """Places `(N, d)` and values `(N, M)` to `(N, d, M)`."""
        parts = [4 * x - 2] if "x" in self.inputs else []
        if "S" in self.inputs:
            parts.append((s - self.centre) / self.spread)
        return self.net(torch.cat(parts, 1)).reshape(-1, self.d, self.m) * self.slope


def held_out(shape: tuple[int, ...], seed: int, *, share: float = 0.2, tiles: int = 12) -> np.ndarray:
    """`(N,)` True at the places of tiles that F never sees; neighbours of a training place would be no test."""
    rng = np.random.default_rng(seed)
    out = np.zeros(shape, dtype=bool)
    edges = [np.minimum(np.arange(n) * tiles // n, tiles - 1) for n in shape]
    chosen = rng.random([tiles] * len(shape)) < share
    if not chosen.any() or chosen.all():
        chosen = np.indices(chosen.shape).sum(0) % 4 == 0
    out |= chosen[np.ix_(*edges)]
    return out.ravel()


@dataclass(frozen=True, eq=False)
class Law:
    """A fitted F and what it explains.

    Attributes:
        unexplained: share of `|grad S|^2` that is left on held-out places; 1 is what F = 0 leaves.
        seen: the same on the places of the training.
        gradient: mean `|grad S|^2` over the held-out places.
        size: trained numbers in F.
        residual: `(N, d)` `|dS/dx_a - F_a|` at every place, and `length` `(N,)` `|grad S|`.
    """

    transport: Transport
    settings: LawSettings
    unexplained: float
    seen: float
    gradient: float
    size: int
    residual: np.ndarray
    length: np.ndarray
    shape: tuple[int, ...]
    held: np.ndarray


def fit_law(
    spectrum: LocalSpectrum,
    settings: LawSettings | None = None,
    *,
    seed: int = 0,
    run: Run | None = None,
    device: torch.device | str = "cpu",
) -> Law:
    """Fit F to a frozen local spectrum.

    Raises:
        InputError: S is flat, so that there is nothing to explain.
    """
    settings = settings or LawSettings()
    field = spectrum_field(spectrum, settings.field)
    if not (field.gradient**2).mean() > 1e-12:
        raise InputError("The local spectrum is flat, so its change cannot be explained; fit a signal with structure.")
    held = held_out(field.shape, seed)
    with seeded(seed):
        net = Transport(spectrum.d, field.values.shape[1], settings)
    net.scale_to(field)
    net.to(device)
    x, s, g = (torch.as_tensor(v, device=device) for v in (field.places, field.values, field.gradient))
    batches = Batches(torch.as_tensor(np.flatnonzero(~held)), settings.batch, seed=seed, device=device)

    def loss(index, step):
        given = s[index]
        if settings.noise:
            drawn = torch.randn(given.shape, generator=step.generator, device=given.device)
            given = given + settings.noise * net.spread * drawn
        error = ((net(x[index], given) - g[index]) / net.slope) ** 2
        value = error.mean()
        return value, {"unexplained": value}

    plan = TrainSettings(steps=settings.steps, batch=settings.batch, lr=settings.rate, mixed=False)
    train(net, loss, batches, plan, seed=seed, run=run)
    return _judge(net, settings, field, held, (x, s, g))


def _judge(net, settings, field, held, tensors) -> Law:
    x, s, g = tensors
    with torch.no_grad():
        error = torch.cat([net(a, b) - c for a, b, c in zip(x.split(4096), s.split(4096), g.split(4096), strict=True)])
    error = error.cpu().numpy()
    left, all_ = (error**2).sum((1, 2)), (field.gradient**2).sum((1, 2))
    return Law(
        transport=net,
        settings=settings,
        unexplained=float(left[held].sum() / max(all_[held].sum(), 1e-20)),
        seen=float(left[~held].sum() / max(all_[~held].sum(), 1e-20)),
        gradient=float(all_[held].mean()),
        size=net.size,
        residual=np.sqrt((error**2).sum(2)),
        length=np.sqrt(all_),
        shape=field.shape,
        held=held,
    )


class Share(NamedTuple):
    """What an F leaves unexplained, on held-out places and on those of its training, and its size."""

    unexplained: float
    seen: float
    size: int


def compare(
    spectrum: LocalSpectrum,
    settings: LawSettings,
    *,
    seed: int = 0,
    fit: Callable[..., Law] = fit_law,
) -> dict[str, Share]:
    """F with each kind of input, at about equal size, and F = 0."""
    values = {**settings.as_dict()}
    goal = fit(spectrum, LawSettings.of({**values, "inputs": "x and S"}), seed=seed)
    out = {"x and S": Share(goal.unexplained, goal.seen, goal.size)}
    m, d = goal.transport.m, goal.transport.d
    for inputs in ("S", "x"):
        width = settings.width
        while (
            width < 512
            and Transport(d, m, LawSettings.of({**values, "inputs": inputs, "width": width})).size < goal.size
        ):
            width += 1
        got = fit(spectrum, LawSettings.of({**values, "inputs": inputs, "width": width}), seed=seed)
        out[inputs] = Share(got.unexplained, got.seen, got.size)
    out["F = 0"] = Share(1.0, 1.0, 0)
    return out
