"""Help for tests that use the pages as a person does: the server started by its command, Chromium in front of it."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

from core.ui.view import View
from pages.directions.view import DirectionsView
from tests.browser import DESKTOP, ROOT, settled

MIXER = (
    "[...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]"
    ".map((e) => e.shadowRoot.querySelector('.mixer')).find(Boolean).mixer"
)
# Notes every text that passes by, however short it stands there.
_WATCH = """
window.passed = "";
new MutationObserver((changes) => {
  for (const change of changes) for (const node of change.addedNodes) window.passed += (node.textContent || "") + "\\n";
}).observe(document, { childList: true, subtree: true });
"""


@contextmanager
def served(*, seconds: float = 120, environment: dict[str, str] | None = None) -> Iterator[tuple[str, int]]:
    """`python -m core serve` on a free port; the value is its address and its process. It and its children end after.

    Raises:
        RuntimeError: it ended, or did not print its address in time.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as home:
        variables = {**os.environ, "BASIS_HOME": home, "BASIS_DEVICE": "cpu", **(environment or {})}
        server = subprocess.Popen(
            [sys.executable, "-m", "core", "serve", "--port", str(port)],
            cwd=ROOT,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        os.set_blocking(server.stdout.fileno(), False)
        log, until = "", time.monotonic() + seconds
        try:
            while "Basis Explorer is at" not in log:
                log += (server.stdout.read() or b"").decode(errors="replace")
                if server.poll() is not None or time.monotonic() > until:
                    raise RuntimeError(f"the server did not start:\n{log[-3000:]}")
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}", server.pid
        finally:
            _end(server)


def _end(server: subprocess.Popen) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(server.pid, sign)
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            break
    server.stdout.close()


def opened(browser, url: str, viewport=DESKTOP, **kw):
    """A page in a browser context of its own; `problems`: errors of scripts, and what it asked of other servers."""
    context = browser.new_context(viewport=viewport, **kw)
    page = context.new_page()
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("request", lambda asked: page.problems.extend(_elsewhere(asked.url)))
    page.add_init_script(_WATCH)
    page.goto(url)
    return page


def _elsewhere(url: str) -> list[str]:
    at = urlsplit(url)
    return [f"asked for {url}"] if at.scheme in ("http", "https") and at.hostname != "127.0.0.1" else []


def directions(browser, address: str, view: DirectionsView | None = None, **kw):
    """The page *Basis directions* at a view, drawn."""
    view = view or DirectionsView()
    page = opened(browser, f"{address}/directions" + (f"?v={view.link()}" if view.changed() else ""), **kw)
    drawn(page)
    return page


def drawn(page) -> None:
    """Wait until the mixer shows its pictures and the script is at its end."""
    page.wait_for_function(
        f"() => {{ try {{ return {MIXER}.paints > 0; }} catch {{ return false; }} }}", timeout=60_000
    )
    settled(page, 60_000)


def until_mixer(page, test: str, want=None) -> None:
    """Wait until an expression about the mixer `m` and the value `want` holds."""
    page.wait_for_function(
        f"want => {{ try {{ const m = {MIXER}; return {test}; }} catch {{ return false; }} }}", arg=want, timeout=60_000
    )


def view_of(page, kind: type[View] = DirectionsView):
    """The view that the address holds."""
    link = parse_qs(urlsplit(page.url).query).get("v")
    return kind.from_link(link[0]) if link else kind()


def until_view(page, test, milliseconds: float = 60_000, kind: type[View] = DirectionsView):
    """Wait until the view in the address passes a test; its value."""
    for _ in range(int(milliseconds / 50)):
        if test(view_of(page, kind)):
            return view_of(page, kind)
        page.wait_for_timeout(50)
    raise AssertionError(f"the address holds {view_of(page, kind).changed()}")


def pictures(page) -> str:
    """All pictures of the mixer as they are on the screen."""
    return page.evaluate(f"[...{MIXER}.root.querySelectorAll('.panels canvas')].map((c) => c.toDataURL()).join()")


def weights(page) -> list[float]:
    """The weights of all directions, as the sliders stand."""
    return page.evaluate(f"Array.from({MIXER}.mix.weights)")


def slider(page, k: int):
    """The slider of a direction, by its number on the screen."""
    return page.get_by_role("slider", name=f"Weight of {k}", exact=True)


def hold(page, k: int, shares) -> None:
    """Take the thumb of a slider through shares of its length, and keep it."""
    slider(page, k).scroll_into_view_if_needed()
    box = slider(page, k).bounding_box()
    at = float(slider(page, k).evaluate("e => (e.value - e.min) / (e.max - e.min)"))
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 8 + at * (box["width"] - 16), y)
    page.mouse.down()
    for share in shares:
        page.mouse.move(box["x"] + 8 + share * (box["width"] - 16), y)


def open_drop_zone(page):
    """The place for files, opened."""
    zone = page.locator("details", has_text="Your own data")
    if zone.get_attribute("open") is None:
        zone.locator("summary").click()
    return zone


def upload(page, *files) -> None:
    """Drop files of `(name, content)` into the page."""
    zone = open_drop_zone(page)
    payload = [{"name": name, "mimeType": "application/octet-stream", "buffer": content} for name, content in files]
    zone.locator("input[type=file]").set_input_files(payload)
