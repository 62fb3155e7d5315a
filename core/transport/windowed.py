"""The windowed Fourier transform: where carriers come from, and the yardstick of local frequency."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.fft import next_fast_len, rfftn

_BATCH_BYTES = 2**26


@dataclass(frozen=True)
class Window:
    """A Gaussian window and its transform grid.

    Attributes:
        sigma: in samples.
        size: samples along each side of a patch, odd.
        fft: length of the transform, zero-padded; even.
    """

    sigma: float
    size: int
    fft: int

    @classmethod
    def of(cls, sigma: float, shape: tuple[int, ...], pad: int = 2) -> "Window":
        """A window of three sigma each way."""
        size = 2 * int(np.ceil(3 * sigma)) + 1
        return cls(sigma, size, 2 * next_fast_len(int(np.ceil(pad * size / 2)), real=True))

    @property
    def lobe(self) -> int:
        """Half width in bins of the peak of a pure wave, three standard deviations."""
        return int(np.ceil(3 * self.fft / (2 * np.pi * self.sigma)))

    def weights(self, d: int) -> np.ndarray:
        """`(size,) * d`."""
        t = np.arange(self.size) - self.size // 2
        one = np.exp(-0.5 * (t / self.sigma) ** 2)
        out = one
        for _ in range(d - 1):
            out = np.multiply.outer(out, one)
        return out


def local_spectra(
    signal: np.ndarray, centres: np.ndarray, window: Window, *, one_sided: bool = False
) -> Iterator[tuple[slice, np.ndarray]]:
    """Power spectra of windows around places, a batch at a time.

    The weighted mean of a window is taken off first; past the edge the signal is mirrored.

    Args:
        signal: `(*shape)`.
        centres: `(P, d)` whole samples.

    Yields:
        Which centres, and their power `(B, fft, ..., fft // 2 + 1)` for frequencies `fftfreq` and `rfftfreq`.
    """
    d, half = signal.ndim, window.size // 2
    mode = "reflect" if min(signal.shape) > 1 else "edge"
    padded = np.pad(np.asarray(signal, dtype=np.float32), half, mode=mode)
    weights = window.weights(d).astype(np.float32)
    offsets = np.indices([window.size] * d).reshape(d, -1)
    batch = max(1, int(_BATCH_BYTES / (16 * window.fft**d)))
    axes = tuple(range(1, d + 1))
    flat = np.ravel_multi_index(offsets, padded.shape)
    for start in range(0, len(centres), batch):
        some = centres[start : start + batch]
        at = np.ravel_multi_index(some.T, padded.shape)
        patches = padded.ravel()[at[:, None] + flat].reshape(len(some), *[window.size] * d)
        mean = (patches * weights).sum(axes, keepdims=True) / weights.sum()
        power = np.abs(rfftn((patches - mean) * weights, [window.fft] * d, axes=axes)) ** 2
        yield slice(start, start + len(some)), power


def peaks(power: np.ndarray, count: int = 1, clear: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """The largest peaks of power spectra.

    Args:
        power: `(B, fft, ..., fft // 2 + 1)`.
        count: peaks of each.
        clear: bins each way that are cleared around a peak that was taken, so that the next is another one.

    Returns:
        Frequencies `(B, count, d)` in cycles a sample, refined by a parabola through the logarithm of three bins in
        each axis, and powers `(B, count)`.
    """
    power = power.copy()
    b, d, fft = len(power), power.ndim - 1, power.shape[1] if power.ndim > 2 else 2 * (power.shape[1] - 1)
    shape = power.shape[1:]
    found, strength = np.zeros((b, count, d)), np.zeros((b, count))
    rows = np.arange(b)
    for j in range(count):
        at = np.array(np.unravel_index(power.reshape(b, -1).argmax(1), shape))  # (d, b)
        best = power[(rows, *at)]
        for axis in range(d):
            beside = []
            for move in (-1, 1):
                near = at.copy()
                near[axis] += move
                beside.append(power[(rows, *_folded(near, shape))])
            low, mid, high = (np.log(np.maximum(v, 1e-20)) for v in (beside[0], best, beside[1]))
            curve = low - 2 * mid + high
            shift = np.where(curve < 0, 0.5 * (low - high) / np.where(curve < 0, curve, -1), 0.0)
            bins = at[axis] - (fft if axis < d - 1 else 0) * (at[axis] > fft // 2 if axis < d - 1 else 0)
            found[:, j, axis] = (bins + np.clip(shift, -0.5, 0.5)) / fft
        strength[:, j] = best
        if j + 1 < count:
            for move in np.stack(np.meshgrid(*[np.arange(-clear, clear + 1)] * d), -1).reshape(-1, d):
                power[(rows, *_folded(at + move[:, None], shape))] = 0
    return found, strength


def _folded(at: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Indices inside a half spectrum: frequency 0 and the highest mirror the last axis, the others go round."""
    last, top = at[-1], shape[-1] - 1
    mirrored = (last < 0) | (last > top)
    out = [np.where(mirrored, -axis, axis) % n for axis, n in zip(at[:-1], shape[:-1], strict=True)]
    last = np.abs(last)
    return (*out, np.where(last > top, 2 * top - last, last))


def centres_of(shape: tuple[int, ...], most: int) -> np.ndarray:
    """`(P, d)` places on an even lattice, about `most` of them."""
    step = max(1, int(np.ceil((np.prod(shape) / most) ** (1 / len(shape)))))
    axes = [np.arange(min(step // 2, n // 2), n, step) for n in shape]
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(shape))
