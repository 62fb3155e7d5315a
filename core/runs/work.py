"""What a worker does: train a run, tell the app of it, and be told to stop.

The functions of this module are sent to workers by name. Everything heavy is imported when it is needed, because the
scheduler unpacks their names too.

A worker writes the run's folder under its own home. When that is the app's folder itself (this machine, or a shared
disk) nothing has to be sent. When it is not, the worker waits until the app has fed it what it lacks (the data, found
by name on every later run, and the last checkpoint), and the app fetches what is new a few times a second.
"""

import os
import socket
import threading
import time
from typing import Any

_one = threading.Lock()  # torch's threads and random stream are the process's: one training at a time in it
_jobs: dict[str, "Job"] = {}
_early: dict[tuple[str, int], str] = {}  # told to stop before they started
NICE = 10


class Job:
    """A training on this worker."""

    def __init__(self, task: dict[str, Any], folder: Any):
        self.task, self.folder = task, folder
        self.stop, self.leave, self.fed = threading.Event(), threading.Event(), threading.Event()
        self.start = ""
        self.lines: list[str] = []
        self.ended = False
        self.shared = folder.app().get("origin") == task["origin"]  # the folder is the app's own

    def lacks(self) -> bool:
        """Whether the data is not here yet."""
        from core.runs.folder import data_path

        return not data_path(self.task["data"]).is_file()


def train(task: dict[str, Any]) -> dict[str, Any]:
    """The task that Dask runs: train a run to its end.

    Args:
        task: `id`, `attempt`, `origin`, `settings` (of the folder), `data` (its name), `low` (take a low priority).
    """
    from distributed import get_worker

    from core.runs.folder import RunFolder, runs_home

    worker = get_worker()
    folder = RunFolder(runs_home() / task["id"])
    job = Job(task, folder)
    wish = _early.pop((task["id"], task["attempt"]), "")
    if wish:
        getattr(job, wish).set()
    _jobs[task["id"]] = job
    if job.shared:  # what follows imports for seconds in a new process
        folder.append("received", where=socket.gethostname())
    with _one:
        try:
            return {"ended": _train(job, worker), "shared": job.shared}
        finally:
            job.ended = True
            if job.shared:
                _jobs.pop(task["id"], None)


def _train(job: Job, worker: Any) -> str:
    from core.datasets.io import from_bytes
    from core.device import use_one_thread
    from core.runs.execute import execute
    from core.runs.folder import data_path
    from core.runs.folder_run import FolderRun

    task, shared = job.task, job.shared
    if not shared:
        job.folder.write_settings(task["settings"])
        job.folder.write_app({"attempt": task["attempt"]})
        while not job.fed.wait(0.2):
            if job.stop.is_set() or job.leave.is_set() or not _open(worker):
                return "interrupted"
    if task["low"] and hasattr(os, "setpriority"):
        # on Linux the priority is the thread's, so the worker's own loop still answers at once
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
    use_one_thread()
    run = FolderRun(
        job.folder,
        attempt=task["attempt"],
        stop=job.stop,
        leave=job.leave,
        alive=lambda: _open(worker) and job.folder.app().get("attempt", 0) == task["attempt"],
        on_line=(lambda n, line: None) if shared else (lambda n, line: job.lines.append(line)),
    )
    job.start = run.start
    dataset = from_bytes(data_path(task["data"]).read_bytes())
    return execute(run, dataset, where=socket.gethostname(), shared=shared)


def _open(worker: Any) -> bool:
    return worker.status.name in ("running", "paused")


def report(wants: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What is new of the runs on this worker whose folders are not the app's own.

    Args:
        wants: for each run of interest, the `start` it has seen events of, how many (`n`), and the `serial` of the
            checkpoint and the time of the `preview` that it has.

    Returns:
        For each such run that is here: `lines`, `checkpoint`, `preview`, `model` (each empty or None when there is
        nothing new), and `hungry` with what it has and lacks while it waits to be fed.
    """
    answers = {}
    for run_id, want in wants.items():
        job = _jobs.get(run_id)
        if job is None or job.shared:
            continue
        folder = job.folder
        answer: dict[str, Any] = {"start": job.start, "ended": job.ended, "lines": [], "attempt": job.task["attempt"]}
        have = folder.checkpoint_about()["serial"]
        if not job.fed.is_set():
            answer["hungry"] = {"data": job.lacks(), "serial": have}
        answer["lines"] = job.lines[want["n"] if want["start"] == job.start else 0 :]
        answer["checkpoint"] = folder.checkpoint() if have > want["serial"] else None
        answer["preview"] = None
        if folder.preview_path.is_file() and folder.preview_path.stat().st_mtime > want["preview"]:
            answer["preview"] = (folder.preview_path.stat().st_mtime, folder.preview_path.read_bytes())
        answer["model"] = None
        if job.ended and (folder.model_path / "card.json").is_file():
            from core.store.models import export_file

            answer["model"] = export_file(folder.model_path)
        answers[run_id] = answer
    return answers


def feed(run_id: str, data: bytes | None, checkpoint: bytes | None) -> bool:
    """Give a run that waits what it lacks; it starts then."""
    from core.runs.folder import data_path
    from core.store.disk import write_atomic

    job = _jobs.get(run_id)
    if job is None:
        return False
    if data is not None:
        write_atomic(data_path(job.task["data"]), data)
    if checkpoint is not None:
        job.folder.write_checkpoint(checkpoint)
    job.fed.set()
    return True


def tell(run_id: str, attempt: int, wish: str) -> bool:
    """Ask a run to `stop` (keep what it has) or to `leave` (checkpoint and end); whether it is here."""
    job = _jobs.get(run_id)
    if job is not None and job.task["attempt"] == attempt and not job.ended:
        getattr(job, wish).set()
        return True
    if len(_early) > 1000:
        _early.clear()
    _early[run_id, attempt] = wish
    return False


def forget(run_id: str) -> None:
    """The app has everything of a run that ended: remove what was kept of it here (not the data)."""
    job = _jobs.get(run_id)
    if job is not None and job.ended and not job.shared:
        _jobs.pop(run_id)
        job.folder.remove()


def ready() -> float:
    """Import what a training needs, so that the first run starts sooner; the seconds it took."""
    began = time.monotonic()
    from core.models import families
    from core.runs.execute import execute

    assert execute
    families()
    return time.monotonic() - began
