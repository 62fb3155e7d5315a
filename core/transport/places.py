"""What a local spectrum says at one place, and the spectrum of the whole picture to set the carriers against."""

from dataclasses import dataclass

import numpy as np

from core.transport.spectrum import LocalSpectrum


@dataclass(frozen=True, eq=False)
class Place:
    """One place of a signal.

    Attributes:
        amplitude: `(K,)`, channels added by power.
        moved: `(K, d)` each carrier moved by the gradient of its angle, in cycles a side.
    """

    amplitude: np.ndarray
    moved: np.ndarray

    @property
    def strongest(self) -> int:
        """The carrier of largest amplitude."""
        return int(self.amplitude.argmax())


def place(spectrum: LocalSpectrum, sample: tuple[int, ...]) -> Place:
    """The local spectrum at one sample: `w_i + grad psi_i / 2 pi`, with `S_i = A_i exp(j psi_i)`."""
    point = (np.asarray(sample, dtype=float)[None] + 0.5) / max(spectrum.shape)
    s = spectrum.at(point[0])
    flat = spectrum.coefficients[:, 1:].reshape(spectrum.channels, spectrum.k, -1)
    power = (np.abs(s) ** 2).sum(0)
    moved = spectrum.carriers.astype(float).copy()
    for axis in range(spectrum.d):
        orders = tuple(int(a == axis) for a in range(spectrum.d))
        slope = flat @ spectrum.grid.scattered(point, orders)[0].astype(np.float32)
        moved[:, axis] += (s.conj() * slope).imag.sum(0) / np.maximum(power, 1e-20) / (2 * np.pi)
    return Place(np.sqrt(power), moved)


def global_spectrum(signal: np.ndarray, reach: int) -> np.ndarray:
    """`(2 reach + 1, 2 reach + 1)` log power of a picture around frequency 0, in decibels down to -60.

    The picture is windowed by a Hann window and padded to a square of its longest side, so that a bin is one cycle a
    side; frequencies beyond half the sampling rate are left at the bottom.
    """
    n = max(signal.shape)
    window = np.multiply.outer(*[np.hanning(m + 2)[1:-1] for m in signal.shape])
    power = np.abs(np.fft.fftshift(np.fft.fft2((signal - signal.mean()) * window, (n, n)))) ** 2
    decibels = 10 * np.log10(np.maximum(power / max(float(power.max()), 1e-30), 1e-6))
    out = np.full((2 * reach + 1, 2 * reach + 1), -60.0)
    from_, to = n // 2 - min(reach, n // 2), n // 2 + min(reach, (n - 1) // 2) + 1
    start = reach - (n // 2 - from_)
    out[start : start + to - from_, start : start + to - from_] = decibels[from_:to, from_:to]
    return out
