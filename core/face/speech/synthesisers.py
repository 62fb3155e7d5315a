"""Voices that say when they speak which phoneme; only training and tests need them.

espeak-ng (`apt-get install espeak-ng`, GPL-3; what it speaks is free to use) tells its phonemes through its library.
flite (`apt-get install flite`, a BSD-like licence) prints them; two of its voices were made from recordings of people.
"""

import contextlib
import ctypes
import ctypes.util
import io
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np

from core.errors import InputError
from core.face.speech.visemes import Segment

_RETRIEVAL, _PHONEMES, _IPA = 2, 1, 2  # espeak_Initialize: synchronous output to the caller, events, their names
_EVENT_END, _EVENT_PHONEME = 0, 7
_UTF8 = 1
_RATE, _PITCH, _RANGE = 1, 3, 4  # espeak_PARAMETER
_SECONDS = 30

# flite's names of sounds in IPA
_SOUNDS = "b:b d:d f:f g:ɡ k:k l:l m:m n:n p:p s:s t:t v:v w:w z:z aa:ɑ ae:æ ah:ʌ ao:ɔ aw:aʊ ax:ə ay:aɪ eh:ɛ er:ɜ ey:eɪ"
_SOUNDS += (
    " ih:ɪ iy:i ow:oʊ oy:ɔɪ uh:ʊ uw:u ch:tʃ dh:ð hh:h jh:dʒ ng:ŋ r:ɹ sh:ʃ th:θ y:j zh:ʒ el:l em:m en:n axr:ɚ pau:"
)
_ARPABET = dict(pair.split(":") for pair in _SOUNDS.split())


class _Name(ctypes.Union):
    _fields_ = [("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8)]


class _Event(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("unique", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user", ctypes.c_void_p),
        ("id", _Name),
    ]


_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))


@lru_cache(maxsize=1)
def _library() -> tuple[ctypes.CDLL, int]:
    name = ctypes.util.find_library("espeak-ng") or "libespeak-ng.so.1"
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise InputError(
            "Timed speech needs the library of espeak-ng; get it with apt-get install espeak-ng."
        ) from error
    rate = library.espeak_Initialize(_RETRIEVAL, 0, None, _PHONEMES | _IPA)
    if rate <= 0:
        raise InputError("The library of espeak-ng does not find its voices; install espeak-ng again.")
    return library, rate


def has_espeak() -> bool:
    """Whether the library of espeak-ng is here."""
    with contextlib.suppress(InputError):
        return bool(_library())
    return False


def espeak(
    text: str, voice: str = "en-us", *, pace: int = 160, pitch: int = 50
) -> tuple[np.ndarray, int, list[Segment]]:
    """A text spoken by espeak-ng, and when it says what.

    Args:
        text: one sentence.
        voice: such as `en-us`, `de+f3`.
        pace: words a minute, 80 to 450.
        pitch: 0 to 99.

    Returns:
        `(n,)` float32 in -1..1, its rate, and the phonemes in order.

    Raises:
        InputError: there is no espeak-ng, or no such voice.
    """
    library, rate = _library()
    blocks: list[np.ndarray] = []
    marks: list[tuple[float, str]] = []

    def receive(wave, count, events) -> int:
        if wave and count > 0:
            blocks.append(np.ctypeslib.as_array(wave, (count,)).copy())
        i = 0
        while events[i].type != _EVENT_END:
            if events[i].type == _EVENT_PHONEME:
                marks.append((events[i].sample / rate, events[i].id.string.decode("utf-8", "ignore")))
            i += 1
        return 0

    keep = _Callback(receive)
    library.espeak_SetSynthCallback(keep)
    if library.espeak_SetVoiceByName(voice.encode()) != 0:
        raise InputError(f"espeak-ng has no voice {voice[:40]!r}.")
    library.espeak_SetParameter(_RATE, int(pace), 0)
    library.espeak_SetParameter(_PITCH, int(pitch), 0)
    encoded = text.encode() + b"\0"
    library.espeak_Synth(encoded, len(encoded), 0, 1, 0, _UTF8, None, None)
    library.espeak_Synchronize()
    wave = np.concatenate(blocks).astype(np.float32) / 32768 if blocks else np.zeros(1, np.float32)
    ends = [t for t, _ in marks[1:]] + [len(wave) / rate]
    return wave, rate, [Segment(t, max(t, e), name) for (t, name), e in zip(marks, ends, strict=True)]


def flite(text: str, voice: str = "slt") -> tuple[np.ndarray, int, list[Segment]]:
    """A text spoken by flite (English only), as in `espeak`.

    Raises:
        InputError: there is no flite, or it fails.
    """
    import soundfile

    program = shutil.which("flite")
    if program is None:
        raise InputError("There is no flite on this machine; get it with apt-get install flite.")
    with tempfile.TemporaryDirectory(prefix="flite-") as folder:
        out = Path(folder) / "out.wav"
        command = [program, "-voice", voice, "-psdur", "-t", text, str(out)]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=_SECONDS)
        if done.returncode or not out.exists():
            raise InputError(f"flite could not speak with the voice {voice[:40]!r}.")
        wave, rate = soundfile.read(io.BytesIO(out.read_bytes()), dtype="float32")
    segments, begin = [], 0.0
    for word in done.stdout.split():
        name, _, end = word.rpartition(":")
        segments.append(Segment(begin, float(end), _ARPABET.get(name, "")))
        begin = float(end)
    return wave, rate, segments
