"""The network of LIA, whose single bank and head stand inside the decoder and the encoder."""

from itertools import pairwise

import torch
from torch import nn

from core.basis import OrthogonalBank
from core.face.network.encoder import Encoder
from core.face.network.generator import Generator
from core.face.network.layers import Linear
from core.face.network.network import RELEASED, FaceNetwork
from core.face.network.sizes import LIA_SIZES, Sizes


class LIA(FaceNetwork):
    """The network of LIA: one bank inside the decoder, one head inside the encoder, under the released names.

    Source: Wang et al. 2022.
    """

    def __init__(self, sizes: Sizes = LIA_SIZES, *, device: str | torch.device | None = None):
        super().__init__(sizes, device=device)

    def _build(self) -> None:
        s = self.sizes
        self.enc = Encoder(s)
        self.dec = Generator(s, OrthogonalBank(s.counts, s.latent, **RELEASED))
        widths = [*[s.latent] * (s.shared + s.own), s.codes]
        self.enc.fc = nn.Sequential(*(Linear(a, b, equalised=s.equalised) for a, b in pairwise(widths)))

    @property
    def bank(self) -> OrthogonalBank:
        """The bank of motion directions."""
        return self.dec.direction

    def _layers(self) -> list[list[Linear]]:
        return [list(self.enc.fc)]

    def codes_of(self, h: torch.Tensor) -> torch.Tensor:
        """Codes `(N, K)` of vectors `(N, latent)`."""
        return self.enc.fc(h)
