"""*Frequency transport* in Chromium: a click on a place, a band under a mask, undo, the copied link, uploads."""

import io
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from browser_pages import opened, served
from PIL import Image

from pages.transport.view import TransportView
from tests.browser import chromium, settled

pytestmark = pytest.mark.browser
PLOT = ".js-plotly-plot"


def view(page) -> TransportView:
    link = parse_qs(urlsplit(page.url).query).get("v")
    return TransportView.from_link(link[0]) if link else TransportView()


def until(page, test) -> TransportView:
    for _ in range(600):
        if test(view(page)):
            settled(page, 60_000)
            return view(page)
        page.wait_for_timeout(100)
    raise AssertionError(f"the address holds {view(page).changed()}")


def drop(page, name: str, content: bytes) -> None:
    zone = page.locator("details", has_text="Your own picture")
    if zone.get_attribute("open") is None:
        zone.locator("summary").click()
    payload = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    zone.locator("input[type=file]").set_input_files([payload])


def test_a_click_an_edit_undo_a_link_and_uploads():
    with served() as (address, _), chromium() as browser:
        page = opened(browser, f"{address}/transport")  # a direct link, before anybody opened the server
        page.set_default_timeout(60_000)
        page.wait_for_selector(PLOT, timeout=120_000)
        settled(page, 60_000)

        plot = page.locator(PLOT).first
        plot.scroll_into_view_if_needed()
        box = plot.bounding_box()
        x, y = box["x"] + 0.4 * box["width"], box["y"] + 0.3 * box["height"]
        page.mouse.move(x - 3, y)
        page.mouse.move(x, y)
        page.wait_for_timeout(300)
        page.mouse.click(x, y)
        at = until(page, lambda v: "row" in v.field).field
        assert 30 <= at["row"] <= 46 and 30 <= at["column"] <= 60
        page.get_by_text(f"Local spectrum at row {at['row']}, column {at['column']}").wait_for()

        page.get_by_role("tab", name="Band gains").click()
        page.get_by_text("Only inside a rectangle").click()
        until(page, lambda v: v.edit.get("inside") is True)
        slider = page.locator("[class*='st-key-transport-gains'] [role=slider]").first
        slider.focus()
        slider.press("ArrowLeft")
        moved = until(page, lambda v: v.gains)
        assert list(moved.gains.values()) == [-1.0]

        other = opened(browser, page.url)  # the copied link, in another browser
        other.get_by_text("Rows, percent from the top").wait_for(timeout=120_000)
        assert view(other) == moved
        other.context.close()

        page.get_by_role("button", name="Undo").click()
        assert until(page, lambda v: not v.gains).edit["inside"] is True

        out = io.BytesIO()
        Image.fromarray(np.random.default_rng(0).integers(0, 255, (50, 80, 3), dtype=np.uint8)).save(out, "PNG")
        drop(page, "<b>mine</b>.png", out.getvalue())
        mine = until(page, lambda v: v.data.startswith("upload:"))
        page.get_by_text("80 × 50", exact=True).first.wait_for()
        drop(page, "bad.png", b"\x89PNG\r\n\x1a\nnothing")
        page.get_by_text("bad.png is damaged").wait_for()
        assert view(page) == mine and page.problems == []
