"""Uneven frames to a steady rate."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def held(
    frames: Iterable[tuple[float, T]], fps: float, *, begin: float = 0.0, end: float, slack: float = 0.0
) -> Iterator[tuple[float, T]]:
    """What is on the screen at the times `begin + k / fps` before `end`: the last frame whose time has come.

    Args:
        frames: presentation times in seconds, and the frames. A time that runs backwards counts as the one before.
        fps: of what comes out.
        begin, end: seconds. Before the first frame, that one is shown.
        slack: a frame may be this many seconds late and still count as in time.

    Yields:
        each time and its frame; a frame comes as often as it is shown, and the input is read no further than needed.
    """
    count = max(1, int((end - begin) * fps + 1e-6 + 0.5)) if end > begin else 0
    k, now, current, seen = 0, float("-inf"), None, False
    for time, frame in frames:
        now = max(now, time)
        while seen and k < count and begin + k / fps < now - slack:
            yield begin + k / fps, current
            k += 1
        current, seen = frame, True
        if k >= count:
            return
    while seen and k < count:
        yield begin + k / fps, current
        k += 1
