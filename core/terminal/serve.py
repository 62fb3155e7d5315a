"""`python -m core serve`: the app on this machine, at an address that is printed."""

import argparse
import contextlib
import importlib
import io
import ipaddress
import os
import runpy
import socket
import sys
import threading
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from core.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
FIRST_PORT, PORTS = 8501, 100
WARM_SECONDS = 120
# the message by which a browser asks for the page: field 11 (`rerun_script`) of Streamlit's BackMsg, empty
_RERUN = b"\x5a\x00"


def serve(argv: Sequence[str]) -> int:
    """Start the app and stay until it is stopped; see `python -m core serve --help`.

    The app runs in this very process, so that nothing is left when it ends.

    Raises:
        InputError: the port is taken, or other machines are to be let in without `--open-to-network`.
    """
    parser = argparse.ArgumentParser(prog="python -m core serve", description="Start the app in the browser.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on; default: this machine only")
    parser.add_argument("--port", type=int, help=f"default: the first free one from {FIRST_PORT}")
    parser.add_argument(
        "--open-to-network",
        action="store_true",
        help="allow a --host that lets other machines in; there is no password",
    )
    arguments = parser.parse_args(argv)
    host = arguments.host
    if not _only_here(host):
        if not arguments.open_to_network:
            raise InputError(
                f"The address {host} lets other machines in, and the app has no password; add --open-to-network if "
                "that is what you want."
            )
        print("Other machines can open this app. Put a proxy with a password and TLS before it.", file=sys.stderr)
    app = ROOT / "app.py"
    if not app.is_file():
        raise InputError(f"There is no app at {app}; the command serve works from a checkout of the project.")
    port = _port(host, arguments.port)
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    sys.stdout, sys.stderr = _text(sys.stdout), _text(sys.stderr)
    threading.Thread(target=_announce, args=(shown, port), daemon=True).start()
    os.chdir(ROOT)  # Streamlit reads its configuration from the folder that it is started in
    options = {
        "server.address": host,
        "server.port": port,
        "server.headless": "true",
        "browser.gatherUsageStats": "false",
        "server.fileWatcherType": "none",
    }
    # by name, as the server itself is started: the terminal uses Streamlit's inside, the core does not depend on it.
    # Streamlit takes the folder `pages/` for its own until a first session has run `st.navigation`, and meanwhile
    # answers a deep link with *Page not found*.
    importlib.import_module("streamlit.runtime.pages_manager").PagesManager.uses_pages_directory = False
    sys.argv = ["streamlit", "run", str(app), *(f"--{name}={value}" for name, value in options.items())]
    try:
        runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


class _Pipe(io.FileIO):
    """Where the server writes: drops what nobody reads any more.

    Streamlit says *Stopping* before it stops. Its reader gone, that line would raise, and the server never end.
    """

    def write(self, data) -> int:
        try:
            return super().write(data) or 0
        except OSError:
            return len(data)


def _text(stream) -> io.TextIOWrapper:
    pipe = io.BufferedWriter(_Pipe(os.dup(stream.fileno()), "w"))
    return io.TextIOWrapper(pipe, encoding=stream.encoding, errors="replace", line_buffering=True)


def _only_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _port(host: str, wanted: int | None) -> int:
    for port in [wanted] if wanted else range(FIRST_PORT, FIRST_PORT + PORTS):
        try:
            with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((host, port))
            return port
        except (OSError, OverflowError):
            continue
    which = f"The port {wanted}" if wanted else f"Every port from {FIRST_PORT} to {FIRST_PORT + PORTS - 1}"
    raise InputError(f"{which} at {host} is taken or not allowed; choose another with --port.")


def _announce(host: str, port: int) -> None:
    """Wait for the server, open one session so that the next one finds it warm, and print the address."""
    bare = f"[{host}]" if ":" in host else host
    if _wait(f"http://{bare}:{port}/_stcore/health"):
        with contextlib.suppress(Exception):  # a cold server works too, only slower
            warm(f"ws://{bare}:{port}/_stcore/stream")
        print(f"Basis Explorer is at http://{bare}:{port}", flush=True)


def _wait(url: str) -> bool:
    until = time.monotonic() + WARM_SECONDS
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return answer.status == 200
        except OSError:
            time.sleep(0.1)
    return False


def warm(url: str) -> None:
    """Open a session as a browser does, ask for the start page and wait until its first run is over."""
    from websockets.sync.client import connect

    # by name, as the server itself is started: the terminal uses Streamlit's protocol, the core does not depend on it
    ForwardMsg = importlib.import_module("streamlit.proto.ForwardMsg_pb2").ForwardMsg
    with connect(url, subprotocols=["streamlit"], max_size=None, open_timeout=20) as session:
        session.send(_RERUN)
        until = time.monotonic() + WARM_SECONDS
        while (left := until - time.monotonic()) > 0:
            message = ForwardMsg()
            message.ParseFromString(session.recv(timeout=left))
            if message.WhichOneof("type") == "script_finished":
                return
