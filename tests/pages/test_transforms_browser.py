"""*Learned transforms* in Chromium: a dial, undo, a copied link, a quick fit, a run, an upload and hostile ones."""

from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from browser_pages import opened, served, upload

from pages.transforms.view import TransformsView
from tests.browser import PHONE, chromium, settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LONG = 180_000  # a server that starts on a busy machine
SIGNAL = "\n".join(f"{v:.5f}" for v in np.cumsum(np.random.default_rng(0).standard_normal(200))).encode()
HOSTILE = {
    "evil.csv": b"MZ" + bytes(range(256)),
    "short.csv": b"1,2\n3,4",
    "zip.npy": b"PK\x03\x04",
}


def view_of(page) -> TransformsView:
    link = parse_qs(urlsplit(page.url).query).get("v")
    return TransformsView.from_link(link[0]) if link else TransformsView()


def until(page, test, milliseconds: float = LONG) -> None:
    """Wait until a test of the page passes twice, a little apart, so that nothing late undoes it."""
    for _ in range(int(milliseconds / 100)):
        if test():
            settled(page, LONG)
            page.wait_for_timeout(300)
            if test():
                return
        page.wait_for_timeout(100)
    raise AssertionError(f"the address holds {view_of(page).changed()}, the page {lost(page)}, dials {dials(page)}")


def lost(page) -> str:
    """The figure for the energy lost."""
    return page.get_by_test_id("stMetric").first.get_by_test_id("stMetricValue").inner_text()


def dials(page) -> list[float]:
    """Where the sliders of the angles stand."""
    found = page.get_by_test_id("stSlider").filter(has_text="Angle").get_by_role("slider")
    return [float(found.nth(i).get_attribute("aria-valuenow") or found.nth(i).input_value()) for i in range(2)]


def drawn(page):
    page.get_by_text("Energy lost at").first.wait_for(timeout=LONG)
    page.get_by_test_id("stSlider").filter(has_text="Angle").nth(1).wait_for(timeout=LONG)
    settled(page, LONG)
    return page


def test_a_dial_a_fit_a_run_and_uploads():
    view = TransformsView(wavelets_settings={"taps": 4, "levels": 3, "steps": 60})
    with served() as (address, _), chromium() as browser:
        page = drawn(opened(browser, f"{address}/transforms?v={view.link()}"))  # nobody has opened this server before
        assert "Page not found" not in page.evaluate("window.passed")
        before, start = lost(page), dials(page)
        assert sum(start) == pytest.approx(45, abs=0.11)  # low-pass

        # the dial, the link of the moved dial on a phone, undo
        dial = page.get_by_test_id("stSlider").filter(has_text="Angle 1").get_by_role("slider")
        dial.focus()
        dial.press("PageUp")
        until(page, lambda: "angles" in view_of(page).wavelets and lost(page) != before)
        moved, turned = lost(page), dials(page)
        assert turned[0] > start[0] and sum(turned) == pytest.approx(45, abs=0.11)
        assert turned[0] == pytest.approx(view_of(page).wavelets["angles"][0], abs=0.051)
        other = drawn(opened(browser, page.url, viewport=PHONE))
        assert lost(other) == moved and dials(other) == turned and view_of(other) == view_of(page)
        assert other.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        other.context.close()
        page.get_by_role("button", name="Undo", exact=True).click()
        until(page, lambda: view_of(page) == view and lost(page) == before and dials(page) == start)

        # a few steps in the page turn the dials
        page.get_by_role("button", name="Quick fit from here").click()
        until(page, lambda: "angles" in view_of(page).wavelets and lost(page) != before)
        quick = view_of(page).wavelets["angles"]
        assert float(lost(page).split()[0]) < float(before.split()[0])
        assert dials(page) == pytest.approx(quick, abs=0.051)

        # a whole run, from before the quick fit; the dials turn to what it learned and stay there
        page.get_by_role("button", name="Learn it in a run").click()
        until(page, lambda: view_of(page).models.get("wavelets", "").startswith("run:"))
        page.get_by_role("button", name="Back to before training").wait_for(timeout=LONG)
        until(page, lambda: view_of(page).wavelets == {} and lost(page) not in (before, moved) and dials(page) != start)
        assert float(lost(page).split()[0]) < float(before.split()[0])
        page.get_by_role("button", name="Back to before training").click()
        until(page, lambda: view_of(page) == view and lost(page) == before and dials(page) == start)

        # one's own series, and files that are none
        upload(page, ("walk.csv", SIGNAL))
        until(page, lambda: view_of(page).titles == {"wavelets": "walk.csv"})
        kept = view_of(page)
        for name, content in HOSTILE.items():
            upload(page, (name, content))
            page.get_by_test_id("stAlert").filter(has_text=name.partition(".")[0]).first.wait_for(timeout=LONG)
            settled(page, LONG)
            assert view_of(page) == kept and "Traceback" not in page.locator("body").inner_text()
        assert page.problems == [] and page.locator('[data-testid="stException"]').count() == 0
