"""Speech with known phonemes to train on and to test with: who says what, how it is roughened, what the mouth does."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.signal import fftconvolve, lfilter

from core.datasets.build_assets import SAMPLES
from core.face.network.mel import RATE, as_speech, mel_windows
from core.face.speech.alignment import transferred
from core.face.speech.sentences import FRENCH, GERMAN, ITALIAN, SPANISH, english, lines
from core.face.speech.sound import levelled, read_speech
from core.face.speech.synthesisers import espeak, flite
from core.face.speech.visemes import Segment, targets

FPS = 25.0
ACCENTS = ("en-us", "en", "en-gb-scotland", "en-gb-x-rp")
VARIANTS = ("", "+m1", "+m3", "+m5", "+m7", "+f1", "+f2", "+f5", "+klatt2", "+Andrea", "+linda", "+steph")
LANGUAGES = {"de": GERMAN, "fr": FRENCH, "es": SPANISH, "it": ITALIAN}
PEOPLE = ("kal16", "awb", "rms")  # voices of flite; the last two were made from recordings of people
HELD_OUT = {"espeak": "en-us+f4", "flite": "slt"}  # never trained on
RECORDED = SAMPLES / "speech.flac"
TRANSCRIPT = "And you always want to see it in the superlative degree."
TIMES = 8  # how often espeak says each English sentence, in other voices


@dataclass(frozen=True)
class Utterance:
    """One sentence as it is learned from.

    Attributes:
        wave: `(n,)` float32 at 16 kHz, levelled.
        controls: `(T, 6)`, 25 a second.
        segments: what is said when.
    """

    wave: np.ndarray
    controls: np.ndarray
    segments: tuple[Segment, ...]

    @property
    def windows(self) -> np.ndarray:
        """`(T, 80, 16)` mel windows, one for each row of `controls`."""
        return mel_windows(self.wave, frames=len(self.controls))[:, 0]


def utterance(
    wave: np.ndarray, rate: int, segments: Sequence[Segment], *, rng: np.random.Generator | None = None
) -> Utterance:
    """Speech and its phonemes at 16 kHz, with the controls that belong to them.

    Args:
        wave, rate, segments: from `synthesisers`.
        rng: when given, the speech is roughened: another size of throat and pace, silence around it, another loudness
            and colour, an echo, a narrow line, noise.
    """
    if rng is None:
        wave = levelled(as_speech(wave, rate).astype(np.float32))
        return Utterance(wave, _controls(segments, len(wave)), tuple(segments))
    other = round(rate * rng.uniform(0.88, 1.14) / 50) * 50  # played at another rate: formants and pace move together
    speech = levelled(as_speech(wave, other).astype(np.float32)) * 10 ** (rng.normal(0, 3) / 20)
    before, after = (int(rng.uniform(0, 0.5) * RATE) for _ in range(2))
    moved = [
        Segment(s.begin * rate / other + before / RATE, s.end * rate / other + before / RATE, s.ipa) for s in segments
    ]
    speech = _roughened(np.pad(speech, (before, after)), rng)
    return Utterance(speech, _controls(moved, len(speech)), tuple(moved))


def _controls(segments: Sequence[Segment], samples: int) -> np.ndarray:
    count = int(samples * FPS / RATE)
    return targets(segments, (np.arange(count) + 0.5) / FPS)  # the middle of each frame, and of its window


def _roughened(wave: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    wave = lfilter([1, rng.uniform(-0.5, 0.5)], [1], wave)
    if rng.random() < 0.3:  # a room
        n = int(rng.uniform(0.05, 0.3) * RATE)
        tail = rng.normal(size=n) * np.exp(-6.9 * np.arange(n) / n)
        wave = wave + rng.uniform(0.1, 0.5) * fftconvolve(wave, tail / np.sqrt((tail**2).sum()))[: len(wave)]
    if rng.random() < 0.15:  # a telephone
        narrow = as_speech(as_speech(wave, RATE * 2), RATE // 2)
        wave = np.pad(narrow, (0, max(0, len(wave) - len(narrow))))[: len(wave)]
    noise = rng.normal(size=len(wave))
    if rng.random() < 0.5:
        noise = lfilter([1], [1, -0.95], noise)  # most of it low
    noise *= 10 ** (rng.uniform(-75, -33) / 20) / noise.std()
    return (wave + noise).astype(np.float32)


def training(rng: np.random.Generator) -> Iterator[Utterance]:
    """All that is trained on, roughened: espeak-ng in many voices and five languages, flite in three."""
    sentences, _ = english()
    for text in sentences:
        for _ in range(TIMES):
            voice = str(rng.choice(ACCENTS)) + str(rng.choice(VARIANTS))
            yield utterance(*espeak(text, voice, **_manner(rng)), rng=rng)
        for person in PEOPLE:
            yield utterance(*flite(text, person), rng=rng)
    for language, texts in LANGUAGES.items():
        for text in lines(texts):
            for _ in range(TIMES // 2):
                yield utterance(*espeak(text, language + str(rng.choice(VARIANTS)), **_manner(rng)), rng=rng)


def _manner(rng: np.random.Generator) -> dict[str, int]:
    return {"pace": int(rng.integers(110, 220)), "pitch": int(rng.integers(20, 80))}


def held_out() -> dict[str, list[Utterance]]:
    """Held-out sentences: in a voice of the training, in a held-out one of either program, and that one roughened."""
    _, sentences = english()
    ways: dict[str, Callable[[str], tuple]] = {
        "held-out sentences": lambda text: espeak(text, "en-us"),
        "held-out sentences, held-out espeak-ng voice": lambda text: espeak(text, HELD_OUT["espeak"]),
        "held-out sentences, held-out flite voice": lambda text: flite(text, HELD_OUT["flite"]),
    }
    sets = {name: [utterance(*say(text)) for text in sentences] for name, say in ways.items()}
    rng = np.random.default_rng(1)
    sets["the same, with noise and echo"] = [utterance(*flite(text, HELD_OUT["flite"]), rng=rng) for text in sentences]
    sets["one recorded sentence of a person"] = [recorded()]
    return sets


def recorded() -> Utterance:
    """The recording of a person among the samples (CMU ARCTIC a0007).

    The times of its phonemes come from flite's voice of the same person saying the same, matched to the recording by
    dynamic time warping; they are right to a frame or two.
    """
    wave, _ = read_speech(RECORDED.name, RECORDED.read_bytes())
    wave = levelled(wave)
    spoken, rate, segments = flite(TRANSCRIPT, "awb")
    spoken = levelled(as_speech(spoken, rate).astype(np.float32))
    moved = transferred(segments, spoken, wave)
    return Utterance(wave, _controls(moved, len(wave)), tuple(moved))


def gathered(utterances: Iterable[Utterance], dtype: type = np.float32) -> tuple[np.ndarray, np.ndarray]:
    """Windows `(N, 80, 16)` and controls `(N, 6)` of some utterances together."""
    windows, controls = [], []
    for u in utterances:
        windows.append(u.windows.astype(dtype))
        controls.append(u.controls)
    return np.concatenate(windows), np.concatenate(controls)
