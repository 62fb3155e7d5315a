"""How large a face network is, and which parts it has."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from core.errors import InputError


@dataclass(frozen=True)
class Sizes:
    """Numbers that fix a face network; the defaults are the released EDTalk with its three banks.

    Attributes:
        side: of the square picture, in pixels.
        channels: of the feature maps, coarsest first; each map has twice the side of the one before, the last one
            has the side of the picture. The coarsest side (4 in the released networks) is what this leaves.
        latent: length of the encoder's vector h and of a direction.
        banks: names and numbers of directions, in the order of their columns in the QR.
        shared: linear layers that the code heads share.
        own: linear layers that each code head has for itself, the one to its codes included.
        enhanced: whether source features are changed by the expression before they are warped; needs a bank
            `expression`.
        enhancer_width: hidden units between the expression and the scale and shift of a feature map.
        equalised: weights of unit variance, rescaled at run time (as released); False keeps plain weights, which
            train faster in small networks.
        relative: codes act as differences from the source's own, `z = h + (code - own) Q`, so that the source's own
            codes leave its vector alone; False is the released `z = h + code Q`.
        spare: keep the parts that released files carry and no picture depends on (noise weights, the coarsest colours,
            the first convolution of each enhancement).
        picture_warp: the source picture itself is warped by the finest flow and mixed in by a mask of its own, and
            colours may come from the trunk too. It adds one 1x1 convolution that the released networks do not have.

    Raises:
        InputError: sizes that do not fit together.
    """

    side: int = 256
    channels: tuple[int, ...] = (512, 512, 512, 512, 256, 128, 64)
    latent: int = 512
    banks: tuple[tuple[str, int], ...] = (("mouth", 20), ("pose", 6), ("expression", 10))
    shared: int = 4
    own: int = 3
    enhanced: bool = True
    enhancer_width: int = 128
    equalised: bool = True
    relative: bool = False
    spare: bool = True
    picture_warp: bool = False

    def __post_init__(self):
        banks = self.banks.items() if isinstance(self.banks, Mapping) else self.banks
        object.__setattr__(self, "channels", tuple(int(c) for c in self.channels))
        object.__setattr__(self, "banks", tuple((str(name), int(k)) for name, k in banks))
        halvings = len(self.channels) - 1
        if halvings < 2 or self.side % 2**halvings or not 2 <= self.base <= 16:
            raise InputError(
                f"A picture side of {self.side} pixels cannot be halved {halvings} times down to 2 to 16 pixels; "
                "choose another side or another number of channels."
            )
        if not self.banks or min(k for _, k in self.banks) < 1 or self.codes > self.latent:
            raise InputError(f"The banks need at least one direction each, and {self.latent} at most together.")
        if min(*self.channels, self.latent, self.own, self.enhancer_width) < 1 or self.shared < 0:
            raise InputError("Channels, layers and the latent size must be at least one.")
        if self.enhanced and "expression" not in self.counts:
            raise InputError("Features can only be changed by the expression when there is a bank of that name.")

    @property
    def base(self) -> int:
        """Side of the coarsest feature map."""
        return self.side // 2 ** (len(self.channels) - 1)

    @property
    def counts(self) -> dict[str, int]:
        """Number of directions of each bank."""
        return dict(self.banks)

    @property
    def codes(self) -> int:
        """Number of all codes together."""
        return sum(k for _, k in self.banks)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for a card."""
        values = asdict(self)
        return {**values, "channels": list(self.channels), "banks": [list(b) for b in self.banks]}

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Sizes from plain values.

        Raises:
            InputError: a value that is missing its kind, or sizes that do not fit together.
        """
        try:
            return cls(**values)
        except InputError:
            raise
        except (TypeError, ValueError) as error:
            raise InputError(
                "The sizes of this face network cannot be read; they belong to another version."
            ) from error


EDTALK = Sizes()
EDTALK_MOUTH_POSE = Sizes(banks=(("mouth", 20), ("pose", 6)), enhanced=False)
LIA_SIZES = Sizes(banks=(("motion", 20),), shared=4, own=1, enhanced=False)
# 1.6 million parameters; a decode takes some 20 ms on one core
SMALL = Sizes(
    side=128,
    channels=(128, 96, 64, 48, 32, 16),
    latent=128,
    banks=(("mouth", 6), ("pose", 8), ("expression", 6)),
    shared=1,
    own=2,
    enhancer_width=64,
    equalised=False,
    relative=True,
    spare=False,
    picture_warp=True,
)
