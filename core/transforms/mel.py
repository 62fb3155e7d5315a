"""Windowed Fourier kernels and mel filters, the fixed start of a trainable spectrogram."""

import numpy as np


def to_mel(hertz: np.ndarray) -> np.ndarray:
    """Mel of frequencies in hertz, `2595 log10(1 + f / 700)`."""
    return 2595 * np.log10(1 + np.asarray(hertz) / 700)


def from_mel(mel: np.ndarray) -> np.ndarray:
    """Hertz of mel."""
    return 700 * (10 ** (np.asarray(mel) / 2595) - 1)


def mel_filters(count: int, n_fft: int, rate: float) -> np.ndarray:
    """`(count, n_fft // 2 + 1)` triangles of height one, evenly spaced in mel from 0 to half the rate.

    A triangle that is narrower than the spacing of the frequencies keeps at least the nearest one.
    """
    frequency = np.linspace(0, rate / 2, n_fft // 2 + 1)
    edge = from_mel(np.linspace(0, to_mel(rate / 2), count + 2))
    up = (frequency - edge[:-2, None]) / np.diff(edge)[:-1, None]
    down = (edge[2:, None] - frequency) / np.diff(edge)[1:, None]
    filters = np.maximum(0, np.minimum(up, down))
    empty = filters.sum(axis=1) == 0
    nearest = np.abs(frequency - edge[1:-1, None]).argmin(axis=1)
    filters[empty, nearest[empty]] = 1
    return filters


def fourier_kernels(n_fft: int) -> np.ndarray:
    """`(2, n_fft // 2 + 1, n_fft)` cosines and negative sines under a periodic Hann window, as SciPy has them."""
    t = np.arange(n_fft)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * t / n_fft)
    phase = 2 * np.pi * np.outer(np.arange(n_fft // 2 + 1), t) / n_fft
    return np.stack([np.cos(phase), -np.sin(phase)]) * window
