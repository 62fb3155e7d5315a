"""The sound of a clip, or of a sound file in a clip's container."""

import av
import numpy as np

from core.errors import InputError
from core.face.clip.containers import ACCEPTED, demuxer, opened

RATE = 16_000


def sound_part(
    label: str, data: bytes, form: str, *, start: float | None, begin: float, count: int, rate: int
) -> tuple[np.ndarray, int, bool]:
    """Samples of a clip's first sound track, mono, placed by their presentation time.

    Args:
        start: presentation time that counts as 0; that of the first sample when None.
        begin: seconds from `start` where the part begins.
        count: how many samples.
        rate: samples a second.

    Returns:
        `(count,)` float32 with silence where there is no sound, how many samples lie before the sound's end (at most
        `count`, and beyond it when there is more), and whether the track is damaged there.

    Raises:
        InputError: the sound is damaged from its start.
    """
    out, at, broken = np.zeros(count, dtype=np.float32), None, False
    with opened(label, data, form) as container:
        stream = container.streams.audio[0]
        resampler = av.AudioResampler(format="flt", layout="mono", rate=rate)
        try:
            for frame in container.decode(stream):
                if at is None:
                    first = float(frame.time) if frame.time is not None else (start or 0.0)
                    at = round((first - (first if start is None else start) - begin) * rate)
                frame.pts = None
                for block in resampler.resample(frame):
                    at += _place(out, block.to_ndarray()[0], at)
                if at > count:
                    break
            else:
                for block in resampler.resample(None) if at is not None else []:
                    at += _place(out, block.to_ndarray()[0], at)
        except av.FFmpegError:
            broken = True
    if broken and (at is None or at <= 0):
        raise InputError(f"The sound of {label} is damaged; {ACCEPTED}.")
    return np.clip(np.nan_to_num(out, posinf=0.0, neginf=0.0), -1, 1), at or 0, broken


def sound_of(label: str, data: bytes, *, seconds: float, rate: int = RATE) -> tuple[np.ndarray, list[str]]:
    """The sound of a file that need not have a picture (m4a, a browser's recording), mono at 16 kHz, with notes.

    Raises:
        InputError: there is no sound in it, or it is damaged.
    """
    form = demuxer(label, data)
    with opened(label, data, form) as container:
        if not container.streams.audio:
            raise InputError(f"{label} holds no sound; choose a clip with sound, or a wav, flac, ogg or mp3 file.")
    count = round(seconds * rate)
    wave, reached, broken = sound_part(label, data, form, start=None, begin=0.0, count=count, rate=rate)
    if reached <= 0:
        raise InputError(f"{label} holds no sound; choose a clip with sound, or a wav, flac, ogg or mp3 file.")
    notes = [f"Only the first {seconds:.0f} seconds were kept."] if reached > count else []
    if broken:
        notes.append(f"The sound is damaged after {reached / rate:.1f} seconds; the part before it was read.")
    return wave[:reached], notes


def _place(out: np.ndarray, block: np.ndarray, at: int) -> int:
    """Copy a block of samples to where it belongs, as far as it lies inside; its length."""
    low, high = max(at, 0), min(at + len(block), len(out))
    if low < high:
        out[low:high] = block[low - at : high - at]
    return len(block)
