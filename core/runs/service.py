"""The one object through which the app and the terminal submit, follow, stop and resume runs."""

import atexit
import contextlib
import itertools
import os
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.datasets.dataset import Dataset
from core.errors import InputError
from core.models import Model, family
from core.runs import work
from core.runs.active import Active
from core.runs.cluster import Cluster, configured_address
from core.runs.folder import RunFolder, all_runs, data_path
from core.runs.monitor import Monitor
from core.runs.new import new_run
from core.runs.view import Journal, RunView
from core.store import Card, Entry, Place, add_copy, export_file, load, owner_of
from core.store.disk import size_of

MOST_JOURNALS = 128
MOST_STUDY = 200
LEAVE_SECONDS = 2.0
LET_GO_SECONDS = 5.0


class Runs:
    """Trainings in the background. Hold one in the app; all methods may be called from any thread.

    Nothing is started until the first run is submitted. Runs that an earlier app left on a configured cluster are
    taken up again at once; runs that ended with an earlier app on this machine are `lost` until `resume`, or resumed
    at once when `BASIS_RESUME=1`.
    """

    def __init__(self):
        self._clusters: dict[str, Cluster] = {}
        self._monitor = Monitor()
        self._journals: OrderedDict[str, Journal] = OrderedDict()
        self._lock = threading.RLock()
        self._warmed = False
        self._recover()

    # -- submitting ---------------------------------------------------------------------------------------------

    def submit(
        self,
        family_name: str,
        dataset: Dataset,
        settings: Mapping[str, Any] | None = None,
        *,
        seed: int = 0,
        owner: str | None = None,
        name: str = "",
        study: str = "",
        device: str | None = None,
        here: bool = False,
        more: Mapping[str, Any] | None = None,
    ) -> str:
        """Start a training in the background, or queue it.

        Args:
            family_name: such as `directions.autoencoder`.
            settings: plain values; those left out have their defaults.
            owner: the key of the session; `list` finds the run by it.
            name: of the model; one is made up when it is left out.
            study: the id of the study it belongs to.
            device: on the worker; the best one when left out.
            here: on this machine, although a cluster is configured.
            more: for the model's card, such as how the data was prepared.

        Returns:
            The run's id. Whoever has it can follow the run; it cannot be guessed.

        Raises:
            InputError: no such family, or bad settings.
            Unreachable: a cluster is configured and cannot be reached.
        """
        cls = family(family_name)
        values = cls.Settings.of(dict(settings or {})).as_dict()
        cluster = self._connect(here)
        folder = new_run(cls, dataset, values, seed=seed, owner=owner, name=name, study=study, device=device, more=more)
        self._start(folder, cluster, 1)
        return folder.id

    def study(
        self,
        family_name: str,
        dataset: Dataset,
        settings: Mapping[str, Any] | None = None,
        *,
        seeds: Sequence[int] = (0,),
        grid: Mapping[str, Sequence[Any]] | None = None,
        owner: str | None = None,
        name: str = "",
        here: bool = False,
    ) -> str:
        """Submit the same training with several seeds, or over a grid of settings, or both.

        Args:
            grid: for each setting that changes, its values; every combination is trained.

        Returns:
            The study's id for `runs_of`.

        Raises:
            InputError: bad settings, or more than 200 runs.
            Unreachable: as `submit`.
        """
        grid = dict(grid or {})
        combinations = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
        if not 1 <= len(combinations) * len(seeds) <= MOST_STUDY:
            raise InputError(f"A study has 1 to {MOST_STUDY} runs; this one has {len(combinations) * len(seeds)}.")
        cls = family(family_name)
        every = [{**(settings or {}), **chosen} for chosen in combinations]
        for values in every:
            cls.Settings.of(values)  # all are checked before the first is submitted
        study_id = secrets.token_urlsafe(16)
        for values, seed in itertools.product(every, seeds):
            self.submit(family_name, dataset, values, seed=seed, owner=owner, name=name, study=study_id, here=here)
        return study_id

    def warm(self) -> None:
        """Start the workers of this machine ahead of the first run; it returns when they are ready.

        Raises:
            Unreachable: a cluster is configured and cannot be reached.
        """
        cluster = self._connect(False)
        cluster.ask(work.ready)

    def warm_soon(self) -> None:
        """`warm` in the background, once, when runs are trained on this machine: for a page that offers a training."""
        with self._lock:
            if self._warmed or configured_address():
                return
            self._warmed = True
        threading.Thread(target=self._warm_quietly, name="basis-warm", daemon=True).start()

    # -- looking ------------------------------------------------------------------------------------------------

    def follow(self, run_id: str) -> RunView:
        """The run as it is now, also when another process trains it. Cheap: it reads what is new.

        Raises:
            InputError: there is no such run.
        """
        with self._lock:
            journal = self._journals.pop(run_id, None) or Journal(RunFolder.find(run_id))
            self._journals[run_id] = journal
            if len(self._journals) > MOST_JOURNALS:
                self._journals.popitem(last=False)
            return journal.refresh().view(self._monitor.queue(run_id), returns=self._monitor.returns(run_id))

    def list_all(self) -> list[RunView]:
        """Every run on this machine, newest first; for whoever can read its disk anyway."""
        return self._views(lambda s: True)

    def under_way(self, owner: str) -> list[RunView]:
        """The runs of a session's key that this app has waiting or training, oldest first; cheaper than `list`."""
        mine = owner_of(owner)
        with self._monitor.lock:
            ids = [i for i, run in self._monitor.runs.items() if run.folder.settings["owner"] == mine]
        return [view for i in ids if (view := self.follow(i)).active]

    def owns(self, run_id: str, owner: str) -> bool:
        """Whether a session's key started a run, or nobody in particular did; others may look and not touch."""
        return RunFolder.find(run_id).settings["owner"] in ("", owner_of(owner))

    def runs_of(self, study_id: str) -> list[RunView]:
        """The runs of a study, in the order of submission."""
        return self._views(lambda s: study_id and s["study"] == study_id)[::-1]

    def trouble(self) -> str:
        """One sentence when a cluster cannot be reached or has no workers, else empty."""
        return " ".join(dict.fromkeys(self._monitor.trouble.values()))

    def result(self, run_id: str) -> tuple[Model, Card]:
        """The model of a run that is done, or was stopped and kept something.

        Raises:
            InputError: there is no model.
        """
        return load(self._model_folder(run_id))

    def card(self, run_id: str) -> Card:
        """The card alone of what `result` gives."""
        from core.store import load_card

        return load_card(self._model_folder(run_id))

    def size(self, run_id: str) -> int:
        """Bytes of a run on disk, with its checkpoint and its model, without the data."""
        return size_of(RunFolder.find(run_id).path)

    def export(self, run_id: str) -> bytes:
        """The model of a run as one file, as the library exports it."""
        return export_file(self._model_folder(run_id))

    def keep(self, run_id: str, place: Place, *, name: str | None = None) -> Entry:
        """Copy the model of a run into a place of the library.

        Raises:
            InputError: there is no model, or the place cannot be written to.
        """
        return add_copy(self._model_folder(run_id), place, name=name)

    # -- ending and going on ------------------------------------------------------------------------------------

    def stop(self, run_id: str) -> None:
        """Ask a run to end and keep what it has; a training that asks every step ends within a second.

        One that is in a single long step gets ten seconds and is then killed.
        """
        run = self._active(run_id)
        if run is None or self._monitor.drop(run):
            return
        run.stopping = run.stopping or time.monotonic()
        try:
            run.cluster.ask(work.tell, run_id, run.attempt, "stop")
        except (OSError, TimeoutError):
            self._monitor.wake()

    def kill(self, run_id: str) -> None:
        """End a run the hard way, with its worker process; nothing is kept but its last checkpoint."""
        run = self._active(run_id)
        if run is not None:
            self._monitor.kill(run)

    def resume(self, run_id: str, *, here: bool = False) -> None:
        """Go on with a run that was stopped, failed or was lost, from its last checkpoint.

        Raises:
            InputError: it waits, trains or is done.
            Unreachable: a cluster is configured and cannot be reached.
        """
        until = time.monotonic() + LET_GO_SECONDS
        while self.follow(run_id).resumable and self._monitor_has(run_id) and time.monotonic() < until:
            self._monitor.wake()  # it has ended, and is about to be let go
            time.sleep(0.02)
        with self._lock:
            view = self.follow(run_id)
            if not view.resumable or self._monitor_has(run_id):
                raise InputError(f"This run cannot be resumed: it is {view.state}.")
            folder = RunFolder.find(run_id)
            if not data_path(folder.settings["data"]["name"]).is_file():
                raise InputError("The data of this run was removed; start it anew from the data.")
            cluster = self._connect(here)
            self._start(folder, cluster, Journal(folder).refresh().attempt + 1)

    def remove(self, run_id: str) -> None:
        """Remove a run that is over, with its model.

        Raises:
            InputError: it waits or trains.
        """
        view = self.follow(run_id)
        if view.active:
            raise InputError("This run is still under way; stop it first.")
        with self._lock:
            self._journals.pop(run_id, None)
        RunFolder.find(run_id).remove()

    def purge(self, older_than: float) -> int:
        """Remove runs that ended more than `older_than` seconds ago and data that no run needs; how many runs."""
        removed, needed = 0, set()
        for folder in all_runs():
            journal = Journal(folder).refresh()
            if time.time() - journal.changed >= older_than and not journal.view().active:
                folder.remove()
                removed += 1
            else:
                needed.add(folder.settings["data"]["name"])
        for file in data_path("0" * 64 + "-" + "0" * 8).parent.glob("*.npz"):
            if file.stem not in needed and time.time() - file.stat().st_mtime >= older_than:
                file.unlink(missing_ok=True)
        return removed

    def close(self) -> None:
        """Leave: trainings on this machine write a checkpoint and end, those on a cluster go on."""
        atexit.unregister(self.close)
        with self._lock:
            clusters, self._clusters = list(self._clusters.values()), {}
        self._monitor.close()
        ending = [r for r in self._monitor.runs.values() if r.cluster.here]
        for run in ending:
            try:
                run.cluster.ask(work.tell, run.folder.id, run.attempt, "leave")
            except (OSError, TimeoutError, AttributeError):
                break
        until = time.monotonic() + LEAVE_SECONDS
        while time.monotonic() < until and any(r.future and r.future.status == "pending" for r in ending):
            time.sleep(0.02)
        for run in ending:
            run.folder.append("lost", error="The app ended while this run was under way; it can be resumed.")
            run.folder.look_away()
        for run in self._monitor.runs.values():
            run.folder.leave_alone()
        self._monitor.runs.clear()
        for cluster in clusters:
            cluster.close()

    # -- inside -------------------------------------------------------------------------------------------------

    def _cluster(self, address: str) -> Cluster:
        with self._lock:
            return self._clusters.setdefault(address, Cluster(address))

    def _warm_quietly(self) -> None:
        with contextlib.suppress(InputError, OSError, TimeoutError):
            self.warm()

    def _connect(self, here: bool) -> Cluster:
        cluster = self._cluster("" if here else configured_address())
        cluster.connect()
        # at exit the last registered goes first, and this must go before what Dask registered when it was imported
        atexit.unregister(self.close)
        atexit.register(self.close)
        return cluster

    def _start(self, folder: RunFolder, cluster: Cluster, attempt: int, *, lost: bool = False) -> None:
        origin = folder.look_after(attempt=attempt, where=cluster.address)
        if not lost:
            folder.append("submitted", attempt=attempt)
        self._monitor.add(Active(folder, Journal(folder), cluster, attempt, origin, lost=lost))

    def _active(self, run_id: str) -> Active | None:
        with self._monitor.lock:
            return self._monitor.runs.get(run_id)

    def _monitor_has(self, run_id: str) -> bool:
        return self._active(run_id) is not None

    def _model_folder(self, run_id: str) -> Path:
        folder = RunFolder.find(run_id)
        if not (folder.model_path / "card.json").is_file():
            raise InputError("This run has no model yet.")
        return folder.model_path

    def _views(self, wanted) -> list[RunView]:
        views = []
        for folder in all_runs():
            try:
                if wanted(folder.settings):
                    views.append(self.follow(folder.id))
            except (OSError, ValueError, KeyError):  # removed just now, or not a run
                continue
        return sorted(views, key=lambda v: (v.created, v.id), reverse=True)

    def _recover(self) -> None:
        for folder in all_runs():
            try:
                about, journal = folder.app(), Journal(folder)
                if not about or folder.looked_after():
                    continue
                if journal.refresh().state not in ("waiting", "running", "lost"):
                    folder.look_away()
                elif about["where"]:
                    self._start(folder, self._cluster(about["where"]), about["attempt"], lost=True)
                elif os.environ.get("BASIS_RESUME") == "1":
                    self.resume(folder.id, here=True)
            except (OSError, ValueError, KeyError):
                continue

    # the last method, because inside the class its name hides the type `list` from then on
    def list(self, owner: str | None) -> list[RunView]:
        """All runs of a session's key, newest first. With None: of nobody, as the terminal starts them."""
        mine = owner_of(owner) if owner else ""
        return self._views(lambda s: s["owner"] == mine)
