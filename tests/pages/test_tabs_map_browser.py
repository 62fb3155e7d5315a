"""The map in Chromium: what the pointer and the lasso do."""

import math
import re
from pathlib import Path

import pytest

from pages.directions.view import DirectionsView
from tests.browser import DESKTOP, chromium, settled
from tests.pages.browser_pages import served

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def page():
    with served() as (address, _), chromium() as browser:
        page = browser.new_context(viewport={**DESKTOP, "height": 1800}).new_page()
        page.problems = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.goto(f"{address}/directions?v={DirectionsView(tab='Map').link()}")
        page.wait_for_selector("canvas.points", timeout=60_000)
        page.wait_for_selector(".legend .chip", timeout=30_000)
        settled(page)
        yield page


def selected(page) -> int:
    words = page.locator("strong", has_text=re.compile(r"^[\d,]+ selected$")).inner_text(timeout=10_000)
    return int(words.split()[0].replace(",", ""))


def test_a_picture_stands_at_the_pointer(page):
    box = page.locator("canvas.points").bounding_box()
    tip = page.locator(".stage .preview")
    for step in range(60):
        page.mouse.move(box["x"] + box["width"] * (0.3 + step / 150), box["y"] + box["height"] / 2)
        if tip.is_visible():
            break
    page.wait_for_selector(".stage .preview canvas", timeout=5_000)
    assert "label" in tip.inner_text()
    drawn = tip.locator("canvas").evaluate("c => new Set(c.getContext('2d').getImageData(0, 0, 8, 8).data).size")
    assert drawn > 3


def test_the_lasso_selects_what_lies_inside(page):
    page.get_by_role("button", name="Lasso").click()
    box = page.locator("canvas.points").bounding_box()
    x, y, r = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, 400
    page.mouse.move(x + 60, y)
    page.mouse.down()
    for step in range(1, 25):
        page.mouse.move(x + 60 * math.cos(step / 24 * 2 * math.pi), y + 60 * math.sin(step / 24 * 2 * math.pi))
    page.mouse.up()
    few = selected(page)
    assert 0 < few < 1797
    page.mouse.move(x - r, y - r)
    page.get_by_role("button", name="Clear").click()
    page.get_by_text("All 1,797 points").wait_for(timeout=10_000)


def test_the_legend_selects_a_class_and_the_table_downloads(page):
    page.locator(".chip", has_text="3 (183)").click()
    page.get_by_text("183 selected", exact=True).wait_for(timeout=10_000)
    assert selected(page) == 183
    with page.expect_download() as download:
        page.get_by_test_id("stDownloadButton").get_by_role("button", name="Download as csv").click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 184 and lines[0].startswith("sample,name,label,weight of 1 (1)")
    assert all(line.split(",")[2] == "3" for line in lines[1:])


def test_a_click_puts_the_sample_into_the_mixer_and_keys_work(page):
    page.get_by_role("button", name="Move", exact=True).click()
    points = page.locator("canvas.points")
    points.focus()
    for key in ("n", "n", "n", "Enter"):
        page.keyboard.press(key)
    name = page.locator(".stage .preview b").inner_text()
    page.wait_for_function(
        "n => [...document.querySelectorAll('input[type=number]')].some(i => i.value === n)",
        arg=name.split()[1],
        timeout=10_000,
    )
    assert not page.problems
