"""The folder of a run: what is in it and how it is read and written. Knows no Dask."""

import json
import os
import re
import secrets
import shutil
import socket
import threading
import time
from functools import cached_property
from pathlib import Path
from typing import Any

import psutil

from core.errors import InputError
from core.store.disk import home, private, write_atomic, write_json

_ID = re.compile(r"[\w-]{22}")


def _new_id() -> str:
    while (new := secrets.token_urlsafe(16)).startswith("-"):  # a terminal would take it for an option
        pass
    return new


class RunFolder:
    """One run on the disk.

    Files:
        settings.json: family, settings, seed, dataset, owner; never changed.
        events.jsonl: everything that happened, one JSON object a line, only ever appended to.
        checkpoint.safetensors: the last state of the training.
        preview.png: the last picture.
        model/: the result, as the store keeps models.
        app.json: which process looks after the run while it waits or trains, and the number of the attempt.
        error.txt: the full report of an error, for whoever mends it.
    """

    def __init__(self, path: Path):
        self.path = path
        self.events_path = path / "events.jsonl"
        self.checkpoint_path = path / "checkpoint.safetensors"
        self.preview_path = path / "preview.png"
        self.model_path = path / "model"
        self._app_path = path / "app.json"
        self._lock = threading.Lock()

    @property
    def id(self) -> str:
        """The run's id: its folder's name."""
        return self.path.name

    @classmethod
    def create(cls, settings: dict[str, Any]) -> "RunFolder":
        """A new run; its id cannot be guessed."""
        folder = cls(runs_home() / _new_id())
        folder.write_settings(settings)
        return folder

    @classmethod
    def find(cls, run_id: str) -> "RunFolder":
        """The folder of a run.

        Raises:
            InputError: there is none of this id.
        """
        folder = cls(runs_home() / run_id) if _ID.fullmatch(run_id) else None
        if folder is None or not (folder.path / "settings.json").is_file():
            raise InputError("There is no such run (it may have been removed).")
        return folder

    def write_settings(self, settings: dict[str, Any]) -> None:
        """Write what the run is; also on a worker that has no folder of it yet."""
        private(self.path)
        write_json(self.path / "settings.json", settings)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """What was submitted."""
        return json.loads((self.path / "settings.json").read_bytes())

    def append(self, event: str, **values: Any) -> str:
        """Add an event; returns its line without the end."""
        line = json.dumps({"t": round(time.time(), 3), "event": event, **values}, allow_nan=False)
        self.append_lines([line])
        return line

    def append_lines(self, lines: list[str]) -> None:
        """Add events that were written elsewhere, as they are."""
        content = "".join(line + "\n" for line in lines).encode()
        with self._lock, open(self.events_path, "ab+") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # the process that wrote the last line was killed in the middle of it
                    content = b"\n" + content
            file.write(content)

    def checkpoint(self) -> bytes | None:
        """The content of the last checkpoint."""
        return self.checkpoint_path.read_bytes() if self.checkpoint_path.is_file() else None

    def checkpoint_about(self) -> dict[str, Any]:
        """`serial`, `step` and `seconds` of the last checkpoint; serial 0 when there is none."""
        from core.runs.state import about_state  # torch is imported only where states are handled

        try:
            with open(self.checkpoint_path, "rb") as file:
                head = file.read(8)
                return about_state(head + file.read(int.from_bytes(head, "little")))
        except (OSError, ValueError):
            return {"serial": 0, "step": 0, "seconds": 0.0}

    def write_checkpoint(self, content: bytes) -> None:
        """Replace the checkpoint, atomically."""
        write_atomic(self.checkpoint_path, content)

    def look_after(self, *, attempt: int, where: str) -> str:
        """Say that this process looks after the run; returns a word by which a worker knows this very folder."""
        origin = secrets.token_hex(8)
        me = psutil.Process()
        about = {"pid": me.pid, "since": me.create_time(), "host": socket.gethostname()}
        write_json(self._app_path, {**about, "attempt": attempt, "where": where, "origin": origin})
        return origin

    def look_away(self) -> None:
        """Nothing is to be looked after any more."""
        self._app_path.unlink(missing_ok=True)

    def leave_alone(self) -> None:
        """This process looks after the run no longer, although it goes on; the next app takes it up."""
        if about := self.app():
            write_json(self._app_path, {**about, "pid": 0})

    def app(self) -> dict[str, Any]:
        """What `look_after` wrote, or an empty mapping."""
        try:
            return json.loads(self._app_path.read_bytes())
        except (OSError, ValueError):
            return {}

    def write_app(self, about: dict[str, Any]) -> None:
        """Note the attempt on a worker that does not share the app's disk."""
        write_json(self._app_path, about, sync=False)

    def looked_after(self) -> bool:
        """Whether the process that looks after the run is alive."""
        about = self.app()
        if not about.get("pid"):
            return False
        if about["host"] != socket.gethostname():
            return True  # a shared disk: another machine's process cannot be asked
        try:
            return abs(psutil.Process(about["pid"]).create_time() - about["since"]) < 1
        except psutil.Error:
            return False

    def remove(self) -> None:
        """Remove the run from the disk."""
        shutil.rmtree(self.path, ignore_errors=True)


def runs_home() -> Path:
    """Where the runs of this machine lie."""
    return private(home() / "runs")


def data_path(name: str) -> Path:
    """Where a dataset of that name lies on this machine, if it is here."""
    if not re.fullmatch(r"[0-9a-f]{64}-[0-9a-f]{8}", name):
        raise InputError("There is no such dataset.")
    return private(home() / "data") / f"{name}.npz"


def all_runs() -> list[RunFolder]:
    """Every run on this machine, in no order."""
    return [RunFolder(f) for f in runs_home().iterdir() if _ID.fullmatch(f.name) and (f / "settings.json").is_file()]
