"""A single signal: what of a dataset this page fits, in one layout."""

from dataclasses import dataclass, replace

import numpy as np

from core.datasets.dataset import Dataset
from core.errors import InputError

KINDS = ("picture", "sound", "outline", "solid")


@dataclass(frozen=True, eq=False)
class Signal:
    """Values `(C, *shape)` float32 with channels first, and how to read them.

    Attributes:
        values: the samples; pictures are in 0..1, sounds in -1..1, distances in longest sides.
        kind: one of `KINDS`.
        title: what a person calls it.
        rate: samples a second of a sound.
        notes: what was cropped or reduced, one sentence each.
        frequency: `(d, *shape)` true wave vectors of a made signal, in cycles a side, or None.
    """

    values: np.ndarray
    kind: str = "picture"
    title: str = "signal"
    rate: float | None = None
    notes: tuple[str, ...] = ()
    frequency: np.ndarray | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Samples along each axis."""
        return self.values.shape[1:]

    @property
    def mono(self) -> np.ndarray:
        """`(*shape)`: the mean of the channels."""
        return self.values.mean(0)


def as_dataset(signal: Signal) -> Dataset:
    """A dataset of this one signal, to train and save models of it."""
    kind = {"picture": "images", "outline": "images", "sound": "audio", "solid": "mesh"}[signal.kind]
    shape = signal.shape if len(signal.values) == 1 else (*signal.shape, len(signal.values))
    sample = np.ascontiguousarray(sample_layout(signal.values, shape))
    return Dataset(sample[None], kind, signal.title, rate=signal.rate, notes=signal.notes)


def axes_of(dataset: Dataset) -> int:
    """How many axes the samples of a dataset have: 1 for curves and sound, 2 for pictures, 3 for volumes.

    Raises:
        InputError: samples that are no signal on a regular lattice.
    """
    shape = dataset.shape
    if dataset.kind == "images" and (len(shape) == 2 or (len(shape) == 3 and shape[-1] in (1, 3, 4))):
        return 2
    if dataset.kind in ("images", "mesh", "video") and len(shape) == 3:
        return 3
    if dataset.kind in ("audio", "curves", "table", "activations") and len(shape) == 1:
        return 1
    raise InputError("This page takes pictures, sounds, curves and volumes; other data has no place on a line or grid.")


def channels_first(sample: np.ndarray, axes: int) -> np.ndarray:
    """`(C, *shape)` of one sample `(*shape)` or `(*shape, C)`."""
    sample = np.asarray(sample, dtype=np.float32)
    return sample[None] if sample.ndim == axes else np.moveaxis(sample, -1, 0)


def sample_layout(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The inverse: `(C, *shape)` back to a sample of this shape."""
    return values[0] if len(shape) == values.ndim - 1 else np.moveaxis(values, 0, -1)


def picture_signal(pixels: np.ndarray, *, longest: int = 512, title: str = "picture") -> Signal:
    """A picture `(H, W)`, `(H, W, 3)` or with alpha, in 0..1, made at most `longest` on its long side.

    Reduction averages over areas, so that nothing folds into false frequencies.
    """
    pixels = np.asarray(pixels, dtype=np.float32)
    if pixels.ndim == 3 and pixels.shape[-1] == 4:
        pixels = pixels[..., :3] * pixels[..., 3:] + (1 - pixels[..., 3:])
    if pixels.ndim == 3 and pixels.shape[-1] == 1:
        pixels = pixels[..., 0]
    notes = ()
    h, w = pixels.shape[:2]
    if max(h, w) > longest:
        from PIL import Image

        size = (max(1, round(w * longest / max(h, w))), max(1, round(h * longest / max(h, w))))
        bands = pixels[..., None] if pixels.ndim == 2 else pixels
        done = [
            np.asarray(Image.fromarray(bands[..., c]).resize(size, Image.Resampling.BOX))
            for c in range(bands.shape[-1])
        ]
        pixels = done[0] if pixels.ndim == 2 else np.stack(done, -1)
        notes = (f"The picture of {w} x {h} was reduced to {size[0]} x {size[1]}.",)
    return Signal(channels_first(pixels, 2), "picture", title, notes=notes)


def square_crop(signal: Signal, top: int, left: int, size: int) -> Signal:
    """A square of a picture, `size` samples a side, kept inside the edges."""
    h, w = signal.shape
    size = min(size, h, w)
    top, left = int(np.clip(top, 0, h - size)), int(np.clip(left, 0, w - size))
    values = signal.values[:, top : top + size, left : left + size]
    return Signal(np.ascontiguousarray(values), signal.kind, signal.title, signal.rate, signal.notes)


def window_of(signal: Signal, start: float, seconds: float) -> Signal:
    """A window of a sound, with its truth where there is one; see `sound_signal`."""
    total = signal.shape[0] / signal.rate
    start = min(start, max(0.0, total - seconds))
    made = sound_signal(signal.values[0], signal.rate, start=start, seconds=seconds, title=signal.title)
    first, n, truth = round(start * signal.rate), made.shape[0], signal.frequency
    truth = None if truth is None else truth[:, first : first + n] * (n / signal.shape[0])
    return replace(made, notes=(*signal.notes, *made.notes), frequency=truth)


def sound_signal(
    wave: np.ndarray, rate: float, *, start: float = 0.0, seconds: float = 10.0, title: str = "sound"
) -> Signal:
    """A window of a sound `(n,)` or `(n, channels)`; a long one is never copied whole.

    Args:
        start, seconds: of the window.

    Raises:
        InputError: no samples in the window.
    """
    first = max(0, round(start * rate))
    piece = np.asarray(wave[first : first + max(1, round(seconds * rate))], dtype=np.float32)
    if piece.size == 0:
        raise InputError(f"The sound ends before {start:g} s; choose an earlier start.")
    notes = ()
    if len(piece) < len(wave):
        total = len(wave) / rate
        notes = (f"Of {total:.1f} s, {len(piece) / rate:.1f} s from {first / rate:.1f} s on are fitted.",)
    return Signal(channels_first(piece, 1), "sound", title, float(rate), notes)
