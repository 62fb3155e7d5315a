"""*Frequency transport* in Chromium: a place, a band in a drawn region, a path, undo, the copied link, uploads."""

import io

import numpy as np
import pytest
from browser_pages import opened, served, until_view, view_of
from PIL import Image

from core.transport.masks import read
from pages.transport.view import TransportView
from tests.browser import chromium, settled

pytestmark = pytest.mark.browser
PLOT = ".js-plotly-plot"


def until(page, test) -> TransportView:
    until_view(page, test, 90_000, TransportView)
    settled(page, 90_000)
    return view_of(page, TransportView)


def inside(page, plot, across: float, down: float) -> tuple[float, float]:
    """A place on the screen, in shares of the plotting area of a figure."""
    plot.scroll_into_view_if_needed()
    box = plot.locator(".nsewdrag").first.bounding_box()
    return box["x"] + across * box["width"], box["y"] + down * box["height"]


def click(page, plot, across: float, down: float) -> None:
    x, y = inside(page, plot, across, down)
    page.mouse.move(x - 3, y)
    page.mouse.move(x, y)
    page.wait_for_timeout(300)
    page.mouse.click(x, y)


def drop(page, name: str, content: bytes) -> None:
    zone = page.locator("details", has_text="Your own signal")
    if zone.get_attribute("open") is None:
        zone.locator("summary").click()
    files = zone.locator("input[type=file]")
    for _ in range(300):  # the uploader that let go of its bytes is still there for a moment
        if files.count() == 1:
            break
        page.wait_for_timeout(100)
    payload = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    files.set_input_files([payload])


def test_a_place_a_region_a_path_undo_a_link_and_uploads():
    with served() as (address, _), chromium() as browser:
        small = TransportView(law={"steps": 100, "width": 16})
        page = opened(browser, f"{address}/transport?v={small.link()}")  # before anybody opened the server
        page.set_default_timeout(90_000)
        page.wait_for_selector(PLOT, timeout=120_000)
        settled(page, 90_000)

        click(page, page.locator(PLOT).first, 0.4, 0.3)
        at = until(page, lambda v: "row" in v.field).field
        assert abs(at["row"] - 38) <= 4 and abs(at["column"] - 51) <= 4
        page.get_by_text(f"Local spectrum at row {at['row']}, column {at['column']}").wait_for()

        page.get_by_role("tab", name="Band gains").click()
        page.get_by_text("drawn by hand").click()
        until(page, lambda v: v.edit.get("where") == "drawn")
        plot = page.locator(PLOT).first
        ring = [(0.2, 0.2), (0.5, 0.2), (0.5, 0.5), (0.2, 0.5), (0.2, 0.22)]
        x, y = inside(page, plot, *ring[0])
        page.mouse.move(x, y)
        page.mouse.down()
        for corner in ring[1:]:
            page.mouse.move(*inside(page, plot, *corner), steps=8)
        page.mouse.up()
        cells = read(until(page, lambda v: v.edit.get("mask")).edit["mask"], (128, 128))
        assert cells[9:14, 9:14].all() and not cells[:4].any() and not cells[20:].any() and not cells[:, 20:].any()
        page.get_by_text("dabs", exact=True).click()
        page.get_by_text("Click on places.").wait_for()
        settled(page, 90_000)
        click(page, page.locator(PLOT).first, 0.8, 0.8)
        both = until(page, lambda v: v.edit.get("mask") and read(v.edit["mask"], (128, 128))[20:, 20:].any())
        assert 4 < read(both.edit["mask"], (128, 128)).sum() - cells.sum() < 14

        slider = page.locator("[class*='st-key-transport-gains'] input[type=range]").first
        slider.focus()
        slider.press("ArrowLeft")
        moved = until(page, lambda v: v.gains)
        assert list(moved.gains.values()) == [-1.0]
        other = opened(browser, page.url)  # the copied link, in another browser
        other.get_by_text("of the picture is chosen").wait_for(timeout=120_000)
        assert view_of(other, TransportView) == moved
        other.context.close()
        page.get_by_role("button", name="Undo").click()
        assert until(page, lambda v: not v.gains).edit["mask"] == moved.edit["mask"]

        page.get_by_role("tab", name="Equation").click()
        page.get_by_role("button", name="Fit F to this spectrum").click()
        page.get_by_text("Two clicks set A, then B.").wait_for(timeout=180_000)
        settled(page, 90_000)
        for end, across, down in (("a", 0.25, 0.25), ("b", 0.7, 0.6)):
            plot = page.locator(PLOT).filter(has=page.locator(".imagelayer image")).first
            click(page, plot, across, down)
            path = until(page, lambda v, end=end: f"row_{end}" in v.path).path
            assert abs(path[f"row_{end}"] - 128 * down) <= 4 and abs(path[f"column_{end}"] - 128 * across) <= 4
        page.get_by_text("At the end: error").wait_for()

        out = io.BytesIO()
        Image.fromarray(np.random.default_rng(0).integers(0, 255, (50, 80, 3), dtype=np.uint8)).save(out, "PNG")
        drop(page, "<b>mine</b>.png", out.getvalue())
        mine = until(page, lambda v: v.data.startswith("upload:"))
        page.get_by_text("80 × 50", exact=True).first.wait_for()
        drop(page, "bad.png", b"\x89PNG\r\n\x1a\nnothing")
        page.get_by_text("bad.png is damaged").wait_for()
        assert view_of(page, TransportView) == mine and page.problems == []
