"""Autoencoders with a discrete code: a codebook (VQ), or a lattice with learned spacing (LL-VQ)."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from core.basis import Basis
from core.directions import nets
from core.directions.quantise import LatticeQuantiser, VectorQuantiser, usage
from core.directions.sparse import CHUNK, Standard, flops_seconds
from core.errors import InputError
from core.models import Model, Settings, register, setting
from core.training import Batches, TrainSettings, mix, seeded, train


@dataclass(frozen=True)
class QuantisedSettings(Settings):
    codes: int = setting(64, "Nominal number of codes.", low=2, high=4096, log=True)
    d: int = setting(4, "Dimension of a latent vector.", low=1, high=64)
    tokens: int = setting(1, "Latent vectors a sample.", low=1, high=256)
    network: str = setting("mlp", "Encoder and decoder: linear, one hidden layer, or convolutions.", choices=nets.KINDS)
    hidden: int = setting(128, "Width of the hidden layer (mlp).", low=1, high=4096, more=True)
    steps: int = setting(2000, "How many batches to learn from.", low=1, high=1_000_000, log=True)
    batch: int = setting(256, "Samples a batch.", low=1, high=65_536, more=True)
    lr: float = setting(2e-3, "Learning rate.", low=1e-6, high=1.0, log=True, more=True)


class QuantisedNet(nn.Module):
    """Encoder, quantiser, decoder; latents are `(N, tokens, d)`."""

    def __init__(self, s: QuantisedSettings, shape: tuple[int, ...], d: int, quantiser: nn.Module):
        super().__init__()
        self.tokens, self.width = s.tokens, s.d
        self.encoder = nets.encoder(s.network, shape, d, s.tokens * s.d, s.hidden)
        self.quantiser = quantiser
        self.decoder = nets.decoder(s.network, shape, d, s.tokens * s.d, s.hidden)

    def latent(self, x: torch.Tensor) -> torch.Tensor:
        return self.encoder(x).reshape(-1, self.tokens, self.width)


class Quantised(Model):
    """What both families share. A code is the rounded latent, `(N, tokens * d)`; `integers` gives it as numbers.

    The decoder only knows rounded latents, so `decode` rounds what it is given first. The basis is the axes of the
    latent space. After fitting, measured on the training data: `distinct_` codes, `bits_` a sample (tokens times the
    entropy of a token), `error_`, the mean squared error in data units.
    """

    iterative = True
    parallel = True
    Settings = QuantisedSettings

    def _quantiser(self) -> nn.Module:
        raise NotImplementedError

    def _start(self, net: QuantisedNet, x: torch.Tensor, seed: int) -> None:
        """Set the quantiser up from a first batch `(N, D)`."""

    def _rounded(self, net: QuantisedNet, z: torch.Tensor, step):
        return net.quantiser(z)

    def _net(self) -> QuantisedNet:
        return QuantisedNet(self.settings, self.shape_, int(np.prod(self.shape_)), self._quantiser())

    def _fit(self, dataset, *, seed, run):
        s = self.settings
        nets.check_kind(s.network, dataset.shape)
        if s.tokens * s.d > 1024:
            raise InputError(f"A code may have at most 1024 numbers; {s.tokens} latent vectors of {s.d} have more.")
        standard = Standard(dataset.matrix)
        x, self._mean, self._unit = standard.x, standard.mean, standard.unit
        with seeded(seed):
            net = self._net()
        net.to(self.device)
        batches = Batches(x, s.batch, seed=seed, device=self.device)
        self._start(net, x[:CHUNK].to(self.device), seed)

        def loss(batch, step):
            q, _, extra = self._rounded(net, net.latent(batch).float(), step)
            error = F.mse_loss(net.decoder(q.flatten(1)).float(), batch)
            return error + extra, {"error": error}

        how = TrainSettings(steps=s.steps, batch=s.batch, lr=s.lr, warmup=min(50, s.steps // 10), mixed=False)
        train(net, loss, batches, how, seed=seed, run=run)
        self.net_ = net
        self._measure(dataset.matrix)

    def _measure(self, matrix: np.ndarray) -> None:
        codes, integers = self.encode(matrix), self.integers(matrix)
        self._centre, scale = codes.mean(axis=0), codes.std(axis=0)
        tokens = torch.from_numpy(integers.reshape(len(integers) * self.settings.tokens, -1))
        self.distinct_, bits = usage(tokens)
        self.bits_ = bits * self.settings.tokens
        self.error_ = float(np.square(self.decode(codes) - matrix, dtype=np.float64).mean())
        self.basis_ = Basis(np.eye(codes.shape[1])).with_scale(scale)

    def _rounding(self, samples: np.ndarray):
        samples = np.asarray(samples, dtype=np.float32)
        x = torch.from_numpy((samples.reshape(len(samples), -1) - self._mean) / np.float32(self._unit))
        with torch.no_grad():
            parts = [self.net_.quantiser(self.net_.latent(part.to(self.device)))[:2] for part in x.split(CHUNK)]
        return (torch.cat(p).cpu() for p in zip(*parts, strict=True))

    def encode(self, samples):
        q, _ = self._rounding(samples)
        return q.flatten(1).numpy()

    def integers(self, samples: np.ndarray) -> np.ndarray:
        """Integer codes: `(N, tokens)` indices into a codebook, or `(N, tokens, d)` places on a lattice."""
        _, n = self._rounding(samples)
        return n.numpy()

    def decode(self, codes):
        codes = torch.as_tensor(np.atleast_2d(np.asarray(codes, dtype=np.float32)))
        z = codes.reshape(len(codes), self.settings.tokens, self.settings.d)
        with torch.no_grad():
            parts = [
                self.net_.decoder(self.net_.quantiser(part.to(self.device))[0].flatten(1)).cpu()
                for part in z.split(CHUNK)
            ]
        return torch.cat(parts).numpy() * np.float32(self._unit) + self._mean

    def mean_code(self):
        return self._centre

    def bases(self):
        return {"directions": self.basis_}

    def arrays(self):
        state = {f"network.{n}": t.detach().cpu().numpy() for n, t in self.net_.state_dict().items()}
        measured = np.array([self._unit, self.distinct_, self.bits_, self.error_], dtype=np.float64)
        return {**state, "mean": self._mean, "centre": self._centre, "scale": self.basis_.scale, "measured": measured}

    def _load(self, arrays):
        self._mean = np.asarray(arrays["mean"], dtype=np.float32)
        self._centre = np.asarray(arrays["centre"], dtype=np.float32)
        self._unit, distinct, self.bits_, self.error_ = (float(v) for v in arrays["measured"])
        self.distinct_ = int(distinct)
        with seeded(0):
            net = self._net()
        net.load_state_dict({n: torch.tensor(arrays[f"network.{n}"]) for n in net.state_dict()})
        self.net_ = net.eval().to(self.device)
        self.basis_ = Basis(np.eye(len(self._centre))).with_scale(arrays["scale"])

    def seconds(self, dataset):
        s = self.settings
        each = nets.multiplications(s.network, dataset.shape, dataset.d, s.tokens * s.d, s.hidden)
        each += s.tokens * s.d * s.codes
        return flops_seconds(6 * s.steps * min(s.batch, len(dataset)) * each) + 3e-3 * s.steps


@dataclass(frozen=True)
class VQSettings(QuantisedSettings):
    ema: bool = setting(False, "Whether the codebook follows running means instead of gradients.", more=True)
    restart: bool = setting(False, "Whether unused code vectors jump to latent vectors of a batch.", more=True)


@register
class VQ(Quantised):
    """Each latent vector becomes the nearest of `codes` learned vectors."""

    family = "directions.vq"
    title = "Vector quantisation (VQ)"
    summary = "A discrete code: the nearest vector of a learned codebook."
    source = "van den Oord, Vinyals and Kavukcuoglu 2017"
    Settings = VQSettings

    def _quantiser(self):
        s = self.settings
        return VectorQuantiser(s.d, s.codes, s.ema, s.restart)

    def _start(self, net, x, seed):
        with torch.no_grad():
            net.quantiser.start(net.latent(x).flatten(0, 1), torch.Generator().manual_seed(mix(seed, 5)))

    def _rounded(self, net, z, step):
        return net.quantiser(z, step.generator)

    def codebook(self) -> np.ndarray:
        """`(codes, d)` code vectors."""
        return self.net_.quantiser.codebook.detach().cpu().numpy()


@dataclass(frozen=True)
class LatticeSettings(QuantisedSettings):
    gamma: float = setting(0.1, "Reward for a wide lattice: fewer bits, more error.", low=0.0, high=10.0, log=True)


@register
class Lattice(Quantised):
    """Each latent vector is rounded to a lattice whose spacing is learned, one number an axis."""

    family = "directions.lattice"
    title = "Learnable lattice quantisation (LL-VQ)"
    summary = "A discrete code: the nearest point of a lattice with learned spacing."
    source = "Khalil, Piechocki and Santos-Rodriguez 2023"
    Settings = LatticeSettings

    def _quantiser(self):
        s = self.settings
        return LatticeQuantiser(s.d, s.codes, s.gamma)

    def spacing(self) -> np.ndarray:
        """`(d,)` distances between lattice points along each axis."""
        return self.net_.quantiser.spacing.detach().abs().cpu().numpy()
