"""*Steer generations* without a browser: it writes what the core writes, and every control does what it says."""

import re
import time

import numpy as np
import pytest
from steering_app import app, columns, in_library, make_tiny_directions, open_at, opened, pieces, settle, text
from streamlit.testing.v1 import AppTest

from core.steering.assets import SMOLLM2
from core.steering.examples import FILE
from core.steering.generate import Row, Writing, write
from core.steering.shared import release, shared
from core.steering.steer import AMBER, RED
from pages.steering.view import TABS, SteeringView
from tests.browser import ROOT

SHORT = {"chat": False, "tokens": 12}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    yield make_tiny_directions(tmp_path_factory.mktemp("tiny"))
    release()


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def cache(empty, monkeypatch):
    """No language model of this machine's cache, unless a test asks for it."""
    kept = SMOLLM2.folder.parents[1]
    monkeypatch.setenv("BASIS_CACHE", str(empty))
    return kept


@pytest.fixture
def ref(home, made):
    return in_library(made)


def written(at, ref, **weights):
    """What the core writes with these weights of the directions."""
    o, view = opened(ref), app.now(at)
    code = np.array([weights.get(n, 0.0) for n in o.names])
    rows = [Row(view.prompt), Row(view.prompt, o.model.steers(code) if code.any() else None)]
    return [t.text for t in write(shared(o.source), rows, settings=Writing.of(view.writing))]


def test_both_texts_are_those_of_the_core_and_nothing_is_left_of_markup(ref):
    at = open_at(ref, prompt="the cat <b>sat</b> *on*", writing=SHORT)
    app.clean(at)
    assert [text(c) for c in columns(at)] == written(at, ref)
    assert text(columns(at)[0]) == text(columns(at)[1])  # all weights are 0
    assert columns(at)[0]["lead"] == "the cat <b>sat</b> *on*" and not columns(at)[0]["growing"]

    name = opened(ref).names[1]
    at = settle(app.choose(at, f"weights.{name}", 2.0))
    assert app.clean(at) and app.now(at).weights == {name: 2.0}
    unsteered, moved = columns(at)
    assert [text(unsteered), text(moved)] == written(at, ref, **{name: 2.0}) and text(unsteered) != text(moved)
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
    assert text(columns(at)[0]) == written(at, ref)[0]  # as in one go, in float32


def test_stop_keeps_the_text_until_one_goes_on(ref):
    at = open_at(ref, prompt="look at", writing={"chat": False, "tokens": 450, "temperature": 0.0}, auto=False)
    assert not pieces(at)
    at = app.press(at, "write")
    at = app.press(at, "stop")
    (piece,) = pieces(at)
    assert piece.state == "stopped" and piece.held and any("Stopped" in c.value for c in at.caption)
    time.sleep(0.3)
    kept = piece.length
    time.sleep(0.3)
    at = at.run()
    assert piece.length == kept < 450 and not piece.active
    at = settle(app.press(at, "on"))
    assert piece.state == "done" and (piece.length == 450 or piece.ended)


def test_sliders_end_at_the_safe_ratio_and_the_total_is_stopped(ref):
    at = open_at(ref, prompt="you are", writing={**SHORT, "tokens": 2})
    o = opened(ref)
    norm = shared(o.source).token_norm(2)
    for name, sigma in zip(o.names, o.basis.scale, strict=True):
        slider = app.by_key(at, f"weights.{name}")
        assert slider.min == -slider.max
        assert AMBER - 0.1 * sigma / norm - 1e-6 <= slider.max * sigma / norm <= AMBER + 1e-6 or slider.max == 0.1
    at = open_at(ref, prompt="you are", writing={**SHORT, "tokens": 2}, weights=dict.fromkeys(o.names, 99.0))
    (said,) = [c.value for c in at.caption if c.value.startswith("Total r")]
    ratio = float(re.search(r"\*\*([\d.]+)\*\*", said).group(1))
    assert ratio == pytest.approx(AMBER * 4**0.5, rel=0.15) and ratio > RED and "scaled down" in said


def test_two_sessions_write_their_own_texts(ref):
    one = open_at(ref, prompt="the moon", writing={**SHORT, "seed": 1})
    two = open_at(ref, prompt="no, 42", writing={**SHORT, "seed": 2})
    assert columns(one)[0]["lead"] == "the moon" and columns(two)[0]["lead"] == "no, 42"
    assert text(columns(one)[0]) == written(one, ref)[0] and text(columns(two)[0]) == written(two, ref)[0]
    assert len(pieces(one)) == len(pieces(two)) == 1 and pieces(one)[0] is not pieces(two)[0]


def test_rivals_stand_beside_it(ref):
    name = opened(ref).names[0]
    at = open_at(
        ref, prompt="what is it?", writing=SHORT, weights={name: 1.0}, beside=["told", "random"], told="Be brief."
    )
    app.clean(at)
    assert [c["title"] for c in columns(at)] == ["Unsteered", "Steered", "Told in words", "Random direction"]
    assert columns(at)[2]["note"] == "Be brief."
    texts = [text(c) for c in columns(at)]
    told = write(shared(opened(ref).source), [Row("Be brief.\n\nwhat is it?")], settings=Writing.of(SHORT))
    assert texts[2] == told[0].text
    kl = [np.mean([t[1] for t in c["tokens"]]) for c in columns(at)]
    assert kl[0] == kl[2] == 0 and kl[1] > 0 and kl[3] > 0


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_draws(ref, tab):
    at = open_at(ref, prompt="the cat", writing={**SHORT, "tokens": 6}, tab=tab)
    if tab == "Strip of strengths":
        at = settle(app.press(at, "strip:go"))
        shown = app.shown(at, "strip:texts")["columns"]
        assert len(shown) == 5 and shown[2]["title"] == "Unsteered"
        assert shown[0]["tokens"] and all(t[1] == 0 for t in shown[2]["tokens"])
    app.clean(at)


def test_a_dose_is_measured_on_the_page(ref):
    at = open_at(ref, prompt="x", writing={**SHORT, "tokens": 1}, tab="Dose", dose={"seeds": 1, "prompts": 4})
    at = settle(app.press(at, "dose:go"))
    app.clean(at)
    assert {"Rank correlation", "Random direction"} <= set(app.metrics(at))


def test_bad_texts_get_one_sentence(ref):
    at = open_at(ref, prompt="x", writing={**SHORT, "tokens": 1}, tab="Build")
    at = app.by_key(at, "area:texts").set_value("\n".join(f"text {i}" for i in range(59))).run()
    assert [e.value for e in at.error] == ["A basis needs at least 60 texts, and there are 59\\."]
    at = open_at(ref, prompt="x", writing={**SHORT, "tokens": 1}, tab="Build", build={"mode": "sets"})
    at = app.by_key(at, "area:one").set_value("a\nb").run()
    assert len(at.error) == 1 and "at least 5" in at.error[0].value
    at = open_at(ref, prompt="   ", writing=SHORT)
    assert len(at.error) == 1 and "prompt is empty" in at.error[0].value


def test_an_edited_link_does_no_harm(ref):
    at = open_at(
        ref, prompt="x", writing={"tokens": -5, "seed": "no", "chat": False, "top_p": 0.5}, weights={"nobody": 3.0},
        block=1000, against="nobody", direction="nobody", strip={"count": "x"}, map={"x": 3, "text": 10**9},
        names={"1": "<script>alert(1)</script>"}, tab="Map of texts",
    )  # fmt: skip
    app.clean(at)


def test_a_control_vector_alone_is_also_set_to_0(ref):
    at = open_at(ref, prompt="x", writing={**SHORT, "tokens": 1}, auto=False, vector="some", file=1.0)
    assert not app.by_key(at, "reset").disabled
    at = app.press(at, "reset")
    assert app.now(at).file == 0 and app.by_key(at, "reset").disabled


@pytest.mark.parametrize("odd", [[1], {"a": 1}, 7, -1.5, "nobody", True], ids=str)
@pytest.mark.parametrize(
    "tab, part, entries",
    [
        ("Strip of strengths", "strip", ("count", "tokens", "meter")),
        ("Map of texts", "map", ("x", "y", "text")),
        ("Dose", "dose", ("count", "seeds", "prompts", "meter", "own", "words")),
        ("Build", "build", ("mode", "data", "words", "run", "block", "source", "k", "method")),
        ("Value vectors", "values", ("word", "unit", "all", "scale", "noise", "related", "unrelated")),
        ("Selection", "selection", ("way", "count", "signed", "data")),
    ],
)
def test_odd_values_in_a_link_leave_every_tab_standing(ref, tab, part, entries, odd):
    at = open_at(
        ref, prompt="x", writing={**SHORT, "tokens": 1}, auto=False, tab=tab, **{part: dict.fromkeys(entries, odd)}
    )
    assert not at.exception


def test_the_snippet_writes_the_texts_of_the_page(ref, made, capsys):
    names = opened(ref).names
    weights = {names[0]: 99.0, names[1]: 99.0, names[2]: -99.0}  # beyond the ends of the sliders, and in all of r
    more = dict(against=names[3], block=1, where="generated")
    at = open_at(ref, prompt="the 'cat'", writing=SHORT, weights=weights, tab="Take away", **more)
    app.clean(at)
    code = at.code[0].value.replace("skills.basis.zip", str(made))
    assert "scaled" in code and "against" in code and "replace(s, block=1)" in code
    exec(compile(code, "snippet", "exec"), {})
    said = capsys.readouterr().out
    assert all(f"{text(c)} | perplexity" in said for c in columns(at))


def test_without_the_language_model_there_is_one_message_and_saved_results():
    at = AppTest.from_file(ROOT / "pages/steering/page.py", default_timeout=60).run()
    assert not at.exception and not at.error
    (said,) = [w.value for w in at.warning]
    assert "python -m core assets get smollm2" in said and not at.slider
    if FILE.is_file():
        saved = app.shown(at, "saved:top:strip")["columns"]
        assert len(saved) == 5 and all(c["tokens"] for c in saved)
        # a browser refuses a NaN; a probability that was not kept is null
        assert "NaN" not in app.by_key(at, "saved:top:strip").proto.json


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
