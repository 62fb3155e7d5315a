"""Labelled sound clips: a zip of folders of sound files, and samples made here."""

import io
import re
import zipfile

import numpy as np

from core.datasets.audio import lower_rate, read_sound
from core.datasets.dataset import Dataset
from core.datasets.guard import base, counted, decoding, extension, shown
from core.datasets.options import ACCEPTED, LIMITS
from core.errors import InputError

MAX_ZIP, MAX_CLIPS, MAX_NUMBERS = 200_000_000, 5000, 50_000_000


def read_clips(name: str, data: bytes, seconds: float = 1.0) -> Dataset:
    """Clips of one length out of a zip; the folder that a file lies in is its label.

    Args:
        data: a zip of `wav`, `flac`, `ogg` or `mp3` files in two or more folders.
        seconds: length; shorter sounds are continued with silence, longer ones cut.

    Raises:
        InputError: not a zip, no sounds, one folder only, too much, or sounds of different rates.
    """
    label = base(name)
    if len(data) > MAX_ZIP:
        raise InputError(f"{label} is larger than {MAX_ZIP // 10**6} MB, the most that is accepted.")
    if (form := extension(name)) in ACCEPTED["audio"]:
        raise InputError(f"{label} is one {form} file; a zip of folders with sound files is accepted.")
    with decoding(label, "a zip of folders with sound files is accepted"):
        archive = zipfile.ZipFile(io.BytesIO(data))
        entries = [e for e in archive.infolist() if not e.is_dir() and extension(e.filename) in ACCEPTED["audio"]]
    entries = [e for e in entries if not re.split(r"[/\\]", e.filename)[-1].startswith(".")]
    if not entries:
        raise InputError(f"{label} holds no sounds; accepted are {', '.join(ACCEPTED['audio'])} in folders.")
    if len(entries) > MAX_CLIPS or sum(e.file_size for e in entries) > LIMITS.unpacked:
        raise InputError(
            f"{label} holds too much; at most {MAX_CLIPS:,} clips of {LIMITS.unpacked // 10**6} MB in all."
        )
    folders = [shown((re.split(r"[/\\]", e.filename)[:-1] or [""])[-1], 60) for e in entries]
    if len(set(folders)) < 2:
        raise InputError(f"The sounds in {label} lie in one folder; put those of each label into a folder of its own.")
    waves, rates, short = [], set(), 0
    for entry in entries:
        with decoding(label), archive.open(entry) as member:
            content = member.read(entry.file_size + 1)
        wave, rate, notes = read_sound(base(entry.filename), content)
        wave, rate = lower_rate(wave, rate, notes)
        rates.add(rate)
        if len(rates) > 1:
            raise InputError(f"The sounds in {label} have different rates; give all of them at one rate.")
        length = max(1, round(seconds * rate))
        if length * len(entries) > MAX_NUMBERS:
            raise InputError(f"{label} holds more than {MAX_NUMBERS:,} samples of sound; give fewer or shorter clips.")
        short += len(wave) < length
        waves.append(np.pad(wave[:length], (0, max(0, length - len(wave)))))
    samples = np.stack(waves)
    if not np.isfinite(samples).all():
        raise InputError(f"{label} holds sounds with samples that are not finite.")
    made = Dataset(
        samples,
        "audio",
        title=label,
        names=[base(e.filename) for e in entries],
        labels=np.array(folders),
        rate=rates.pop(),
        axis="time / s",
    )
    return made.noted(f"{counted(short, 'clip')} shorter than {seconds:g} s went on with silence.") if short else made


def narrow_bands(clips: int = 200, seed: int = 0) -> Dataset:
    """Five classes of narrow bands of noise that lie closer together than the filters of a coarse mel bank.

    Every clip (0.25 s, 8 kHz) holds one band, 30 Hz wide, around 2200, 2245, 2290, 2335 or 2380 Hz give or take 10 Hz,
    in louder or softer broad noise.

    Args:
        clips: of each class.
    """
    rng = np.random.default_rng(seed)
    rate, length = 8000, 2000
    centres = 2200.0 + 45 * np.arange(5)
    frequency = np.fft.rfftfreq(length, 1 / rate)
    labels = np.repeat(np.arange(5), clips)
    noise = rng.standard_normal((2, len(labels), length))
    centre = centres[labels] + rng.uniform(-10, 10, len(labels))
    band = np.exp(-(((frequency - centre[:, None]) / 15) ** 2))
    tone = np.fft.irfft(np.fft.rfft(noise[0]) * band, length)
    tone /= tone.std(axis=1, keepdims=True)
    loud = rng.uniform(0.3, 1.0, (len(labels), 1))
    samples = 0.1 * (tone + loud * noise[1])
    return Dataset(
        samples,
        "audio",
        title="Narrow bands (synthetic)",
        labels=np.array([f"{c:.0f} Hz" for c in centres])[labels],
        rate=float(rate),
        axis="time / s",
        source="Bands of noise made by the app, too close together for ten mel filters.",
        licence="made by the app",
    )
