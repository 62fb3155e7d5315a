"""Mixer and gallery in headless Chromium, against a small app of their own."""

import json

import numpy as np
import pytest

from core.ui.components import MixerState, apply
from tests.browser import DESKTOP, PHONE, chromium, serve, settled

pytestmark = pytest.mark.browser
APP = "tests/ui/demo_mixer.py"
MIXER = "document.querySelector('[data-testid=stBidiComponentIsolated]').shadowRoot.querySelector('.mixer').mixer"


@pytest.fixture(scope="module")
def address():
    with serve(APP) as url:
        yield url


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture
def open_page(address, browser):
    contexts = []

    def opened(query="", viewport=DESKTOP, **kw):
        context = browser.new_context(viewport=viewport, **kw)
        contexts.append(context)
        page = context.new_page()
        page.problems = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.sent = []
        page.on("websocket", lambda socket: socket.on("framesent", lambda frame: page.sent.append(len(frame))))
        page.goto(f"{address}/?{query}")
        page.wait_for_selector(".mixer .row")
        page.wait_for_selector(".gallery .tile")
        settled(page)
        return page

    yield opened
    for context in contexts:
        for page in context.pages:
            assert not page.problems
        context.close()


def runs(page):
    return int(page.text_content("#runs"))


def after_run(page, count):
    page.wait_for_function(f"Number(document.querySelector('#runs')?.textContent) >= {count}")
    settled(page)


def told(page):
    """State and code as Python has them."""
    return json.loads(page.text_content("#told"))


def python_has(page, **state):
    """Wait until Python holds this state of the mixer and has shown it; numbers to three digits."""
    for _ in range(100):
        now = told(page)["state"]
        if now == {k: pytest.approx(v, abs=1e-3) if k == "weights" else v for k, v in state.items()}:
            return settled(page)
        page.wait_for_timeout(100)
    raise AssertionError(f"Python holds {now}, not {state}")


def edited(page):
    return np.array(page.evaluate(f"Array.from({MIXER}.mix.edited)"))


def slider(page, k):
    return page.get_by_role("slider", name=f"Weight of Direction {k + 1}", exact=True)


def drag(page, k, shares, *, release=True):
    """Takes the thumb of a slider through shares of its length."""
    slider(page, k).scroll_into_view_if_needed()
    box = slider(page, k).bounding_box()
    at = float(slider(page, k).evaluate("e => (e.value - e.min) / (e.max - e.min)"))
    x = lambda share: box["x"] + 8 + share * (box["width"] - 16)  # noqa: E731
    y = box["y"] + box["height"] / 2
    page.mouse.move(x(at), y)
    page.mouse.down()
    for share in shares:
        page.mouse.move(x(share), y)
    if release:
        page.mouse.up()


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_drag_repaints_at_once_and_tells_python_once(open_page, viewport):
    page = open_page(viewport=viewport)
    before, paints = edited(page), page.evaluate(f"{MIXER}.paints")
    count, sent = runs(page), len(page.sent)
    drag(page, 0, np.linspace(0.5, 0.9, 15), release=False)
    page.wait_for_function(f"{MIXER}.paints > {paints + 2}")
    moved = edited(page)
    assert np.abs(moved - before).max() > 0.01
    assert len(page.sent) == sent and runs(page) == count
    page.mouse.up()
    after_run(page, count + 1)
    page.wait_for_timeout(300)
    assert runs(page) == count + 1 and len(page.sent) == sent + 1
    python = told(page)
    weight = page.evaluate(f"{MIXER}.mix.weights[0]")
    assert python["state"]["weights"] == {"0": pytest.approx(weight, abs=1e-4)}
    assert weight == pytest.approx(-3 + 6 * 0.9, abs=0.15)
    np.testing.assert_allclose(python["edited"], edited(page), atol=2e-4)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    assert page.evaluate(f"{MIXER}.root.scrollWidth <= {MIXER}.root.clientWidth")


def test_browser_and_python_agree_on_every_kind_of_change(open_page):
    page = open_page()
    k = page.evaluate(f"{MIXER}.payload.k")
    scale = np.array(page.evaluate(f"Array.from({MIXER}.payload.scale)"))
    code = np.array(page.evaluate(f"{MIXER}.data.code"))
    rng = np.random.default_rng(5)
    for _ in range(40):
        some = lambda n: tuple(rng.choice(k, rng.integers(0, n), replace=False).tolist())  # noqa: E731
        state = MixerState({i: rng.normal() * 2 for i in some(6)}, some(4), some(4), some(3))
        got = page.evaluate(
            f"(state) => {{ const m = {MIXER}.mix; m.adopt(state); m.refresh();"
            "return [m.code(), Array.from(m.edited), m.state()]; }",
            state.as_dict(),
        )
        expected = apply(state, code, scale)
        np.testing.assert_allclose(got[0], expected, rtol=1e-6, atol=1e-6)
        fresh = page.evaluate(f"Array.from({MIXER}.mix.sum({MIXER}.mix.own.map((_, k) => {MIXER}.mix.effective(k))))")
        np.testing.assert_allclose(got[1], fresh, atol=1e-4)
        assert MixerState.from_dict(got[2], k) == state


def test_keyboard_buttons_undo_and_link(open_page):
    page = open_page()
    own = page.evaluate(f"Array.from({MIXER}.mix.own)")
    reset = page.get_by_role("button", name="Reset (Direction 2)")
    assert reset.is_disabled()

    slider(page, 1).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    python_has(page, weights={"1": own[1] + 0.2})
    reset.click()
    python_has(page)
    assert reset.is_disabled()

    for name, key in (
        ("Mute: count as zero", "muted"),
        ("Solo: count this one only", "solo"),
        ("Flip the sign", "flipped"),
    ):
        press = page.get_by_role("button", name=f"{name} (Direction 3)")
        press.click()
        python_has(page, **{key: [2]})
        np.testing.assert_allclose(told(page)["edited"], edited(page), atol=2e-4)
        assert press.get_attribute("aria-pressed") == "true"
        press.click()
        python_has(page)

    page.get_by_role("button", name="From a link").click()
    page.wait_for_function(f"{MIXER}.mix.weights[0] === 1.5")
    assert [float(slider(page, k).input_value()) for k in (0, 2)] == [1.5, -2.0]
    assert page.evaluate(f"{MIXER}.mix.effective(1)") == 0
    settled(page)
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function(f"Object.keys({MIXER}.mix.state()).length === 0")
    assert float(slider(page, 0).input_value()) == pytest.approx(own[0], abs=0.006)
    settled(page)
    page.get_by_role("button", name="Redo").click()
    page.wait_for_function(f"{MIXER}.mix.weights[0] === 1.5")
    assert page.get_by_role("button", name="Redo").is_disabled()

    page.get_by_role("spinbutton", name="Weight of Direction 4 as a number").fill("4.25")
    page.keyboard.press("Enter")
    python_has(page, weights={"0": 1.5, "2": -2.0, "3": 4.25}, muted=[1])
    assert float(slider(page, 3).get_attribute("max")) >= 4.25


def test_whole_mix_buttons(open_page):
    page = open_page()
    count = runs(page)
    page.get_by_role("button", name="Neutral").click()
    after_run(page, count + 1)
    mean = page.evaluate(f"Array.from({MIXER}.payload.mean)")
    np.testing.assert_allclose(edited(page), mean, atol=1e-6)
    np.testing.assert_allclose(told(page)["code"], 0, atol=1e-7)
    page.get_by_role("button", name="Random").click()
    after_run(page, count + 2)
    weights = np.array(page.evaluate(f"Array.from({MIXER}.mix.weights)"))
    assert (np.abs(weights) <= 3).all() and 0.5 < weights.std() < 1.6
    page.get_by_role("button", name="Reset all").click()
    after_run(page, count + 3)
    assert told(page)["state"] == {}


def test_an_answer_to_an_older_state_moves_nothing(open_page):
    page = open_page()
    count = runs(page)
    drag(page, 0, [0.6, 0.9])
    drag(page, 1, [0.3, 0.15], release=False)  # Python is answering the first one meanwhile
    held = page.evaluate(f"{MIXER}.mix.weights[1]")
    after_run(page, count + 1)
    assert page.evaluate(f"{MIXER}.mix.weights[1]") == held
    page.mouse.up()
    after_run(page, count + 2)
    assert set(told(page)["state"]["weights"]) == {"0", "1"}
    assert page.evaluate(f"{MIXER}.mix.weights[1]") == held


def test_quick_releases_all_arrive(open_page):
    """Streamlit keeps one trigger of those that come during a run; the steps of undo must not get lost."""
    page = open_page()
    page.evaluate(
        f"() => {{ const m = {MIXER}; for (let i = 0; i < 5; i++) {{ m.move(i, 1 + i / 10); m.release(); }} }}"
    )
    page.wait_for_function("JSON.parse(document.querySelector('#told').textContent).steps === 6")
    assert told(page)["state"]["weights"] == {str(i): 1 + i / 10 for i in range(5)}


def test_another_sample_brings_its_own_weights(open_page):
    page = open_page()
    first = page.evaluate(f"Array.from({MIXER}.mix.own)")
    count = runs(page)
    page.get_by_role("spinbutton", name="Sample").fill("4")
    page.keyboard.press("Enter")
    after_run(page, count + 1)
    page.wait_for_function(f"Math.abs({MIXER}.mix.own[0] - {first[0]}) > 1e-6")
    scale = np.array(page.evaluate(f"Array.from({MIXER}.payload.scale)"))
    np.testing.assert_allclose(
        np.array(told(page)["code"]) / scale, page.evaluate(f"Array.from({MIXER}.mix.own)"), atol=1e-4
    )


def test_pictures_of_a_model_that_is_not_affine_come_after_release(open_page):
    page = open_page("form=slow")
    assert page.get_by_role("button", name="Walk along").count() == 0
    count = runs(page)
    drag(page, 0, [0.6, 0.95])
    after_run(page, count + 1)
    page.wait_for_function(f"!{MIXER}.pending && !{MIXER}.root.classList.contains('pending')")
    drawn = page.evaluate(f"Array.from({MIXER}.pictures.edited)")
    np.testing.assert_allclose(drawn, told(page)["edited"], atol=1e-6)


def test_a_walk_swings_and_comes_back(open_page):
    page = open_page()
    count, own = runs(page), page.evaluate(f"{MIXER}.mix.weights[0]")
    start = edited(page)
    walk = page.get_by_role("button", name="Walk along Direction 1", exact=True)
    walk.click()
    seen = page.evaluate(
        f"new Promise(done => {{ const seen = []; const id = setInterval(() => {{ seen.push({MIXER}.mix.walk.weight);"
        "if (seen.length > 40) { clearInterval(id); done(seen); } }, 100); })"
    )
    assert max(seen) > 2.5 and min(seen) < -2.5 and max(map(abs, seen)) <= 3
    assert walk.get_attribute("aria-pressed") == "true"
    walk.click()
    page.wait_for_function(f"{MIXER}.mix.walk === null && {MIXER}.frame === null")
    assert page.evaluate(f"{MIXER}.mix.weights[0]") == own
    np.testing.assert_allclose(edited(page), start, atol=1e-3)
    assert runs(page) == count


def test_less_motion_walks_in_stills(open_page):
    page = open_page(reduced_motion="reduce")
    page.get_by_role("button", name="Walk along Direction 1", exact=True).click()
    seen = page.evaluate(
        f"new Promise(done => {{ const seen = new Set(); let n = 0; const id = setInterval(() => {{"
        f"seen.add({MIXER}.mix.walk.weight); if (++n > 100) {{ clearInterval(id); done([...seen]); }} }}, 20); }})"
    )
    assert 2 <= len(seen) <= 5


def test_nothing_piles_up_over_fifty_moves(open_page):
    page = open_page()
    count_nodes = f"{MIXER}.root.querySelectorAll('*').length"
    nodes, count = page.evaluate(count_nodes), runs(page)
    files = "globalThis[Symbol.for('basis-explorer.files')].size"
    for i in range(50):
        page.evaluate(f"() => {{ {MIXER}.move(0, {(-1) ** i} * (1 + {i} / 50)); {MIXER}.paint(); }}")
        if i % 10 == 9:
            page.evaluate(f"{MIXER}.release()")
            page.wait_for_function(f"!{MIXER}.link.waiting.length")
    settled(page)
    assert runs(page) > count
    assert page.evaluate(count_nodes) == nodes
    assert page.evaluate(files) <= 24
    assert page.evaluate(f"{MIXER}.link.waiting.length") == 0


def test_a_rerun_sends_no_basis_again(open_page):
    page = open_page("form=image&size=64&k=64")
    fetched, received = [], []
    page.on("request", lambda request: "/media/" in request.url and fetched.append(request.url))
    client = page.context.new_cdp_session(page)
    client.send("Network.enable")
    client.on("Network.webSocketFrameReceived", lambda e: received.append(len(e["response"]["payloadData"]) * 3 // 4))
    count = runs(page)
    drag(page, 0, [0.6, 0.9])
    after_run(page, count + 1)
    assert fetched == []
    assert 0 < sum(received) < 120_000 < 64 * 4096 * 2


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_gallery_picks_by_click_and_by_key(open_page, viewport):
    page = open_page(viewport=viewport)
    tile = page.locator(".gallery .pick")
    assert tile.count() == 24
    count = runs(page)
    tile.nth(5).click()
    after_run(page, count + 1)
    assert page.text_content("#picked") == "5"
    assert tile.nth(5).get_attribute("aria-pressed") == "true"
    tile.nth(7).focus()
    page.keyboard.press("Enter")
    after_run(page, count + 2)
    assert page.text_content("#picked") == "7"
    assert [i for i in range(24) if tile.nth(i).get_attribute("aria-pressed") == "true"] == [7]


@pytest.mark.parametrize("kind", ["image", "curve", "bars", "spectrum"])
def test_every_form_is_drawn(open_page, kind):
    page = open_page(f"form={kind}")
    empty = page.evaluate(
        f"() => [...{MIXER}.root.querySelectorAll('canvas'), ...document.querySelectorAll('[data-testid="
        "stBidiComponentIsolated]')[1].shadowRoot.querySelectorAll('.tile canvas')].filter(c => {"
        "const d = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);"
        "return new Set(d).size < 2 && !c.closest('.difference'); }).length"
    )
    assert empty == 0


def test_more_shows_the_rest_and_names_are_text(open_page):
    page = open_page("hostile=1")
    assert page.locator(".mixer .row").count() == 8
    page.get_by_role("button", name="More (16)").click()
    assert page.locator(".mixer .row").count() == 24
    assert page.evaluate("window.hurt") is None
    assert "<img" in page.locator(".mixer .row .name").first.text_content()


def test_banks_stand_under_their_headings(open_page):
    page = open_page("groups=1")
    assert page.locator(".mixer h4").all_text_contents() == ["mouth", "pose", "expression"]


def test_a_sound_starts_and_stops(open_page):
    page = open_page("form=spectrum")
    play = page.get_by_role("button", name="Play edited")
    play.click()
    assert play.get_attribute("aria-pressed") == "true"
    play.click()
    assert play.get_attribute("aria-pressed") == "false"
