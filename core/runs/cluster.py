"""Where runs are computed: a cluster of this app's own on this machine, or one at a configured address."""

import asyncio
import contextlib
import ipaddress
import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core.errors import InputError
from core.store.disk import home, private

CONNECT_SECONDS = 10
ASK_SECONDS = 15
EMPTY_SECONDS = 120
_CONFIG = {
    # a run may start processes of its own (a data loader, one process a GPU), which a daemon may not
    "distributed.worker.daemon": False,
    # the sampling profiler takes time from the training
    "distributed.worker.profile.enabled": False,
    # on a busy machine a killed worker needs longer than the usual 15 s to come back; giving it up leaves none
    "distributed.deploy.lost-worker-timeout": "1 day",
}
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Unreachable(InputError):
    """The configured cluster cannot be reached; the same run can be submitted with `here=True`."""


def configured_address() -> str:
    """The address in `BASIS_SCHEDULER`, or nothing for the cluster of this machine."""
    return (os.environ.get("BASIS_SCHEDULER") or "").strip()


class Cluster:
    """A connection to Dask workers. `connect` may be called again after the connection was lost.

    Args:
        address: of a scheduler (`tls://host:8786`, or `tcp://127.0.0.1:8786` on this machine); nothing for workers of
            this app's own, which are started by `connect` and end with the app.
    """

    def __init__(self, address: str = ""):
        self.address = address
        self.client: Any = None
        self._local: Any = None
        self.restarting = 0
        self._lock = threading.Lock()
        self._workers: tuple[float, dict[str, dict]] = (-1e9, {})
        self._seen_workers = 0.0

    @property
    def here(self) -> bool:
        """Whether the workers are this app's own."""
        return not self.address

    @property
    def connected(self) -> bool:
        """Whether the scheduler answers, as far as is known."""
        return self.client is not None and self.client.status == "running"

    def connect(self) -> None:
        """Start or reach the cluster.

        Raises:
            Unreachable: it does not answer, refuses the certificates, or the address is not safe.
        """
        with self._lock:
            if self.connected:
                return
            self._disconnect()
            import dask
            from distributed import Client

            dask.config.set(_CONFIG)
            if self.here:
                if self._local is None:
                    self._local = _start_local()
                target, security = self._local, self._local.security
            else:
                target, security = self.address, _security(self.address)
                # what it says there with a traceback when a scheduler goes, is said on the pages in a sentence
                logging.getLogger("distributed").setLevel(logging.CRITICAL)
            try:
                self.client = Client(
                    target, security=security, timeout=CONNECT_SECONDS, set_as_default=False, name="basis-explorer"
                )
            except (OSError, TimeoutError, ValueError, RuntimeError, ImportError) as error:
                self.client = None
                raise Unreachable(
                    f"The cluster at {self.address} cannot be reached ({_reason(error)}): check BASIS_SCHEDULER and "
                    "the certificates, or train on this machine instead."
                ) from error

    def workers(self) -> dict[str, dict]:
        """The workers by address, as the scheduler describes them (at most a second old)."""
        when, found = self._workers
        if time.monotonic() - when > 1:
            found = self.client.scheduler_info(n_workers=-1).get("workers", {})
            self._workers = time.monotonic(), found
        return found

    def stuck(self) -> bool:
        """Whether this app's own workers are gone for so long that they will not come back by themselves."""
        if self.workers():
            self._seen_workers = time.monotonic()
        return self.here and time.monotonic() - self._seen_workers > EMPTY_SECONDS

    def slots(self) -> tuple[int, dict[str, float] | None]:
        """How many trainings fit at once, and the Dask resources that each asks for (`{"GPU": 1}` if any offers it)."""
        workers = self.workers().values()
        gpus = sum(int(w["resources"].get("GPU", 0)) for w in workers)
        return (gpus, {"GPU": 1}) if gpus else (len(workers), None)

    def ask(self, function: Callable, *args: Any, only: str | None = None) -> dict[str, Any]:
        """Call a function on every worker (or only one); what each answers. One that does not answer is left out."""
        workers = [only] if only else list(self.workers())
        return self.client.sync(_ask, self.client, function, args, workers, callback_timeout=ASK_SECONDS + 5)

    def restart(self, worker: str, then: Callable[[], None]) -> None:
        """End a worker's process the hard way and start it anew.

        That takes seconds, so nobody waits for it: `restarting` counts such workers meanwhile, and `then` is called
        when the new process is there.
        """
        client, self.restarting = self.client, self.restarting + 1

        def go() -> None:
            try:
                client.restart_workers([worker], timeout=20, raise_for_error=False)
            except (ValueError, OSError, TimeoutError):
                logging.getLogger(__name__).info("the worker %s has no nanny to restart it", worker)
            finally:
                self.restarting -= 1
                then()

        threading.Thread(target=go, name="restart of a worker", daemon=True).start()

    def close(self) -> None:
        """Leave the cluster; workers of this app's own end."""
        with self._lock:
            self._disconnect()
            local, self._local = self._local, None
            if local is not None:
                with contextlib.suppress(OSError, TimeoutError):  # on a busy machine; its processes end with this one
                    local.close(timeout=10)

    def _disconnect(self) -> None:
        client, self.client = self.client, None
        self._seen_workers = time.monotonic()
        self._workers = (-1e9, {})
        if client is not None:
            with contextlib.suppress(OSError, TimeoutError):
                client.close(timeout=2)


def local_workers() -> int:
    """How many worker processes this machine's own cluster has: `BASIS_WORKERS`, one when unset."""
    return max(1, int(os.environ.get("BASIS_WORKERS") or 1))


def _start_local() -> Any:
    from distributed import LocalCluster

    try:
        return LocalCluster(
            n_workers=local_workers(),
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            security=True,  # certificates made for this start: other users of the machine cannot send it code
            dashboard_address="127.0.0.1:0",
            local_directory=str(private(home() / "scratch")),
            silence_logs=logging.CRITICAL,
        )
    except (RuntimeError, OSError, TimeoutError) as error:
        raise Unreachable(f"The worker processes of this machine could not be started ({_reason(error)}).") from error


def _security(address: str) -> Any:
    from distributed import Security

    scheme, host = urlsplit(address).scheme, urlsplit(address).hostname or ""
    if scheme == "tcp" and (host in _LOOPBACK or _loopback(host)):
        return None
    if scheme != "tls":
        raise Unreachable(
            f"The address {address} is not safe to send trainings to: use tls:// with certificates, or tcp:// on this "
            "machine only."
        )
    files = {name: os.environ.get(f"BASIS_TLS_{name}", "") for name in ("CA", "CERT", "KEY")}
    for name, path in files.items():
        if not path or not Path(path).expanduser().is_file():
            named = path or "nothing"
            raise Unreachable(f"A cluster at tls:// needs BASIS_TLS_{name} to name a PEM file; {named} is not one.")
    ca, cert, key = (str(Path(p).expanduser()) for p in files.values())
    return Security(tls_ca_file=ca, tls_client_cert=cert, tls_client_key=key, require_encryption=True)


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _reason(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    words = " ".join(str(error).split()) or type(error).__name__
    if "ertificate" in words or "SSL" in words:
        return "the certificates do not fit"
    if isinstance(error, ConnectionRefusedError) or "refused" in words:
        return "nothing listens there"
    return "it does not answer" if isinstance(error, (TimeoutError, asyncio.CancelledError)) else words[:120]


async def _ask(client: Any, function: Callable, args: tuple, workers: list[str]) -> dict[str, Any]:
    async def one(worker: str) -> tuple[str, dict]:
        try:
            call = client._run(function, *args, workers=[worker], on_error="ignore")
            return worker, await asyncio.wait_for(call, ASK_SECONDS)
        except (OSError, TimeoutError):
            return worker, {}

    answers = await asyncio.gather(*map(one, workers))
    return {worker: found[worker] for worker, found in answers if worker in found}
