"""Local frequency, read off a local spectrum in five ways.

A frequency field is `(d, *shape)` in cycles a side; `w` and `-w` are the same frequency. Energy is what the field is
worth at a place: the local power of what was read.
"""

from dataclasses import dataclass

import numpy as np

from core.transport.spectrum import LocalSpectrum

KINDS = ("strongest", "centroid", "tensor", "reassigned", "analytic")
TITLES = {
    "strongest": "carrier of largest amplitude",
    "centroid": "mean of the carriers",
    "tensor": "its main axis",
    "reassigned": "strongest, moved by its angle",
    "analytic": "angle of the whole sum",
}


@dataclass(frozen=True)
class FrequencyField:
    """`frequency` `(d, *shape)` in cycles a side and `energy` `(*shape)`."""

    frequency: np.ndarray
    energy: np.ndarray

    @property
    def magnitude(self) -> np.ndarray:
        """Cycles a side, `(*shape)`."""
        return np.sqrt((self.frequency**2).sum(0))

    @property
    def angle(self) -> np.ndarray:
        """For pictures: direction of the wave vector in degrees, 0..180, from the x axis towards y."""
        return np.degrees(np.arctan2(self.frequency[0], self.frequency[1])) % 180


def read(
    spectrum: LocalSpectrum, kind: str = "reassigned", scale: float = 1.0, *, box: tuple[slice, ...] | None = None
) -> FrequencyField:
    """A frequency field at `scale` times the signal's resolution.

    With `S_i = A_i exp(j psi_i)`, the local frequency of carrier i is `w_i + grad psi_i / 2 pi`; *reassigned* takes
    that of the strongest one (Auger and Flandrin 1995 do so with a windowed transform). *analytic* takes
    `grad angle / 2 pi` of `sum_i S_i exp(2 pi j w_i . x)`. Channels are added up by power.
    """
    maps = spectrum.maps(scale, box=box)
    power = (np.abs(maps) ** 2).sum(0)  # (K, *shape)
    w = spectrum.carriers
    if kind == "strongest":
        i = power.argmax(0)
        return FrequencyField(np.moveaxis(w[i], -1, 0), power.max(0))
    if kind == "centroid":
        total = power.sum(0)
        return FrequencyField(np.einsum("ka,k...->a...", w, power) / np.maximum(total, 1e-20), total)
    if kind == "tensor":
        return _tensor(w, power)
    if kind == "reassigned":
        return _reassigned(spectrum, maps, power, scale, box)
    if kind == "analytic":
        return _analytic(spectrum, maps, scale, box)
    raise ValueError(f"a read-out is one of {KINDS}")


def _tensor(w: np.ndarray, power: np.ndarray) -> FrequencyField:
    total = power.sum(0)
    tensor = np.einsum("ka,kb,k...->...ab", w, w, power) / np.maximum(total, 1e-20)[..., None, None]
    values, vectors = np.linalg.eigh(tensor)
    main = vectors[..., -1] * np.sqrt(np.maximum(values[..., -1:], 0))
    return FrequencyField(np.moveaxis(main, -1, 0), total)


def _reassigned(spectrum, maps, power, scale, box) -> FrequencyField:
    i = power.argmax(0)
    strongest = np.take_along_axis(maps, i[None, None], axis=1)[:, 0]
    energy = power.max(0)
    out = np.moveaxis(spectrum.carriers[i], -1, 0).astype(float)
    for axis in range(spectrum.d):
        slope = spectrum.maps(scale, along=axis, box=box)
        slope = np.take_along_axis(slope, i[None, None], axis=1)[:, 0]
        turn = (strongest.conj() * slope).imag.sum(0) / np.maximum(energy, 1e-20)
        out[axis] += turn / (2 * np.pi)
    return FrequencyField(out, energy)


def _analytic(spectrum, maps, scale, box) -> FrequencyField:
    waves = spectrum.waves(scale, box=box)
    z = (maps * waves).sum(1)  # (C, *shape)
    energy = (np.abs(z) ** 2).sum(0)
    out = np.empty((spectrum.d, *energy.shape))
    for axis in range(spectrum.d):
        slope = spectrum.maps(scale, along=axis, box=box)
        turn = spectrum.carriers[:, axis].astype(np.float32).reshape(-1, *[1] * spectrum.d)
        dz = ((slope + 2j * np.pi * turn * maps) * waves).sum(1)
        out[axis] = (z.conj() * dz).imag.sum(0) / np.maximum(energy, 1e-20) / (2 * np.pi)
    return FrequencyField(out, energy)


def local_residual(signal: np.ndarray, fitted: np.ndarray, sigma: float = 3.0) -> np.ndarray:
    """Share of the local variance that a fit misses, `(*shape)`, 0 = none; a field means little where it is high.

    Args:
        signal, fitted: `(C, *shape)`.
        sigma: of the Gaussian average, in samples.
    """
    from scipy.ndimage import gaussian_filter

    def smooth(values):
        return gaussian_filter(values, sigma, mode="reflect")

    error = sum(smooth(e**2) for e in np.asarray(signal, dtype=float) - fitted)
    variance = sum(np.maximum(smooth(c**2) - smooth(c) ** 2, 0) for c in np.asarray(signal, dtype=float))
    floor = 1e-4 * max(float(variance.mean()), 1e-12)
    return np.clip(error / (variance + floor), 0, 1)
