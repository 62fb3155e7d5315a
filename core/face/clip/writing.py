"""Clips out: mp4 with sound, and gif, both with the mark that they were synthesised; with progress and stop."""

import io
import tempfile
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from PIL import Image

from core.errors import InputError
from core.face.clip.marks import COMMENT, SYNTHETIC, TITLE, checked
from core.progress import Run

SOUND_RATE = 48_000
GIF_FPS = 12.5  # a gif counts in hundredths of a second
GIF_MOST_PIXELS = 400_000_000  # of all frames together
_PALETTE_BYTES = 64_000_000  # of frames that are looked at for the palette


def write_mp4(
    frames: Iterable[np.ndarray],
    fps: float = 25.0,
    *,
    sound: np.ndarray | None = None,
    rate: int = 16_000,
    total: int | None = None,
    run: Run | None = None,
    crf: int = 18,
) -> bytes:
    """An mp4 (H.264, yuv420p, BT.709; AAC) that plays everywhere and starts before it has arrived in full.

    H.264 in this form needs even sides: a picture with an odd side gets its last row or column once more.

    Args:
        frames: pictures `(H, W, 3)` uint8, all of one size; asked for one after the other, so that they can be
            rendered meanwhile.
        fps: of the frames.
        sound: `(n,)` or `(n, channels)` in -1..1, one or two channels; what outlasts the picture is cut.
        rate: of the sound.
        total: how many frames there will be, for the progress.
        run: told `progress(frame, total)`; asked `should_stop()` before each frame. Stopped, the frames so far make
            the clip.
        crf: quality of H.264, 0 (lossless) to 51.

    Raises:
        InputError: no frame, frames of differing sizes, or a sound that is none.
    """
    run = run or Run()
    wave = None if sound is None else _stereo(sound, rate)
    with tempfile.TemporaryDirectory(prefix="clip-") as folder:
        path = Path(folder) / "out.mp4"  # moving the index to the front needs a file that can be read again
        with av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"}) as container:
            container.metadata.update(title=TITLE, comment=COMMENT, description="synthetic=true")
            _encode(container, _told(frames, total, run), Fraction(fps).limit_denominator(1001), wave, crf)
        return path.read_bytes()


def _encode(container, frames: Iterator[np.ndarray], fps: Fraction, wave: np.ndarray | None, crf: int) -> None:
    first = next(frames, None)
    if first is None:
        raise InputError("There is no frame to write; render at least one.")
    shape = first.shape
    stream = container.add_stream("libx264", rate=fps, options={"preset": "veryfast", "crf": str(crf)})
    stream.width, stream.height = (n + n % 2 for n in (shape[1], shape[0]))
    stream.pix_fmt = "yuv420p"
    codec = stream.codec_context
    codec.colorspace = codec.color_primaries = codec.color_trc = 1  # BT.709
    codec.color_range = 1  # 16..235
    voice = None
    if wave is not None:
        voice = container.add_stream("aac", rate=SOUND_RATE, layout="stereo" if wave.shape[0] == 2 else "mono")
    done, spoken = 0, 0
    while first is not None:
        if first.shape != shape:
            raise InputError("All frames of a clip need one size.")
        container.mux(stream.encode(_frame(first, done)))
        done += 1
        if voice is not None:
            until = min(int(done * SOUND_RATE / fps), wave.shape[1])
            container.mux(_spoken(voice, wave, spoken, until))
            spoken = until
        first = next(frames, None)
    container.mux(stream.encode(None))
    if voice is not None:
        container.mux(voice.encode(None))


def _frame(picture: np.ndarray, number: int) -> av.VideoFrame:
    h, w = picture.shape[:2]
    even = np.pad(picture, ((0, h % 2), (0, w % 2), (0, 0)), mode="edge") if h % 2 or w % 2 else picture
    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(even), format="rgb24")
    frame = frame.reformat(format="yuv420p", dst_colorspace="ITU709")
    frame.pts = number
    return frame


def _spoken(voice, wave: np.ndarray, begin: int, end: int) -> list[av.Packet]:
    if end <= begin:
        return []
    frame = av.AudioFrame.from_ndarray(wave[:, begin:end].copy(), format="fltp", layout=voice.codec_context.layout.name)
    frame.sample_rate, frame.pts, frame.time_base = SOUND_RATE, begin, Fraction(1, SOUND_RATE)
    return voice.encode(frame)


def _stereo(sound: np.ndarray, rate: int) -> np.ndarray:
    """`(channels, n)` at 48 kHz, one or two channels."""
    from scipy.signal import resample_poly

    sound = np.asarray(sound, dtype=np.float32)
    sound = sound[None] if sound.ndim == 1 else sound.T
    if sound.ndim != 2 or sound.shape[0] not in (1, 2) or not np.isfinite(sound).all() or not 1000 <= rate <= 384_000:
        raise InputError("The sound of a clip needs one or two channels of finite samples, 1,000 to 384,000 a second.")
    ratio = Fraction(SOUND_RATE, int(rate))
    if ratio != 1 and sound.shape[1]:
        sound = resample_poly(sound, ratio.numerator, ratio.denominator, axis=1)
    return np.clip(sound, -1, 1).astype(np.float32)


def _told(frames: Iterable[np.ndarray], total: int | None, run: Run) -> Iterator[np.ndarray]:
    """The frames, checked; reports each one and ends when told to stop."""
    if total is None:
        total = len(frames) if hasattr(frames, "__len__") else 0
    source = iter(frames)
    done = 0
    while not run.should_stop():
        picture = next(source, None)
        if picture is None:
            return
        yield checked(picture)
        done += 1
        run.progress(done, max(total, done))


def write_gif(
    frames: Iterable[np.ndarray],
    fps: float = 25.0,
    *,
    most_fps: float = GIF_FPS,
    total: int | None = None,
    run: Run | None = None,
) -> bytes:
    """A gif that repeats for ever, with one palette of 256 colours and the mark as its comment.

    Args:
        frames, fps, total, run: as in `write_mp4`; of faster frames only some are kept.
        most_fps: frames a second at most; the nearest delay in hundredths of a second is taken, and frames are left out
            evenly, so that the length is kept.

    Raises:
        InputError: no frame, frames of differing sizes, or more pixels than a gif should hold.
    """
    delay = max(2, round(100 / min(fps, most_fps)))  # most viewers slow down anything faster than 2
    kept = _indexed(_thinned(_told(frames, total, run or Run()), fps, 100 / delay))
    first = next(kept, None)
    if first is None:
        raise InputError("There is no frame to write; render at least one.")
    out = io.BytesIO()
    first.save(
        out,
        format="GIF",
        save_all=True,
        append_images=kept,
        duration=10 * delay,
        loop=0,
        comment=SYNTHETIC.encode() + b" synthetic=true",
        optimize=False,
    )
    return out.getvalue()


def _thinned(frames: Iterator[np.ndarray], fps: float, most: float) -> Iterator[np.ndarray]:
    """The frame on the screen at every `1 / most` seconds."""
    due, shape, pixels = 0, None, 0
    for k, picture in enumerate(frames):
        shape = shape or picture.shape
        if picture.shape != shape:
            raise InputError("All frames of a clip need one size.")
        while (k + 1) / fps > due / most + 1e-9:
            pixels += shape[0] * shape[1]
            if pixels > GIF_MOST_PIXELS:
                raise InputError("This clip is too large for a gif; write an mp4, or a shorter or smaller gif.")
            yield picture
            due += 1


def _indexed(frames: Iterator[np.ndarray]) -> Iterator[Image.Image]:
    """Frames in one palette, chosen from the first 64 MB of them."""
    waiting: list[np.ndarray] = []
    for picture in frames:
        waiting.append(picture)
        if len(waiting) * picture.nbytes >= _PALETTE_BYTES:
            break
    if not waiting:
        return
    looked = waiting[:: max(1, len(waiting) // 12)]
    step = max(1, int((sum(p[..., 0].size for p in looked) / 400_000) ** 0.5))
    sample = np.concatenate([p[::step, ::step].reshape(-1, 3) for p in looked])
    palette = Image.fromarray(sample[None]).quantize(256, method=Image.Quantize.MEDIANCUT)
    while waiting:
        yield Image.fromarray(waiting.pop(0)).quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG)
    for picture in frames:
        yield Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG)
