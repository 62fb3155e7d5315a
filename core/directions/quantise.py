"""Two ways to round latent vectors: to the nearest entry of a codebook, or to a lattice with learned spacing."""

import torch
import torch.nn.functional as F
from torch import nn

COMMITMENT = 0.25


def straight_through(z: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """The value of q; the gradient goes to z as if nothing had been rounded. (Bengio, Léonard, Courville 2013)"""
    return q.detach() + (z - z.detach())  # this way round the value is q to the last bit


def babai(z: torch.Tensor, spacing: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Nearest points `(..., d)` of a diagonal lattice, `spacing * round(z / spacing)`, and the integers `(..., d)`.

    Source: Babai 1986, which is exact for a diagonal lattice.
    """
    tiny = torch.full_like(spacing, 1e-6)
    spacing = torch.where(spacing.abs() < 1e-6, tiny, spacing)
    n = torch.round(z / spacing).detach()
    return spacing * n, n.long()


class LatticeQuantiser(nn.Module):
    """Rounds to a lattice with one learned spacing an axis.

    `loss = |q - sg(z)|^2 + 0.25 |sg(q) - z|^2 - gamma * sum |b|`, squares averaged over entries. The last term keeps
    the spacing b from shrinking until nothing is rounded any more.

    Args:
        d: dimension of a latent vector.
        k: nominal number of points: spacings start uniform in `-B .. B`, `B = 1 / (k^(1/d) - 1)`. k >= 2.
        gamma: the reward for wide spacing.

    Source: Khalil, Piechocki, Santos-Rodriguez 2023 (LL-VQ-VAE).
    """

    def __init__(self, d: int, k: int, gamma: float = 1.0):
        super().__init__()
        bound = 1.0 / (k ** (1.0 / d) - 1.0)
        self.gamma = gamma
        self.spacing = nn.Parameter(torch.empty(d).uniform_(-bound, bound))

    def forward(self, z: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Rounded `(..., d)` (straight through), integers `(..., d)`, loss."""
        q, n = babai(z, self.spacing)
        loss = F.mse_loss(q, z.detach()) + COMMITMENT * F.mse_loss(z, q.detach())
        return straight_through(z, q), n, loss - self.gamma * self.spacing.abs().sum()


class VectorQuantiser(nn.Module):
    """Rounds to the nearest of k learned vectors.

    `loss = |q - sg(z)|^2 + 0.25 |sg(q) - z|^2`, squares averaged over entries; with `ema` the codebook follows the
    running means of its vectors instead of the first term.

    Args:
        d, k: dimension and number of code vectors.
        ema: whether the codebook follows running means.
        restart: whether a code vector that is hardly used any more jumps to a latent vector of the batch.
        decay: of the running means.

    Source: van den Oord, Vinyals, Kavukcuoglu 2017, with its appendix A.1 for the running means; restarts after
    Dhariwal et al. 2020 (Jukebox).
    """

    def __init__(self, d: int, k: int, ema: bool = False, restart: bool = False, decay: float = 0.99):
        super().__init__()
        self.ema, self.restart, self.decay = ema, restart, decay
        self.codebook = nn.Parameter(torch.empty(k, d).uniform_(-1.0, 1.0), requires_grad=not ema)
        self.register_buffer("count", torch.ones(k))
        self.register_buffer("total", self.codebook.detach().clone())

    @torch.no_grad()
    def start(self, z: torch.Tensor, generator: torch.Generator) -> None:
        """Begin at latent vectors `(N, d)` drawn one after the other, far ones likelier (k-means++), N >= 1."""
        z = z.detach().float().cpu()
        drawn = [int(torch.randint(len(z), (1,), generator=generator))]
        distance = (z - z[drawn[0]]).square().sum(1)
        for _ in range(len(self.codebook) - 1):
            drawn.append(int(torch.multinomial(distance + 1e-9, 1, generator=generator)))
            distance = torch.minimum(distance, (z - z[drawn[-1]]).square().sum(1))
        self.codebook.copy_(z[drawn])
        self.total.copy_(self.codebook)

    def nearest(self, z: torch.Tensor) -> torch.Tensor:
        """Indices `(...)` of the nearest code vectors."""
        flat = z.reshape(-1, z.shape[-1]).to(self.codebook.dtype)
        far = self.codebook.square().sum(1) - 2 * flat @ self.codebook.T
        return far.argmin(1).reshape(z.shape[:-1])

    def forward(self, z: torch.Tensor, generator: torch.Generator | None = None):
        """Rounded `(..., d)` (straight through), indices `(...)`, loss; in training it moves running means."""
        indices = self.nearest(z)
        q = self.codebook[indices]
        if self.training and (self.ema or self.restart):
            self._follow(z.detach().reshape(-1, z.shape[-1]), indices.reshape(-1), generator)
        loss = COMMITMENT * F.mse_loss(z, q.detach())
        if not self.ema:
            loss = loss + F.mse_loss(q, z.detach())
        return straight_through(z, q), indices, loss

    @torch.no_grad()
    def _follow(self, z: torch.Tensor, indices: torch.Tensor, generator: torch.Generator | None) -> None:
        used = F.one_hot(indices, len(self.codebook)).to(z.dtype)
        self.count.lerp_(used.sum(0), 1 - self.decay)
        self.total.lerp_(used.T @ z, 1 - self.decay)
        if self.ema:
            self.codebook.data.copy_(self.total / self.count.clamp_min(1e-5)[:, None])
        dead = (self.count < 0.02 * len(z) / len(self.codebook)).nonzero().flatten()
        if self.restart and len(dead):
            drawn = torch.randint(len(z), (len(dead),), generator=generator, device=z.device)
            usual = self.count.mean()
            self.codebook.data[dead] = z[drawn]
            self.count[dead], self.total[dead] = usual, usual * z[drawn]


def usage(indices: torch.Tensor) -> tuple[int, float]:
    """How many distinct codes there are, and the entropy of their shares in bits.

    Args:
        indices: `(N,)` or `(N, d)` integers; a row is one code. The estimate cannot exceed `log2 N`.
    """
    rows = indices.reshape(len(indices), -1)
    _, counts = torch.unique(rows, dim=0, return_counts=True)
    share = counts.double() / counts.sum()
    return len(counts), float(-(share * share.log2()).sum())
