"""Speech as it comes: any sound file, a clip, or typed text spoken by espeak-ng; one channel at 16 kHz in the end."""

import io
import re
import shutil
import subprocess

import numpy as np

from core.datasets.audio import read_sound
from core.datasets.guard import base, decoding
from core.errors import InputError
from core.face.clip.containers import is_container
from core.face.clip.sounding import sound_of
from core.face.network.mel import RATE, as_speech

SECONDS = 120  # what is longer is cut
MOST_BYTES = 100_000_000
LOUDNESS = -23.0  # decibels below full scale, RMS of what is spoken
SILENT = -60.0  # decibels; a sound that stays below it is silence
MOST_GAIN = 30.0  # decibels
MOST_CHARACTERS = 2000
_PROGRAMS = ("espeak-ng", "espeak")
_VOICE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{1,12}){0,3}(\+[A-Za-z0-9]{1,16})?")
_SPEAKING_SECONDS = 30


def read_speech(name: str, data: bytes) -> tuple[np.ndarray, list[str]]:
    """Speech `(n,)` float32 at 16 kHz out of a file, and notes for the person.

    wav, flac, ogg and mp3 of any rate and number of channels; also the sound of mp4, m4a, mov, webm and avi.

    Raises:
        InputError: empty, too large, damaged, or without sound.
    """
    label = base(name)
    if not data:
        raise InputError(f"{label} is empty; accepted are wav, flac, ogg and mp3 sounds, and clips with sound.")
    if len(data) > MOST_BYTES:
        raise InputError(f"{label} is larger than {MOST_BYTES // 10**6} MB, the most that is accepted here.")
    if is_container(data):
        wave, notes = sound_of(label, data, seconds=SECONDS)
    else:
        wave, rate, notes = read_sound(label, data, seconds=SECONDS)
        if not np.isfinite(wave).all():
            raise InputError(f"{label} has samples that are not finite numbers; all must be finite.")
        if rate != RATE:
            notes.append(f"It was resampled from {rate:,} to {RATE:,} samples a second.")
        wave = as_speech(wave, rate).astype(np.float32)
    if is_silent(wave):
        notes.append("This sound is silent: the mouth stays closed.")
    return wave, notes


def faithful(name: str, data: bytes) -> tuple[np.ndarray, int]:
    """The sound of a file as it goes into a finished clip: `(n, 1 or 2)` float32 and its rate, not mixed or lowered.

    Beyond two channels, and for the sound of a clip, it is mono; the sound of a clip comes at 48 kHz.

    Raises:
        InputError: as `read_speech`.
    """
    import soundfile

    label = base(name)
    if is_container(data):
        wave, _ = sound_of(label, data, seconds=SECONDS, rate=48_000)
        return wave[:, None], 48_000
    wave, rate, _ = read_sound(label, data, seconds=SECONDS)  # with all its checks
    with decoding(label), soundfile.SoundFile(io.BytesIO(data)) as file:
        if file.channels == 2:
            wave = file.read(SECONDS * rate, dtype="float32", always_2d=True)
    return np.clip(np.nan_to_num(wave.reshape(len(wave), -1), posinf=0.0, neginf=0.0), -1, 1), rate


def loudness(wave: np.ndarray) -> float:
    """RMS of the spoken parts in decibels below full scale: of the frames of 25 ms within 30 dB of the loudest."""
    size = RATE // 40
    frames = np.asarray(wave[: len(wave) // size * size], dtype=np.float64).reshape(-1, size)
    power = (frames**2).mean(1) if len(frames) else np.array([np.square(wave, dtype=np.float64).mean()])
    spoken = power[power >= power.max() * 1e-3]
    return float(10 * np.log10(max(spoken.mean(), 1e-20)))


def is_silent(wave: np.ndarray) -> bool:
    """Whether there is nothing in it that could be speech."""
    return loudness(wave) < SILENT


def levelled(wave: np.ndarray) -> np.ndarray:
    """The sound at the loudness the model was trained with; silence stays silence."""
    if is_silent(wave):
        return np.zeros_like(wave, dtype=np.float32)
    gain = min(MOST_GAIN, LOUDNESS - loudness(wave))
    return (np.asarray(wave) * 10 ** (gain / 20)).astype(np.float32)


def speaker() -> str | None:
    """The program that speaks typed text, or None."""
    return next((path for p in _PROGRAMS if (path := shutil.which(p))), None)


def missing_speaker() -> str | None:
    """One sentence on how to get espeak-ng; None when it is there."""
    if speaker():
        return None
    return "Typed text needs the program espeak-ng; get it with apt-get install espeak-ng (or brew install espeak-ng)."


def speak(text: str, *, voice: str = "en-us", pace: int = 160, pitch: int = 50) -> np.ndarray:
    """Typed text as speech `(n,)` float32 at 16 kHz, by espeak-ng.

    Args:
        text: at most 2,000 characters.
        voice: espeak-ng's name of a language, with a variant if wanted: `en-us`, `en-gb+f3`, `de`.
        pace: words a minute, 80 to 450.
        pitch: 0 to 99.

    Raises:
        InputError: no text, too much of it, no such voice, or no espeak-ng on this machine.
    """
    import soundfile

    program = speaker()
    if program is None:
        raise InputError(missing_speaker())
    text = "".join(c if c.isprintable() else " " for c in text.encode("utf-8", "ignore").decode()).strip()
    if not any(c.isalnum() for c in text):
        raise InputError("There is nothing to say; type at least one word.")
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"The text has {len(text):,} characters; at most {MOST_CHARACTERS:,} are spoken.")
    if not _VOICE.fullmatch(voice):
        raise InputError(f"{voice[:40]!r} is not the name of a voice; names look like en-us, de or en-gb+f3.")
    if not 80 <= pace <= 450 or not 0 <= pitch <= 99:
        raise InputError("Speech has 80 to 450 words a minute and a pitch from 0 to 99.")
    command = [program, "--stdin", "--stdout", "-b", "1", "-v", voice, "-s", str(int(pace)), "-p", str(int(pitch))]
    try:
        done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=_SPEAKING_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError("espeak-ng did not finish; try a shorter text.") from error
    if done.returncode or len(done.stdout) < 44:
        raise InputError(f"espeak-ng cannot speak with the voice {voice}; try en-us.")
    # the header of a stream does not know its length: the samples follow it
    with soundfile.SoundFile(io.BytesIO(done.stdout[:44])) as head:
        rate = head.samplerate
    wave = (
        np.frombuffer(done.stdout[44 : 44 + (len(done.stdout) - 44) // 2 * 2], dtype="<i2").astype(np.float32) / 32768
    )
    if not len(wave):
        raise InputError("espeak-ng made no sound of this text; type words.")
    return as_speech(wave[: SECONDS * rate], rate).astype(np.float32)


def voices() -> list[tuple[str, str]]:
    """The languages that espeak-ng speaks: `(name for voice, language)`, empty without it."""
    program = speaker()
    if program is None:
        return []
    try:
        done = subprocess.run(
            [program, "--voices"], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    found = {r[1]: r[3].replace("_", " ") for r in rows if len(r) > 3 and _VOICE.fullmatch(r[1])}
    return sorted(found.items(), key=lambda pair: (not pair[0].startswith("en"), pair[1]))
