"""What drives the face: a clip of one's own, or speech from a sample, a file, the microphone or typed text."""

import hashlib
import io
from dataclasses import dataclass, field

import numpy as np
import streamlit as st

from core.datasets.samples import ASSETS
from core.errors import InputError
from core.face.clip.curves import CodeCurves
from core.face.clip.reading import Clip, open_clip
from core.face.editing import drive
from core.face.photo import networks
from core.face.speech import sound
from core.ui.background import background
from core.ui.brought import Brought
from core.ui.history import History
from core.ui.text import escape, say_error
from core.ui.view import entry
from pages.face.opened import Opened
from pages.face.view import FaceView

SOURCES = {"speech": "speech", "clip": "a clip"}
VOICES = {"sample": "a sample", "file": "a file", "record": "a recording", "text": "text"}
LONGEST = 60.0  # seconds
_SAMPLE = ASSETS / "speech.flac"


@dataclass(frozen=True, eq=False)
class Spoken:
    """A sound: as the model hears it, and as it goes into the clip."""

    name: str
    wave: np.ndarray
    faithful: np.ndarray
    rate: int
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, eq=False)
class Driver:
    """Curves before gains and edits, and the sound that belongs to them.

    Attributes:
        curves: codes of a clip or of speech.
        key: names all that they follow from.
        finished: they are codes of this face already (speech), and not of another one (a clip).
        sound, rate: for the clip that is written, or None.
    """

    curves: CodeCurves
    key: str
    finished: bool
    sound: np.ndarray | None = None
    rate: int = 16_000


def choose(history: History[FaceView], on: Opened, base: np.ndarray) -> Driver | None:
    """The widgets, and what drives the face as soon as it is known."""
    now = history.now
    source = entry(now.drive, "source", "speech")
    source = source if source in SOURCES else "speech"
    history.bind(
        "drive.source", st.segmented_control, "Driven by", list(SOURCES), value=source, required=True,
        format_func=SOURCES.get, after={},
    )  # fmt: skip
    return _speech(history, on, base) if source == "speech" else _clip(history, on)


# -- speech ------------------------------------------------------------------------------------------------------------


def _speech(history: History[FaceView], on: Opened, base: np.ndarray) -> Driver | None:
    now = history.now
    voice = entry(now.drive, "voice", "sample")
    voice = voice if voice in VOICES else "sample"
    history.bind(
        "drive.voice", st.segmented_control, "Speech from", list(VOICES), value=voice, required=True,
        format_func=VOICES.get,
    )  # fmt: skip
    said = {"sample": _sample, "file": _file, "record": _record}[voice]() if voice != "text" else _text(history)
    choices = _idle(history)
    if said is None:
        return None
    st.audio(_wav(said), format="audio/wav")
    for note in said.notes:
        st.caption(escape(note))
    key = hashlib.sha256(said.wave.tobytes() + repr((choices, base.round(6).tolist(), on.key)).encode()).hexdigest()
    try:
        curves = _curves_of(key, said.wave, base, on, choices)
    except InputError as error:
        say_error(error)
        return None
    head = _head(history, on)
    if head is not None:
        followed = head.driving(base, relative=True)
        curves = drive.with_banks(curves, followed, ["pose"])
    return Driver(curves, key, True, said.faithful, said.rate)


def _head(history: History[FaceView], on: Opened) -> CodeCurves | None:
    """The curves of the clip whose head is followed while the mouth speaks; None for the idle one."""
    if not clips().things or networks.missing():
        return None
    asked = entry(history.now.drive, "head", False)
    history.bind(
        "drive.head", st.toggle, "Head of the clip", value=asked,
        help="The head follows that of the clip that was brought, and not the idle motion.",
    )  # fmt: skip
    chosen = entry(history.now.drive, "clip", "")
    clip = clips().things.get(chosen)
    if not asked or clip is None:
        return None
    begin, end = part(history.now, clip)
    return _followed(on, clip, chosen, begin, min(end, begin + LONGEST))


def _wav(said: Spoken) -> bytes:
    import soundfile

    out = io.BytesIO()
    soundfile.write(out, said.faithful, said.rate, format="WAV", subtype="PCM_16")
    return out.getvalue()


def _curves_of(key: str, wave: np.ndarray, base: np.ndarray, on: Opened, choices: dict) -> CodeCurves:
    kept = st.session_state.setdefault("face:spoken", {})
    if key not in kept:
        kept.clear()
        kept[key] = drive.speech_curves(wave, base, on.directions, **choices)
    return kept[key]


def _idle(history: History[FaceView]) -> dict:
    now = history.now
    closed = entry(now.drive, "closed", True)
    with st.container(horizontal=True, vertical_alignment="center"):
        history.bind(
            "drive.closed", st.toggle, "From a closed mouth", value=closed,
            help="The mouth speaks from a resting one. Otherwise it speaks from the mouth as it is in the picture.",
        )  # fmt: skip
        history.bind("drive.blinks", st.toggle, "Blinks", value=(blinks := entry(now.drive, "blinks", True)))
    amount = entry(now.drive, "amount", 1.0, 0.0, 3.0)
    history.bind(
        "drive.amount", st.slider, "Idle motion of the head", 0.0, 3.0, value=amount, step=0.1,
        help="0 keeps the head still; 1 is how a listener's moves.",
    )  # fmt: skip
    return dict(closed=closed, blinks=blinks, amount=amount, seed=now.seed)


@st.cache_resource(show_spinner=False)
def _sample_sound() -> Spoken:
    data = _SAMPLE.read_bytes()
    wave, notes = sound.read_speech(_SAMPLE.name, data)
    faithful, rate = sound.faithful(_SAMPLE.name, data)
    return Spoken("A sentence of CMU ARCTIC", wave, faithful, rate, tuple(notes))


def _sample() -> Spoken:
    return _sample_sound()


def _sounds() -> Brought[Spoken]:
    return Brought[Spoken].of("face:sounds")


def _read(name: str, data: bytes) -> Spoken | None:
    """A sound of this session; read once."""
    brought, print_ = _sounds(), hashlib.sha256(data).hexdigest()[:16]
    if print_ not in brought.things:
        try:
            with st.spinner("Listening ..."):
                wave, notes = sound.read_speech(name, data)
                faithful, rate = sound.faithful(name, data)
        except InputError as error:
            say_error(error)
            return None
        cut = int(LONGEST * 16_000)
        if len(wave) > cut:
            notes.append(f"Only the first {LONGEST:.0f} seconds are spoken.")
        brought.keep(print_, Spoken(name, wave[:cut], faithful[: int(LONGEST * rate)], rate, tuple(notes)))
    return brought.things[print_]


def _file() -> Spoken | None:
    file = st.file_uploader(
        "A sound, or a clip with sound", key="face:sound",
        help="wav, flac, ogg, mp3, or the sound of mp4, mov, webm and avi. It stays in this session.",
    )  # fmt: skip
    return None if file is None else _read(file.name, file.getvalue())


def _record() -> Spoken | None:
    file = st.audio_input("Record", key="face:record")
    return None if file is None else _read("recording.wav", file.getvalue())


def _text(history: History[FaceView]) -> Spoken | None:
    if sentence := sound.missing_speaker():
        st.info(escape(sentence), icon=":material/record_voice_over:")
        return None
    now = history.now
    text = history.bind(
        "drive.text", st.text_area, "Text", value=entry(now.drive, "text", "The quick brown fox jumps over the dog."),
        max_chars=sound.MOST_CHARACTERS, height=80,
    )  # fmt: skip
    known = _voices()
    tongue = entry(now.drive, "tongue", "en-us")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        tongue = history.bind(
            "drive.tongue", st.selectbox, "Language", list(known), value=tongue if tongue in known else "en-us",
            format_func=known.get, width=220,
        )  # fmt: skip
        pace = history.bind(
            "drive.pace", st.slider, "Words a minute", 80, 300, value=entry(now.drive, "pace", 150, 80, 300), step=10
        )
    try:
        wave = _spoken(text, tongue, pace)
    except InputError as error:
        say_error(error)
        return None
    return Spoken("text", wave, wave, 16_000)


@st.cache_resource(show_spinner=False)
def _voices() -> dict[str, str]:
    found = dict(sound.voices())
    return found if "en-us" in found else {"en-us": "English (America)", **found}


def _spoken(text: str, tongue: str, pace: int) -> np.ndarray:
    kept, key = st.session_state.setdefault("face:said", {}), (text, tongue, pace)
    if key not in kept:
        kept.clear()
        kept[key] = sound.speak(text, voice=tongue, pace=pace)
    return kept[key]


# -- clips -------------------------------------------------------------------------------------------------------------


def clips() -> Brought[Clip]:
    """The clips of this session."""
    return Brought[Clip].of("face:clips")


def _clip(history: History[FaceView], on: Opened) -> Driver | None:
    if sentence := networks.missing():
        st.info(escape(f"Codes of a clip need the face finder. {sentence}"), icon=":material/download:")
        return None
    now, brought = history.now, clips()
    _bring(history, brought)
    chosen = entry(now.drive, "clip", "")
    if chosen not in brought.things:
        st.caption("Bring a clip of a person who faces the camera; the face follows it.")
        return None
    clip = brought.things[chosen]
    st.caption(
        escape(f"{clip.name}: {clip.seconds:.1f} s, {clip.width} × {clip.height}, {clip.fps:.1f} frames a second.")
    )
    begin, end = part(now, clip)
    if clip.seconds > 0.5:
        history.bind(
            "drive.part", st.slider, "Part, seconds", 0.0, round(clip.seconds, 2), value=(begin, end), step=0.04
        )
    if end - begin > LONGEST:
        say_error(f"This part lasts {end - begin:.0f} s; choose at most {LONGEST:.0f} s.")
        return None
    history.bind(
        "drive.relative", st.segmented_control, "The clip gives", [True, False], required=True,
        value=entry(now.drive, "relative", True),
        format_func=lambda r: "its changes" if r else "its codes",
        help="Its changes since its first frame are added to the face's code, so that the first frame leaves the face "
        "as it is; its codes take the place of the face's.",
    )  # fmt: skip
    key = f"{chosen}:{begin}:{end}"
    curves = _followed(on, clip, chosen, begin, end)
    for note in clip.notes:
        st.caption(escape(note))
    if curves is None:
        return None
    if not curves.present.all():
        st.caption(f"No face in {np.mean(~curves.present):.0%} of the frames; the last code is held there.")
    heard = _heard(clip, begin, end, key)
    return Driver(curves, key, False, heard, 48_000)


def _followed(on: Opened, clip: Clip, chosen: str, begin: float, end: float) -> CodeCurves | None:
    """The codes of a clip, once they are there."""
    return background(
        "face:follow", f"{chosen}:{begin}:{end}:{id(clip)}",
        lambda run: drive.clip_curves(clip, on.directions, begin=begin, end=end, run=run), "Following the face",
        lane="face",
    )  # fmt: skip


def part(view: FaceView, clip: Clip) -> tuple[float, float]:
    """The part of a clip that is used, seconds."""
    value, last = view.drive.get("part"), round(clip.seconds, 2)
    fine = (
        isinstance(value, (list, tuple))
        and len(value) == 2
        and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in value)
        and 0 <= value[0] < value[1] <= last
    )
    return (float(value[0]), float(value[1])) if fine else (0.0, min(last, 10.0))


def _heard(clip: Clip, begin: float, end: float, key: str) -> np.ndarray | None:
    kept = st.session_state.setdefault("face:heard", {})
    if key not in kept:
        kept.clear()
        try:
            kept[key] = clip.sound(48_000, begin=begin, end=end)
        except InputError:
            kept[key] = None
    return kept[key]


def _bring(history: History[FaceView], brought: Brought[Clip]) -> None:
    file = st.file_uploader(
        "A clip", key=f"face:clip:{brought.generation}", help="mp4, mov, webm, avi or gif. It stays in this session."
    )
    if file is not None:
        data = file.getvalue()
        clip = brought.read(lambda: open_clip(file.name, data), "Opening the clip ...")
        print_ = hashlib.sha256(data).hexdigest()[:16]
        brought.keep(print_, clip, (file.name,))
        rest = {n: v for n, v in history.now.drive.items() if n not in ("part", "edits")}
        history.change(drive={**rest, "source": "clip", "clip": print_})
        st.rerun()
    if brought.error:
        say_error(brought.error)
