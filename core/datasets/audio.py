"""A sound file as a dataset of short frames."""

import io
from math import gcd

import numpy as np

from core.datasets.dataset import Dataset
from core.datasets.guard import base, check_values, decoding
from core.datasets.options import LIMITS, LoadOptions
from core.datasets.sound import frames_of
from core.errors import InputError

RATE = 16_000


def load_audio(name: str, data: bytes, options: LoadOptions) -> Dataset:
    """Frames of a sound: mono, at most 16 kHz, at most `LIMITS.seconds` long.

    Raises:
        InputError: damaged, without sound, with too many channels, or shorter than two frames.
    """
    label = base(name)
    wave, rate, notes = read_sound(label, data)
    wave, rate = lower_rate(wave, rate, notes)
    check_values(wave, label)
    if len(wave) < 2 * options.window:
        raise InputError(f"{label} lasts {len(wave) / rate:.2f} s; two frames of {options.window} samples are needed.")
    if not np.ptp(wave) > 0:
        raise InputError(f"{label} is silent; a basis needs samples that differ.")
    made = frames_of(wave, rate, form=options.frames, window=options.window, scale=options.scale, title=label)
    return made.noted(*notes)


def read_sound(label: str, data: bytes, *, seconds: int | None = None) -> tuple[np.ndarray, int, list[str]]:
    """Mono samples `(n,)` float32, their rate, and notes; decoded second by second so that length is bounded.

    Args:
        seconds: what is longer is cut; `LIMITS.seconds` when left out.

    Raises:
        InputError: damaged, no sound in it, or a rate or number of channels beyond the limits.
    """
    import soundfile

    notes: list[str] = []
    seconds = LIMITS.seconds if seconds is None else seconds
    hint = "accepted are complete wav, flac, ogg and mp3 files"
    with decoding(label, hint):
        file = soundfile.SoundFile(io.BytesIO(data))
        rate, channels = int(file.samplerate), int(file.channels)
    if not 1 <= channels <= LIMITS.channels:
        raise InputError(f"{label} has {channels} channels; at most {LIMITS.channels} are accepted.")
    if not 100 <= rate <= LIMITS.rate:
        raise InputError(f"{label} has {rate:,} samples a second; accepted are 100 to {LIMITS.rate:,}.")
    blocks, left = [], seconds * rate
    with decoding(label, hint):
        while left > 0:
            block = file.read(min(rate, left), dtype="float32", always_2d=True)
            if not len(block):
                break
            blocks.append(block.mean(axis=1))
            left -= len(block)
        more = left <= 0 and len(file.read(1, dtype="float32")) > 0
    if not blocks:
        raise InputError(f"{label} holds no sound; {hint}.")
    if more:
        notes.append(f"Only the first {seconds} seconds were kept.")
    if channels > 1:
        notes.append(f"The {channels} channels were mixed to one.")
    return np.concatenate(blocks), rate, notes


def lower_rate(wave: np.ndarray, rate: int, notes: list[str]) -> tuple[np.ndarray, float]:
    """The sound at 16 kHz when its rate is higher, with a polyphase low-pass filter, and a note."""
    if rate <= RATE:
        return wave, float(rate)
    from fractions import Fraction

    from scipy.signal import resample_poly

    part = gcd(RATE, rate)
    ratio = Fraction(RATE // part, rate // part).limit_denominator(1000)  # odd rates would need endless filters
    new = rate * float(ratio)
    notes.append(f"It was resampled from {rate:,} to {new:,.0f} samples a second.")
    return resample_poly(wave, ratio.numerator, ratio.denominator).astype(np.float32), new
