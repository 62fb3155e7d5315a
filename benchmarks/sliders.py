"""How long each slider of a page takes in a browser: from the key to the picture, the fine picture, the rerun's end."""

import argparse
import os
import time
from collections.abc import Sequence

import numpy as np
from playwright.sync_api import TimeoutError

from core.ui.view import View
from pages.compatible.view import CompatibleView
from pages.graphs.view import GraphsView
from pages.transforms.view import TransformsView
from pages.transport.view import TransportView
from tests.browser import chromium, settled
from tests.pages.browser_pages import opened, served

SCENES: dict[str, tuple[str, View]] = {
    "Compatible spaces": ("compatible", CompatibleView()),
    "Graph spectra": ("graphs", GraphsView()),
    "Learned transforms": ("transforms", TransformsView()),
    "Frequency transport, 128 x 128": ("transport", TransportView()),
    "Frequency transport, gains at 128 x 128": ("transport", TransportView(tab="Band gains")),
    "Frequency transport, 512 x 512": ("transport", TransportView(size=512)),
}
# Notes when a key goes down, when something in a figure changes or is painted after it, when the caption of a coarse
# picture has gone again, and when the script has run to its end.
_WATCH = """() => {
  const notes = (window.notes = {});
  const coarse = () => [...document.querySelectorAll("[data-testid=stCaptionContainer]")].some(
    (c) => c.textContent.startsWith("A coarse fit first"));
  const inside = (n) => n.parentElement?.closest("[data-testid=stPlotlyChart], [data-testid=stImage]");
  document.addEventListener("keydown", () => Object.assign(notes, {
    key: performance.now(), picture: 0, coarse: false, fine: 0, end: 0, began: false,
  }), true);
  const seen = () => { if (notes.key && !notes.picture) notes.picture = performance.now(); };
  for (const paint of ["clearRect", "drawImage", "putImageData", "fill", "stroke"]) {
    const real = CanvasRenderingContext2D.prototype[paint];
    CanvasRenderingContext2D.prototype[paint] = function (...values) {
      if (this.canvas.getRootNode() instanceof ShadowRoot) seen();  // of one of our own components
      return real.apply(this, values);
    };
  }
  const app = document.querySelector("[data-testid=stApp]");
  new MutationObserver((changes) => {
    const now = performance.now();
    if (changes.some((c) => inside(c.target))) seen();
    if (!notes.fine && coarse() !== notes.coarse) notes.coarse ? (notes.fine = now) : (notes.coarse = true);
    const state = app.getAttribute("data-test-script-state");
    if (state === "running") notes.began = true;
    else if (notes.began && !notes.end) notes.end = now;
  }).observe(app, { subtree: true, childList: true, attributes: true, characterData: true });
}"""
_OVER = "() => window.notes.end > 0"


def main(argv: Sequence[str] = ()) -> int:
    """Print median and 95th percentile; the sliders that stand on the page as it opens, moved step by step."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks sliders", description=main.__doc__)
    parser.add_argument("--quick", action="store_true", help="two moves of each slider instead of ten")
    parser.add_argument("--only", help="scenes whose name holds this")
    arguments = parser.parse_args(list(argv))
    moves = 2 if arguments.quick else 10
    print(f"load of this machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with served() as (address, _), chromium() as browser:
        for title, (name, view) in SCENES.items():
            if arguments.only and arguments.only.lower() not in title.lower():
                continue
            link = f"?v={view.link()}" if view.changed() else ""
            began = time.monotonic()
            page = opened(browser, f"{address}/{name}{link}")
            page.wait_for_selector("[data-testid=stMain] [data-testid=stHeading]", timeout=60_000)
            settled(page, 120_000)
            print(f"{title}: open and drawn in {time.monotonic() - began:.1f} s")
            page.wait_for_timeout(1500)
            page.evaluate(_WATCH)
            for label, times in sliders(page, moves):
                said = ", ".join(f"{what} {_said(found)}" for what, found in times.items() if found)
                print(f"  {label:32} {said}", flush=True)
            page.context.close()
    print(f"load of this machine after: {os.getloadavg()[0]:.1f}")
    return 0


def sliders(page, moves: int):
    """For every slider of the centre and the open tab: its label, and milliseconds until `picture`, `fine`, `end`."""
    found = page.locator("[data-testid=stMain] [data-testid=stSlider]")
    for i in range(found.count()):
        label = found.nth(i).locator("label").first.inner_text().splitlines()[0]
        times: dict[str, list[float]] = {"picture": [], "fine": [], "end": []}
        way = "ArrowRight"  # always on, to values that have not been computed before
        for _ in range(moves):
            thumb = found.nth(i).get_by_role("slider").first
            if not thumb.is_visible() or not thumb.is_enabled():
                break
            thumb.focus()
            thumb.press(way)
            try:
                page.wait_for_function(_OVER, timeout=3000)
            except TimeoutError:
                way = "ArrowLeft"  # it was at its end, where nothing moves
                continue
            page.wait_for_timeout(250)
            notes = page.evaluate("window.notes")
            for what, past in times.items():
                if notes[what]:
                    past.append(notes[what] - notes["key"])
        if times["end"]:
            yield label, times


def _said(milliseconds: Sequence[float]) -> str:
    return f"{np.median(milliseconds):4.0f} ms median, {np.quantile(milliseconds, 0.95):4.0f} ms p95"
