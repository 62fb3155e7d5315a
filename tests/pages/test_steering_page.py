"""*Steer generations* without a browser: what it writes is what the core writes, and every control does what it says."""

import re

import numpy as np
import pytest
from steering_app import app, columns, open_at, pieces, settle, text, tiny_directions
from streamlit.testing.v1 import AppTest

from core.steering.assets import SMOLLM2
from core.steering.examples import FILE
from core.steering.generate import Row, Writing, write
from core.steering.shared import release, shared
from core.steering.steer import AMBER, RED
from pages.steering.view import TABS, SteeringView
from tests.browser import ROOT

CHAT = {"chat": False, "tokens": 12}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """No language model of this machine's cache, unless a test asks for it."""
    kept = SMOLLM2.folder.parents[1]
    monkeypatch.setenv("BASIS_CACHE", str(tmp_path / "cache"))
    yield kept
    release()


@pytest.fixture
def ref(home, tmp_path):
    return tiny_directions(tmp_path)


def steered(at, **weights):
    """Text that the core writes with these weights of the opened directions."""
    (opened,) = {id(o): o for o in [_opened(at)]}.values()
    model, basis = shared(opened.source), opened.basis
    code = np.array([weights.get(n, 0.0) for n in basis.names])
    view = app.now(at)
    rows = [Row(view.prompt), Row(view.prompt, opened.model.steers(code) if code.any() else None)]
    return [t.text for t in write(model, rows, settings=Writing.of(view.writing))]


def _opened(at):
    from pages.steering import opened as module

    return module._open(app.now(at).model, "")


def test_both_texts_are_those_of_the_core_and_nothing_is_left_of_markup(ref):
    at = open_at(ref, prompt="the cat <b>sat</b> *on*", writing=CHAT)
    app.clean(at)
    assert [text(c) for c in columns(at)] == steered(at)
    assert text(columns(at)[0]) == text(columns(at)[1])  # all weights are 0
    assert columns(at)[0]["lead"] == "the cat <b>sat</b> *on*" and not columns(at)[0]["growing"]

    name = _opened(at).names[1]
    at = settle(app.choose(at, f"weights.{name}", 2.0))
    assert app.clean(at) and app.now(at).weights == {name: 2.0}
    unsteered, moved = columns(at)
    assert [text(unsteered), text(moved)] == steered(at, **{name: 2.0}) and text(unsteered) != text(moved)
    assert all(kl == 0 for _, kl, _ in unsteered["tokens"]) and max(kl for _, kl, _ in moved["tokens"]) > 0
    piece = pieces(at)[-1]
    assert piece.hook_calls == piece.forwards >= 1

    before = len(pieces(at))
    at = settle(app.press(at, "undo"))
    assert app.now(at).weights == {} and text(columns(at)[1]) == text(unsteered) and len(pieces(at)) == before


def test_more_tokens_go_on_from_what_is_there(ref):
    at = open_at(ref, prompt="the cat sat", writing={"chat": False, "tokens": 6, "temperature": 0.0})
    first = [text(c) for c in columns(at)]
    if pieces(at)[-1].ended:
        pytest.skip("the random model ended its text")
    at = settle(app.press(at, "on"))
    assert app.now(at).writing["tokens"] == 66 and len(pieces(at)) == 1
    assert all(text(c).startswith(f) and len(text(c)) > len(f) for c, f in zip(columns(at), first, strict=True))
    assert text(columns(at)[0]) == steered(at)[0]  # as in one go, in float32


def test_stop_keeps_the_text_until_one_goes_on(ref):
    at = open_at(ref, prompt="look at", writing={"chat": False, "tokens": 1}, auto=False)
    assert not pieces(at) if "steering:desk" in at.session_state else True
    at = app.press(at, "write")
    piece = pieces(at)[-1]
    piece.stop()
    at = at.run()
    assert piece.state == "stopped" and piece.held and any("Stopped" in c.value for c in at.caption)
    at = settle(app.press(at, "on"))
    assert piece.state == "done" and len(columns(at)[0]["tokens"]) == 1


def test_sliders_end_at_the_safe_ratio_and_the_total_is_stopped(ref):
    at = open_at(ref, prompt="you are", writing={**CHAT, "tokens": 2})
    opened = _opened(at)
    norm = shared(opened.source).token_norm(2)
    for name, sigma in zip(opened.names, opened.basis.scale, strict=True):
        slider = app.by_key(at, f"weights.{name}")
        assert slider.min == -slider.max
        assert AMBER - 0.1 * sigma / norm - 1e-6 <= slider.max * sigma / norm <= AMBER + 1e-6 or slider.max == 0.1
    at = open_at(ref, prompt="you are", writing={**CHAT, "tokens": 2}, weights={n: 99.0 for n in opened.names})
    (said,) = [c.value for c in at.caption if c.value.startswith("Total r")]
    ratio = float(re.search(r"\*\*([\d.]+)\*\*", said).group(1))
    assert ratio == pytest.approx(AMBER * 4**0.5, rel=0.15) and ratio > RED and "scaled down" in said


def test_two_sessions_write_their_own_texts(ref):
    one = open_at(ref, prompt="the moon", writing={**CHAT, "seed": 1})
    two = open_at(ref, prompt="no, 42", writing={**CHAT, "seed": 2})
    assert columns(one)[0]["lead"] == "the moon" and columns(two)[0]["lead"] == "no, 42"
    assert text(columns(one)[0]) == steered(one)[0] and text(columns(two)[0]) == steered(two)[0]
    assert len(pieces(one)) == len(pieces(two)) == 1 and pieces(one)[0] is not pieces(two)[0]


def test_rivals_stand_beside_it(ref):
    name = {}
    at = open_at(ref, prompt="what is it?", writing={**CHAT, "chat": True})
    name = _opened(at).names[0]
    at = open_at(
        ref, prompt="what is it?", writing=CHAT, weights={name: 1.0}, beside=["told", "random"], told="Be brief."
    )
    app.clean(at)
    assert [c["title"] for c in columns(at)] == ["Unsteered", "Steered", "Told in words", "Random direction"]
    assert columns(at)[2]["note"] == "Be brief."
    texts = [text(c) for c in columns(at)]
    told = write(shared(_opened(at).source), [Row("Be brief.\n\nwhat is it?")], settings=Writing.of(CHAT))
    assert texts[2] == told[0].text
    kl = [np.mean([t[1] for t in c["tokens"]]) for c in columns(at)]
    assert kl[0] == kl[2] == 0 and kl[1] > 0 and kl[3] > 0


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_draws(ref, tab):
    at = open_at(ref, prompt="the cat", writing={**CHAT, "tokens": 6}, tab=tab)
    if tab == "Strip of strengths":
        at = settle(app.press(at, "strip:go"))
        shown = app.shown(at, "strip:texts")["columns"]
        assert len(shown) == 5 and shown[2]["title"] == "Unsteered"
        assert shown[0]["tokens"] and all(t[1] == 0 for t in shown[2]["tokens"])
    app.clean(at)


def test_a_dose_is_measured_on_the_page(ref):
    at = open_at(ref, prompt="x", writing={**CHAT, "tokens": 1}, tab="Dose", dose={"seeds": 1, "prompts": 4})
    at = settle(app.press(at, "dose:go"))
    app.clean(at)
    assert {"Rank correlation", "Random direction"} <= set(app.metrics(at))


def test_bad_texts_get_one_sentence(ref):
    at = open_at(ref, prompt="x", writing={**CHAT, "tokens": 1}, tab="Build")
    at = app.by_key(at, "area:texts").set_value("\n".join(f"text {i}" for i in range(59))).run()
    assert [e.value for e in at.error] == [
        "These are 59 texts; a basis needs at least 60\\. For fewer, take two sets of texts\\."
    ]
    at = open_at(ref, prompt="x", writing={**CHAT, "tokens": 1}, tab="Build", build={"mode": "sets"})
    at = app.by_key(at, "area:one").set_value("a\nb").run()
    assert len(at.error) == 1 and "at least 5" in at.error[0].value
    at = open_at(ref, prompt="   ", writing=CHAT)
    assert len(at.error) == 1 and "prompt is empty" in at.error[0].value


def test_an_edited_link_does_no_harm(ref):
    at = open_at(
        ref, prompt="x", writing={"tokens": -5, "seed": "no", "chat": False, "top_p": 0.5}, weights={"nobody": 3.0},
        block=1000, against="nobody", direction="nobody", strip={"count": "x"}, map={"x": 3, "text": 10**9},
        names={"1": "<script>alert(1)</script>"}, tab="Map of texts",
    )  # fmt: skip
    app.clean(at)


def test_without_the_language_model_there_is_one_message_and_saved_results():
    at = AppTest.from_file(ROOT / "pages/steering/page.py", default_timeout=60).run()
    assert not at.exception and not at.error
    (said,) = [w.value for w in at.warning]
    assert "python -m core assets get smollm2" in said and not at.slider
    if FILE.is_file():
        saved = app.shown(at, "saved:top:strip")["columns"]
        assert len(saved) == 5 and all(c["tokens"] for c in saved)


def test_the_first_text_comes_without_a_click(cache, monkeypatch):
    monkeypatch.setenv("BASIS_CACHE", str(cache))
    if SMOLLM2.missing():
        pytest.skip(SMOLLM2.missing())
    at = AppTest.from_file(ROOT / "pages/steering/page.py", default_timeout=60)
    at.query_params["v"] = SteeringView(writing={"chat": False, "tokens": 8}).link()
    at = settle(at.run())
    app.clean(at)
    unsteered, moved = columns(at)
    assert len(unsteered["tokens"]) == len(moved["tokens"]) == 8 and text(unsteered) != text(moved)
    assert moved["note"] == "question +4.0"
