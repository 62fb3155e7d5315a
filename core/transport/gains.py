"""Band gains: a signal edited through its local spectrum, everywhere or under a mask."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import InputError
from core.transport.spectrum import LocalSpectrum

SILENT = -60.0  # dB; a gain at or below this is zero
_RESIDENT_BYTES = 2**28
PRESETS = ("low-pass", "high-pass", "one orientation", "notch", "phase scramble")


@dataclass(frozen=True)
class Band:
    """Carriers of one octave and one orientation.

    Attributes:
        name: for the slider, and for links.
        low, high: cycles a side, `low <= |w| < high`.
        angle: middle of the orientation in degrees, 0..180 from the x axis; None where there is one axis or three.
        carriers: which ones, in the order of the spectrum.
    """

    name: str
    low: float
    high: float
    angle: float | None
    carriers: tuple[int, ...]


def bands(spectrum: LocalSpectrum, orientations: int = 4) -> list[Band]:
    """The carriers in octaves, and for pictures in orientations; empty bands are left out."""
    w = spectrum.carriers
    size = np.maximum(np.linalg.norm(w, axis=1), 1e-9)
    octave = np.maximum(np.floor(np.log2(size)), 0).astype(int)
    width = 180 / orientations
    if spectrum.d == 2:
        turn = np.degrees(np.arctan2(w[:, 0], w[:, 1])) % 180
        sector = np.floor((turn + width / 2) / width).astype(int) % orientations
    else:
        sector = np.zeros(len(w), dtype=int)
    out = []
    for o in np.unique(octave):
        for s in np.unique(sector[octave == o]):
            members = tuple(int(i) for i in np.flatnonzero((octave == o) & (sector == s)))
            low, high = (0.0 if o == 0 else 2.0**o), 2.0 ** (o + 1)
            angle = float(s * width) if spectrum.d == 2 else None
            name = f"{low:g}-{high:g} cycles" + (f", {angle:g}°" if angle is not None else "")
            out.append(Band(name, low, high, angle, members))
    return out


@dataclass(frozen=True, eq=False)
class Edit:
    """One step of an edit: a gain for each carrier, where it acts.

    Attributes:
        gains: `(K,)` real or complex factors.
        mask: `(*shape)` 0..1 at the signal's samples, or None for everywhere.
        mean: factor of the un-modulated mean, about the signal's overall level.
    """

    gains: np.ndarray
    mask: np.ndarray | None = None
    mean: float = 1.0


def edit(spectrum: LocalSpectrum, decibels: dict[str, float], *, mask: np.ndarray | None = None, groups=None) -> Edit:
    """An edit from slider values, band name to dB; `SILENT` and below is nothing at all.

    Raises:
        InputError: a band that this spectrum does not have, or a mask of another shape.
    """
    groups = {b.name: b for b in (groups or bands(spectrum))}
    gains = np.ones(spectrum.k)
    for name, value in decibels.items():
        if name not in groups:
            raise InputError(f"There is no band {name!r} here; there are {', '.join(groups)}.")
        gains[list(groups[name].carriers)] = _factor(value)
    return Edit(gains, _checked(spectrum, mask))


def preset(
    spectrum: LocalSpectrum,
    name: str,
    *,
    frequency: float | None = None,
    angle: float = 0.0,
    seed: int = 0,
    mask: np.ndarray | None = None,
) -> Edit:
    """A ready edit.

    Args:
        name: one of `PRESETS`. Low- and high-pass cut at `frequency`; a notch takes out the carriers within a third
            of an octave of it; one orientation keeps those within 30 degrees of `angle`.
        frequency: cycles a side; the median of the carriers when left out.

    Raises:
        InputError: no preset of that name.
    """
    w = spectrum.carriers
    size = np.maximum(np.linalg.norm(w, axis=1), 1e-9)
    cut = float(np.median(size)) if frequency is None else frequency
    mean = 1.0
    if name == "low-pass":
        gains = (size <= cut).astype(float)
    elif name == "high-pass":
        gains, mean = (size >= cut).astype(float), 0.0
    elif name == "one orientation" and spectrum.d == 2:
        turn = np.degrees(np.arctan2(w[:, 0], w[:, 1]))
        away = np.abs((turn - angle + 90) % 180 - 90)
        gains = (away <= 30).astype(float)
    elif name == "notch":
        gains = (np.abs(np.log2(size / cut)) > 1 / 3).astype(float)
    elif name == "phase scramble":
        gains = np.exp(2j * np.pi * np.random.default_rng(seed).random(spectrum.k))
    else:
        raise InputError(f"There is no preset {name!r} for this signal; there are {', '.join(PRESETS)}.")
    return Edit(gains, _checked(spectrum, mask), mean)


class Mixer:
    """Re-synthesis under edits; the waves are made once, so that a slider costs one weighted sum.

    Args:
        spectrum: what is edited.
        scale: resolution of the result, relative to the signal.
        rest: `(C, *shape)` what the fit missed, added unchanged, so that an edit of a photograph keeps its detail;
            None leaves it out.
    """

    def __init__(self, spectrum: LocalSpectrum, scale: float = 1.0, rest: np.ndarray | None = None):
        self.spectrum, self.scale = spectrum, scale
        shape = tuple(len(x) for x in spectrum.places(scale))
        self.shape = shape
        self.rest = None if rest is None else resample(rest, shape)
        self.mean = spectrum.synthesise(scale, gains=np.zeros(spectrum.k))
        small = 8 * spectrum.channels * spectrum.k * int(np.prod(shape)) <= _RESIDENT_BYTES
        self._parts = spectrum.maps(scale) * spectrum.waves(scale) if small else None

    def part(self, i: int) -> np.ndarray:
        """`S_i(x) exp(2 pi j w_i . x)`, complex `(C, *shape)`; its real part is what carrier i adds."""
        if self._parts is not None:
            return self._parts[:, i]
        s = self.spectrum
        one = LocalSpectrum(s.carriers[i : i + 1], s.coefficients[:, [0, i + 1]], s.grid, s.shape, s.mean)
        return (one.maps(self.scale) * one.waves(self.scale))[:, 0]

    def render(self, edits: Sequence[Edit] = ()) -> np.ndarray:
        """The signal `(C, *shape)` with every edit done; where masks overlap the gains multiply."""
        masks = [None if e.mask is None else resample(e.mask[None], self.shape)[0] for e in edits]
        out = self.mean.copy()
        for e, mask in zip(edits, masks, strict=True):
            if e.mean != 1.0:
                level = out.reshape(len(out), -1).mean(1).reshape(-1, *[1] * len(self.shape))
                out = level + (out - level) * _masked(e.mean, mask)
        if self._parts is not None and all(m is None for m in masks):
            gains = np.prod([e.gains for e in edits], axis=0) if edits else np.ones(self.spectrum.k)
            out += _sum(self._parts, np.asarray(gains))
        else:
            for i in range(self.spectrum.k):
                gain = 1.0
                for e, mask in zip(edits, masks, strict=True):
                    gain = gain * _masked(e.gains[i], mask)
                out += (gain * self.part(i)).real
        return out if self.rest is None else out + self.rest


def _sum(parts: np.ndarray, gains: np.ndarray) -> np.ndarray:
    c, k = parts.shape[:2]
    flat = parts.reshape(c, k, -1)
    out = np.einsum("k,ckn->cn", gains.real.astype(np.float32), flat.real)
    if np.iscomplexobj(gains):
        out -= np.einsum("k,ckn->cn", gains.imag.astype(np.float32), flat.imag)
    return out.reshape(c, *parts.shape[2:])


def _masked(gain, mask):
    return gain if mask is None else 1 + mask * (gain - 1)


def _factor(decibels: float) -> float:
    return 0.0 if decibels <= SILENT else 10 ** (decibels / 20)


def _checked(spectrum: LocalSpectrum, mask: np.ndarray | None) -> np.ndarray | None:
    if mask is None:
        return None
    mask = np.asarray(mask, dtype=np.float32)
    if mask.shape != tuple(spectrum.shape):
        raise InputError(f"The mask has the shape {mask.shape}; the signal has {tuple(spectrum.shape)}.")
    return np.clip(mask, 0, 1)


def resample(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """`(C, *old)` to `(C, *shape)` over the same box, linear between the centres of the samples."""
    if values.shape[1:] == tuple(shape):
        return values
    from scipy.ndimage import map_coordinates

    at = np.meshgrid(
        *[(np.arange(n) + 0.5) * (old / n) - 0.5 for n, old in zip(shape, values.shape[1:], strict=True)],
        indexing="ij",
    )
    return np.stack([map_coordinates(v, at, order=1, mode="nearest") for v in values])
