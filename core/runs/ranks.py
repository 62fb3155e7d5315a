"""Fits a model in one process or, where its device is several GPUs, in one process for each of them.

The processes are this one's children. They end when the fit ends, however it ends, and when this process does. Stop
wishes, reports and checkpoints go through this process, so that the run is looked after as ever.
"""

import os
import socket
import subprocess
import sys
import tempfile
from multiprocessing import connection
from typing import Any

import numpy as np

from core.datasets.dataset import Dataset
from core.datasets.io import to_bytes
from core.device import ranks
from core.errors import InputError
from core.models import Model
from core.progress import Run
from core.runs.state import pack_state, unpack_state

WORTH_SECONDS = 120.0  # on one core; several processes need some ten seconds to start, in which a GPU does this alone


class Link:
    """Messages between a process and the one that started it: a word, plain values and arrays; no pickle."""

    def __init__(self, handle: int):
        self.connection = connection.Connection(handle)

    def fileno(self) -> int:
        """For `wait`."""
        return self.connection.fileno()

    def say(self, word: str, values: dict[str, Any] | None = None, **about: Any) -> None:
        """Send a message; `values` as in a checkpoint, `about` as in JSON."""
        self.connection.send_bytes(pack_state(values or {}, {**about, "word": word}))

    def hear(self) -> tuple[str, dict[str, Any], dict[str, Any]]:
        """Wait for a message: the word, `values`, `about`.

        Raises:
            EOFError, OSError: the other side is gone.
        """
        values, about = unpack_state(self.connection.recv_bytes())
        return about.pop("word"), values, about


class FarRun(Run):
    """The run of a rank, which lives in the process that started it. `core.parallel.Team` asks it on rank 0 only."""

    def __init__(self, link: Link, state: dict[str, Any] | None):
        self._link, self._state = link, state

    def progress(self, step, total, metrics=None, preview=None):
        metrics = {str(k): float(v) for k, v in (metrics or {}).items()}
        shown = {} if preview is None else {"preview": preview}
        self._link.say("progress", shown, step=int(step), total=int(total), metrics=metrics)

    def should_stop(self):
        self._link.say("stop?")
        return self._link.hear()[0] == "yes"

    def checkpoint(self, state):
        self._link.say("checkpoint?")
        if self._link.hear()[0] == "state?":
            self._link.say("state", dict(state()))
            self._link.hear()

    def restore(self):
        return None if self._state is None else dict(self._state)


def fit(model: Model, dataset: Dataset, *, seed: int, run: Run) -> None:
    """Fit the model, by several processes where that is worth it; see `Model.fit`.

    Raises:
        InputError: as `Model.fit` does.
        RuntimeError: one of the processes met an error of its own or was ended.
    """
    count = ranks(model.device) if model.parallel and os.name == "posix" else 1
    if count > 1 and model.seconds(dataset) < WORTH_SECONDS and not os.environ.get("BASIS_RANKS"):
        count = 1
    if count == 1:
        model.fit(dataset, seed=seed, run=run)
        return
    arrays = _fit_by_several(model, dataset, seed, run, count)
    model.shape_, model.seed_ = dataset.shape, int(seed)
    model._load(arrays)


def _fit_by_several(model: Model, dataset: Dataset, seed: int, run: Run, count: int) -> dict[str, np.ndarray]:
    state = run.restore()
    values = {"data": np.frombuffer(to_bytes(dataset), dtype=np.uint8)}
    values |= {f"state.{name}": value for name, value in (state or {}).items()}
    about = {
        "module": type(model).__module__,
        "family": model.family,
        "settings": model.settings.as_dict(),
        "device": model.device.type,
        "seed": int(seed),
        "count": count,
        "resumed": state is not None,
    }
    children: list[subprocess.Popen] = []
    links: list[Link] = []
    with tempfile.TemporaryDirectory(prefix="basis-ranks-") as place:
        try:
            for _ in range(count):
                child, link = _start()
                children.append(child)
                links.append(link)
            for rank, link in enumerate(links):
                link.say("fit", values, **about, rank=rank, place=place)
            return _look_after(links, run)
        except (EOFError, OSError) as error:
            raise RuntimeError("one of the processes that share the training was ended") from error
        finally:
            for child in children:
                child.kill()
            for child in children:
                child.wait()
            for link in links:
                link.connection.close()


def _start() -> tuple[subprocess.Popen, Link]:
    ours, theirs = socket.socketpair()
    loopback = next((name for _, name in socket.if_nameindex() if name.startswith("lo")), None)
    near = {"GLOO_SOCKET_IFNAME": loopback, "NCCL_SOCKET_IFNAME": loopback} if loopback else {}
    path = os.pathsep.join(p or os.getcwd() for p in sys.path)
    with theirs:
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "core.runs.rank", str(theirs.fileno()), str(os.getpid())],
            pass_fds=[theirs.fileno()],
            env={**os.environ, **near, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "TORCH_CPP_LOG_LEVEL": "ERROR"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the process that was started by hand; it stops the training
        )
    return child, Link(ours.detach())


def _look_after(links: list[Link], run: Run) -> dict[str, np.ndarray]:
    """Pass rank 0's reports and questions on to the run until it is done; the arrays of its model."""
    while True:
        ready = connection.wait(links, timeout=0.5)
        if not ready:
            run.should_stop()  # ends the fit from here when the run is no longer ours
        for link in ready:
            word, values, about = _heard(link)
            if word == "progress":
                run.progress(about["step"], about["total"], about["metrics"], values.get("preview"))
            elif word == "stop?":
                link.say("yes" if run.should_stop() else "no")
            elif word == "checkpoint?":
                run.checkpoint(lambda link=link: _state(link))
                link.say("go on")
            elif word == "done" and link is links[0]:
                return values


def _state(link: Link) -> dict[str, Any]:
    link.say("state?")
    return _heard(link)[1]


def _heard(link: Link) -> tuple[str, dict[str, Any], dict[str, Any]]:
    word, values, about = link.hear()
    if word != "failed":
        return word, values, about
    if about["kind"] == "InputError":
        raise InputError(about["words"])
    if about["kind"] == "MemoryError":
        raise MemoryError(about["words"])
    raise RuntimeError(f"in process {about['rank']}, {about['kind']}: {about['words']}") from RuntimeError(
        about["trace"]
    )
