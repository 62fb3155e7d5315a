"""The run panel in Chromium, which draws a part of a page again by itself: what a test without a browser cannot see."""

import re

import pytest
from browser_pages import opened, served
from playwright.sync_api import expect

from pages.directions.view import DirectionsView
from tests.browser import chromium

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_panel_and_library_follow_a_resumed_training_by_themselves():
    view = DirectionsView(family="directions.sae", settings={"k": 8, "steps": 100_000})
    with served() as (address, _), chromium() as browser:
        page = opened(browser, f"{address}/directions?v={view.link()}")
        page.get_by_role("button", name="Train", exact=False).last.click()
        step = _step(page, beyond=0)
        page.get_by_role("button", name="Stop", exact=False).last.click()
        page.get_by_role("button", name="Resume").click()
        _step(page, beyond=step)
        table = page.context.new_page()
        table.goto(f"{address}/library")
        line = table.locator("[data-testid=stDataFrame] [role=gridcell]", has_text="training")
        line.wait_for(state="attached", timeout=30_000)
        before = line.inner_text()
        expect(line).not_to_have_text(before, timeout=30_000)
        assert not page.problems


def test_a_click_into_a_line_chooses_it_and_a_new_name_keeps_it_chosen():
    with served() as (address, _), chromium() as browser:
        page = opened(browser, f"{address}/library")
        choice = page.get_by_role("combobox", name="Model").first
        table = page.locator("[data-testid=stDataFrame]")
        second = table.locator("[role=gridcell]").nth(9).inner_text()  # cells of a canvas: 9 columns a line
        box = table.bounding_box()
        page.mouse.click(box["x"] + 120, box["y"] + 2.5 * 35)
        expect(choice).to_have_value(re.compile(re.escape(second)), timeout=30_000)
        page.get_by_role("button", name="Copy to mine").click()
        expect(choice).to_have_value(re.compile("yours"), timeout=30_000)
        for label, text in (("Name", "a new name"), ("Note", "a note"), ("Note", "another")):
            page.get_by_role("textbox", name=label).fill(text)
            page.get_by_role("textbox", name=label).press("Enter")
            page.wait_for_timeout(1500)
            page.locator("[data-test-script-state=notRunning]").wait_for()
            expect(choice).to_have_value("a new name (yours)", timeout=30_000)
        assert not page.problems


def _step(page, beyond: int) -> int:
    """Wait until the panel of a training that is under way shows a later step; the step."""
    step = beyond
    panel = page.locator("p", has_text=re.compile("training.*step"))
    for _ in range(600):
        if panel.count():
            step = int(re.search(r"step ([\d,]+) of", panel.first.inner_text())[1].replace(",", ""))
        if step > beyond:
            return step
        page.wait_for_timeout(100)
    raise AssertionError(f"the panel still shows step {step}")
