"""The thread that hands runs to Dask, watches them and keeps their folders up to date."""

import logging
import threading
import time

from core.runs import work
from core.runs.active import Active, at_once, forget, pull
from core.runs.cluster import Cluster, Unreachable

TICK = 0.25
RECONNECT_SECONDS = 2.0
STOP_SECONDS = 10.0  # a training that is in one long step when it is asked to stop gets this long
MOST_TRIES = 3  # times a run may lose its worker without a new checkpoint in between
_log = logging.getLogger(__name__)


class Monitor:
    """Looks after active runs. All its methods may be called from any thread."""

    def __init__(self):
        self.runs: dict[str, Active] = {}  # in the order of submission
        self.lock = threading.RLock()
        self._wake, self._closed = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._retry: dict[str, float] = {}
        self.trouble: dict[str, str] = {}  # by address of a cluster, one sentence

    def add(self, run: Active) -> None:
        """Look after a run from now on."""
        with self.lock:
            self.runs[run.folder.id] = run
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._loop, name="basis-runs", daemon=True)
                self._thread.start()
        self._wake.set()

    def wake(self) -> None:
        """Look at everything now."""
        self._wake.set()

    def queue(self, run_id: str) -> int | None:
        """1 for the next to be trained; None when it does not wait."""
        with self.lock:
            waiting = [r.folder.id for r in self.runs.values() if r.future is None and not r.lost]
        return waiting.index(run_id) + 1 if run_id in waiting else None

    def returns(self, run_id: str) -> bool:
        """Whether a run whose cluster is gone is taken up again when that is back."""
        with self.lock:
            run = self.runs.get(run_id)
            return run is not None and run.lost

    def close(self) -> None:
        """End the thread; runs are left as they are."""
        self._closed.set()
        self._wake.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(5)

    def _loop(self) -> None:
        while not self._closed.is_set():
            self._wake.wait(TICK)
            self._wake.clear()
            with self.lock:
                if not self.runs:
                    self._thread = None
                    return
                clusters = {id(r.cluster): r.cluster for r in self.runs.values()}.values()
            for cluster in clusters:
                if self._closed.is_set():
                    return
                try:
                    self._look_at(cluster)
                except (OSError, TimeoutError, Unreachable) as error:
                    _log.info("the cluster %s: %s", cluster.address or "here", error)
                except Exception:  # one bad tick must not leave every run without a keeper
                    _log.exception("looking after the runs")

    def _of(self, cluster: Cluster) -> list[Active]:
        with self.lock:
            return [r for r in self.runs.values() if r.cluster is cluster]

    def _look_at(self, cluster: Cluster) -> None:
        if cluster.connected and cluster.stuck():
            self._lose(cluster, "The workers of this machine are started anew; runs go on from their last checkpoints.")
            cluster.close()
        if not cluster.connected and not self._reconnect(cluster):
            return
        runs = self._of(cluster)
        apart = [r for r in runs if r.future is not None and not r.journal.refresh().shared]
        if apart and not cluster.here:
            pull(cluster, apart)
        for run in runs:
            if run.lost:
                self._take_up(run)
            elif run.future is not None and run.future.status != "pending":
                self._settle(run)
            elif run.future is not None and run.stopping and time.monotonic() - run.stopping > STOP_SECONDS:
                self.kill(run)
        self._dispatch(cluster)

    def _reconnect(self, cluster: Cluster) -> bool:
        if cluster.client is not None:
            where = f"The cluster at {cluster.address}" if cluster.address else "The cluster of this machine"
            self._lose(cluster, f"{where} stopped answering; runs go on from their last checkpoints when it is back.")
        if time.monotonic() < self._retry.get(cluster.address, 0):
            return False
        try:
            cluster.connect()
        except Unreachable as error:
            self._retry[cluster.address] = time.monotonic() + RECONNECT_SECONDS
            self.trouble.setdefault(cluster.address, str(error))
            return False
        self.trouble.pop(cluster.address, None)
        return True

    def _lose(self, cluster: Cluster, sentence: str) -> None:
        for run in self._of(cluster):
            if not run.lost:
                self.trouble[cluster.address] = sentence
                run.lost, run.future = True, None
                run.folder.append("lost", error=sentence)

    def _take_up(self, run: Active) -> None:
        """The cluster is back, or the app is: the run may still be going on there, else it starts again."""
        run.lost = False
        client = run.cluster.client
        if run.key in client.list_datasets():
            run.future = client.get_dataset(run.key)
            run.future.add_done_callback(lambda future: self.wake())
        run.folder.append("submitted", attempt=run.attempt, again=True)
        if run.future is not None:
            run.folder.append("started", device=run.journal.device, where=run.journal.where, again=True)

    def _dispatch(self, cluster: Cluster) -> None:
        runs = self._of(cluster)
        waiting = [r for r in runs if r.future is None and not r.lost]
        if not waiting or cluster.restarting:  # a worker that is about to be killed would take one along
            return
        room, resources = at_once(cluster)
        if room == 0 and not cluster.here:
            self.trouble[cluster.address] = f"The cluster at {cluster.address} has no workers at the moment."
            return
        self.trouble.pop(cluster.address, None)
        for run in waiting[: max(0, room - sum(r.future is not None for r in runs))]:
            with self.lock:
                if run.folder.id not in self.runs:
                    continue  # stopped just now
                run.serial = run.folder.checkpoint_about()["serial"]
                key = f"{run.key}-{run.tries}-{run.serial}"  # a key that Dask has not failed before
                run.future = cluster.client.submit(
                    work.train, run.task(), key=key, pure=False, resources=resources, retries=0
                )
            if not cluster.here:  # so that it outlives this app
                cluster.client.publish_dataset(run.future, name=run.key, override=True)
            run.future.add_done_callback(lambda future: self.wake())

    def _settle(self, run: Active) -> None:
        """A task has ended, one way or another."""
        future, status = run.future, run.future.status
        if status == "finished":
            outcome = future.result(timeout=20)
            run.journal.refresh()
            if not outcome["shared"]:
                pull(run.cluster, [run])
                run.journal.refresh()
            if run.journal.state in ("done", "stopped", "failed"):
                self._end(run)
                if not outcome["shared"]:
                    forget(run.cluster, run)
                return
            self._again(run, "its training was interrupted")
        elif status == "error":
            error = future.exception(timeout=20)
            name = type(error).__name__
            if name in ("KilledWorker", "FutureCancelledError", "CancelledError", "CommClosedError"):
                self._again(run, "its worker was killed, which often means that memory ran out")
            else:
                words = " ".join(str(error).split())[:200]
                run.folder.append("failed", error=f"The worker could not train this ({name}: {words}).")
                self._end(run)
        elif status in ("cancelled", "lost"):
            self._again(run, "the cluster dropped it")

    def _again(self, run: Active, why: str) -> None:
        if run.stopping:
            run.folder.append("stopped", kept=False)
            self._end(run)
            return
        self._unpublish(run)
        serial = run.folder.checkpoint_about()["serial"]
        run.tries = 0 if serial > run.serial else run.tries + 1
        run.future = None
        if run.tries >= MOST_TRIES:
            run.folder.append("failed", error=f"The training was given up: {why}, {MOST_TRIES} times without progress.")
            self._end(run)
        else:
            run.folder.append("submitted", attempt=run.attempt, again=True)
            self.wake()

    def kill(self, run: Active) -> None:
        """End a run the hard way: nothing is kept but its last checkpoint."""
        with self.lock:
            if self.runs.get(run.folder.id) is not run:
                return
            future, run.future = run.future, None
            self.runs.pop(run.folder.id)
        run.folder.look_away()  # from here on, what the worker still writes is refused by itself
        run.folder.append("stopped", kept=False, killed=True)
        if future is not None and run.cluster.connected:
            worker = next(iter(_processing(run.cluster, future.key)), None)
            future.cancel(force=True)
            self._unpublish(run)
            if not run.cluster.here:
                run.cluster.ask(work.tell, run.folder.id, run.attempt, "leave")
            if worker:
                run.cluster.restart(worker, self.wake)

    def drop(self, run: Active) -> bool:
        """Take a run that still waits out of the queue; whether it did."""
        with self.lock:
            if run.future is not None or self.runs.get(run.folder.id) is not run:
                return False
            self.runs.pop(run.folder.id)
        run.folder.append("stopped", kept=False)
        run.folder.look_away()
        return True

    def _end(self, run: Active) -> None:
        self._unpublish(run)
        with self.lock:
            self.runs.pop(run.folder.id, None)
        run.folder.look_away()

    def _unpublish(self, run: Active) -> None:
        if not run.cluster.here and run.cluster.connected:
            try:
                run.cluster.client.unpublish_dataset(run.key)
            except (KeyError, OSError, TimeoutError):
                return


def _processing(cluster: Cluster, key: str) -> list[str]:
    try:
        return [worker for worker, keys in cluster.client.processing().items() if key in keys]
    except (OSError, TimeoutError):
        return []
