"""Maps that take long, each laid out once in a process of low priority, followed from any thread."""

import atexit
import base64
import contextlib
import json
import os
import subprocess
import sys
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from core.maps.plane import NEIGHBOURS

KEPT = 24
ROOT = Path(__file__).resolve().parents[2]


@dataclass(eq=False)
class Job:
    """One map on its way.

    Attributes:
        state: `waiting`, `running`, `done`, `failed` or `cancelled`.
        stage, share: what it is doing in words, and how much is done.
        points: `(N, 2)` when done.
        trust: trustworthiness of the points when done (see `core.maps.plane.trust`).
        error: one sentence when failed.
        owners: who waits for it; it is cancelled when nobody does any more.
    """

    state: str = "waiting"
    stage: str = "waiting for another map"
    share: float = 0.0
    points: np.ndarray | None = None
    trust: float = float("nan")
    error: str = ""
    owners: set[str] = field(default_factory=set)
    process: subprocess.Popen | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ("done", "failed", "cancelled")


class Jobs:
    """Maps by key; one is laid out at a time, finished ones are kept until there are too many."""

    def __init__(self, kept: int = KEPT):
        self._kept, self._jobs = kept, OrderedDict()
        self._lock, self._turn = threading.Lock(), threading.Lock()
        atexit.register(self.close)

    def get(self, key: str) -> Job | None:
        """The job of that key, if there is one."""
        with self._lock:
            return self._jobs.get(key)

    def start(
        self,
        key: str,
        vectors: np.ndarray,
        method: str,
        *,
        seed: int = 0,
        neighbours: int = NEIGHBOURS,
        owner: str = "",
    ) -> Job:
        """The job of that key: the one there is, or a new one where there is none or the last one did not finish.

        Args:
            key: names vectors, method, seed and neighbours; equal keys share one job.
            vectors: `(N, D)`.
            owner: who asks; see `cancel`. One who asks for another map is looking at that one, so whatever of theirs
                still waits for its turn no longer stands before it, and can be asked for again.
        """
        with self._lock:
            self._leave_waiting(owner, but=key)
            job = self._jobs.get(key)
            if job is None or job.state in ("failed", "cancelled"):
                job = self._jobs[key] = Job()
                request = dict(method=method, seed=int(seed), neighbours=int(neighbours))
                threading.Thread(target=self._follow, args=(job, vectors, request), daemon=True).start()
            job.owners.add(owner)
            self._jobs.move_to_end(key)
            for old in [k for k, j in self._jobs.items() if j.over][: max(0, len(self._jobs) - self._kept)]:
                del self._jobs[old]
            return job

    def cancel(self, key: str, owner: str = "") -> None:
        """Stop waiting; the job ends when it has no other owner."""
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.over:
                return
            job.owners.discard(owner)
            if not job.owners:
                _end(job)

    def close(self) -> None:
        """End every process."""
        with self._lock:
            for job in self._jobs.values():
                if not job.over:
                    _end(job)

    def _leave_waiting(self, owner: str, but: str) -> None:
        """Drop what only this owner waits for and has not begun; the lock is held."""
        for key, job in list(self._jobs.items()):
            if not owner or key == but or job.state != "waiting" or owner not in job.owners:
                continue
            job.owners.discard(owner)
            if not job.owners:
                _end(job)
                del self._jobs[key]

    def _follow(self, job: Job, vectors: np.ndarray, request: dict) -> None:
        with self._turn:
            with self._lock:
                if job.over:
                    return
                job.state, job.stage = "running", "starting"
                job.process = _spawn()
            try:
                _send(job.process, vectors, request)
                for line in job.process.stdout:
                    self._hear(job, json.loads(line))
            except (OSError, ValueError) as error:
                with self._lock:
                    job.error = job.error or f"The process that laid out the map failed: {error}."
            finally:
                _finish(job.process)
            with self._lock:
                job.process = None
                if not job.over:
                    job.state = "failed"
                    job.error = (
                        job.error or "The process that laid out the map ended early; it may have run out of memory."
                    )

    def _hear(self, job: Job, line: dict) -> None:
        with self._lock:
            if job.over:
                return
            if "error" in line:
                job.state, job.error = "failed", line["error"]
            elif "points" in line:
                points = np.frombuffer(base64.b64decode(line["points"]), "<f4").reshape(-1, 2)
                job.points, job.trust, job.share, job.state = points, float(line["trust"]), 1.0, "done"
            else:
                job.stage, job.share = line["stage"], float(line["share"])


def _spawn() -> subprocess.Popen:
    quiet = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    return subprocess.Popen(
        [sys.executable, "-m", "core.maps.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        env={**os.environ, **quiet},
    )


def _send(process: subprocess.Popen, vectors: np.ndarray, request: dict) -> None:
    x = np.ascontiguousarray(vectors, dtype="<f4")
    head = {**request, "n": x.shape[0], "d": x.shape[1], "parent": os.getpid()}
    process.stdin.write(json.dumps(head).encode() + b"\n" + x.tobytes())
    process.stdin.flush()


def _finish(process: subprocess.Popen) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            pipe.close()


def _end(job: Job) -> None:
    job.state, job.stage = "cancelled", "cancelled"
    if job.process is not None:
        job.process.kill()


JOBS = Jobs()
