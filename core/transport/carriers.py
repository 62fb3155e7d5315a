"""Where the carriers go: from the signal's own windowed spectra, spread evenly, or drawn at random."""

import numpy as np
from scipy import fft
from sklearn.cluster import kmeans_plusplus

from core.transport.windowed import Window, centres_of, local_spectra
from core.transport.windowed import peaks as peaks_of

KINDS = ("auto", "data", "cover", "log-uniform", "random")


def find_carriers(
    signal: np.ndarray,
    k: int,
    *,
    kind: str = "auto",
    cells: int = 20,
    seed: int = 0,
    sigma: float | None = None,
    peaks: tuple[np.ndarray, np.ndarray] | None = None,
) -> np.ndarray:
    """`(K, d)` carriers in cycles a side (the longest one), folded into one half of the frequency space.

    Args:
        signal: `(*shape)`, or `(*shape, C)` with `channels_last` data reduced to one channel by the caller.
        k: how many.
        kind: `data` (k-means of the peaks of windowed spectra), `cover` (greedy: each next one takes the disc of
            radius `cells / 2` with most energy left in the global spectrum), `log-uniform` (frequency log-uniform,
            direction even), `random` (uniform in the band), `auto` (of `data` and `cover` the one that covers more).
        cells: cells of the grid along the longest side; a carrier serves frequencies within half of it.
        sigma: of the window, in samples; a sixteenth of the side, 4 to 12, when left out.
        peaks: what `spectral_peaks` found before, since that follows from the signal alone.
    """
    signal = np.asarray(signal, dtype=np.float32)
    rng = np.random.default_rng(seed)
    if kind == "auto":
        kinds = ("data", "cover")
        both = [find_carriers(signal, k, kind=o, cells=cells, seed=seed, sigma=sigma, peaks=peaks) for o in kinds]
        energy = _Energy(signal)
        return max(both, key=lambda w: energy.within(w, cells / 2))
    if kind == "data":
        points, weight = peaks or spectral_peaks(signal, sigma=sigma)
        found = (
            _kmeans(points, weight, k, seed, signal, cells)
            if len(points)
            else _log_uniform(k, signal.shape, cells, rng)
        )
    elif kind == "cover":
        found = _cover(signal, k, cells)
    elif kind == "log-uniform":
        found = _log_uniform(k, signal.shape, cells, rng)
    else:
        found = rng.uniform(-0.5, 0.5, (k, signal.ndim)) * np.minimum(max(signal.shape) / 2, 64)
    return fold(found)


def spectral_peaks(
    signal: np.ndarray, *, sigma: float | None = None, places: int = 484, count: int = 2
) -> tuple[np.ndarray, np.ndarray]:
    """Peaks `(P, d)` in cycles a side of windows all over the signal, and their powers `(P,)`; none for a flat one."""
    d, longest = signal.ndim, max(signal.shape)
    if sigma is None:
        sigma = float(np.clip(longest / 16, 4, 12)) if d > 1 else float(np.clip(longest / 256, 8, 128))
    sigma = max(1.0, min(sigma, min(signal.shape) / 6)) if d > 1 else max(1.0, min(sigma, longest / 6))
    if d == 3:
        sigma, places = min(sigma, 3.0), 216
    window = Window.of(sigma, signal.shape, pad=1 if d == 3 else 2)
    points, weights = [], []
    for _, power in local_spectra(signal, centres_of(signal.shape, places), window):
        f, p = peaks_of(power, count, window.lobe)
        points.append(f.reshape(-1, d) * longest)
        weights.append(np.where(p > 0.1 * p[:, :1], p, 0).ravel())  # a weak second peak is the rest of a bent wave
    points, weights = np.concatenate(points), np.concatenate(weights).astype(float)
    keep = weights > 1e-6 * weights.max(initial=0)
    if not keep.any() or weights.max() < 1e-8:
        return np.zeros((0, d)), np.zeros(0)
    return points[keep], weights[keep]


def _kmeans(points: np.ndarray, weight: np.ndarray, k: int, seed: int, signal: np.ndarray, cells: int) -> np.ndarray:
    """Weighted k-means, of four starts the one that covers most; a wave vector and its negative are one point."""
    points = fold(points, _empty_direction(points, weight))
    weight = np.sqrt(weight)  # amplitude, so that weak regions keep a carrier of their own
    rng = np.random.RandomState(seed)
    if len(points) <= k:
        more = points[rng.randint(len(points), size=k - len(points))]
        return np.concatenate([points, more + rng.standard_normal(more.shape)])
    tries = [_lloyd(points, weight, k, rng) for _ in range(4)]
    energy = _Energy(signal)
    return max(tries, key=lambda w: energy.within(w, cells / 2))


def _lloyd(points, weight, k, rng, rounds: int = 20) -> np.ndarray:
    centres, _ = kmeans_plusplus(points, k, sample_weight=weight, random_state=rng)
    for _ in range(rounds):
        square = (points**2).sum(1)[:, None] - 2 * points @ centres.T + (centres**2).sum(1)
        nearest = square.argmin(1)
        mass = np.bincount(nearest, weight, k)
        moved = np.stack([np.bincount(nearest, weight * points[:, a], k) for a in range(points.shape[1])], 1)
        new = np.where(mass[:, None] > 0, moved / np.maximum(mass, 1e-30)[:, None], centres)
        if np.allclose(new, centres, atol=1e-2):
            break
        centres = new
    return centres


def _empty_direction(points: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The normal of the plane through 0 with least weight near it: a cut there tears no group of points apart."""
    d = points.shape[1]
    if d == 1:
        return np.array([1.0])
    if d == 2:
        angle = np.arange(36) * np.pi / 36
        normals = np.stack([np.sin(angle), np.cos(angle)], 1)
    else:
        normals = np.random.default_rng(0).standard_normal((64, d))
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    unit = points / np.maximum(np.linalg.norm(points, axis=1, keepdims=True), 1e-12)
    near = np.exp(-(((unit @ normals.T) / 0.2) ** 2))
    return normals[(weight @ near).argmin()]


def fold(w: np.ndarray, normal: np.ndarray | None = None) -> np.ndarray:
    """Wave vectors turned into the half space on one side of a plane (the last axis positive when none is given)."""
    normal = np.eye(w.shape[1])[-1] if normal is None else normal
    side = w @ normal
    return np.where(side[:, None] < 0, -w, w)


def _cover(signal: np.ndarray, k: int, cells: int) -> np.ndarray:
    longest = max(signal.shape)
    window = np.ones(1)
    for n in signal.shape:
        window = np.multiply.outer(window, np.hanning(n + 2)[1:-1])
    axes = [np.fft.fftfreq(n, 1 / longest) for n in signal.shape]  # cycles a longest side when the axis has it
    radius = np.sqrt(_far(axes, np.zeros(signal.ndim)))
    soft = np.exp(-((radius / (cells / 2)) ** 4))
    power = np.abs(fft.fftn((signal - signal.mean()) * window[0])) ** 2
    power = power * (1 - soft)  # the un-modulated grid serves the middle already
    kernel = fft.rfftn(soft)  # adds up the energy inside the disc around every frequency at once
    found = []
    for _ in range(k):
        gain = fft.irfftn(fft.rfftn(power) * kernel, s=power.shape)
        gain[radius < 1] = -np.inf  # where nothing is left, not another un-modulated grid
        at = np.unravel_index(gain.argmax(), gain.shape)
        w = np.array([f[i] for f, i in zip(axes, at, strict=True)])
        found.append(w)
        for sign in (1, -1):  # energy that it serves is gone; beyond this reach nothing changes
            reach = [np.flatnonzero(np.abs(f - sign * a) < 1.25 * cells) for f, a in zip(axes, w, strict=True)]
            near = _far([f[i] for f, i in zip(axes, reach, strict=True)], sign * w)
            power[np.ix_(*reach)] *= 1 - np.exp(-((near / (cells / 2) ** 2) ** 2))
    return np.array(found)


def _far(axes: list[np.ndarray], w: np.ndarray) -> np.ndarray:
    """Squared distance of every frequency of a grid from one, given the grid's axes."""
    d = len(axes)
    return sum(
        (f - a).reshape([-1 if i == j else 1 for j in range(d)]) ** 2
        for i, (f, a) in enumerate(zip(axes, w, strict=True))
    )


def _log_uniform(k: int, shape: tuple[int, ...], cells: int, rng: np.random.Generator) -> np.ndarray:
    d = len(shape)
    radius = np.exp(np.linspace(np.log(1.0), np.log(max(shape) / 4 if d > 1 else max(shape) / 8), k))
    if d == 1:
        return radius[:, None]
    if d == 2:
        angle = np.pi * np.modf(np.arange(k) * 0.6180339887 + rng.uniform())[0]
        return radius[:, None] * np.stack([np.sin(angle), np.cos(angle)], 1)
    way = rng.standard_normal((k, d))
    return radius[:, None] * way / np.linalg.norm(way, axis=1, keepdims=True)


def coverage(signal: np.ndarray, carriers: np.ndarray, cells: int) -> float:
    """Share of the spectral energy, the mean left out, within half the grid's cells of a carrier or of zero."""
    return _Energy(signal).within(carriers, cells / 2)


class _Energy:
    """The energy spectrum of a signal, its mean left out, made once for many questions."""

    def __init__(self, signal: np.ndarray):
        longest = max(signal.shape)
        self.power = np.abs(fft.rfftn(signal - signal.mean())) ** 2
        self.power[..., 1:] *= 2  # the other half
        self.axes = [np.fft.fftfreq(n, 1 / longest) for n in signal.shape[:-1]]
        self.axes.append(np.fft.rfftfreq(signal.shape[-1], 1 / longest))

    def within(self, carriers: np.ndarray, radius: float) -> float:
        """The share within a radius of a carrier, of its negative or of zero; 1 for a signal that is flat."""
        inside = np.zeros(self.power.shape, dtype=bool)
        for w in np.concatenate([np.zeros((1, len(self.axes))), carriers, -carriers]):
            reach = [np.flatnonzero(np.abs(f - a) <= radius) for f, a in zip(self.axes, w, strict=True)]
            near = _far([f[i] for f, i in zip(self.axes, reach, strict=True)], w)
            inside[np.ix_(*reach)] |= near <= radius**2
        total = self.power.sum()
        return float(self.power[inside].sum() / total) if total > 0 else 1.0
