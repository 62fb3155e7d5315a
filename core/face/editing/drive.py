"""A face driven over time: codes of a clip, codes of speech, and the frames that come of them."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from core.errors import InputError
from core.face.clip.curves import CodeCurves, still
from core.face.clip.reading import Clip
from core.face.editing.actor import Actor, Direction
from core.face.photo.directions import ANGLE, FULL, flat
from core.face.photo.driving import follow
from core.face.photo.mesh import stored
from core.face.speech.controls import to_codes
from core.face.speech.idle import idle
from core.face.speech.model import load_speech_model
from core.progress import Run

FPS = 25.0
CLOSING = 0.25  # seconds over which a mouth goes from its own code to rest, and back


def clip_curves(
    clip: Clip, directions: Sequence[Direction], *, begin: float = 0.0, end: float | None = None, run: Run | None = None
) -> CodeCurves | None:
    """The codes of the face in a clip, 25 a second; None when it was stopped.

    Args:
        clip: opened.
        directions: of mesh motion, which reads the codes off landmarks.
        begin, end: seconds of the part.
        run: told `progress(frames, of all)`, asked `should_stop()`.

    Raises:
        InputError: no face in any frame, a part that is too long, or the networks are missing.
    """
    run = run or Run()
    end = clip.seconds if end is None else min(end, clip.seconds)
    total = max(1, round((end - begin) * FPS))

    def told(done: int) -> bool:
        run.progress(done, total)
        return run.should_stop()

    track = follow((frame for _, frame in clip.frames(FPS, begin=begin, end=end)), told)
    if run.should_stop():
        return None
    times = np.arange(len(track.codes)) / FPS
    names, banks = [d.name for d in directions], [d.bank for d in directions]
    return CodeCurves(times, track.codes, tuple(names), tuple(banks), track.seen)


def speech_curves(
    wave: np.ndarray,
    base: np.ndarray,
    directions: Sequence[Direction],
    *,
    closed: bool = True,
    gain: float = 1.0,
    amount: float = 1.0,
    blinks: bool = True,
    seed: int = 0,
) -> CodeCurves:
    """Codes of a face that says what is heard, 25 a second: its mouth speaks, its head is gently idle, its lids blink.

    Args:
        wave: `(n,)` speech at 16 kHz.
        base: `(K,)` the code that the face starts from.
        directions: of mesh motion.
        closed: the mouth speaks from a closed, resting mouth; otherwise from that of `base`, which a wide smile keeps
            from ever closing.
        gain: of the mouth, 0 to 2.
        amount: of the idle pose, 0 for none to 3.
        blinks: whether it blinks.
        seed: of idle pose and blinks.

    Raises:
        InputError: no sound, or a setting out of range.
    """
    found = load_speech_model(device="cpu").curves(wave)
    return spoken(found, base, directions, closed=closed, gain=gain, amount=amount, blinks=blinks, seed=seed)


def spoken(
    controls: CodeCurves,
    base: np.ndarray,
    directions: Sequence[Direction],
    *,
    closed: bool,
    gain: float,
    amount: float,
    blinks: bool,
    seed: int,
) -> CodeCurves:
    """As `speech_curves`, from the mouth's controls over time."""
    arrays = stored()
    moves = {str(n): flat(m) for n, m in zip(arrays["names"], arrays["moves"], strict=True)}
    mouth = [d.index for d in directions if d.bank == "mouth"]
    values = np.repeat(np.asarray(base, dtype=np.float64)[None], len(controls.times), axis=0)
    if closed:
        values[:, mouth] *= 1 - _settling(controls.times)[:, None]
    values[:, mouth] += gain * to_codes(controls.values, moves, arrays["directions.mouth"])
    extra = idle(controls.seconds, fps=FPS, seed=seed, amount=amount, blinks=blinks).values[: len(values)]
    by_name = {d.name: d for d in directions}
    for i, name in enumerate(("yaw", "pitch", "roll")):
        d = by_name[name]
        values[:, d.index] += extra[:, i] / ANGLE * d.scale
    for name in ("blink left", "blink right"):
        d = by_name[name]
        values[:, d.index] += extra[:, 3] * np.maximum(FULL * d.scale - values[:, d.index], 0)
    names, banks = tuple(d.name for d in directions), tuple(d.bank for d in directions)
    return CodeCurves(controls.times, values, names, banks)


def _settling(times: np.ndarray) -> np.ndarray:
    """`(T,)` 0 to 1 to 0: half cosines at both ends."""
    end = times[-1] + 1 / FPS
    away = np.minimum(times, end - times)
    return 0.5 - 0.5 * np.cos(np.pi * np.clip(away / CLOSING, 0, 1))


def resting(base: np.ndarray, directions: Sequence[Direction], seconds: float) -> CodeCurves:
    """Curves that stay at one code."""
    return still(base, [d.name for d in directions], [d.bank for d in directions], seconds, FPS)


def with_banks(curves: CodeCurves, other: CodeCurves, banks: Sequence[str]) -> CodeCurves:
    """The curves with some banks taken from others, whose last codes are held where they end."""
    times = curves.times
    full = other.held()
    values = np.array(curves.values)
    for bank in banks:
        for here, there in zip(curves.columns(bank), full.columns(bank), strict=True):
            values[:, here] = np.interp(times, full.times, full.values[:, there])
    return curves.with_values(values)


def ways(curves: CodeCurves, directions: Sequence[Direction]) -> Mapping[str, np.ndarray]:
    """Each code over time in scales, by the directions' keys, those that move most first."""
    found = {d.key: curves.values[:, d.index] / d.scale for d in directions}
    return dict(sorted(found.items(), key=lambda item: -float(np.ptp(item[1]))))


def frames(actor: Actor, curves: CodeCurves) -> Iterator[np.ndarray]:
    """The pictures `(H, W, 3)` uint8 of a face under curves, one for each row."""
    for code in curves.values.astype(np.float64):
        yield actor.render(code)


def even(curves: CodeCurves, count: int) -> np.ndarray:
    """`(count,)` rows spread evenly over the curves, from the first to the last.

    Raises:
        InputError: no row is asked for.
    """
    if count < 1:
        raise InputError("At least one frame must be looked at.")
    return np.unique(np.linspace(0, len(curves.times) - 1, count).round().astype(int))
