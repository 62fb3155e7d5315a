"""Local frequency without any model: the windowed Fourier transform and the structure tensor."""

import numpy as np
from scipy.ndimage import gaussian_filter, map_coordinates

from core.transport.readouts import FrequencyField
from core.transport.windowed import Window, centres_of, local_spectra, peaks


def windowed_fft(signal: np.ndarray, sigma: float = 6.0, *, most: int = 4096) -> FrequencyField:
    """The peak of the windowed spectrum at every sample.

    Transforms are taken on a lattice of at most `most` places; between them the frequency of the nearest one stands,
    and the energy is interpolated.

    Args:
        signal: `(*shape)`.
        sigma: of the Gaussian window, in samples.
    """
    shape, longest = signal.shape, max(signal.shape)
    sigma = min(sigma, max(1.0, min(shape) / 6))
    window = Window.of(sigma, shape)
    centres = centres_of(shape, most)
    found, energy = [], []
    for _, power in local_spectra(signal, centres, window):
        f, p = peaks(power)
        found.append(f[:, 0])
        energy.append(p[:, 0])
    axes = [np.unique(centres[:, a]) for a in range(len(shape))]
    lattice = [len(a) for a in axes]
    f = np.concatenate(found).reshape(*lattice, len(shape)) * longest
    e = np.concatenate(energy).reshape(lattice)
    where = np.meshgrid(
        *[np.interp(np.arange(n), a, np.arange(len(a))) for n, a in zip(shape, axes, strict=True)], indexing="ij"
    )
    nearest = tuple(np.rint(w).astype(int) for w in where)
    return FrequencyField(np.moveaxis(f[nearest], -1, 0), np.maximum(map_coordinates(e, where, order=1), 0))


def windowed_spectrum(signal: np.ndarray, place: tuple[int, ...], sigma: float = 6.0) -> tuple[np.ndarray, np.ndarray]:
    """The power spectrum of one window, for a contour behind a local spectrum.

    Returns:
        Frequencies along an axis `(fft,)` in cycles a side, ascending, and power `(fft,) * d` on them.
    """
    sigma = min(sigma, max(1.0, min(signal.shape) / 6))
    window = Window.of(sigma, signal.shape)
    (_, half), *_ = local_spectra(signal, np.array([place]), window)
    half, d, n = half[0], signal.ndim, window.fft
    full = np.zeros([n] * d, dtype=half.dtype)
    full[..., : n // 2 + 1] = half
    index = np.ix_(*[(-np.arange(n)) % n] * (d - 1), np.arange(n // 2 + 1, n))
    mirror = np.ix_(*[np.arange(n)] * (d - 1), n - np.arange(n // 2 + 1, n))
    full[..., n // 2 + 1 :] = half[(*index[:-1], mirror[-1])] if d > 1 else half[n - np.arange(n // 2 + 1, n)]
    freqs = np.fft.fftshift(np.fft.fftfreq(n)) * max(signal.shape)
    return freqs, np.fft.fftshift(full)


def structure_tensor(signal: np.ndarray, sigma: float = 5.0) -> FrequencyField:
    """Direction of the mean squared gradient, and the frequency it would have in a pure wave.

    For `a cos(2 pi w . x)` the ratio of the power of the gradient to that of the signal is `(2 pi |w|)^2`.
    """
    signal = np.asarray(signal, dtype=float)
    local = signal - gaussian_filter(signal, 2 * sigma, mode="reflect")
    slopes = np.gradient(local) if signal.ndim > 1 else [np.gradient(local)]
    d = len(slopes)
    tensor = np.empty((*signal.shape, d, d))
    for a in range(d):
        for b in range(d):
            tensor[..., a, b] = gaussian_filter(slopes[a] * slopes[b], sigma, mode="reflect")
    power = gaussian_filter(local**2, sigma, mode="reflect")
    values, vectors = np.linalg.eigh(tensor)
    size = np.sqrt(np.maximum(values[..., -1], 0) / np.maximum(power, 1e-12)) / (2 * np.pi) * max(signal.shape)
    return FrequencyField(np.moveaxis(vectors[..., -1] * size[..., None], -1, 0), power)
