"""How a training reports, is asked to stop, and becomes resumable. Knows no Streamlit and no Dask."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Progress:
    """One report of a training: `step` of `total`, named numbers, and perhaps a picture `(H, W[, 3])` in 0..1."""

    step: int
    total: int
    metrics: Mapping[str, float] = field(default_factory=dict)
    preview: np.ndarray | None = None


class Run:
    """What a training is given. This base class listens to nothing and never asks to stop.

    `core.runs` has the one that writes to a run's folder; trainings call these four methods and know no more.
    """

    def progress(
        self, step: int, total: int, metrics: Mapping[str, float] | None = None, preview: np.ndarray | None = None
    ) -> None:
        """Report that `step` of `total` is done."""

    def should_stop(self) -> bool:
        """Whether to end now and keep what there is. Ask once every step; it is cheap."""
        return False

    def checkpoint(self, state: Callable[[], Mapping[str, Any]]) -> None:
        """Offer a state to resume from.

        Args:
            state: called only when a checkpoint is due; returns a flat mapping of names to tensors, arrays,
                numbers or strings. What it returns is written before this method comes back.
        """

    def restore(self) -> dict[str, Any] | None:
        """The state of the last checkpoint, tensors on the CPU, or None at a fresh start."""
        return None


class CallbackRun(Run):
    """A run that passes each report to a plain function; if the function returns True the training stops."""

    def __init__(self, on_progress: Callable[[Progress], Any]):
        self._on_progress = on_progress
        self._stop = False

    def progress(self, step, total, metrics=None, preview=None):
        if self._on_progress(Progress(step, total, dict(metrics or {}), preview)) is True:
            self._stop = True

    def should_stop(self):
        return self._stop
