"""*Basis directions* in Chromium, on a server started as a person starts it."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from browser_pages import (
    MIXER,
    directions,
    drawn,
    hold,
    opened,
    pictures,
    served,
    settled,
    until_mixer,
    until_view,
    upload,
    view_of,
    weights,
)

from core.datasets import load
from pages import PAGES
from pages.directions.view import DirectionsView
from tests.browser import DESKTOP, PHONE, ROOT, chromium

sys.path.insert(0, str(ROOT / "tests" / "datasets"))
from hostile import HOSTILE, npy

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def address():
    with served() as (url, _):
        yield url


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture(autouse=True)
def closed(browser):
    """After each test: no script of a page failed, and its contexts are closed."""
    yield
    for context in browser.contexts:
        problems = [p for page in context.pages for p in getattr(page, "problems", [])]
        context.close()
        assert not problems


# First of all: nobody has opened this server. The page that is no start page comes first.


@pytest.mark.parametrize("page", PAGES[::-1], ids=lambda p: p.name)
def test_a_direct_link_to_each_page_on_a_server_that_nobody_has_opened(address, browser, page):
    tab = opened(browser, f"{address}/{page.name}")
    tab.get_by_role("heading", level=1, name=page.title).wait_for(timeout=60_000)
    settled(tab, 180_000)
    assert "Page not found" not in tab.evaluate("window.passed")
    assert tab.locator('[data-testid="stException"]').count() == 0
    assert tab.get_by_role("heading", level=1).inner_text() == page.title
    assert tab.url.startswith(f"{address}/{page.name}")


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_slider_moves_the_picture_before_it_is_let_go_and_the_address_after(address, browser, viewport):
    page = directions(browser, address, viewport=viewport)
    before, own = pictures(page), weights(page)
    hold(page, 1, np.linspace(0.5, 0.9, 12))
    page.wait_for_function(f"{MIXER}.mix.touched(0)")
    page.wait_for_timeout(100)
    assert pictures(page) != before and view_of(page) == DirectionsView()
    page.mouse.up()
    view = until_view(page, lambda v: v.mix)
    assert view.mix["weights"] == {"0": pytest.approx(weights(page)[0], abs=1e-3)}
    moved = pictures(page)
    page.get_by_role("button", name="Reset (1)", exact=True).click()
    until_view(page, lambda v: not v.mix)
    settled(page)
    assert weights(page) == pytest.approx(own) and pictures(page) == before
    page.locator(".mixer").get_by_role("button", name="Undo", exact=True).click()
    until_view(page, lambda v: v.mix == view.mix)
    page.wait_for_function(f"{MIXER}.mix.touched(0)")
    page.wait_for_timeout(100)
    assert pictures(page) == moved
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_undo_and_redo_by_the_sidebar_and_by_the_browser(address, browser):
    page = directions(browser, address)
    hold(page, 2, [0.6, 0.9])
    page.mouse.up()
    moved = until_view(page, lambda v: v.mix)
    settled(page)
    page.get_by_role("button", name="Another").click()
    until_view(page, lambda v: v.sample != 0 and not v.mix)
    settled(page)
    sidebar = page.get_by_test_id("stSidebar")
    for name, wanted in (("Undo", moved), ("Undo", DirectionsView()), ("Redo", moved)):
        sidebar.get_by_role("button", name=name).click()
        until_view(page, lambda v, w=wanted: v == w)
        settled(page)
    drawn(page)
    assert page.evaluate(f"{MIXER}.mix.state()") == moved.mix


def test_a_copied_link_shows_the_same_weights_in_another_browser(address, browser):
    view = DirectionsView(
        data="sample:wine",
        settings={"k": 5},
        sample=17,
        mix={"weights": {"1": 2.5}, "flipped": [2]},
        names={"0": "body"},
    )
    first = directions(browser, address, view)
    hold(first, 4, [0.6, 0.8])
    first.mouse.up()
    moved = until_view(first, lambda v: "3" in v.mix["weights"])
    settled(first)
    second = opened(browser, first.url)
    drawn(second)
    assert view_of(second) == moved and weights(second) == weights(first)
    assert second.evaluate(f"{MIXER}.mix.state()") == first.evaluate(f"{MIXER}.mix.state()") == moved.mix
    assert pictures(second) == pictures(first)
    assert "body" in second.locator(".mixer .row .name").first.inner_text()
    third = opened(browser, first.url, viewport=PHONE)
    drawn(third)
    assert weights(third) == weights(first)


def test_a_recipe_is_saved_and_loaded_elsewhere(address, browser, tmp_path):
    view = DirectionsView(data="sample:tecator", settings={"k": 4}, sample=3, mix={"muted": [1]}, tab="Take away")
    page = directions(browser, address, view)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the recipe").click()
    recipe = Path(download.value.path()).read_text(encoding="utf-8")
    assert json.loads(recipe) == view.changed() and download.value.suggested_filename == "recipe.json"
    for button, name in (("npz", "basis.npz"), ("PNG", "directions.png")):
        with page.expect_download(timeout=30_000) as download:
            page.get_by_role("button", name=button, exact=True).click()
        assert download.value.suggested_filename == name and Path(download.value.path()).stat().st_size > 500
    other = directions(browser, address, DirectionsView(tab="Take away"))
    file = {"name": "recipe.json", "mimeType": "application/json", "buffer": recipe.encode()}
    other.locator("section:visible", has_text="1MB").locator("input[type=file]").set_input_files(file)
    until_view(other, lambda v: v == view)
    until_mixer(other, "Array.from(m.mix.weights).join() === want.join()", weights(page))
    assert weights(other) == weights(page) and other.evaluate(f"{MIXER}.mix.state()") == {"muted": [1]}


def table(seed: int, word: str) -> tuple[str, bytes]:
    x = np.random.default_rng(seed).standard_normal((30, 5))
    lines = ["name," + ",".join(f"{word}{i}" for i in range(5)) + ",kind"]
    lines += [f"{word} number {i}," + ",".join(f"{v:.4f}" for v in row) + f",{word} label" for i, row in enumerate(x)]
    return f"{word}.csv", "\n".join(lines).encode()


def test_two_browsers_with_other_data_at_once_never_see_each_others(address, browser):
    words = ("alpha", "omega")
    pages = [directions(browser, address, DirectionsView(settings={"k": 3}, tab="One direction")) for _ in words]
    for i, (page, word) in enumerate(zip(pages, words, strict=True)):
        upload(page, table(i, word))
    for page, word in zip(pages, words, strict=True):
        until_view(page, lambda v, w=word: v.title == f"{w}.csv")
        drawn(page)
    assert view_of(pages[0]).data != view_of(pages[1]).data
    for page, word, other in zip(pages, words, words[::-1], strict=True):
        for _ in range(2):
            page.get_by_role("button", name="Another").click()
            settled(page)
        page.get_by_text(f"{word} number").first.wait_for()
        text = page.evaluate("window.passed") + page.locator("body").inner_text()
        drawings = page.evaluate(f"JSON.stringify([{MIXER}.payload.form.features, {MIXER}.data.names])")
        assert word in text and other not in text and other not in drawings
    assert pages[0].evaluate(f"Array.from({MIXER}.payload.mean)") != pages[1].evaluate(
        f"Array.from({MIXER}.payload.mean)"
    )
    # a link to the other one's upload shows a sample and says why
    third = opened(browser, pages[0].url)
    drawn(third)
    third.get_by_text("stayed with the session that uploaded it").wait_for()
    assert "alpha number" not in third.evaluate("window.passed")
    upload(third, table(0, "alpha"))
    drawn(third)
    third.get_by_text("alpha number").first.wait_for()
    assert view_of(third) == view_of(pages[0])


def test_several_pictures_at_once_and_an_array(address, browser):
    page = directions(browser, address, DirectionsView(settings={"k": 2}))
    files, _, _ = HOSTILE["pictures of every kind"]()
    upload(page, *files)
    until_view(page, lambda v: v.data == f"upload:{load(files).fingerprint}")
    drawn(page)
    assert page.evaluate(f"{MIXER}.payload.form.kind") == "image"
    upload(page, ("x.npy", npy(np.random.default_rng(0).standard_normal((40, 8)).astype(np.float32))))
    until_view(page, lambda v: v.title == "x.npy")
    until_mixer(page, "m.payload.form.kind === want", "bars")


def test_hostile_files_leave_the_view(address, browser):
    """One session that meets one bad file after another."""
    bothered = DirectionsView(data="sample:wine", settings={"k": 3}, sample=4, mix={"weights": {"0": 2.0}})
    page = directions(browser, address, bothered)
    before, said = pictures(page), ""
    names = ("program", "torch file", "text named png", "object array", "zip that climbs", "ragged rows", "empty csv")
    for name in names:
        files, _, expected = HOSTILE[name]()
        assert expected == "error"
        upload(page, *files)
        sentence = page.get_by_test_id("stAlert")
        for _ in range(1200):
            if sentence.count() == 1 and sentence.inner_text() != said:
                break
            page.wait_for_timeout(50)
        settled(page)
        assert sentence.count() == 1 and sentence.inner_text() != said, name
        said = sentence.inner_text()
        assert said.strip().endswith(".") and "Traceback" not in page.locator("body").inner_text()
        assert view_of(page) == bothered and pictures(page) == before


def test_what_is_kept_on_a_first_visit_is_in_the_library_of_that_browser(address, browser):
    page = directions(browser, address, DirectionsView(tab="Take away", settings={"k": 3}))
    page.get_by_role("button", name="Keep in my library").click()
    page.get_by_text("is in the library now").wait_for()
    page.get_by_role("link", name="Library").click()
    page.get_by_role("button", name="Share with everyone here").wait_for()  # only one's own models can be shared
