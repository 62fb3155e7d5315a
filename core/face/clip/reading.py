"""Frames and sound of an uploaded clip, by presentation time, in bounded memory."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import av
import numpy as np

from core.datasets.guard import base, decoding
from core.errors import InputError
from core.face.clip.containers import ACCEPTED, check_pixels, demuxer, length_measured, length_told, opened
from core.face.clip.sounding import RATE, sound_part
from core.face.clip.timing import held

FPS = 25.0  # of the released networks
LONGEST = 512
MOST_SECONDS = 120.0  # of the part that is read
_SLACK = 0.002  # files round their times to milliseconds
_MISSING = 0.5  # seconds; less than this missing at the end is nothing to speak of


class _Reach:
    """Up to where a clip could be decoded, in seconds; infinite until its end was met too early."""

    end = float("inf")


@dataclass(frozen=True, eq=False)
class Clip:
    """An opened clip; nothing is decoded yet.

    Attributes:
        name: of the file, safe to show.
        width, height: as shown, in pixels: turned upright, pixels made square.
        seconds: how long the picture lasts.
        fps: frames a second on average.
        rotation: degrees clockwise by which the stored picture is turned to be upright: 0, 90, 180 or 270.
        sounding: whether there is sound.
        form: what kind of file it is.
        notes: what was found while reading, for the person; grows as frames are read.
    """

    name: str
    data: bytes = field(repr=False)
    form: str
    width: int
    height: int
    seconds: float
    fps: float
    rotation: int
    sounding: bool
    start: float
    notes: list[str] = field(default_factory=list)

    def frames(
        self,
        fps: float = FPS,
        *,
        longest: int | None = LONGEST,
        begin: float = 0.0,
        end: float | None = None,
    ) -> Iterator[tuple[float, np.ndarray]]:
        """Pictures at a steady rate: at each time the frame that a player shows then, so uneven clips are evened.

        Args:
            fps: pictures a second that come out.
            longest: the longest side in pixels; larger frames are made smaller as they are decoded; None keeps them.
            begin, end: the part to read, in seconds from the clip's first frame.

        Yields:
            seconds from the clip's first frame, and `(H, W, 3)` uint8, upright. A picture shown twice is one array.

        Raises:
            InputError: no such part, a part longer than `MOST_SECONDS`, or no frame can be decoded.
        """
        if not 0.1 <= fps <= 240:
            raise InputError("Frames can be read at 0.1 to 240 a second.")
        end = self.seconds if end is None else min(end, self.seconds)
        if not 0 <= begin < end:
            raise InputError(f"{self.name} lasts {self.seconds:.2f} s; choose a part of it that begins before it ends.")
        if end - begin > MOST_SECONDS:
            raise InputError(
                f"{end - begin:.0f} s of {self.name} are too long; choose a part of at most {MOST_SECONDS:.0f} s."
            )
        return self._frames(fps, longest, begin, end)

    def _frames(self, fps, longest, begin, end):
        size, reach = _fitted(self._stored, longest), _Reach()
        shown = held(self._decoded(begin, reach), fps, begin=begin, end=end, slack=_SLACK)
        last: tuple[object, np.ndarray] | None = None
        for seconds, frame in shown:
            if last is not None and seconds > reach.end:
                return
            if last is None or last[0] is not frame:
                last = (frame, _picture(frame, size, self.rotation))
            yield seconds, last[1]
        if last is None:
            raise InputError(f"No frame of {self.name} can be decoded; {ACCEPTED}.")

    @cached_property
    def _stored(self) -> tuple[int, int]:
        """Width and height before turning."""
        return (self.height, self.width) if self.rotation in (90, 270) else (self.width, self.height)

    def _decoded(self, begin: float, reach: "_Reach") -> Iterator[tuple[float, av.VideoFrame]]:
        """Frames with their times from the clip's start; what is missing at the end is left out, with a note."""
        with opened(self.name, self.data, self.form) as container:
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            step = 1 / self.fps
            if begin > 5 and self.form != "gif":  # to the key frame before the part
                container.seek(int((self.start + begin) * av.time_base), backward=True)
            now, lasts = -step, step
            try:
                for frame in container.decode(stream):
                    check_pixels(self.name, frame.width, frame.height)  # some formats change it on the way
                    now = now + step if frame.time is None else float(frame.time) - self.start
                    lasts = float(frame.duration * frame.time_base) if frame.duration and frame.time_base else step
                    yield now, frame
            except av.FFmpegError:
                if now < 0:
                    raise InputError(f"{self.name} is damaged; {ACCEPTED}.") from None
            if now + max(lasts, step) < self.seconds - _MISSING:
                reach.end = now + lasts
                self._note(
                    f"The clip is damaged or cut off after {reach.end:.1f} seconds; the part before it was read."
                )

    def _note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)

    def sound(self, rate: int = RATE, *, begin: float = 0.0, end: float | None = None) -> np.ndarray | None:
        """The sound of the clip, mono `(n,)` float32 in about -1..1, in step with the frames; None without sound.

        Sound that starts after the first frame is preceded by silence, sound from before it is cut.

        Args:
            rate: samples a second.
            begin, end: the part to read, in seconds, as in `frames`.

        Raises:
            InputError: the part is longer than `MOST_SECONDS`, or the sound is damaged from its start.
        """
        if not self.sounding:
            return None
        end = self.seconds if end is None else min(end, self.seconds)
        if end - begin > MOST_SECONDS:
            raise InputError(
                f"{end - begin:.0f} s of {self.name} are too long; choose a part of at most {MOST_SECONDS:.0f} s."
            )
        count = max(0, round((end - begin) * rate))
        wave, reached, broken = sound_part(
            self.name, self.data, self.form, start=self.start, begin=begin, count=count, rate=rate
        )
        if broken:
            self._note(f"The sound is damaged after {begin + reached / rate:.1f} seconds; silence follows.")
        return wave


def open_clip(name: str, data: bytes) -> Clip:
    """Look at a clip: size, length, rate, rotation and whether it has sound.

    The kind of file is told by its first bytes and the decoder is held to it: a text file that names other files or
    addresses is never followed.

    Raises:
        InputError: empty, too large, not a clip, without a picture, or damaged (one sentence).
    """
    label = base(name)
    form = demuxer(label, data)
    with opened(label, data, form) as container:
        if not container.streams.video:
            raise InputError(f"{label} holds no picture; {ACCEPTED}.")
        with decoding(label, ACCEPTED):
            stream = container.streams.video[0]
            codec = stream.codec_context
            check_pixels(label, codec.width, codec.height)  # before they are given memory
            frame = next(iter(container.decode(stream)), None)
            width, height = (codec.width, codec.height) if frame is None else (frame.width, frame.height)
            if frame is None or not width or not height:
                raise InputError(f"No frame of {label} can be decoded; {ACCEPTED}.")
            rotation = round(-frame.rotation / 90) % 4 * 90
            aspect = float(stream.sample_aspect_ratio or 1) or 1.0
            fps = float(stream.average_rate or stream.guessed_rate or FPS)
            start = float(frame.time) if frame.time is not None else 0.0
            sounding = bool(container.streams.audio)
            length = length_told(container, stream, start)
    check_pixels(label, width, height)
    if not 0.01 <= fps <= 1000:
        fps = FPS
    if length is None:
        length = length_measured(label, data, form, start, fps)
    width = max(1, round(width * aspect)) if 0.1 < aspect < 10 else width
    size = (height, width) if rotation in (90, 270) else (width, height)
    return Clip(label, data, form, *size, max(length, 1 / fps), fps, rotation, sounding, start)


def _fitted(size: tuple[int, int], longest: int | None) -> tuple[int, int]:
    """Width and height, no longer than asked for."""
    scale = 1.0 if longest is None else min(1.0, longest / max(size))
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _picture(frame: av.VideoFrame, size: tuple[int, int], rotation: int) -> np.ndarray:
    """`(H, W, 3)` uint8 of a decoded frame, resized and turned upright."""
    untold = int(frame.colorspace) not in (1, 4, 5, 6, 7, 9, 10)
    large = untold and frame.height >= 720 and not frame.format.is_rgb  # players take these for BT.709
    source = "ITU709" if large else None
    small = frame.reformat(*size, format="rgb24", src_colorspace=source, interpolation="AREA")
    return np.ascontiguousarray(np.rot90(small.to_ndarray(), -rotation // 90))
