"""Where things are kept, and writes that leave the old file or the new one, never half of one."""

import contextlib
import json
import os
import secrets
import shutil
import time
from pathlib import Path
from typing import Any


def home() -> Path:
    """The folder of everything the app keeps: `$BASIS_HOME`, else `basis-explorer` under the user's data folder.

    It is made when it is missing, readable by nobody else.
    """
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return private(Path(os.environ.get("BASIS_HOME") or Path(data) / "basis-explorer").expanduser().resolve())


def private(folder: Path) -> Path:
    """The folder, made with its parents if it is missing, for this user only."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def write_atomic(path: Path, content: bytes, *, sync: bool = True) -> None:
    """Write a file so that a crash leaves the old content or the new.

    Args:
        sync: wait until it is on the disk; leave it out only for what may be lost with the power.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "xb", opener=lambda p, flags: os.open(p, flags, 0o600)) as file:
            file.write(content)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    if sync:
        sync_folder(path.parent)


def write_json(path: Path, value: Any, *, sync: bool = True) -> None:
    """Write a value as JSON, atomically."""
    write_atomic(path, json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False).encode(), sync=sync)


def write_folder(folder: Path, files: dict[str, bytes]) -> None:
    """Write a folder of files so that a crash leaves the old folder, the new one, or one that `settle` finishes."""
    parent = private(folder.parent)
    new, old = parent / f".new-{secrets.token_hex(4)}-{folder.name}", parent / f".old-{folder.name}"
    new.mkdir(mode=0o700)
    try:
        for name, content in files.items():
            write_atomic(new / name, content)
        if folder.exists():
            shutil.rmtree(old, ignore_errors=True)
            os.rename(folder, old)
        os.rename(new, folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    sync_folder(parent)
    shutil.rmtree(old, ignore_errors=True)


def settle(folder: Path) -> None:
    """Put the old folder back if a crash came between taking it away and putting the new one in its place."""
    old = folder.parent / f".old-{folder.name}"
    if not folder.exists() and old.is_dir():
        time.sleep(0.05)  # a writer that is alive needs far less than this between its two renames
        if not folder.exists():
            try:
                os.rename(old, folder)
            except OSError:
                return


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk (where the system can do that)."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def size_of(folder: Path) -> int:
    """Bytes of all files in a folder; files that come and go meanwhile count or not."""
    total = 0
    for at, _, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(FileNotFoundError):
                total += os.path.getsize(os.path.join(at, name))
    return total
