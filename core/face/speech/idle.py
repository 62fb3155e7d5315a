"""A gentle idle pose and blinks, so that a face driven by speech alone does not stand like a statue."""

import numpy as np
from scipy.signal import butter, sosfiltfilt

from core.errors import InputError
from core.face.clip.curves import CodeCurves

NAMES, BANKS = ("yaw", "pitch", "roll", "blink"), ("pose", "pose", "pose", "expression")
DEGREES = (2.2, 1.4, 1.0)  # typical size of yaw, pitch and roll
BAND = (0.05, 0.6)  # hertz: slower than a nod, faster than standing still
_SETTLE = 30.0  # seconds before and after, in which the filter settles
_FADE = 0.8  # seconds in which the motion begins, from the face's own pose
BLINK_EVERY = (2.0, 6.0)  # seconds from one to the next
CLOSING, SHUT, OPENING = 0.08, 0.045, 0.17  # seconds


def idle(seconds: float, *, fps: float = 25.0, seed: int = 0, amount: float = 1.0, blinks: bool = True) -> CodeCurves:
    """Yaw, pitch and roll in degrees away from the face's own, and blinks from 0 (open) to 1 (shut).

    The angles are Gaussian noise in a band of 0.05 to 0.6 Hz; they begin at nought. A seed gives one motion.

    Args:
        seconds: how long.
        fps: rows a second.
        seed: of the motion.
        amount: 0 for none to 3; 1 is a listener's.
        blinks: whether to blink, every 2 to 6 seconds.

    Raises:
        InputError: a length, rate or amount out of range.
    """
    if not 0 < seconds <= 3600 or not 1 <= fps <= 240 or not 0 <= amount <= 3:
        raise InputError("An idle pose lasts up to an hour at 1 to 240 rows a second, with an amount of 0 to 3.")
    count = max(1, round(seconds * fps))
    times = np.arange(count) / fps
    rng = np.random.default_rng(seed)
    margin = round(_SETTLE * fps)
    high = min(BAND[1], 0.45 * fps)
    band = butter(2, [BAND[0], high], btype="bandpass", fs=fps, output="sos")
    values = np.zeros((count, len(NAMES)))
    for i, degrees in enumerate(DEGREES):
        noise = sosfiltfilt(band, rng.normal(size=count + 2 * margin))
        values[:, i] = amount * degrees * noise[margin : margin + count] / noise.std()
    values[:, :3] *= (0.5 - 0.5 * np.cos(np.pi * np.clip(times / _FADE, 0, 1)))[:, None]
    if blinks:
        values[:, 3] = blinking(times, rng)
    return CodeCurves(times, values, NAMES, BANKS)


def blinking(times: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """`(T,)` how far the lids are shut at times `(T,)`: quick down, slower up, along half cosines."""
    out = np.zeros(len(times))
    start = rng.uniform(*BLINK_EVERY) / 2
    while start < times[-1]:
        down = (times - start) / CLOSING
        up = (start + CLOSING + SHUT + OPENING - times) / OPENING
        out = np.maximum(out, 0.5 - 0.5 * np.cos(np.pi * np.clip(np.minimum(down, up), 0, 1)))
        start += rng.uniform(*BLINK_EVERY)
    return out
