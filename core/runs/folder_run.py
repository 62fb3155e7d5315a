"""The run that a training is given: it writes to the run's folder, and passes on the wish to stop."""

import io
import math
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image

from core.progress import Run
from core.runs.folder import RunFolder
from core.runs.state import pack_state, unpack_state
from core.store.disk import write_atomic

CHECKPOINT_SECONDS = 2.0
CHECKPOINT_SHARE = 0.02  # of the time, at most, goes into checkpoints
MOST_PREVIEW = 384


class Interrupted(Exception):
    """The training ends here and now, without a result; it goes on from its last checkpoint another time."""


class FolderRun(Run):
    """Writes events, checkpoints and previews of one training into the folder of its run.

    Args:
        folder: of the run.
        attempt: which attempt at the run this is.
        stop: set when the training shall end and keep what it has.
        leave: set when it shall write a checkpoint and end without a result.
        alive: asked now and then; when it says no, the training is somebody else's by now and ends at once.
        on_line: is told each line written, for a folder that is not the app's own.
    """

    def __init__(
        self,
        folder: RunFolder,
        *,
        attempt: int = 1,
        stop: threading.Event | None = None,
        leave: threading.Event | None = None,
        alive: Callable[[], bool] = lambda: True,
        on_line: Callable[[int, str], Any] = lambda n, line: None,
    ):
        self.folder, self.attempt = folder, attempt
        self.stop, self.leave = stop or threading.Event(), leave or threading.Event()
        self.start = secrets.token_hex(4)
        self.step = self.total = 0
        self.metrics: dict[str, float] = {}
        self._alive, self._on_line = alive, on_line
        self._lines = 0
        self._serial, self._seconds_before = 0, 0.0
        self._began = self._saved = self._asked = time.monotonic()
        self._told = self._shown = -math.inf
        self._pause = CHECKPOINT_SECONDS
        self._untold = self._offered = False

    @property
    def seconds(self) -> float:
        """How long this run has trained, over all attempts up to their last checkpoints."""
        return self._seconds_before + time.monotonic() - self._began

    def begin(self) -> None:
        """The training starts now: time counts from here."""
        self._began = self._saved = time.monotonic()

    def event(self, name: str, **values: Any) -> None:
        """Add an event of this training to the folder."""
        self._lines += 1
        self._on_line(self._lines, self.folder.append(name, start=self.start, n=self._lines, **values))

    def progress(self, step, total, metrics=None, preview=None):
        self.step, self.total = int(step), int(total)
        if metrics:
            numbers = {str(k): float(v) for k, v in metrics.items()}
            self.metrics = {k: float(f"{v:.7g}") if math.isfinite(v) else None for k, v in numbers.items()}
        now = time.monotonic()
        if preview is not None and now - self._shown >= 1:
            write_atomic(self.folder.preview_path, _png(preview), sync=False)
            self._shown = now
        self._untold = True
        # ten events a second at first, fewer in a long training, so that its curve stays a few thousand points
        if step >= total or now - self._told >= min(2.0, max(0.1, (now - self._began) / 600)):
            self.tell()

    def tell(self) -> None:
        """Write the last report, if it is not written yet."""
        if self._untold:
            self._untold, self._told = False, time.monotonic()
            self.event(
                "progress", step=self.step, total=self.total, metrics=self.metrics, seconds=round(self.seconds, 3)
            )

    def should_stop(self):
        now = time.monotonic()
        if now - self._asked >= 0.2:
            self._asked = now
            self._check_alive()
        if (
            self.leave.is_set() and not self._offered
        ):  # else the step that comes ends with a checkpoint, and that ends it
            raise Interrupted
        return self.stop.is_set()

    def checkpoint(self, state):
        now, self._offered = time.monotonic(), True
        ending = self.stop.is_set() or self.leave.is_set()
        if now - self._saved < self._pause and not ending:
            return
        self._check_alive()
        values = dict(state())
        step = int(values.get("step", self.step))
        if 0 < self.total <= step:
            return  # the result comes next; a resume from here would have no numbers of its own to report
        about = {"serial": self._serial + 1, "step": step, "seconds": round(self.seconds, 3)}
        self.folder.write_checkpoint(pack_state(values, about))
        self._serial += 1
        self._saved = time.monotonic()
        self._pause = max(CHECKPOINT_SECONDS, (self._saved - now) / CHECKPOINT_SHARE)
        self.event("checkpoint", step=step, serial=self._serial)
        if self.leave.is_set():
            raise Interrupted

    def restore(self) -> dict[str, Any] | None:
        content = self.folder.checkpoint()
        if content is None:
            return None
        try:
            state, about = unpack_state(content)
        except ValueError:  # from a disk that lied about what it wrote: a fresh start is slower and right
            return None
        self._serial, self._seconds_before = int(about["serial"]), float(about["seconds"])
        self.begin()
        self.event("restored", step=about["step"], serial=self._serial)
        return state

    def _check_alive(self) -> None:
        if not self._alive():
            raise Interrupted


def _png(preview: np.ndarray) -> bytes:
    pixels = (np.clip(np.nan_to_num(np.asarray(preview, dtype=np.float32)), 0, 1) * 255 + 0.5).astype(np.uint8)
    image = Image.fromarray(pixels)
    image.thumbnail((MOST_PREVIEW, MOST_PREVIEW))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()
