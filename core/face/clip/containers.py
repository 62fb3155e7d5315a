"""What kind of video a file is, how it is opened, and how long it lasts."""

import io
import struct

import av

from core.datasets.guard import decoding
from core.errors import InputError

ENDINGS = ("mp4", "mov", "webm", "avi", "gif")
ACCEPTED = "accepted are complete mp4, mov, webm, avi and gif clips"
MOST_BYTES = 500_000_000
MOST_PIXELS = 8192 * 4320  # of one frame


def demuxer(label: str, data: bytes) -> str:
    """The demuxer that a file is given to."""
    if not data:
        raise InputError(f"{label} is empty; {ACCEPTED}.")
    if len(data) > MOST_BYTES:
        raise InputError(f"{label} is larger than {MOST_BYTES // 10**6} MB, the most that is accepted here.")
    if form := _by_magic(data):
        if form == "gif" and len(data) >= 10:  # looking at one already takes memory for its canvas
            check_pixels(label, *struct.unpack_from("<HH", data, 6))
        return form
    raise InputError(f"{label} is not a video that is read here; {ACCEPTED}.")


def check_pixels(label: str, width: int, height: int) -> None:
    """Refuse frames that are too large.

    Raises:
        InputError: more than `MOST_PIXELS`.
    """
    if width * height > MOST_PIXELS:
        raise InputError(f"{label} has frames of {width} x {height} pixels; at most 8192 x 4320 are accepted.")


def is_container(data: bytes) -> bool:
    """Whether the bytes begin like one of the containers that can hold sound."""
    return _by_magic(data) in ("mov", "matroska", "avi")


def _by_magic(data: bytes) -> str | None:
    if data[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip"):
        return "mov"
    if data[:4] == b"\x1aE\xdf\xa3":
        return "matroska"
    if data[:4] == b"RIFF" and data[8:12] == b"AVI ":
        return "avi"
    return "gif" if data[:6] in (b"GIF87a", b"GIF89a") else None


def opened(label: str, data: bytes, form: str):
    with decoding(label, ACCEPTED):
        return av.open(io.BytesIO(data), format=form, metadata_errors="replace")


def length_told(container, stream, start: float) -> float | None:
    """Seconds of the picture as the file says, or None."""
    if stream.duration and stream.time_base:
        begin = float((stream.start_time or 0) * stream.time_base)
        return float(stream.duration * stream.time_base) + begin - start
    if container.duration and container.format.name != "gif":
        return container.duration / av.time_base
    return None


def length_measured(label: str, data: bytes, form: str, start: float, fps: float) -> float:
    """Seconds of the picture by its packets, for files that do not say (browsers record such ones)."""
    end = start
    with opened(label, data, form) as container, decoding(label, ACCEPTED):
        for packet in container.demux(video=0):
            if packet.pts is not None:
                last = packet.duration * packet.time_base if packet.duration else 1 / fps
                end = max(end, float(packet.pts * packet.time_base) + float(last))
    return end - start
