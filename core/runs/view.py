"""What can be seen of a run: its state, step, numbers, curve and picture, read from its folder."""

import json
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from core.runs.folder import RunFolder

STATES = ("waiting", "running", "stopped", "failed", "done", "lost")
_MOST_POINTS = 4000


@dataclass(frozen=True)
class RunView:
    """A run as it is at this moment.

    Attributes:
        id: what `follow` takes; whoever has it may look at the run.
        state: `waiting`, `running`, `stopped`, `failed`, `done`, or `lost` when nobody trains it any more although
            nobody ended it.
        family, settings, seed, name, study: as submitted.
        data: title, kind, samples, shape and fingerprint of the dataset.
        step, total: of the training; 0 of 0 before the first report.
        metrics: the last named numbers (None for one that was not finite).
        history: earlier reports, each with `step`, `seconds` and the metrics.
        preview: the last picture as PNG, or None.
        seconds: how long it has trained so far.
        seconds_left: an estimate while it trains, else None.
        silent: seconds since its worker was last heard of while it trains, else 0; long steps are silent too.
        device, where: what trains it, and on which machine.
        queue: 1 for the next of those that wait, None when it does not wait or another process looks after it.
        error: one sentence for `failed` and `lost`, else empty.
        kept: whether there is a model (`Runs.result`).
        kept_step: the step that the model is from; None when there is none.
        returns: it is lost, and goes on by itself when its cluster answers again.
        resumable: whether `Runs.resume` takes it.
        created: when it was submitted, seconds since 1970.
        more: what the page that submitted it wants back (see `Card.more`).
    """

    id: str
    state: str
    family: str
    settings: dict[str, Any]
    seed: int
    name: str
    study: str
    data: dict[str, Any]
    step: int = 0
    total: int = 0
    metrics: dict[str, float | None] = field(default_factory=dict)
    history: list[dict[str, float | None]] = field(default_factory=list)
    preview: bytes | None = None
    seconds: float = 0.0
    seconds_left: float | None = None
    silent: float = 0.0
    device: str = ""
    where: str = ""
    queue: int | None = None
    error: str = ""
    kept: bool = False
    kept_step: int | None = None
    returns: bool = False
    resumable: bool = False
    created: float = 0.0
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def active(self) -> bool:
        """Whether it waits or trains, or will again by itself."""
        return self.state in ("waiting", "running") or self.returns


class Journal:
    """The events of a run, read as far as they are written; `refresh` reads on from there."""

    def __init__(self, folder: RunFolder):
        self.folder = folder
        self.state, self.error, self.device, self.where = "waiting", "", "", ""
        self.step = self.total = self.attempt = 0
        self.seconds, self.changed = 0.0, 0.0
        self.metrics: dict[str, float | None] = {}
        self.history: list[dict[str, float | None]] = []
        self.seen: dict[str, int] = {}  # the last event number of each start
        self.kept_step: int | None = None
        self.killed = False  # what the worker wrote after that, before it ended, is nobody's
        self.shared = False  # whether the worker writes to this very folder
        self._place = 0
        self._recent: deque[tuple[float, int]] = deque(maxlen=30)

    def refresh(self) -> "Journal":
        """Read what was written since the last time. A last line that is not whole yet is left for the next time."""
        try:
            with open(self.folder.events_path, "rb") as file:
                file.seek(self._place)
                content = file.read()
        except FileNotFoundError:
            return self
        whole = content.rfind(b"\n") + 1
        self._place += whole
        for line in content[:whole].splitlines():
            try:
                self._take(json.loads(line))
            except (ValueError, KeyError, TypeError):
                continue  # torn by a kill; the training goes on from its checkpoint and writes anew
        return self

    def view(self, queue: int | None = None, *, returns: bool = False) -> RunView:
        """The run as it is now; the place in the queue, and whether a lost one returns, only its monitor knows."""
        s, state, error = self.folder.settings, self.state, self.error
        if state in ("waiting", "running") and not self.folder.looked_after():
            self.refresh()  # it may have ended between the two looks
            state = self.state
            if state in ("waiting", "running"):
                state, error = "lost", "The app ended while this run was under way; it can be resumed."
        try:
            preview = self.folder.preview_path.read_bytes()
        except OSError:
            preview = None
        return RunView(
            id=self.folder.id,
            state=state,
            family=s["family"],
            settings=s["settings"],
            seed=s["seed"],
            name=s["name"],
            study=s["study"],
            data=s["data"],
            step=self.step,
            total=self.total,
            metrics=dict(self.metrics),
            history=list(self.history),
            preview=preview,
            seconds=self.seconds,
            seconds_left=self._left() if state == "running" else None,
            silent=max(0.0, time.time() - self.changed) if state == "running" else 0.0,
            device=self.device,
            where=self.where,
            queue=queue if state == "waiting" else None,
            error=error if state in ("failed", "lost") else "",
            kept=(self.folder.model_path / "card.json").is_file(),
            kept_step=self.kept_step,
            returns=returns and state == "lost",
            resumable=state in ("stopped", "failed") or (state == "lost" and not returns),
            created=s["created"],
            more=dict(s.get("more") or {}),
        )

    def _left(self) -> float | None:
        if len(self._recent) < 2 or not self.total:
            return None
        (t0, s0), (t1, s1) = self._recent[0], self._recent[-1]
        return (self.total - s1) * (t1 - t0) / (s1 - s0) if s1 > s0 else None

    def _take(self, e: dict[str, Any]) -> None:
        name, start = e["event"], e.get("start")
        if start is not None:
            if self.killed:
                return
            if e["n"] <= self.seen.get(start, 0):
                return  # came twice
            self.seen[start] = e["n"]
        self.changed = e["t"]
        if name == "progress":
            self._back_to(e["step"] - 1)
            self.step, self.total, self.metrics, self.seconds = e["step"], e["total"], e["metrics"], e["seconds"]
            self.history.append({"step": self.step, "seconds": self.seconds, **self.metrics})
            if len(self.history) > _MOST_POINTS:
                self.history = self.history[:-1:2] + self.history[-1:]
            self._recent.append((e["t"], self.step))
        elif name == "restored":
            self._back_to(e["step"])
            self.step = e["step"]
        elif name == "submitted":
            self.state, self.error, self.attempt, self.shared = "waiting", "", e["attempt"], False
            self.killed = False
            self._recent.clear()
        elif name == "received":
            self.state, self.error, self.where = "running", "", e["where"]
        elif name == "started":
            self.state, self.error, self.device, self.where = "running", "", e["device"], e["where"]
            self.shared = e.get("shared", False)
            self._recent.clear()
        elif name == "lost":
            self.state, self.error = "lost", e["error"]
        elif name in ("done", "stopped", "failed"):
            self.state, self.error = name, e.get("error", "")
            self.seconds = e.get("seconds", self.seconds)
            self.killed = e.get("killed", False)
            self.kept_step = self.step if e.get("kept") else self.kept_step

    def _back_to(self, step: int) -> None:
        """Forget reports of steps that are done again."""
        while self.history and self.history[-1]["step"] > step:
            self.history.pop()
