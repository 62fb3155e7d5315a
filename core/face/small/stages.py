"""A training of several stages as one run: one count of steps, one checkpoint, one wish to stop."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from core.progress import Run


class Stage(Run):
    """One stage of a run, which looks like a run of its own to the training loop.

    Args:
        run: the whole run.
        name: of the stage, kept in its checkpoints.
        before: steps of the earlier stages.
        total: steps of the whole run.
        state: the run's restored state; only a state of this stage counts.
        weights: of the whole model, kept in checkpoints beside what the loop keeps.
    """

    def __init__(self, run: Run, name: str, before: int, total: int, state: dict[str, Any] | None):
        self._run, self._name, self._before, self._total, self._state = run, name, before, total, state
        self.stopped = False

    def progress(
        self, step: int, total: int, metrics: Mapping[str, float] | None = None, preview: np.ndarray | None = None
    ) -> None:
        self._run.progress(self._before + step, self._total, metrics, preview)

    def should_stop(self) -> bool:
        self.stopped = self.stopped or self._run.should_stop()
        return self.stopped

    def checkpoint(self, state: Callable[[], Mapping[str, Any]]) -> None:
        # `step` counts over the whole run for whoever looks at the checkpoint, `own` within the stage
        self._run.checkpoint(lambda: _named(state(), self._name, self._before))

    def restore(self) -> dict[str, Any] | None:
        if not self._state or self._state.get("stage") != self._name:
            return None
        state = {n: v for n, v in self._state.items() if n not in ("stage", "own")}
        return {**state, "step": self._state["own"]}


def _named(state: Mapping[str, Any], name: str, before: int) -> dict[str, Any]:
    own = int(state["step"])
    return {**state, "stage": name, "own": own, "step": before + own}
