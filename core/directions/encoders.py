"""Feed-forward predictors of sparse codes."""

import torch
from torch import nn

from core.directions.fista import lipschitz, shrink

KINDS = ("shrink", "tanh", "tanh-shrink", "linear")


class Predictor(nn.Module):
    """Predicts the sparse code `(N, K)` of samples `(N, D)`.

    With `a = x W^T + b`, gains g and thresholds t, both one a unit:
    linear `a`; tanh `g tanh(a)`; shrink `S_t(a)` (soft threshold); tanh-shrink `g tanh(S_t(a))`.
    A shrink predictor may go some rounds further: `z <- S_t(a + z M)`, each round with its own thresholds.

    Sources: Kavukcuoglu, Ranzato, LeCun 2008 (tanh with gain); Kavukcuoglu et al. 2010 (shrink); Gregor and LeCun
    2010 (rounds).

    Args:
        k, d: numbers of atoms and of entries of a sample.
        kind: one of `KINDS`.
        rounds: further rounds of a shrink predictor.
    """

    def __init__(self, k: int, d: int, kind: str = "shrink", rounds: int = 0):
        super().__init__()
        self.kind, self.rounds = kind, rounds if kind == "shrink" else 0
        self.inner = nn.Linear(d, k)
        if "tanh" in kind:
            self.gain = nn.Parameter(torch.ones(k))
        if "shrink" in kind:
            self.threshold = nn.Parameter(torch.zeros(self.rounds + 1, k))
        if self.rounds:
            self.mutual = nn.Parameter(torch.zeros(k, k))

    @torch.no_grad()
    def start(self, dictionary: torch.Tensor, lam: float) -> None:
        """Begin as the first step (and rounds) of proximal descent on the energy would."""
        gram = dictionary @ dictionary.T
        step = 1.0 / lipschitz(dictionary)
        self.inner.weight.copy_(step * dictionary)
        self.inner.bias.zero_()
        if "shrink" in self.kind:
            self.threshold.fill_(0.5 * lam * step)
        if "tanh" in self.kind:  # tanh bends at one; codes are of the size of a sample, about sqrt(D)
            size = dictionary.shape[1] ** 0.5
            self.inner.weight /= step * size
            self.gain.fill_(step * size)
            if self.kind == "tanh-shrink":
                self.threshold.fill_(0.5 * lam / size)
        if self.rounds:
            self.mutual.copy_(torch.eye(len(gram)).to(gram) - step * gram)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.inner(x)
        if self.kind == "linear":
            return a
        if self.kind == "tanh":
            return self.gain * torch.tanh(a)
        thresholds = torch.relu(self.threshold)
        z = shrink(a, thresholds[0])
        for t in thresholds[1:]:
            z = shrink(torch.addmm(a, z, self.mutual), t)
        return self.gain * torch.tanh(z) if self.kind == "tanh-shrink" else z
