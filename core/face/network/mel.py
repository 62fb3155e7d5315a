"""Speech as the mel windows that Audio2Lip reads, one for each video frame.

Source: the front end of Wav2Lip (Prajwal et al. 2020): Slaney's mel scale (Auditory Toolbox 1998) and decibels,
normalised to -4..4.
"""

import numpy as np
from scipy.signal import lfilter, resample_poly
from scipy.signal.windows import hann

from core.errors import InputError

RATE = 16_000
WINDOW, HOP = 800, 200  # 50 ms, and 80 spectra a second
BANDS, FRAMES = 80, 16
LOW, HIGH = 55.0, 7600.0  # hertz
EMPHASIS = 0.97
REFERENCE, FLOOR, LIMIT = 20.0, -100.0, 4.0  # decibels, decibels, normalised
EARLIER = 2  # video frames that a window starts before its own
FPS = 25.0

_LINEAR = 200 / 3  # hertz a mel below 1000 Hz; above it 27 mel are a factor of 6.4
_KNEE, _STEP = 1000.0, np.log(6.4) / 27


def to_mel(hertz: np.ndarray) -> np.ndarray:
    """Slaney's mel of frequencies in hertz: linear to 1000 Hz, logarithmic above."""
    hertz = np.asarray(hertz, dtype=np.float64)
    above = _KNEE / _LINEAR + np.log(np.maximum(hertz, _KNEE) / _KNEE) / _STEP
    return np.where(hertz < _KNEE, hertz / _LINEAR, above)


def from_mel(mel: np.ndarray) -> np.ndarray:
    """Hertz of Slaney's mel."""
    mel = np.asarray(mel, dtype=np.float64)
    return np.where(mel < _KNEE / _LINEAR, mel * _LINEAR, _KNEE * np.exp(_STEP * (mel - _KNEE / _LINEAR)))


def filters() -> np.ndarray:
    """`(80, 401)` triangles between neighbouring mel centres; each has an area of one hertz times its height."""
    frequency = np.arange(WINDOW // 2 + 1) * RATE / WINDOW
    edges = from_mel(np.linspace(to_mel(LOW), to_mel(HIGH), BANDS + 2))
    left, centre, right = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    triangle = np.minimum((frequency - left) / (centre - left), (right - frequency) / (right - centre))
    return np.maximum(0, triangle) * 2 / (right - left)


def as_speech(samples: np.ndarray, rate: float) -> np.ndarray:
    """Sound of any rate and any number of channels as one channel at 16 kHz.

    Args:
        samples: `(T,)` or `(T, channels)` in -1..1.
        rate: samples a second.

    Raises:
        InputError: there is no sound, it has values that are not finite, or the rate is not between 1 and 400 kHz.
    """
    samples = np.asarray(samples, dtype=np.float64)
    if samples.ndim == 2:
        samples = samples.mean(axis=1)
    if samples.ndim != 1 or not len(samples):
        raise InputError("The sound is empty; give speech of at least one video frame.")
    if not np.isfinite(samples).all():
        raise InputError("The sound has values that are not finite.")
    if not 1000 <= rate <= 400_000:
        raise InputError(f"A sound of {rate:g} samples a second cannot be used; the rate must be 1 to 400 kHz.")
    if rate == RATE:
        return samples
    common = np.gcd(RATE, round(rate))
    return resample_poly(samples, RATE // common, round(rate) // common)


def mel_spectrogram(speech: np.ndarray) -> np.ndarray:
    """`(80, frames)` normalised decibels, -4..4, of speech `(T,)` at 16 kHz; frame `i` is centred at `200 i`.

    The sound is mirrored at its ends; one too short for that is continued by silence.
    """
    emphasised = lfilter([1, -EMPHASIS], [1], np.asarray(speech, dtype=np.float64))
    half = WINDOW // 2
    mode = "reflect" if len(emphasised) > half else "constant"
    padded = np.pad(emphasised, half, mode=mode)
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP]
    magnitude = np.abs(np.fft.rfft(frames * hann(WINDOW, sym=False), axis=1)).T
    decibels = 20 * np.log10(np.maximum(filters() @ magnitude, 10 ** (FLOOR / 20))) - REFERENCE
    return np.clip(2 * LIMIT * (decibels - FLOOR) / -FLOOR - LIMIT, -LIMIT, LIMIT).astype(np.float32)


def mel_windows(speech: np.ndarray, *, fps: float = FPS, frames: int | None = None) -> np.ndarray:
    """`(F, 1, 80, 16)` windows of 200 ms, one a video frame.

    The window of frame `i` begins two video frames before it; beyond the ends of the sound its first and last
    spectrum are repeated.

    Args:
        speech: `(T,)` at 16 kHz.
        fps: video frames a second.
        frames: how many; as many whole ones as the sound has when left out.

    Raises:
        InputError: the sound is shorter than one video frame.
    """
    count = int(len(speech) * fps / RATE) if frames is None else frames
    if count < 1:
        raise InputError("The sound is shorter than one video frame; give a longer one.")
    spectrum = mel_spectrogram(speech)
    # Released code cuts towards zero, so the first frames begin at -6 and -3, not at -7 and -4
    starts = np.trunc(RATE / HOP * (np.arange(count) - EARLIER) / fps).astype(int)
    index = np.clip(starts[:, None] + np.arange(FRAMES), 0, spectrum.shape[1] - 1)
    return spectrum[:, index].transpose(1, 0, 2)[:, None]


def smooth(codes: np.ndarray) -> np.ndarray:
    """Codes `(F, K)` under a Gaussian of one video frame, taps 0.274, 0.452 and 0.274; the ends are repeated."""
    codes = np.asarray(codes)
    if len(codes) < 2:
        return codes.copy()
    side = np.exp(-0.5)
    taps = np.array([side, 1.0, side]) / (1 + 2 * side)
    padded = np.concatenate([codes[:1], codes, codes[-1:]])
    return (taps[0] * padded[:-2] + taps[1] * codes + taps[2] * padded[2:]).astype(codes.dtype)
