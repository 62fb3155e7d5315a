"""Help for tests that open a Streamlit app in headless Chromium; other tests share it."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}


@contextmanager
def serve(app: str | Path, *, seconds: float = 60, environment: dict[str, str] | None = None) -> Iterator[str]:
    """Run a Streamlit app on a free loopback port; the value is its address. All its processes end afterwards.

    Args:
        app: a script, relative to the root of the project or absolute.
        seconds: how long it may take to answer.
        environment: variables on top of the present ones.

    Raises:
        RuntimeError: it ended or did not answer in time; the message holds the end of its log.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / app), f"--server.port={port}"]
    command += ["--server.address=127.0.0.1", "--server.headless=true", "--browser.gatherUsageStats=false"]
    path = os.pathsep.join(p for p in (str(ROOT), os.environ.get("PYTHONPATH", "")) if p)
    variables = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path, **(environment or {})}
    server = subprocess.Popen(
        command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    os.set_blocking(server.stdout.fileno(), False)
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + seconds
        while not _healthy(address):
            if server.poll() is not None or time.monotonic() > deadline:
                log = (server.stdout.read() or b"").decode(errors="replace")
                raise RuntimeError(f"the app {app} did not start:\n{log[-3000:]}")
            time.sleep(0.1)
        yield address
    finally:
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(server.pid, sign)
                server.wait(timeout=5)
            except subprocess.TimeoutExpired:
                continue
            except ProcessLookupError:
                break
        server.stdout.close()


def _healthy(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


def settled(page: Any, milliseconds: float = 15_000) -> None:
    """Wait until the script of the app has run to its end."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]', timeout=milliseconds)
