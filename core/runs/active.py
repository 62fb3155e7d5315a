"""A run that this app looks after, and bringing its folder up to date from a worker that does not share the disk."""

import os
from dataclasses import dataclass
from typing import Any

from core.errors import InputError
from core.runs import work
from core.runs.cluster import Cluster
from core.runs.folder import RunFolder, data_path
from core.runs.view import Journal
from core.store.disk import write_atomic
from core.store.models import import_file


@dataclass
class Active:
    """A run between its submission and its end, as the app that looks after it knows it."""

    folder: RunFolder
    journal: Journal
    cluster: Cluster
    attempt: int
    origin: str
    future: Any = None
    stopping: float | None = None  # since when
    lost: bool = False  # the cluster is gone; to be taken up when it is back
    serial: int = 0  # of the checkpoint when it was last handed to Dask
    preview: float = 0.0
    tries: int = 0

    @property
    def key(self) -> str:
        """What Dask calls it."""
        return f"basis-{self.folder.id}-{self.attempt}"

    def task(self) -> dict[str, Any]:
        """What is sent to a worker."""
        return {
            "id": self.folder.id,
            "attempt": self.attempt,
            "origin": self.origin,
            "settings": self.folder.settings,
            "data": self.folder.settings["data"]["name"],
            "low": self.cluster.here,
        }


def pull(cluster: Cluster, runs: list[Active]) -> None:
    """Fetch what is new of runs whose workers do not share this disk, and feed those that wait for it."""
    wants = {}
    for run in runs:
        seen = run.journal.refresh().seen
        start = next(reversed(seen), "")
        wants[run.folder.id] = {
            "start": start,
            "n": seen.get(start, 0),
            "serial": run.folder.checkpoint_about()["serial"],
            "preview": run.preview,
        }
    by_id = {run.folder.id: run for run in runs}
    for worker, answers in cluster.ask(work.report, wants).items():
        for run_id, answer in answers.items():
            if answer["attempt"] == by_id[run_id].attempt:
                _take(cluster, by_id[run_id], worker, answer, wants[run_id]["serial"])


def _take(cluster: Cluster, run: Active, worker: str, answer: dict[str, Any], serial: int) -> None:
    if answer["checkpoint"] is not None:  # before the events that speak of it
        run.folder.write_checkpoint(answer["checkpoint"])
    if answer["preview"] is not None:
        run.preview, picture = answer["preview"]
        write_atomic(run.folder.preview_path, picture, sync=False)
    if answer["model"] is not None:
        try:
            import_file(answer["model"], run.folder.model_path)
        except InputError as error:
            run.folder.append("failed", error=f"The model that came back from the worker is not sound: {error}")
    if answer["lines"]:
        run.folder.append_lines(answer["lines"])
    hungry = answer.get("hungry")
    if hungry and not answer["ended"]:
        data = data_path(run.folder.settings["data"]["name"]).read_bytes() if hungry["data"] else None
        checkpoint = run.folder.checkpoint() if serial > hungry["serial"] else None
        cluster.ask(work.feed, run.folder.id, data, checkpoint, only=worker)


def forget(cluster: Cluster, run: Active) -> None:
    """Tell the workers that everything of a run is here."""
    try:
        cluster.ask(work.forget, run.folder.id)
    except (OSError, TimeoutError):
        return


def at_once(cluster: Cluster) -> tuple[int, dict[str, float] | None]:
    """How many runs may train at once, `BASIS_MAX_RUNS` or as many as there is room for, and what each asks for."""
    room, resources = cluster.slots()
    most = int(os.environ.get("BASIS_MAX_RUNS") or 0)
    return (min(most, room) if most else room), resources
