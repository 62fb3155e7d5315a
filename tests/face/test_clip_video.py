"""Clips in and out: what was written comes back, at the right time, upright, in step with its sound, and marked."""

import io
import struct

import av
import numpy as np
import pytest
from PIL import Image

from core.errors import InputError
from core.face.clip.marks import SOURCE_TYPE, SYNTHETIC, is_marked, marked_jpeg, marked_png
from core.face.clip.reading import open_clip
from core.face.clip.timing import held
from core.face.clip.writing import write_gif, write_mp4
from core.progress import CallbackRun


def pictures(n, h=48, w=64):
    """Frames whose blue tells their number: 10 k; red and green are smooth ramps."""
    y, x = np.mgrid[:h, :w]
    for k in range(n):
        yield np.stack([x * 200 // w, y * 200 // h, np.full_like(x, 10 * k)], -1).astype(np.uint8)


def numbers(frames):
    return [round(float(f[..., 2].mean()) / 10) for _, f in frames]


def timed(times, *, form="mp4", codec="libx264", rate=1000):
    """A clip whose frames are shown at the given seconds."""
    from fractions import Fraction

    out = io.BytesIO()
    with av.open(out, "w", format=form) as container:
        stream = container.add_stream(codec, rate=30, options={"qp": "0"} if codec == "libx264" else {"crf": "10"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.bit_rate = 4_000_000
        stream.codec_context.time_base = stream.time_base = Fraction(1, rate)
        for t, picture in zip(times, pictures(len(times)), strict=True):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = round(t * rate), Fraction(1, rate)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return out.getvalue()


def test_an_mp4_comes_back_with_size_rate_length_colour_and_sound():
    rng = np.random.default_rng(0)
    n = 32_000
    sound = 0.3 * np.sin(2 * np.pi * np.cumsum(200 + 600 * np.arange(n) / n) / 16_000).astype(np.float32)
    data = write_mp4(pictures(25), 25, sound=sound)
    assert data.find(b"moov") < data.find(b"mdat")  # starts before it has arrived in full
    clip = open_clip("a.mp4", data)
    assert (clip.width, clip.height, clip.rotation, clip.sounding) == (64, 48, 0, True)
    assert clip.fps == 25 and clip.seconds == pytest.approx(1.0, abs=1e-3)
    back = list(clip.frames())
    assert [t for t, _ in back] == pytest.approx([k / 25 for k in range(25)])
    for (_, got), wanted in zip(back, pictures(25), strict=True):
        assert np.abs(got.astype(int) - wanted).mean() < 4  # 8-bit luma and halved chroma
    heard = clip.sound()
    assert len(heard) == 16_000  # cut to the picture
    part = slice(2000, 14_000)
    # sound and picture start together: the best shift is none, to within a sample
    shifts = range(-40, 41)
    fit = [float(np.dot(heard[part], np.roll(sound[:16_000], s)[part])) for s in shifts]
    assert abs(shifts[int(np.argmax(fit))]) <= 1
    assert np.corrcoef(heard[part], sound[part])[0, 1] > 0.99
    quiet = write_mp4(pictures(3), 25, sound=rng.normal(size=(100, 2)) * 0.1, rate=44_100)
    assert open_clip("b.mp4", quiet).sound().shape == (1920,)
    assert open_clip("c.mp4", write_mp4(pictures(2))).sound() is None


def test_the_file_says_that_it_was_synthesised():
    data = write_mp4(pictures(2))
    with av.open(io.BytesIO(data)) as container:
        words = container.metadata
    assert SYNTHETIC in words["comment"] and "synthetic=true" in words["comment"] and SOURCE_TYPE in words["comment"]
    assert words["title"]
    gif = write_gif(pictures(2))
    assert SYNTHETIC in Image.open(io.BytesIO(gif)).info["comment"].decode()
    picture = next(pictures(1))
    png = Image.open(io.BytesIO(marked_png(picture)))
    assert (
        png.text["synthetic"] == "true" and png.text["Comment"] == SYNTHETIC and SOURCE_TYPE.encode() in png.info["xmp"]
    )
    assert (np.asarray(png) == picture).all()
    jpeg = Image.open(io.BytesIO(marked_jpeg(picture)))
    assert SYNTHETIC.encode() in jpeg.getexif().get_ifd(0x8769)[0x9286] and SOURCE_TYPE.encode() in jpeg.info["xmp"]
    assert all(map(is_marked, (data, gif, marked_png(picture), marked_jpeg(picture))))
    assert not is_marked(timed([0, 0.1]))


def test_odd_sides_get_one_more_row_and_column():
    clip = open_clip("odd.mp4", write_mp4(pictures(2, 47, 63)))
    assert (clip.width, clip.height) == (64, 48)
    (_, first), *_ = clip.frames()
    assert np.abs(first[:47, :63].astype(int) - next(pictures(1, 47, 63))).mean() < 4


@pytest.mark.parametrize(("form", "codec"), [("mp4", "libx264"), ("webm", "libvpx"), ("avi", "mpeg4")])
def test_other_containers(form, codec):
    steady = [k / 25 for k in range(10)]
    data = timed(steady, form=form, codec=codec, rate=25 if form == "avi" else 1000)
    clip = open_clip(f"x.{form}", data)
    assert clip.seconds == pytest.approx(0.4, abs=0.05)
    assert numbers(clip.frames()) == pytest.approx(list(range(10)), abs=0)


def test_uneven_frames_are_shown_when_their_time_has_come():
    times = [0.0, 0.033, 0.21, 0.25, 0.251, 0.6, 1.0, 1.04]
    clip = open_clip("vfr.mp4", timed(times))
    got = numbers(clip.frames(end=1.2))
    grid = np.arange(len(got)) / 25
    wanted = np.searchsorted(np.array(times) - 0.002, grid, side="right") - 1  # the last that began
    assert got == wanted.tolist() and len(got) >= 27
    later = numbers(clip.frames(begin=0.2, end=0.64))
    assert later == [int(np.searchsorted(np.array(times) - 0.002, 0.2 + k / 25, side="right")) - 1 for k in range(11)]
    fast = numbers(clip.frames(100, end=0.5))
    assert len(fast) == 50 and fast[24] == 2 and fast[26] == 4


def test_a_browsers_recording_that_does_not_say_how_long_it_is():
    out = io.BytesIO()
    with av.open(out, "w", format="webm", options={"live": "1"}) as container:
        stream = container.add_stream("libvpx", rate=25)
        stream.width, stream.height, stream.pix_fmt, stream.bit_rate = 64, 48, "yuv420p", 4_000_000
        for picture in pictures(20):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))
    with av.open(io.BytesIO(out.getvalue())) as container:
        assert not container.duration and not container.streams.video[0].duration
    clip = open_clip("recorded.webm", out.getvalue())
    assert clip.seconds == pytest.approx(0.8, abs=0.05) and numbers(clip.frames()) == list(range(20))


def test_held_frames_against_a_search():
    rng = np.random.default_rng(1)
    times = np.cumsum(rng.uniform(0.001, 0.2, 50))
    fps, end = 17.0, 4.0
    got = list(held(((t, i) for i, t in enumerate(times)), fps, end=end))
    grid = np.arange(len(got)) / fps
    assert [t for t, _ in got] == pytest.approx(grid.tolist()) and len(got) == 68
    assert [i for _, i in got] == np.maximum(np.searchsorted(times, grid, side="right") - 1, 0).tolist()
    assert list(held([], 25, end=1.0)) == []


def test_a_turned_clip_comes_upright():
    data = bytearray(timed([0.0, 0.04]))
    at = data.find(b"tkhd") + 4
    matrix = at + (40 if data[at] == 0 else 52)
    one = 0x10000
    assert struct.unpack_from(">i", data, matrix)[0] == one
    struct.pack_into(">9i", data, matrix, 0, one, 0, -one, 0, 0, 48 * one, 0, 0x40000000)  # a phone held upright
    clip = open_clip("phone.mov", bytes(data))
    assert (clip.width, clip.height, clip.rotation) == (48, 64, 90)
    (_, first), *_ = clip.frames()
    stored = next(pictures(1)).astype(int)
    # turned clockwise: what was at the left comes to the top
    assert np.abs(first - np.rot90(stored, -1)).mean() < 4 < np.abs(first - np.rot90(stored, 1)).mean()


def test_large_frames_are_made_smaller():
    clip = open_clip("wide.mp4", write_mp4(pictures(2, 270, 480)))
    (_, small), *_ = clip.frames(longest=96)
    assert small.shape == (54, 96, 3)
    assert np.abs(small[::18, ::32, 0] - (np.arange(0, 480, 5)[::32] * 200 // 480 + 1)[None].astype(float)).mean() < 4
    (_, whole), *_ = clip.frames(longest=None)
    assert whole.shape == (270, 480, 3)


def test_gif_frames_delays_and_colours():
    data = write_gif(pictures(25), 25)
    picture = Image.open(io.BytesIO(data))
    assert (picture.n_frames, picture.info["duration"], picture.info["loop"]) == (13, 80, 0)
    picture.seek(6)
    got = np.asarray(picture.convert("RGB")).astype(int)
    wanted = list(pictures(25))[12]
    assert np.abs(got.mean((0, 1)) - wanted.mean((0, 1))).max() < 6
    clip = open_clip("x.gif", data)
    assert clip.fps == pytest.approx(12.5, abs=0.1) and not clip.sounding
    assert np.abs(np.diff(numbers(clip.frames(12.5)))).max() <= 3
    assert Image.open(io.BytesIO(write_gif(pictures(5), 5))).info["duration"] == 200


def test_rendering_reports_and_stops():
    seen = []

    def listen(report):
        seen.append((report.step, report.total))
        return report.step == 4

    data = write_mp4(pictures(20), 25, total=20, run=CallbackRun(listen))
    assert seen == [(k, 20) for k in (1, 2, 3, 4)]
    assert len(list(open_clip("x.mp4", data).frames())) == 4


def test_a_clip_that_is_cut_off_is_read_as_far_as_it_goes():
    rng = np.random.default_rng(0)
    noisy = (rng.integers(0, 255, (48, 64, 3)).astype(np.uint8) for _ in range(100))
    data = write_mp4(noisy, 25)
    clip = open_clip("x.mp4", data[: len(data) // 2])
    frames = list(clip.frames())
    assert 25 < len(frames) < 75 and "cut off" in clip.notes[0]


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.mp4", b"", "empty"),
        ("a.mp4", b"\0\0\0\x20ftypisom" + bytes(300), "damaged"),
        ("a.webm", b"\x1aE\xdf\xa3" + bytes(range(200)), "damaged"),
        ("a.gif", b"GIF89a" + bytes(20), "a.gif"),
        ("a.gif", b"GIF89a\x80\x3e\x80\x3e" + bytes(20), "16000 x 16000"),
        ("a.m3u8", b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n", "not a video"),
        ("a.mp4", b"ffconcat version 1.0\nfile '/etc/passwd'\n", "not a video"),
        ("a.mp4", b"\x89PNG\r\n\x1a\n", "not a video"),
    ],
)
def test_what_is_no_clip_is_refused_with_a_sentence(name, data, words):
    with pytest.raises(InputError, match=words) as refusal:
        list(open_clip(name, data).frames())
    assert str(refusal.value).endswith(".") and "\n" not in str(refusal.value)


def test_a_sound_without_picture_is_refused():
    out = io.BytesIO()
    with av.open(out, "w", format="mp4") as container:
        stream = container.add_stream("aac", rate=16_000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 16_000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    with pytest.raises(InputError, match="no picture"):
        open_clip("voice.mp4", out.getvalue())


def test_limits():
    clip = open_clip("x.mp4", write_mp4(pictures(3), 0.02))
    with pytest.raises(InputError, match="too long"):
        clip.frames()
    with pytest.raises(InputError, match="begins before it ends"):
        clip.frames(begin=1000.0)
    with pytest.raises(InputError, match="no frame"):
        write_mp4([])
    with pytest.raises(InputError, match="no frame"):
        write_gif(iter([]))
    with pytest.raises(InputError, match="one size"):
        write_mp4([np.zeros((4, 4, 3), np.uint8), np.zeros((6, 4, 3), np.uint8)])
    with pytest.raises(InputError, match="three colours"):
        write_mp4([np.zeros((4, 4))])
