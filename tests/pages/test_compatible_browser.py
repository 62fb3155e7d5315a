"""The page *Compatible spaces* in Chromium: a cold direct link, the slider, undo, a copied link, uploads."""

import io
import re

import numpy as np
import pytest
from browser_pages import opened, served

from pages.compatible.view import CompatibleView
from tests.browser import PHONE, chromium, settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]

RNG = np.random.default_rng(0)
NEW = RNG.standard_normal((60, 6)).astype(np.float32)
OLD = (NEW @ np.linalg.qr(RNG.standard_normal((6, 6)))[0]).astype(np.float32)
LONG = 90_000


def npy(x) -> bytes:
    out = io.BytesIO()
    np.save(out, x)
    return out.getvalue()


def file(name: str, content: bytes) -> dict:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": content}


def numbers(page) -> list[str]:
    values = page.get_by_test_id("stMetricValue")
    values.nth(2).wait_for(timeout=LONG)
    settled(page, LONG)
    return values.all_inner_texts()[:3]


def bring(page, old: bytes, new: bytes) -> None:
    for i, (name, content) in enumerate((("old.npy", old), ("new.npy", new))):
        page.locator('[data-testid="stFileUploaderDropzoneInput"]').nth(i).set_input_files(file(name, content))
        page.get_by_text(name, exact=False).first.wait_for()
        settled(page, LONG)
    page.get_by_role("button", name="Compare").click()


def test_a_link_the_slider_undo_and_uploads():
    view = CompatibleView(position=4)
    with served() as (address, _), chromium() as browser:
        page = opened(browser, f"{address}/compatible?v={view.link()}")  # nobody has opened this server before
        page.get_by_role("slider").first.wait_for(timeout=LONG)
        before = numbers(page)
        assert "Page not found" not in page.evaluate("window.passed")

        handle = page.get_by_role("slider").first
        handle.focus()
        handle.press("End")  # one gesture, and so one step of undo
        page.wait_for_function("link => !location.search.includes(link)", arg=view.link(), timeout=LONG)
        page.wait_for_function(
            "old => document.querySelectorAll('[data-testid=stMetricValue]')[1].innerText !== old", arg=before[1],
            timeout=LONG,
        )  # fmt: skip
        settled(page, LONG)
        after, link = numbers(page), page.url
        assert after[0] == before[0] and after[1] != before[1]

        copied = opened(browser, link, viewport=PHONE)
        copied.get_by_role("slider").first.wait_for(timeout=LONG)
        assert numbers(copied) == after
        assert copied.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        copied.context.close()

        page.get_by_role("button", name="Undo", exact=True).click()
        page.wait_for_function("link => location.search.includes(link)", arg=view.link(), timeout=LONG)
        page.wait_for_function(
            "old => document.querySelectorAll('[data-testid=stMetricValue]')[1].innerText === old", arg=before[1],
            timeout=LONG,
        )  # fmt: skip

        page.get_by_text("Your own embeddings").click()
        bring(page, b"\x93NUMPY" + b"\xff" * 64, npy(NEW))
        said = page.get_by_test_id("stSidebar").get_by_test_id("stAlert")
        said.wait_for()
        assert re.search(r"old\.npy", said.inner_text()) and numbers(page) == before

        page.reload()  # empty uploaders
        numbers(page)
        page.get_by_text("Your own embeddings").click()
        bring(page, npy(OLD), npy(NEW))
        page.get_by_text("so the old gallery can stay").wait_for(timeout=LONG)
        assert numbers(page)[0] == "100.0%"
        assert page.problems == []
