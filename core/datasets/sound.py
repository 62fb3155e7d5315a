"""From a waveform to frames and back: windows of the wave, or magnitude spectra with their phases kept aside."""

import numpy as np

from core.datasets.dataset import Dataset
from core.errors import InputError


def frames_of(
    wave: np.ndarray,
    rate: float,
    *,
    form: str = "spectra",
    window: int = 512,
    scale: str = "sqrt",
    title: str = "sound",
) -> Dataset:
    """A sound as a dataset of frames that `to_waveform` turns back.

    Args:
        wave: `(n,)` mono samples.
        rate: samples a second.
        form: `spectra`, magnitudes of a short-time Fourier transform `(N, window // 2 + 1)`, hop a quarter window,
            Hann; or `waves`, windows of the wave itself `(N, window)`, hop half a window.
        window: samples in a frame, even.
        scale: how magnitudes are compressed: `linear`, `sqrt`, or `log` (`log(1 + 1000 m / largest m)`).

    Returns:
        kind `audio`; `extra` has `frame` (the number of each), `hop`, `window`, `length`, and for spectra `phase` in
        radians and `reference` (the largest magnitude); single numbers are arrays of one entry.
    """
    window = int(window) + int(window) % 2
    wave = np.asarray(wave, dtype=np.float32)
    hop = window // 4 if form == "spectra" else window // 2
    extra = {k: np.array([v]) for k, v in dict(hop=hop, window=window, length=len(wave)).items()}
    axis, features = "time / ms", [f"{1000 * i / rate:.3f}" for i in range(window)]
    if form == "spectra":
        spectrum = _transform(window, hop, rate).stft(wave.astype(np.float64)).T
        magnitude = np.abs(spectrum)
        extra["reference"] = np.array([float(magnitude.max()) or 1.0])
        extra["scale"] = np.array([scale])
        extra["phase"] = np.angle(spectrum).astype(np.float32)
        samples = compress(magnitude, scale, extra["reference"][0])
        times = (np.arange(len(samples)) + _transform(window, hop, rate).p_min) * hop / rate
        axis, features = "frequency / Hz", [f"{f:.1f}" for f in np.fft.rfftfreq(window, 1 / rate)]
    elif form == "waves":
        count = max(1, -(-(len(wave) - window) // hop) + 1)
        padded = np.zeros((count - 1) * hop + window, dtype=np.float32)
        padded[: len(wave)] = wave
        samples = np.lib.stride_tricks.sliding_window_view(padded, window)[::hop]
        times = np.arange(count) * hop / rate
    else:
        raise InputError("Frames of a sound are spectra or waves.")
    extra["frame"] = np.arange(len(samples))
    for value in extra.values():
        value.setflags(write=False)
    names = [f"{t:.3f} s" for t in times]
    what = f"magnitude spectra ({scale} scale)" if form == "spectra" else "windows of the wave"
    note = f"The sound of {len(wave) / rate:.2f} s became {len(samples):,} {what} of {window} samples, hop {hop}."
    return Dataset(samples, "audio", title, names, None, features, axis, float(rate), notes=(note,), extra=extra)


def is_spectra(dataset: Dataset) -> bool:
    """Whether the frames are spectra and not windows of the wave."""
    return "phase" in dataset.extra


def compress(magnitude: np.ndarray, scale: str, reference: float) -> np.ndarray:
    """Magnitudes on a `linear`, `sqrt` or `log` scale."""
    if scale == "linear":
        return magnitude
    if scale == "sqrt":
        return np.sqrt(magnitude)
    return np.log1p(1000 * magnitude / reference)


def expand(values: np.ndarray, scale: str, reference: float) -> np.ndarray:
    """The inverse of `compress`; what is below zero counts as silence."""
    values = np.maximum(values, 0)
    if scale == "linear":
        return values
    if scale == "sqrt":
        return values**2
    return np.expm1(np.minimum(values, 20)) * reference / 1000


def magnitudes(dataset: Dataset, spectra: np.ndarray) -> np.ndarray:
    """Linear magnitudes of spectra `(..., F)` on the dataset's scale."""
    e = dataset.extra
    return expand(np.asarray(spectra, dtype=np.float64), str(e["scale"][0]), float(e["reference"][0]))


def to_waveform(dataset: Dataset, samples: np.ndarray | None = None, *, seed: int = 0) -> tuple[float, np.ndarray]:
    """The sound of frames, such as a reconstruction of all frames of the dataset.

    Frames of the whole clip get the phases of the original back, so the dataset's own frames give its own
    waveform. Any other run of spectra gets phases by 32 iterations of Griffin and Lim (1984).

    Args:
        dataset: made by `frames_of` (or a loader).
        samples: `(M, D)` frames; the dataset's own when left out.
        seed: of the first phases where the original ones do not fit.

    Returns:
        the rate in Hz, and `(n,)` float32 samples.

    Raises:
        InputError: this data has no frames of a sound, or they have another length.
    """
    e, rate = dataset.extra, dataset.rate
    if dataset.kind != "audio" or rate is None or "hop" not in e:
        raise InputError("Only frames of a sound can be turned back into sound.")
    samples = dataset.matrix if samples is None else np.asarray(samples, dtype=np.float32)
    samples = samples.reshape(-1, samples.shape[-1])
    if samples.shape[1] != dataset.d:
        raise InputError(f"Frames of this sound have {dataset.d} entries, not {samples.shape[1]}.")
    hop, window, length = (int(e[k][0]) for k in ("hop", "window", "length"))
    whole = len(samples) == len(dataset) and np.array_equal(e["frame"], np.arange(len(dataset)))
    if not is_spectra(dataset):
        wave = _overlap(samples, hop)
        return rate, wave[:length] if whole else wave
    magnitude = magnitudes(dataset, samples)
    transform = _transform(window, hop, rate)
    expected = transform.p_max(length) - transform.p_min
    if whole and len(magnitude) == expected:
        return rate, _inverse(transform, magnitude * np.exp(1j * e["phase"].astype(np.float64)), length)
    return rate, _griffin_lim(transform, magnitude, seed)


def spectrum_to_sound(
    magnitude: np.ndarray, rate: float, seconds: float = 1.0, *, seed: int = 0
) -> tuple[float, np.ndarray]:
    """A steady sound with one spectrum: overlapping frames of that spectrum with random phases.

    Args:
        magnitude: `(window // 2 + 1,)` linear magnitudes; what is below zero counts as zero.
        rate: samples a second.
        seconds: its length.
        seed: of the phases.

    Returns:
        the rate, and float32 samples whose largest is 0.9 (zeros for an empty spectrum).
    """
    magnitude = np.maximum(np.asarray(magnitude, dtype=np.float64).reshape(-1), 0)
    window, length = 2 * (len(magnitude) - 1), max(1, round(seconds * rate))
    hop = max(1, window // 4)
    transform = _transform(window, hop, rate)
    frames = transform.p_max(max(length, window)) - transform.p_min
    phase = np.random.default_rng(seed).uniform(-np.pi, np.pi, (frames, len(magnitude)))
    wave = _inverse(transform, magnitude * np.exp(1j * phase), max(length, window))[:length]
    return rate, _peak(wave)


def window_to_sound(wave: np.ndarray, rate: float, seconds: float = 1.0) -> tuple[float, np.ndarray]:
    """A steady sound out of one window of a wave, repeated with crossfades of half a window.

    Returns:
        the rate, and float32 samples whose largest is 0.9.
    """
    wave = np.asarray(wave, dtype=np.float32).reshape(-1)
    hop, length = max(1, len(wave) // 2), max(1, round(seconds * rate))
    return rate, _peak(_overlap(np.tile(wave, (length // hop + 2, 1)), hop)[:length])


def _peak(wave: np.ndarray) -> np.ndarray:
    top = float(np.abs(wave).max(initial=0))
    return (wave * (0.9 / top) if top > 0 else wave).astype(np.float32)


def _transform(window: int, hop: int, rate: float):
    from scipy.signal import ShortTimeFFT
    from scipy.signal.windows import hann

    return ShortTimeFFT(hann(window, sym=False), hop, rate, scale_to="magnitude")


def _inverse(transform, spectra: np.ndarray, length: int) -> np.ndarray:
    return transform.istft(spectra.T, k1=length).astype(np.float32)


def _griffin_lim(transform, magnitude: np.ndarray, seed: int, steps: int = 32) -> np.ndarray:
    hop = transform.hop
    length = max((len(magnitude) + transform.p_min) * hop, transform.m_num)
    frames = transform.p_max(length) - transform.p_min
    target = np.zeros((frames, magnitude.shape[1]))
    keep = min(frames, len(magnitude))
    target[:keep] = magnitude[:keep]
    phase = np.random.default_rng(seed).uniform(-np.pi, np.pi, target.shape)
    for _ in range(steps):
        wave = transform.istft((target * np.exp(1j * phase)).T, k1=length)
        phase = np.angle(transform.stft(wave).T)
    return _inverse(transform, target * np.exp(1j * phase), length)


def _overlap(frames: np.ndarray, hop: int) -> np.ndarray:
    """Weighted overlap-add `sum w x / sum w`; the Hann weights have no zeros, so that edges come back too."""
    from scipy.signal.windows import hann

    count, window = frames.shape
    weight = hann(window + 2)[1:-1]
    total, norm = np.zeros((count - 1) * hop + window), np.zeros((count - 1) * hop + window)
    for i, frame in enumerate(frames):
        total[i * hop : i * hop + window] += weight * frame
        norm[i * hop : i * hop + window] += weight
    return (total / norm).astype(np.float32)
