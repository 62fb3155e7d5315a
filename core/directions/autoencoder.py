"""An autoencoder whose latent space is spanned by an orthonormal bank of directions."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from core.basis import Basis, OrthogonalBank
from core.directions import nets
from core.directions.preview import montage
from core.directions.sparse import CHUNK, Standard, flops_seconds
from core.errors import InputError
from core.models import Model, Settings, register, setting
from core.training import Batches, TrainSettings, seeded, train


@dataclass(frozen=True)
class AutoencoderSettings(Settings):
    k: int = setting(16, "How many directions the bank has.", low=1, high=256)
    latent: int = setting(32, "Dimension of the latent space that the directions live in.", low=1, high=1024)
    network: str = setting("mlp", "Encoder and decoder: linear, one hidden layer, or convolutions.", choices=nets.KINDS)
    hidden: int = setting(128, "Width of the hidden layer (mlp).", low=1, high=4096, more=True)
    steps: int = setting(2000, "How many batches to learn from.", low=1, high=1_000_000, log=True)
    batch: int = setting(128, "Samples a batch.", low=1, high=65_536, more=True)
    lr: float = setting(2e-3, "Learning rate.", low=1e-6, high=1.0, log=True, more=True)
    ema: float = setting(
        0.99, "Decay of the average of the weights that is kept; 0 for none.", low=0, high=0.9999, more=True
    )


class BankAutoencoder(nn.Module):
    """`code = E(x) Q^T` and `x' = G(code Q)`, the rows of `Q (K, latent)` orthonormal at every step."""

    def __init__(self, s: AutoencoderSettings, shape: tuple[int, ...], d: int):
        super().__init__()
        self.encoder = nets.encoder(s.network, shape, d, s.latent, s.hidden)
        self.bank = OrthogonalBank(s.k, s.latent)
        self.decoder = nets.decoder(s.network, shape, d, s.latent, s.hidden)

    def encode(self, x: torch.Tensor) -> torch.Tensor:
        """`(N, K)` weights on the bank."""
        h = self.encoder(x)
        return h @ self.bank.directions().T.to(h.dtype)

    def decode(self, codes: torch.Tensor) -> torch.Tensor:
        """`(N, D)` standardised samples."""
        return self.decoder(self.bank(codes))


@register
class Autoencoder(Model):
    """Minimises `|x - G(E(x) Q^T Q)|^2`: every sample passes through K orthonormal directions of the latent space.

    After training the bank is turned inside its span so that the weights are uncorrelated, largest spread first, and
    codes are counted from their mean: a code of zeros decodes to a typical sample. `bases()` is in the latent space;
    `draw_directions` shows the directions as samples.
    """

    family = "directions.autoencoder"
    title = "Autoencoder with an orthogonal bank"
    summary = "Orthonormal directions in the latent space of a learned encoder and decoder."
    source = "Hinton and Salakhutdinov 2006; the bank after Wang et al. 2022 (LIA)"
    Settings = AutoencoderSettings
    iterative = True
    parallel = True

    def _fit(self, dataset, *, seed, run):
        s = self.settings
        nets.check_kind(s.network, dataset.shape)
        if s.k > s.latent:
            raise InputError(f"{s.k} orthonormal directions do not fit in a latent space of dimension {s.latent}.")
        standard = Standard(dataset.matrix)
        x, self._mean, self._unit = standard.x, standard.mean, standard.unit
        with seeded(seed):
            model = BankAutoencoder(s, dataset.shape, dataset.d)
        model.to(self.device)

        def loss(batch, step):
            error = F.mse_loss(model.decode(model.encode(batch)).float(), batch)
            return error, {"error": error}

        def preview():
            with torch.no_grad():
                codes = model.encode(x[:CHUNK:16].to(self.device)).float()
                moved = codes.mean(0) + torch.diag(2 * codes.std(0, correction=0))
                drawn = model.decode(moved) - model.decode(codes.mean(0)[None])
            return montage(drawn.float().cpu().numpy(), self.shape_)

        batches = Batches(x, s.batch, seed=seed, device=self.device)
        how = TrainSettings(steps=s.steps, batch=s.batch, lr=s.lr, warmup=min(50, s.steps // 10), ema=s.ema)
        train(model, loss, batches, how, seed=seed, run=run, preview=preview)
        self._turn(model, x)

    def _turn(self, model: BankAutoencoder, x: torch.Tensor) -> None:
        self.model_ = model
        with torch.no_grad():
            codes = torch.cat([model.encode(part.to(self.device)) for part in x.split(CHUNK)]).cpu().double()
            centre = codes.mean(0)
            spread, turn = torch.linalg.eigh((codes - centre).T @ (codes - centre) / len(codes))
            turn = turn.flip(1).T
            places = turn.abs().argmax(1, keepdim=True)
            turn = turn * turn.gather(1, places).sign()  # the sign of an eigenvector is arbitrary: fix it
            directions = turn @ model.bank.directions().cpu().double()
            model.bank.weight.copy_(directions.T.to(model.bank.weight))
        self._centre = (turn @ centre).float()
        scale = spread.flip(0).clamp_min(0).sqrt().numpy()
        self.basis_ = self._basis(scale)

    def _basis(self, scale: np.ndarray) -> Basis:
        q = self.model_.bank.directions().detach().cpu().numpy()
        return Basis(q, self._centre.numpy() @ q).with_scale(scale)

    def encode(self, samples):
        samples = np.asarray(samples, dtype=np.float32)
        x = torch.from_numpy((samples.reshape(len(samples), -1) - self._mean) / np.float32(self._unit))
        with torch.no_grad():
            parts = [self.model_.encode(part.to(self.device)).cpu() - self._centre for part in x.split(CHUNK)]
        return torch.cat(parts).numpy()

    def decode(self, codes):
        codes = torch.as_tensor(np.atleast_2d(np.asarray(codes, dtype=np.float32))) + self._centre
        with torch.no_grad():
            parts = [self.model_.decode(part.to(self.device)).cpu() for part in codes.split(CHUNK)]
        return torch.cat(parts).numpy() * np.float32(self._unit) + self._mean

    def bases(self):
        return {"directions": self.basis_}

    def arrays(self):
        state = {f"network.{n}": t.detach().cpu().numpy() for n, t in self.model_.state_dict().items()}
        own = {"mean": self._mean, "unit": np.float64(self._unit), "centre": self._centre.numpy()}
        return {**state, **own, "scale": self.basis_.scale}

    def _load(self, arrays):
        self._mean, self._unit = np.asarray(arrays["mean"], dtype=np.float32), float(arrays["unit"])
        self._centre = torch.tensor(arrays["centre"])
        with seeded(0):
            model = BankAutoencoder(self.settings, self.shape_, int(np.prod(self.shape_)))
        model.load_state_dict({n: torch.tensor(arrays[f"network.{n}"]) for n in model.state_dict()})
        self.model_ = model.eval().to(self.device)
        self.basis_ = self._basis(arrays["scale"])

    def seconds(self, dataset):
        s = self.settings
        each = nets.multiplications(s.network, dataset.shape, dataset.d, s.latent, s.hidden)
        return flops_seconds(6 * s.steps * min(s.batch, len(dataset)) * each) + 3e-3 * s.steps
