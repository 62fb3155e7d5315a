"""*Learned transforms* in Chromium: a dial, undo, a copied link, a quick fit, a run, an upload and hostile ones."""

from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from browser_pages import opened, served, settled, upload

from pages.transforms.view import TransformsView
from tests.browser import PHONE, chromium

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SIGNAL = "\n".join(f"{v:.5f}" for v in np.cumsum(np.random.default_rng(0).standard_normal(200))).encode()


def view_of(page) -> TransformsView:
    link = parse_qs(urlsplit(page.url).query).get("v")
    return TransformsView.from_link(link[0]) if link else TransformsView()


def until(page, test, milliseconds: float = 120_000):
    """Wait until a test of the page passes."""
    for _ in range(int(milliseconds / 100)):
        if test():
            settled(page, 60_000)
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"the address holds {view_of(page).changed()}")


def lost(page) -> str:
    """The figure for the energy lost."""
    return page.get_by_test_id("stMetric").first.get_by_test_id("stMetricValue").inner_text()


def drawn(page):
    page.get_by_text("Energy lost at").first.wait_for(timeout=180_000)
    settled(page, 60_000)
    return page


@pytest.fixture(scope="module")
def address():
    with served() as (url, _):
        yield url


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


def test_a_dial_a_fit_a_run_and_uploads(address, browser):
    view = TransformsView(wavelets_settings={"taps": 4, "levels": 3})
    page = drawn(opened(browser, f"{address}/transforms?v={view.link()}"))  # nobody has opened this server before
    assert "Page not found" not in page.evaluate("window.passed")
    before = lost(page)

    # the dial, undo, and the link of the moved dial on a phone
    dial = page.get_by_role("slider").first
    dial.focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    until(page, lambda: "angles" in view_of(page).wavelets and lost(page) != before)
    moved = lost(page)
    other = drawn(opened(browser, page.url, viewport=PHONE))
    assert lost(other) == moved and view_of(other) == view_of(page)
    assert other.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    other.context.close()
    for _ in range(8):  # quick presses are one step or several, as the server keeps up
        step = view_of(page)
        if step == view:
            break
        page.get_by_role("button", name="Undo", exact=True).click()
        until(page, lambda step=step: view_of(page) != step)
    until(page, lambda: view_of(page) == view and lost(page) == before)

    # a few steps in the page turn the dials
    page.get_by_role("button", name="Quick fit from here").click()
    until(page, lambda: "angles" in view_of(page).wavelets and lost(page) not in (before, moved))
    assert float(lost(page).split()[0]) < float(before.split()[0])

    # a whole run
    page.get_by_role("button", name="Learn it in a run").click()
    until(page, lambda: view_of(page).models.get("wavelets", "").startswith("run:"))
    page.get_by_role("button", name="Back to before training").wait_for(timeout=180_000)
    settled(page, 60_000)
    assert float(lost(page).split()[0]) < float(before.split()[0]) and view_of(page).wavelets == {}

    # one's own series, and files that are none
    upload(page, ("walk.csv", SIGNAL))
    until(page, lambda: view_of(page).titles == {"wavelets": "walk.csv"})
    kept = view_of(page)
    for name, content in (
        ("evil.csv", b"MZ" + bytes(range(256))),
        ("short.csv", b"1,2\n3,4"),
        ("zip.npy", b"PK\x03\x04"),
    ):
        upload(page, (name, content))
        page.get_by_test_id("stAlert").filter(has_text=name.partition(".")[0]).first.wait_for(timeout=30_000)
        settled(page, 60_000)
        assert view_of(page) == kept and "Traceback" not in page.locator("body").inner_text()
    assert page.problems == [] and page.locator('[data-testid="stException"]').count() == 0
    page.context.close()
