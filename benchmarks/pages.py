"""How the page *Basis directions* feels in a browser: start, a large upload, sliders, and the server's memory."""

import argparse
import contextlib
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import psutil

from pages.directions.view import DirectionsView
from tests.browser import chromium
from tests.pages.browser_pages import MIXER, directions, drawn, open_drop_zone, opened, served

ROWS, COLUMNS, K = 20_000, 512, 64
STOPS = (0, 50, 100, 200)
# One release of a slider, in milliseconds until the answer of Python has been drawn.
_RELEASE = f"""async ([k, weight]) => {{
  const mixer = {MIXER};
  const began = performance.now();
  mixer.move(k, weight);
  mixer.release();
  while (mixer.link.waiting.length) await new Promise(requestAnimationFrame);
  return performance.now() - began;
}}"""
# A hand that moves a slider at every frame for two seconds: pictures a second, and milliseconds for one of them.
_DRAG = f"""async () => {{
  const mixer = {MIXER};
  const [began, paints] = [performance.now(), mixer.paints];
  let spent = 0;
  while (performance.now() - began < 2000) {{
    mixer.move(0, Math.sin(performance.now() / 300));
    const start = performance.now();
    mixer.paint();
    spent += performance.now() - start;
    await new Promise(requestAnimationFrame);
  }}
  const count = mixer.paints - paints;
  const seconds = (performance.now() - began) / 1000;
  mixer.release();
  return [count / seconds, spent / count];
}}"""


def main(argv: Sequence[str] = ()) -> int:
    """Print the figures. On a machine that does other work only the processor time of the server says much."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks pages", description=main.__doc__)
    parser.add_argument("--quick", action="store_true", help="a quarter of the slider moves")
    arguments = parser.parse_args(list(argv))
    stops = [stop // 4 for stop in STOPS] if arguments.quick else STOPS
    print(f"load of this machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    began = time.monotonic()
    with served() as (address, pid), chromium() as browser:
        print(f"start until the address is printed: {time.monotonic() - began:.1f} s")
        start = time.monotonic()
        page = directions(browser, address)
        print(f"a new browser until the first picture: {time.monotonic() - start:.2f} s")
        server = psutil.Process(pid)
        felt(page, server, "digits, K = 16")
        page.context.close()
        page = directions(browser, address, DirectionsView(settings={"k": K}))
        spent = processor(server)
        print(
            f"{ROWS:,} x {COLUMNS} npy until the first picture of PCA with K = {K}: {upload(page):.1f} s (aim: 10), "
            f"{processor(server) - spent:.1f} s of processor time"
        )
        felt(page, server, f"that upload, K = {K}")
        memory(page, server, stops)
        page.context.close()
        with training(browser, address):
            felt(directions(browser, address), server, "digits, K = 16, while a training runs")
    print(f"load of this machine after: {os.getloadavg()[0]:.1f}")
    return 0


def processor(server: psutil.Process) -> float:
    """Seconds that all threads of the server have computed."""
    times = server.cpu_times()
    return times.user + times.system


def upload(page) -> float:
    """Seconds from the file to the picture."""
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((ROWS, K)) @ rng.standard_normal((K, COLUMNS)) + rng.standard_normal((ROWS, COLUMNS))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.npy"
        np.save(path, matrix.astype(np.float32))
        zone = open_drop_zone(page)
        began = time.monotonic()
        zone.locator("input[type=file]").set_input_files(path)
        page.wait_for_function(
            f"() => {{ try {{ const m = {MIXER}; return m.payload.form.shape[0] === {COLUMNS} && m.paints > 0; }}"
            " catch { return false; } }",
            timeout=120_000,
        )
        seconds = time.monotonic() - began
    drawn(page)
    return seconds


def felt(page, server: psutil.Process, what: str) -> None:
    """Print how a slider of this page feels."""
    spent = processor(server)
    times = [page.evaluate(_RELEASE, [0, 0.1 + i / 20]) for i in range(20)]
    print(
        f"{what}: release of a slider until Python's answer is drawn {np.median(times):.0f} ms, "
        f"{np.percentile(times, 95):.0f} ms in 95 of 100 (aim: 300), "
        f"{1000 * (processor(server) - spent) / len(times):.0f} ms of processor time"
    )
    frames, each = page.evaluate(_DRAG)
    page.wait_for_function(f"!{MIXER}.link.waiting.length")
    print(f"{what}: {frames:.0f} pictures a second while dragging, {each:.2f} ms of work each")


@contextlib.contextmanager
def training(browser, address: str) -> Iterator[None]:
    """A browser that trains meanwhile."""
    view = DirectionsView(family="directions.sae", settings={"k": 64, "steps": 100_000})
    page = opened(browser, f"{address}/directions?v={view.link()}")
    page.get_by_role("button", name="Train").click()
    page.get_by_text("of 100,000").wait_for(timeout=60_000)
    yield
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("button", name="Resume").wait_for(timeout=30_000)


def memory(page, server: psutil.Process, stops: Sequence[int]) -> None:
    """Print the server's memory over moves of sliders."""
    first = 0
    for before, stop in zip((0, *stops), stops, strict=False):
        for move in range(before, stop):
            page.evaluate(_RELEASE, [move % 8, ((move * 7) % 50) / 10 - 2.5])
        page.wait_for_timeout(1000)
        used = server.memory_info().rss
        first = first or used
        print(f"memory of the server after {stop} moves: {used / 1e6:.0f} MB ({100 * (used / first - 1):+.1f} %)")
