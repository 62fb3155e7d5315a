"""The form of a sample: what its numbers are, and so how it and a direction of it are drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:  # drawing needs no loader of data
    from core.datasets.dataset import Dataset

KINDS = ("image", "curve", "bars", "spectrum")
LEVELS = ("amplitude", "power", "root", "log", "log1p", "decibel")
LOOKED_AT = 256  # samples that the range of a data set is read from


@dataclass(frozen=True)
class Form:
    """How one sample is drawn, and played where it is a sound.

    Attributes:
        kind: `image`, `curve`, `bars` (named numbers) or `spectrum` (a curve over frequency).
        shape: of one sample: `(H, W)` or `(H, W, 3)` for an image, `(L,)` or `(channels, L)` for a curve or spectrum,
            `(D,)` for bars.
        axis: what runs along a curve, with unit.
        positions: L values along that axis; `0 .. L-1` when left out.
        features: D names of bars.
        signed: zero is the middle of what a sample may be (patches, centred data), and is drawn so.
        rate: samples a second, where the data is sound; a play button then appears.
        level: what the numbers of a spectrum are: `amplitude`, `power`, `root` (square root of amplitude), `log`
            (natural, of amplitude), `log1p` (of 1 and a multiple of amplitude) or `decibel`.
        low, high: the range that samples are drawn in; read off the sample itself when left out.

    Raises:
        ValueError: an unknown kind, or numbers of entries that do not fit together.
    """

    kind: str
    shape: tuple[int, ...]
    axis: str = ""
    positions: tuple[float, ...] | None = None
    features: tuple[str, ...] | None = None
    signed: bool = False
    rate: float | None = None
    level: str = "amplitude"
    low: float | None = None
    high: float | None = None

    def __post_init__(self):
        if self.kind not in KINDS or self.level not in LEVELS:
            raise ValueError(f"kind is one of {KINDS} and level one of {LEVELS}")
        object.__setattr__(self, "shape", tuple(int(n) for n in self.shape))
        if self.kind == "image" and not (len(self.shape) == 2 or (len(self.shape) == 3 and self.shape[2] == 3)):
            raise ValueError(f"an image is (H, W) or (H, W, 3), not {self.shape}")
        if self.kind in ("curve", "spectrum") and len(self.shape) not in (1, 2):
            raise ValueError(f"a curve is (L,) or (channels, L), not {self.shape}")
        if self.positions is not None:
            object.__setattr__(self, "positions", tuple(float(x) for x in self.positions))
            if len(self.positions) != self.shape[-1]:
                raise ValueError(f"{self.shape[-1]} points need {self.shape[-1]} positions, not {len(self.positions)}")
        if self.features is not None:
            object.__setattr__(self, "features", tuple(str(n) for n in self.features))
            if len(self.features) != self.d:
                raise ValueError(f"{self.d} bars need {self.d} names, not {len(self.features)}")

    @property
    def d(self) -> int:
        """The number of entries of one flat sample."""
        return int(np.prod(self.shape, dtype=int))

    @classmethod
    def of(cls, dataset: "Dataset") -> "Form":
        """The form of a data set's samples, by its kind."""
        shape, kind = dataset.shape, dataset.kind
        low, high = _range(dataset.matrix)
        if kind == "images":
            if low >= 0 and high <= 1:
                return cls("image", shape, low=0.0, high=1.0)
            return cls("image", shape, signed=low < 0, low=low, high=high)
        if kind in ("curves", "audio") and len(shape) == 1:
            frequency = any(word in dataset.axis.lower() for word in ("frequency", "hz"))
            positions = _numbers(dataset.features)
            if frequency and positions is None and dataset.rate:
                positions = tuple(np.linspace(0, dataset.rate / 2, shape[0]))
            return cls(
                "spectrum" if frequency else "curve",
                shape,
                axis=dataset.axis,
                positions=positions,
                rate=dataset.rate,
                level=_level(dataset, low),
                signed=low < 0 < high,
                low=low,
                high=high,
            )
        if kind == "curves" and len(shape) == 2:
            return cls("curve", shape, axis=dataset.axis, signed=low < 0 < high, low=low, high=high)
        if len(shape) == 2 or (len(shape) == 3 and shape[2] == 3):  # spectrograms and the like
            return cls("image", shape, axis=dataset.axis, signed=low < 0, low=low, high=high)
        return cls("bars", (dataset.d,), features=dataset.features, signed=low < 0, low=low, high=high)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for the browser."""
        return dict(vars(self))


def _range(matrix: np.ndarray) -> tuple[float, float]:
    some = matrix[:: max(1, len(matrix) // LOOKED_AT)]
    return float(some.min()), float(some.max())


def _numbers(names: Sequence[str] | None) -> tuple[float, ...] | None:
    try:
        return None if names is None else tuple(float(n) for n in names)
    except ValueError:
        return None


def _level(dataset: "Dataset", low: float) -> str:
    if "scale" in dataset.extra:  # frames of a sound say how their magnitudes were compressed
        return {"sqrt": "root", "log": "log1p"}.get(str(dataset.extra["scale"][0]), "amplitude")
    axis = dataset.axis.lower()
    if "db" in axis.split() or "decibel" in axis:
        return "decibel"
    return "log" if low < 0 else "amplitude"  # an amplitude is never negative, its logarithm often is
