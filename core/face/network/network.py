"""A face network: encode a picture once, change its codes, decode."""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise

import torch
from torch import nn

from core.basis import Basis, OrthogonalBank
from core.device import half_precision
from core.errors import InputError
from core.face.network.encoder import Encoder
from core.face.network.generator import Drawn, Generator, warp
from core.face.network.layers import Linear, place
from core.face.network.sizes import EDTALK, Sizes

EXPRESSION = "expression"
RELEASED: dict = dict(sign="lapack", offset=1e-8)  # how released files mean the matrices of their banks
_HEADS = {"mouth": "lip_fc", "pose": "pose_fc", EXPRESSION: "exp_fc"}  # the released names


@dataclass(frozen=True)
class Source:
    """An encoded face; it is made once and decoded as often as a slider moves.

    Attributes:
        picture: `(N, 3, S, S)` in -1..1.
        h: `(N, latent)`, the face without its motion.
        maps: the feature maps, coarse to fine.
        codes: `(N, K)`, the face's own codes, banks in order.
        prepared: what the expression enhancement needs of the maps, if there is one.
    """

    picture: torch.Tensor
    h: torch.Tensor
    maps: list[torch.Tensor]
    codes: torch.Tensor
    prepared: list[torch.Tensor]
    _kept: dict[str, Drawn] = field(default_factory=dict, repr=False)


class FaceNetwork(nn.Module):
    """Encoder, affine code heads, orthogonal banks and flow decoder, under the names of the released EDTalk.

    In training mode everything is differentiable; in evaluation mode nothing keeps gradients, and on a GPU the
    convolutions run in half precision.

    Args:
        sizes: which parts there are and how large; the default is the full released network.
        device: where it computes; the best there is when left out.

    Source: EDTalk (Tan et al. 2024), sections 3.1 to 3.3.
    """

    def __init__(self, sizes: Sizes = EDTALK, *, device: str | torch.device | None = None):
        super().__init__()
        self.sizes = sizes
        self._build()
        place(self, device)

    def _build(self) -> None:
        s = self.sizes
        if EXPRESSION in s.counts and list(s.counts)[-1] != EXPRESSION:
            raise InputError("The bank of expressions comes last: earlier banks must not depend on it.")
        self.enc, self.dec = Encoder(s), Generator(s)
        early = {name: k for name, k in s.banks if name != EXPRESSION}
        if early:
            self.direction_lipnonlip = OrthogonalBank(early, s.latent, **RELEASED)
        if EXPRESSION in s.counts:
            last = {EXPRESSION: s.counts[EXPRESSION]}
            after = self.direction_lipnonlip if early else None
            self.direction_exp = OrthogonalBank(last, s.latent, **RELEASED, after=after)
        self.fc = nn.Sequential(*(Linear(s.latent, s.latent, equalised=s.equalised) for _ in range(s.shared)))
        for name, k in s.banks:
            setattr(self, _HEADS.get(name, f"{name}_fc"), self._head(k))

    def _head(self, k: int) -> nn.Sequential:
        s = self.sizes
        widths = [*[s.latent] * s.own, k]
        return nn.Sequential(*(Linear(a, b, equalised=s.equalised) for a, b in pairwise(widths)))

    @property
    def bank(self) -> OrthogonalBank:
        """All directions as one bank, banks in order."""
        return self.direction_exp if EXPRESSION in self.sizes.counts else self.direction_lipnonlip

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return self.dec.input.input.device

    def _layers(self) -> list[list[Linear]]:
        """The linear layers from h to the codes of each bank."""
        return [[*self.fc, *getattr(self, _HEADS.get(name, f"{name}_fc"))] for name in self.sizes.counts]

    def codes_of(self, h: torch.Tensor) -> torch.Tensor:
        """Codes `(N, K)` of vectors `(N, latent)`."""
        shared = self.fc(h)
        return torch.cat([getattr(self, _HEADS.get(name, f"{name}_fc"))(shared) for name in self.sizes.counts], dim=1)

    def encode(self, picture: torch.Tensor) -> Source:
        """Encode pictures.

        Args:
            picture: `(N, 3, S, S)` in -1..1, on any device.

        Raises:
            InputError: another shape.
        """
        side = self.sizes.side
        if picture.ndim != 4 or picture.shape[1:] != (3, side, side):
            raise InputError(f"This network takes colour pictures of {side} x {side} pixels in -1..1.")
        picture = picture.to(self.device, torch.float32)
        with self._precision():
            h, maps = self.enc(picture)
            prepared = self.dec.prepare(maps)
            if not torch.is_grad_enabled():  # sampling reads all channels of a place: they lie together
                maps, prepared = (
                    [m.contiguous(memory_format=torch.channels_last) for m in g] for g in (maps, prepared)
                )
        with self._gradients():
            h = h.float()
            return Source(picture, h, maps, self.codes_of(h), prepared)

    def vector(
        self, source: Source, codes: torch.Tensor, *, expression: bool = True
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """The style z `(N, latent)` of a source under codes, and the part of it that the expression bank adds."""
        with self._gradients():
            moved = codes - source.codes if self.sizes.relative else codes
            directions, rows = self.bank.directions(), self.rows()
            early = rows[EXPRESSION].start if EXPRESSION in rows else len(directions)
            if EXPRESSION not in rows or not expression:
                return source.h + _weighted(moved[:, :early], directions[:early]), None
            return source.h + _weighted(moved, directions), _weighted(moved[:, early:], directions[early:])

    def draw(self, source: Source, codes: torch.Tensor | None = None, *, expression: bool = True) -> Drawn:
        """Picture (not clamped), flow and mask of a source under codes; the arguments are those of `decode`."""
        codes = source.codes if codes is None else self._checked(source, codes)
        with self._precision():
            with torch.autocast(self.device.type, enabled=False):
                z, shift = self.vector(source, codes, expression=expression)
            return self.dec(z, source.maps, source.picture, shift, source.prepared)

    def decode(
        self,
        source: Source,
        codes: torch.Tensor | None = None,
        *,
        expression: bool = True,
        keep_detail: bool = False,
    ) -> torch.Tensor:
        """The picture of a source under codes, `(N, 3, S, S)` in -1..1.

        Args:
            source: of one picture, or of as many as there are codes.
            codes: `(N, K)`; the source's own when left out.
            expression: False leaves the expression bank out, as the network without it would draw.
            keep_detail: what the network cannot draw of the source (its picture less its own reconstruction) is
                carried along by the change of the flow and added. The source's own codes then give back the picture
                itself, to within rounding.

        Raises:
            InputError: codes of another number.
        """
        drawn = self.draw(source, codes, expression=expression)
        with self._gradients():
            picture = drawn.picture
            if keep_detail:
                own = self._own(source, expression)
                rest = (source.picture - own.picture).expand(len(picture), -1, -1, -1)
                picture = picture + warp(rest, drawn.flow - own.flow, exact=True)
            return picture.clamp(-1, 1)

    def _own(self, source: Source, expression: bool) -> Drawn:
        key = f"own {expression}"
        if self.training or key not in source._kept:
            source._kept[key] = self.draw(source, expression=expression)
        return source._kept[key]

    def flow(self, source: Source, codes: torch.Tensor | None = None) -> torch.Tensor:
        """How far each pixel of the drawn picture reaches into the source, `(N, 2, S, S)`: x and y in pixels."""
        return self.draw(source, codes).flow * (self.sizes.side / 2)

    def rows(self) -> dict[str, slice]:
        """Where the codes of each bank stand."""
        return {name: self.bank.rows(name) for name in self.sizes.counts}

    def split(self, codes: torch.Tensor) -> dict[str, torch.Tensor]:
        """Codes `(N, K)` by bank."""
        return {name: codes[:, rows] for name, rows in self.rows().items()}

    def mix(self, codes: torch.Tensor, banks: Mapping[str, torch.Tensor]) -> torch.Tensor:
        """Codes `(N, K)` with those of some banks taken from elsewhere, `{"mouth": (N, 20)}`."""
        codes = codes.clone()
        for name, values in banks.items():
            codes[:, self.bank.rows(name)] = values.to(codes)
        return codes

    def transfer(self, source: Source, target: torch.Tensor, start: torch.Tensor) -> torch.Tensor:
        """Codes that repeat on the source the motion from `start` to `target`: `own + (target - start)`.

        This is LIA's relative transfer, whose displacements are linear in the codes (Wang et al. 2022, equation 7).
        """
        return source.codes + (target - start)

    @torch.no_grad()
    def code_matrix(self) -> tuple[torch.Tensor, torch.Tensor]:
        """`A (K, latent)` and `b (K,)`: the heads have no activations, so all codes are `A h + b`."""
        found = [reduce(_composed, ((m.scaled().double(), m.bias.double()) for m in way)) for way in self._layers()]
        return torch.cat([a for a, _ in found]).float(), torch.cat([b for _, b in found]).float()

    @torch.no_grad()
    def bases(self) -> dict[str, Basis]:
        """Each bank as a basis of the space of h."""
        directions = self.bank.directions().float().cpu().numpy()
        return {
            name: Basis(directions[rows], names=self.bank.names[rows.start : rows.stop])
            for name, rows in self.rows().items()
        }

    def _checked(self, source: Source, codes: torch.Tensor) -> torch.Tensor:
        k = self.sizes.codes
        if codes.ndim != 2 or codes.shape[1] != k or len(source.h) not in (1, len(codes)):
            raise InputError(f"Give {k} codes for each picture, in the order {', '.join(self.sizes.counts)}.")
        return codes.to(self.device, torch.float32)

    def _gradients(self) -> contextlib.AbstractContextManager:
        return torch.set_grad_enabled(self.training and torch.is_grad_enabled())

    @contextlib.contextmanager
    def _precision(self) -> Iterator[None]:
        """Half precision on a GPU; no gradients in evaluation mode. A training chooses its own format outside."""
        with self._gradients(), contextlib.nullcontext() if self.training else half_precision(self.device):
            yield


def _weighted(codes: torch.Tensor, directions: torch.Tensor) -> torch.Tensor:
    """`codes @ directions`, term by term in the released order, whatever library multiplies matrices here."""
    return (codes[:, :, None] * directions).sum(dim=1)


def _composed(first: tuple, second: tuple) -> tuple:
    (a, b), (c, d) = first, second
    return c @ a, c @ b + d
