"""The small EDTalk as a family: encode a face, change its codes, decode; trained on the parametric head."""

from dataclasses import dataclass

import numpy as np
import torch

from core.basis import Basis
from core.errors import InputError
from core.face.head.factors import BANKS
from core.face.network import FaceNetwork, Sizes, Source
from core.models import Model, Settings, register, setting
from core.training import seeded

CHUNK = 32
_WIDER = (1, 2, 3, 4, 6, 6, 6, 6)  # channels of the maps in units of `width`, finest first


@dataclass(frozen=True)
class SmallSettings(Settings):
    side: int = setting(96, "Side of the picture in pixels, a multiple of 8.", low=16, high=256, step=8)
    mouth: int = setting(3, "Directions of the mouth bank.", low=3, high=32)
    pose: int = setting(6, "Directions of the pose bank.", low=6, high=32)
    expression: int = setting(4, "Directions of the expression bank.", low=4, high=32)
    latent: int = setting(128, "Length of the encoder's vector.", low=16, high=1024, more=True)
    width: int = setting(16, "Channels of the finest feature map.", low=2, high=128, more=True)
    people: int = setting(500, "How many people the training pictures show.", low=2, high=100_000, log=True)
    tuples: int = setting(3000, "How many tuples of six pictures to learn from.", low=1, high=1_000_000, log=True)
    anchor: int = setting(3000, "Steps in which encoder and heads learn to read the known factors.", low=0, high=10**7)
    motion: int = setting(4000, "Steps with mouths and poses swapped.", low=0, high=10**7)
    enhance: int = setting(4000, "Steps of the expression, mouth and pose held fixed.", low=0, high=10**7)
    batch: int = setting(8, "Pairs of pictures a step; the first stage reads their pictures.", low=1, high=1024)
    lr: float = setting(1.5e-3, "Learning rate.", low=1e-6, high=1.0, log=True, more=True)
    known: float = setting(
        0.2, "Weight of the known factors beside the pictures; 0 leaves the codes to the pictures.", low=0, high=100
    )
    moved: float = setting(
        3.0, "Weight of the exact motion beside the pictures; 0 leaves the flow to the pictures.", low=0, high=100
    )
    ema: float = setting(0.998, "Decay of the average of the weights that is kept.", low=0, high=0.9999, more=True)

    def sizes(self) -> Sizes:
        """Of the network."""
        halvings = 0
        while self.side % 2 ** (halvings + 1) == 0 and self.side // 2 ** (halvings + 1) >= 3 and halvings < 7:
            halvings += 1
        return Sizes(
            side=self.side,
            channels=tuple(self.width * w for w in _WIDER[: halvings + 1])[::-1],
            latent=self.latent,
            banks=(("mouth", self.mouth), ("pose", self.pose), ("expression", self.expression)),
            shared=1,
            own=1,
            enhancer_width=64,
            equalised=False,
            relative=True,
            spare=False,
            picture_warp=True,
        )


@register
class SmallFace(Model):
    """EDTalk's structure at a small size: codes of mouth, pose and expression move a face along orthonormal directions.

    The codes act as differences from the face's own. `decode` draws codes on a reference face that the model carries;
    `animate` draws them on any face.
    """

    family = "face.small"
    title = "Small EDTalk"
    summary = "Mouth, pose and expression as three banks of orthonormal directions that move a face."
    source = "Tan et al. 2024 (EDTalk); Wang et al. 2022 (LIA)"
    Settings = SmallSettings
    iterative = True
    smallest = 1

    def _fit(self, dataset, *, seed, run):
        from core.face.small.train import fit  # the training needs the parametric head, a use of the model does not

        side = self.settings.side
        if dataset.shape != (side, side, 3):
            raise InputError(f"This model takes colour pictures of {side} x {side} pixels.")
        self.reference_ = np.array(dataset.samples[0])
        fit(self, seed=seed, run=run)

    def start(self, seed: int) -> FaceNetwork:
        """A fresh network, its weights from the seed."""
        with seeded(seed):
            self.network_ = FaceNetwork(self.settings.sizes(), device=self.device)
        with (
            torch.no_grad()
        ):  # the first flow is nearly none and the first enhancement is none: a face starts as itself
            for layer in self.network_.dec.to_flows:
                layer.conv.weight.mul_(0.05)
            for block in self.network_.dec.fineadainresblock:
                for layer, start in ((block.norm2.mlp_gamma, -1.0), (block.norm2.mlp_beta, 0.0)):
                    layer.weight.mul_(0.05)
                    layer.bias.fill_(start)
        return self.network_

    def source_of(self, pictures: np.ndarray) -> Source:
        """Encoded faces, from pictures `(N, side, side, 3)` in 0..1."""
        return self.network_.encode(self._tensor(pictures))

    def encode(self, samples):
        """Codes `(N, K)` of pictures `(N, side, side, 3)` in 0..1, banks in the order mouth, pose, expression."""
        x = np.asarray(samples, dtype=np.float32).reshape(-1, self.settings.side, self.settings.side, 3)
        with torch.no_grad():
            parts = [self.source_of(x[i : i + CHUNK]).codes.cpu() for i in range(0, len(x), CHUNK)]
        return torch.cat(parts).numpy()

    def animate(self, pictures: np.ndarray, codes: np.ndarray, *, keep_detail: bool = False) -> np.ndarray:
        """Faces under codes.

        Args:
            pictures: `(N, side, side, 3)` in 0..1, or one `(1, ...)` for all codes.
            codes: `(N, K)`.
            keep_detail: see `FaceNetwork.decode`.

        Returns:
            `(N, side, side, 3)` in 0..1.
        """
        codes = torch.as_tensor(np.atleast_2d(np.asarray(codes, dtype=np.float32)))
        out = []
        with torch.no_grad():
            for i in range(0, len(codes), CHUNK):
                part = pictures if len(pictures) == 1 else pictures[i : i + CHUNK]
                drawn = self.network_.decode(self.source_of(part), codes[i : i + CHUNK], keep_detail=keep_detail)
                out.append((drawn.float().cpu() + 1) / 2)
        return torch.cat(out).permute(0, 2, 3, 1).contiguous().numpy()

    def decode(self, codes):
        """`(N, D)` flat pictures of the reference face under codes `(N, K)`."""
        pictures = self.animate(self.reference_[None], codes)
        return pictures.reshape(len(pictures), -1)

    def rows(self) -> dict[str, slice]:
        """Where the codes of each bank stand."""
        return self.network_.rows()

    def mean_code(self):
        return self.encode(self.reference_[None])[0]

    def bases(self):
        names = {bank: list(factors) for bank, factors in BANKS.items()}
        found = {}
        for bank, basis in self.network_.bases().items():
            own = names.get(bank, [])[: basis.k]
            named = dict(enumerate(own)) if self.settings.known > 0 or self.settings.anchor > 0 else {}
            scale = self.scale_[self.rows()[bank]] if hasattr(self, "scale_") else np.ones(basis.k)
            found[bank] = Basis(basis.directions, basis.mean, scale, basis.names).rename(named)
        return found

    def arrays(self):
        # half precision halves the file; the banks stay orthonormal, as they come out of a QR of these numbers
        state = {f"network.{n}": t.detach().cpu().numpy() for n, t in self.network_.state_dict().items()}
        state = {n: a.astype(np.float16) if a.size > 4096 else a for n, a in state.items()}
        reference = np.rint(255 * self.reference_).astype(np.uint8)
        return {**state, "reference": reference, "scale": self.scale_.astype(np.float32)}

    def _load(self, arrays):
        side, k = self.settings.side, self.settings.sizes().codes
        reference, scale = np.asarray(arrays["reference"]), np.asarray(arrays["scale"], dtype=np.float32)
        if reference.shape != (side, side, 3) or scale.shape != (k,) or not (scale > 0).all():
            raise ValueError("the reference face or the scale has another shape")
        self.reference_, self.scale_ = reference.astype(np.float32) / 255, scale
        network = self.start(0)
        known = network.state_dict()
        network.load_state_dict({n: torch.tensor(arrays[f"network.{n}"]).to(t) for n, t in known.items()})
        network.eval()

    def seconds(self, dataset):
        s = self.settings
        size = (s.side / 96) ** 2 * s.width / 16
        return size * (s.batch / 8 * (0.2 * s.anchor + 0.5 * s.motion + 0.4 * s.enhance) + 0.06 * s.tuples)

    def _tensor(self, pictures: np.ndarray) -> torch.Tensor:
        x = torch.tensor(np.asarray(pictures, dtype=np.float32)).permute(0, 3, 1, 2)
        return x.to(self.device) * 2 - 1
