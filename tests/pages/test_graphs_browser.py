"""The page *Graph spectra* in Chromium: a cold direct link, drawing a filter, a click on a node, undo, files."""

import re

import pytest
from browser_pages import opened, served

from pages.graphs.view import GraphsView
from tests.browser import DESKTOP, chromium, settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LONG = 120_000  # a server that starts on a busy machine
EDGES = b"source,target\na,b\nb,c\nc,d\nd,a\na,c\n"
BOMB = b'<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY big "&lol;&lol;">]><graphml>&big;</graphml>'


def ready(page) -> list[str]:
    """The three numbers once the page rests."""
    page.locator("canvas.graph").nth(1).wait_for(timeout=LONG)
    page.get_by_test_id("stMetricValue").nth(2).wait_for(timeout=LONG)
    settled(page, LONG)
    return page.get_by_test_id("stMetricValue").all_inner_texts()


def view(page) -> GraphsView:
    found = re.search(r"[?&]v=([^&]+)", page.url)
    return GraphsView.from_link(found.group(1)) if found else GraphsView()


def until(page, what) -> GraphsView:
    """Wait until the view in the address is as wanted."""
    for _ in range(300):
        if what(view(page)):
            settled(page, LONG)
            return view(page)
        page.wait_for_timeout(100)
    raise AssertionError(view(page))


def colours(page, which: int) -> int:
    """How many different colours a drawing has."""
    return (
        page.locator("canvas.graph")
        .nth(which)
        .evaluate(
            "c => new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size"
        )
    )


def bring(page, name: str, content: bytes) -> None:
    if not page.get_by_role("button", name="Read the graph").is_visible():
        page.get_by_text("Your own graph").click()
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.locator('[data-testid="stFileUploaderDropzoneInput"]').first.set_input_files(file)
    page.get_by_text(name).first.wait_for()
    settled(page)
    page.get_by_role("button", name="Read the graph").click()


def test_the_main_gestures():
    start = GraphsView(data="sample:roads", filter="band-pass", degree=9)
    with served() as (address, _), chromium() as browser:
        page = opened(browser, f"{address}/graphs?v={start.link()}", {**DESKTOP, "height": 1100})
        before = ready(page)
        assert "Page not found" not in page.evaluate("window.passed")
        assert view(page) == start and colours(page, 0) > 20 and colours(page, 1) > 5

        box = page.locator("canvas.curve").bounding_box()  # the middle point of nine, at gain 1 of -0.5 to 1.5
        x, y = box["x"] + 44 + (box["width"] - 54) / 2, box["y"] + 10 + (box["height"] - 44) * 0.5 / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, y + 30, steps=4)
        page.mouse.move(x, y + 60, steps=4)
        page.mouse.up()
        drawn = until(page, lambda v: v.filter == "drawn")
        assert (
            len(drawn.points) == 9
            and drawn.points[4][1] < 0.7
            and drawn.points[3][1] == pytest.approx(0.5353, abs=0.001)
        )
        after = ready(page)
        assert after != before

        page.locator("canvas.curve").focus()
        page.keyboard.press("Delete")  # the point that was dragged
        assert len(until(page, lambda v: len(v.points) == 8).points) == 8
        page.get_by_role("button", name="Undo").click()
        assert until(page, lambda v: len(v.points) == 9) == drawn
        link = page.url

        canvas = page.locator("canvas.graph").first
        canvas.focus()
        for key in ("n", "n", "n", "Enter"):
            page.keyboard.press(key)
        clicked = until(page, lambda v: v.source == "impulse")
        assert clicked.node == 2 and page.get_by_text("Node 3 ·").count() == 1
        page.get_by_role("button", name="Undo").click()
        until(page, lambda v: v == drawn)

        copied = opened(browser, link)
        assert ready(copied) == after and view(copied) == drawn
        copied.close()

        bring(page, "bomb.graphml", BOMB)
        page.get_by_test_id("stAlert").filter(has_text="document type").wait_for(timeout=LONG)
        assert until(page, lambda v: True) == drawn
        bring(page, "square.csv", EDGES)
        mine = until(page, lambda v: v.data.startswith("upload:"))
        assert mine.title == "square.csv" and mine.filter == "drawn"
        ready(page)
        page.get_by_text("laid out by the edges").wait_for(timeout=LONG)
        assert page.problems == [] and copied.problems == []
