"""The page *Steer generations* in Chromium: a slider, the stream, stop, undo, a copied link; two browsers at once."""

import re
import time

import pytest
from browser_pages import opened, served

from core.steering.assets import SMOLLM2
from pages.steering.view import SteeringView
from tests.browser import PHONE, chromium, settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LONG = 180_000  # a model that is loaded on a busy machine
TEXTS = """() => [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]
  .map((e) => e.shadowRoot.querySelector('.tokens')).filter(Boolean)
  .flatMap((t) => [...t.querySelectorAll('.column .text')].map((e) => e.textContent))"""


def view(page) -> SteeringView:
    found = re.search(r"[?&]v=([^&]+)", page.url)
    return SteeringView.from_link(found.group(1)) if found else SteeringView()


def texts(page) -> list[str]:
    return page.evaluate(TEXTS)


def until(page, what, seconds=180):
    """Wait until something holds; its value."""
    for _ in range(seconds * 10):
        if found := what():
            return found
        page.wait_for_timeout(100)
    raise AssertionError((view(page), texts(page)))


def said(page, words: str) -> None:
    page.get_by_text(words).first.wait_for(timeout=LONG)


@pytest.fixture(scope="module")
def address():
    if SMOLLM2.missing():
        pytest.skip(SMOLLM2.missing())
    with served() as (at, _):
        yield at


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(autouse=True)
def closed(browser):
    """No page goes on writing after its test."""
    yield
    for context in browser.contexts:
        context.close()


def at_view(browser, address, **fields):
    link = SteeringView(**fields).link()
    return opened(browser, f"{address}/steering?v={link}")


def test_the_main_gestures(browser, address):
    prompt = 'Tell me <img src=x onerror="window.hacked = 1"> *now*'
    page = at_view(browser, address, prompt=prompt, writing={"chat": False, "tokens": 10})
    said(page, "Written: 10 tokens")
    before = until(page, lambda: [t for t in texts(page) if t])
    assert len(before) == 2 and before[0] != before[1]
    assert page.evaluate("window.hacked") is None

    slider = page.get_by_role("slider", name="spanish").first  # a slider is moved, and both texts come anew
    slider.focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    until(page, lambda: view(page).weights.get("spanish", 0) >= 1.95)  # the last key may come in a request of its own
    moved = view(page)
    said(page, "Written: 10 tokens")
    after = until(page, lambda: (now := texts(page)) and now[1] and now[1] != before[1] and now)
    assert after[0] == before[0]

    token = page.locator(".tokens .column").nth(1).locator(".token").nth(2)
    token.hover()
    until(page, lambda: page.locator(".tokens .tip .line").count() == 10, 30)
    assert "unsteered" in page.locator(".tokens .tip").inner_text()

    page.get_by_role("button", name="Undo").click()
    until(page, lambda: view(page).weights.get("spanish", 0) < moved.weights["spanish"])
    page.get_by_role("button", name="Redo").click()
    until(page, lambda: view(page).weights == moved.weights)
    until(page, lambda: texts(page) == after)

    copied = opened(browser, page.url)  # the link gives the same texts in another session
    until(copied, lambda: texts(copied) == after)
    assert page.problems == [] and copied.problems == []


def test_two_browsers_write_and_one_stops(browser, address):
    long = dict(writing={"chat": False, "tokens": 300, "temperature": 0.0}, weights={})
    one = at_view(browser, address, prompt="The first of the two said", **long)
    two = at_view(browser, address, prompt="On the other hand, the second", **long)
    until(one, lambda: any(len(t) > 10 for t in texts(one)))
    waits = two.get_by_text("Waiting: 1 other before this one in the queue").count()
    two.bring_to_front()
    waits = waits or two.get_by_text("Waiting: 1 other before").first.wait_for(timeout=60_000) is None
    assert waits

    start = time.monotonic()
    one.get_by_role("button", name="Stop").click()
    said(one, "Stopped: ")
    took = time.monotonic() - start
    kept = texts(one)
    until(two, lambda: any(len(t) > 10 for t in texts(two)))  # its turn has come
    assert texts(one) == kept and texts(two)[0] != kept[0] and took < 10
    two.get_by_role("button", name="Stop").click()
    said(two, "Stopped: ")
    one.get_by_role("button", name="Write on").click()
    until(one, lambda: len(texts(one)[0]) > len(kept[0]))
    assert texts(one)[0].startswith(kept[0]) and one.problems == two.problems == []


def test_a_phone_shows_everything_within_its_width(browser, address):
    link = SteeringView(writing={"chat": False, "tokens": 6}).link()
    page = opened(browser, f"{address}/steering?v={link}", PHONE)
    said(page, "Written: ")
    settled(page, LONG)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.problems == []
