"""A scheduler and workers started from the command line, with certificates made for the test."""

import datetime
import ipaddress
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from waiting import HERE, ROOT, wait_for


def certificates(folder: Path) -> dict[str, str]:
    """Paths of a new authority, and of a certificate and key that it signed."""
    folder.mkdir()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.UTC)
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    made = []
    for key, authority in zip(keys, (True, False), strict=True):
        subject = name if authority else x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "dask")])
        maker = x509.CertificateBuilder().subject_name(subject).issuer_name(name).public_key(key.public_key())
        maker = maker.serial_number(x509.random_serial_number())
        maker = maker.not_valid_before(now - datetime.timedelta(days=1))
        maker = maker.not_valid_after(now + datetime.timedelta(days=1))
        maker = maker.add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        here = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        maker = maker.add_extension(x509.SubjectAlternativeName(here), critical=False)
        made.append(maker.sign(keys[0], hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    form = (
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    contents = {"CA": made[0], "CERT": made[1], "KEY": keys[1].private_bytes(*form)}
    for what, content in contents.items():
        (folder / f"{what}.pem").write_bytes(content)
    return {what: str(folder / f"{what}.pem") for what in contents}


def free_port() -> int:
    """A port that nothing listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class CommandLine:
    """`dask scheduler` and two `dask worker`, as the README starts them; each worker has a home of its own."""

    def __init__(self, folder: Path, certificates: dict[str, str]):
        self.folder, self.port = folder, free_port()
        self.tls = ["--tls-ca-file", certificates["CA"], "--tls-cert", certificates["CERT"]]
        self.tls += ["--tls-key", certificates["KEY"]]
        self.scheduler: subprocess.Popen | None = None
        self.workers: list[subprocess.Popen] = []

    @property
    def address(self) -> str:
        """What `BASIS_SCHEDULER` is set to."""
        return f"tls://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start all three; it does not wait for them."""
        self.scheduler = self._run(
            "s", "scheduler", "--host", self.address.rpartition(":")[0], "--port", str(self.port), "--no-dashboard"
        )
        self.workers = [
            self._run(f"w{i}", "worker", self.address, "--nthreads", "1", "--no-dashboard", "--preload", "paced")
            for i in range(2)
        ]

    def worker_process(self, i: int) -> int:
        """The id of the process that trains, a child of the nanny."""

        def found():
            children = psutil.Process(self.workers[i].pid).children(recursive=True)
            return [c.pid for c in children if "spawn_main" in " ".join(c.cmdline())]

        return wait_for(found)[0]

    def home(self, i: int) -> Path:
        """Where a worker keeps things."""
        return self.folder / f"w{i}"

    def stop(self, scheduler_only: bool = False) -> None:
        """End them; the workers of a scheduler that is gone end by themselves."""
        if scheduler_only:
            self.scheduler.send_signal(signal.SIGINT)
        else:
            for process in (*self.workers, self.scheduler):
                for child in psutil.Process(process.pid).children(recursive=True) if process.poll() is None else ():
                    child.kill()
                process.kill()
                process.wait(20)

    def _run(self, name: str, *words: str) -> subprocess.Popen:
        (self.folder / name).mkdir(exist_ok=True)
        path = os.pathsep.join((str(ROOT), str(HERE)))
        env = {**os.environ, "PYTHONPATH": path, "BASIS_HOME": str(self.folder / name), "BASIS_SCHEDULER": ""}
        log = open(self.folder / f"{name}.log", "ab")  # noqa: SIM115  the process writes to it
        command = [sys.executable, "-m", "dask", *words, *self.tls]
        return subprocess.Popen(command, env=env, cwd=self.folder / name, stdout=log, stderr=log)
