"""Sound: made clips with known pitch, what a local spectrum shows of one, and its change of pitch."""

import io
from collections.abc import Sequence

import numpy as np

from core.transport.gains import Edit
from core.transport.readouts import read
from core.transport.signal import Signal
from core.transport.spectrum import LocalSpectrum


def glide(seconds: float = 1.0, rate: int = 8000, *, low: float = 140.0, high: float = 320.0) -> Signal:
    """A voiced glide of five harmonics; the truth is the fundamental, in cycles a clip."""
    t = np.arange(round(seconds * rate)) / rate
    f0 = low + (high - low) * 0.5 * (1 - np.cos(np.pi * t / seconds))
    phase = 2 * np.pi * np.cumsum(f0) / rate
    wave = sum(np.cos(h * phase) / h**1.5 for h in range(1, 6))
    fade = np.minimum(1, np.minimum(t, t[::-1]) / 0.03)
    wave = (0.5 * fade * wave / np.abs(wave).max()).astype(np.float32)
    return Signal(wave[None], "sound", "glide", float(rate), frequency=(f0 * len(t) / rate)[None])


def spoken(seconds: float = 1.6, rate: int = 8000, *, seed: int = 0) -> Signal:
    """Made speech: a pulse train with falling pitch through the moving resonances of vowels, with hissing between."""
    rng = np.random.default_rng(seed)
    n = round(seconds * rate)
    t = np.arange(n) / rate
    f0 = 150 - 35 * t / seconds + 8 * np.sin(2 * np.pi * 2.2 * t)
    pulses = np.diff(np.floor(np.cumsum(f0) / rate), prepend=0.0)
    vowels = np.array([[730, 1090], [270, 2290], [570, 840], [530, 1840], [300, 870]], dtype=float)
    at = np.linspace(0, len(vowels) - 1, n)
    formants = np.stack([np.interp(at, np.arange(len(vowels)), vowels[:, i]) for i in range(2)])
    voiced = (0.5 + 0.5 * np.cos(2 * np.pi * at)) ** 0.25
    source = pulses * voiced + 0.05 * (1 - voiced) * rng.standard_normal(n)
    wave = np.zeros(n)
    for centre, width in ((formants[0], 80.0), (formants[1], 120.0)):
        wave += _resonance(source, centre, width, rate)
    fade = np.minimum(1, np.minimum(t, t[::-1]) / 0.03)
    wave = (0.7 * fade * wave / np.abs(wave).max()).astype(np.float32)
    return Signal(wave[None], "sound", "made speech", float(rate))


def _resonance(source: np.ndarray, centre: np.ndarray, width: float, rate: int) -> np.ndarray:
    r = np.exp(-np.pi * width / rate)
    turn = r * np.exp(2j * np.pi * centre / rate)
    out, state = np.empty(len(source)), 0j
    for i in range(len(source)):
        state = state * turn[i] + source[i]
        out[i] = state.real
    return out


def hertz(spectrum: LocalSpectrum, rate: float) -> float:
    """Hertz of one cycle a clip."""
    return rate / spectrum.shape[0]


def amplitudes(spectrum: LocalSpectrum, rate: float, columns: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`|S_i(t)|` to show beside a spectrogram.

    Returns:
        Seconds `(T,)`, carriers in hertz ascending `(K,)`, and amplitudes `(K, T)`, channels added by power.
    """
    scale = min(1.0, columns / spectrum.shape[0])
    order = np.argsort(spectrum.carriers[:, 0])
    maps = np.sqrt((np.abs(spectrum.maps(scale)) ** 2).sum(0))[order]
    seconds = spectrum.places(scale)[0] * spectrum.shape[0] / rate
    return seconds, spectrum.carriers[order, 0] * hertz(spectrum, rate), maps


def ridge(spectrum: LocalSpectrum, rate: float, columns: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The reassigned frequency of the strongest carrier: seconds `(T,)`, hertz `(T,)`, energy `(T,)`."""
    scale = min(1.0, columns / spectrum.shape[0])
    field = read(spectrum, "reassigned", scale)
    seconds = spectrum.places(scale)[0] * spectrum.shape[0] / rate
    return seconds, np.abs(field.frequency[0]) * hertz(spectrum, rate), field.energy


def pitched(spectrum: LocalSpectrum, factor: float | np.ndarray, *, edits: Sequence[Edit] = ()) -> np.ndarray:
    """The sound `(C, n)` with every partial at `factor` times its frequency, amplitudes and timing kept.

    The phase of carrier i advances from sample to sample by its own step times the factor; with factor 1 the sound is
    the fit itself.

    Args:
        factor: one, or `(n,)` at each sample.
        edits: band gains that change the amplitudes beforehand.
    """
    n = spectrum.shape[0]
    amount = np.broadcast_to(np.asarray(factor, dtype=float), n)
    out = spectrum.synthesise(gains=np.zeros(spectrum.k)).astype(float)
    maps = spectrum.maps()
    carrier = 2 * np.pi * spectrum.carriers[:, 0][:, None] / n
    step = np.angle(maps[..., 1:] * maps[..., :-1].conj()) + carrier
    step = step * 0.5 * (amount[1:] + amount[:-1])
    start = np.angle(maps[..., :1]) + 0.5 * carrier
    phase = np.concatenate([start, start + np.cumsum(step, axis=-1)], axis=-1)
    for e in edits:
        maps = maps * (e.gains[:, None] if e.mask is None else 1 + e.mask * (e.gains[:, None] - 1))
    keep = np.abs(np.concatenate([step[..., :1], step], axis=-1)) < np.pi  # what would fold back is left out
    out += (np.abs(maps) * keep * np.cos(phase)).sum(1)
    return out.astype(np.float32)


def wav(values: np.ndarray, rate: float) -> bytes:
    """A 16-bit wav of a sound `(C, n)`, clipped to -1..1."""
    import soundfile

    buffer = io.BytesIO()
    soundfile.write(buffer, np.clip(values, -1, 1).T, round(rate), format="WAV", subtype="PCM_16")
    return buffer.getvalue()


def spectrogram(wave: np.ndarray, rate: float, *, columns: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Seconds `(T,)`, hertz `(F,)` and decibels `(F, T)` below the loudest, down to -80, of a sound `(n,)`.

    A Hann window of 32 ms (SciPy's `ShortTimeFFT`), hopped so that about `columns` of them cover the sound.
    """
    from scipy.signal import ShortTimeFFT
    from scipy.signal.windows import hann

    n = len(wave)
    size = max(8, min(round(0.032 * rate), n))
    hop = max(1, n // columns)
    transform = ShortTimeFFT(hann(size, sym=False), hop, rate, mfft=2 ** int(np.ceil(np.log2(2 * size))))
    power = np.abs(transform.stft(np.asarray(wave, dtype=float))) ** 2
    seconds = transform.t(n)
    inside = (seconds >= 0) & (seconds <= n / rate)
    decibels = 10 * np.log10(np.maximum(power / max(float(power.max()), 1e-30), 1e-8))
    return seconds[inside], transform.f, decibels[:, inside]
