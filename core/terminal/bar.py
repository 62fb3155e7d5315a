"""The progress line of the terminal."""

import sys
import time
from typing import TextIO

WIDTH = 30


class Bar:
    """One line on stderr that is written over; nothing when that is not a terminal."""

    def __init__(self, out: TextIO | None = None):
        self.out = out or sys.stderr
        self.shown, self._last = self.out.isatty(), 0.0

    def show(self, step: int, total: int, loss: float | None = None, left: float | None = None) -> None:
        """Draw the line, at most ten times a second."""
        now = time.monotonic()
        if not self.shown or not total or (now - self._last < 0.1 and step < total):
            return
        self._last = now
        done = round(WIDTH * min(1.0, step / total))
        text = f"[{'#' * done}{'.' * (WIDTH - done)}] {step}/{total}"
        text += f"  loss {loss:.4g}" if loss is not None else ""
        text += f"  {left:.0f} s left" if left is not None else ""
        self.out.write(f"\r\x1b[K{text}")
        self.out.flush()

    def close(self) -> None:
        """Leave the line clear for what comes next."""
        if self.shown and self._last:
            self.out.write("\r\x1b[K")
            self.out.flush()
