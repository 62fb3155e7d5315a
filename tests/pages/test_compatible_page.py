"""The page *Compatible spaces* without a browser: every control, every sample with every tab, uploads good and bad."""

import io
import sys

import numpy as np
import pytest
from page_app import PageApp
from streamlit.testing.v1 import AppTest

from core.compatible.loading import Embeddings
from core.compatible.samples import SAMPLES
from core.compatible.study import Study
from core.ui.background import shelf
from pages.compatible.view import MAPS, TABS, CompatibleView
from tests.browser import ROOT

sys.path.insert(0, str(ROOT / "tests" / "datasets"))
from hostile import HOSTILE


@pytest.fixture(scope="module", autouse=True)
def short_trainings():
    """Networks of few steps, so that a test takes a second; nothing of them is left for other tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.compatible.samples.STEPS", 12)
        for name in ("tabs.heads.SPACE", "tabs.heads.NUMBERS", "tabs.versions.NETWORKS"):
            module, _, value = f"pages.compatible.{name}".rpartition(".")
            old = getattr(__import__(module, fromlist=[value]), value)
            patch.setattr(f"{module}.{value}", type(old).of({**old.as_dict(), "steps": 12}))
        yield
    shelf.clear()  # the cached resource itself


app = PageApp("compatible", CompatibleView, patient=True)
open_at, settle, now, by_key, numbers = app.open_at, app.settle, app.now, app.by_key, app.metrics


def clean(at: AppTest) -> AppTest:
    """Assert that no traceback is shown and that the address holds the view."""
    assert [e.value for e in at.exception] == [] and app.linked(at) == now(at)
    return at


def choose(at: AppTest, key: str, value) -> AppTest:
    return clean(settle(by_key(at, key).set_value(value).run()))


def at_tab(at: AppTest, tab: str) -> AppTest:
    history = at.session_state["compatible:history"]
    history["now"] = history["now"].having(tab=tab)
    return settle(at.run())


def further(at: AppTest):
    return next(u for u in at.file_uploader if u.label.startswith("Further"))


def npy(x) -> bytes:
    out = io.BytesIO()
    np.save(out, x)
    return out.getvalue()


RNG = np.random.default_rng(0)
Y = np.arange(90) % 3
NEW = (RNG.standard_normal((3, 7))[Y] + 0.3 * RNG.standard_normal((90, 7))).astype(np.float32)
OLD = (NEW @ np.linalg.qr(RNG.standard_normal((7, 7)))[0]).astype(np.float32)


def bring(at: AppTest, old=None, new=None, labels=None) -> AppTest:
    places = [u for u in at.file_uploader if (u.key or "").startswith("compatible:upload:")]
    for place, file in zip(places, (old, new, labels), strict=True):
        if file:
            place.set_value([(*file, "application/octet-stream")])
    at = at.run()
    return settle(by_key(at, "compare").click().run())


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_every_sample_opens_with_every_tab(sample, tab):
    at = clean(open_at(data=f"sample:{sample}", tab=tab))
    assert {"old/old", "new/old", "new/new"} <= set(numbers(at))
    assert [e for e in at.error if "swapped" not in e.value] == []


def test_every_map_shows_its_own_numbers():
    at = open_at()
    seen = {}
    for name in MAPS:
        at = choose(at, "map", name)
        seen[name] = numbers(at)
    assert seen["none"]["new/new"] == seen["procrustes"]["new/new"]
    assert len({v["old/old"] for v in seen.values()}) == 1 and len({v["new/old"] for v in seen.values()}) > 2
    at = choose(at, "extra", 9)
    at = choose(at, "rigid", False)
    assert now(at) == CompatibleView(map="bt2", extra=9, rigid=False)


def test_the_slider_by_label_and_identity_and_the_seed_and_undo():
    at = open_at()
    rigid = numbers(choose(at, "map", "procrustes"))
    at = choose(at, "map", "lambda")
    at = choose(at, "position", 0)
    assert numbers(at) == rigid
    at = choose(at, "position", 20)
    assert numbers(at)["new/old"] != rigid["new/old"] and now(at).position == 20
    at = choose(at, "by", "identity")
    assert numbers(at)["old/old"] == "100.0%"
    at = choose(at, "seed", 3)
    assert now(at).seed == 3
    at = clean(by_key(at, "undo").click().run())
    assert now(at) == CompatibleView(position=20, by="identity")
    at = clean(by_key(at, "redo").click().run())
    assert now(at).seed == 3


CONTROLS = [
    ("Re-indexing", "reindexing.goal", 80),
    ("Versions", "versions.known", "5, 10"),
    ("Versions", "versions.head", "learned"),
    ("Versions", "versions.align", "distill"),
    ("Versions", "versions.measure", "mean_ap"),
    ("Simplex heads", "heads.space", "learned"),
    ("Simplex heads", "heads.first", 7),
    ("Simplex heads", "heads.align", "contrast"),
    ("Simplex heads", "heads.room", 60),
    ("Convergent learning", "convergent.layer", "embeddings"),
    ("Convergent learning", "convergent.alpha", 0.2),
    ("Take away", "reindexing.order", "class distance"),
]


@pytest.mark.parametrize("tab, key, value", CONTROLS)
def test_the_controls_of_the_tabs(tab, key, value):
    at = choose(open_at(tab=tab), key, value)
    field, _, entry = key.partition(".")
    assert getattr(now(at), field)[entry] == value and now(at).tab == tab
    assert by_key(at, key).value == value


def test_an_edited_link_is_survived():
    odd = dict(goal=7, known="1, x", head=3, space="?", first=99, layer=[], alpha="a", unit=5, order={}, steps=-1)
    for tab in TABS:
        clean(
            open_at(tab=tab, reindexing=odd, versions=odd, heads=odd, convergent=odd, position=99, extra=999, map="?")
        )


def test_two_files_are_compared_by_identity_and_with_labels_by_label():
    at = clean(bring(open_at(), ("old.npy", npy(OLD)), ("new.npy", npy(NEW))))
    given = Embeddings(OLD, NEW)
    assert now(at) == CompatibleView(data=f"upload:{given.fingerprint}", title="old.npy and new.npy")
    expected = Study.of(given)
    at = choose(at, "map", "procrustes")
    (found,) = expected.judge([expected.map("procrustes")])
    assert numbers(at)["new/old"] == f"{found.new_old.recall:.1%}" == "100.0%"
    assert any("Yes" in s.value for s in at.success)
    labels = ("y.txt", "\n".join("abc"[i] for i in Y).encode())
    at = clean(bring(at, ("old.npy", npy(OLD)), ("new.npy", npy(NEW)), labels))
    assert by_key(at, "by").value == "label", ([e.value for e in at.error], now(at), [i.value for i in at.info])
    at = choose(at, "share", 70)
    for tab in TABS:
        at = clean(at_tab(at, tab))
    at = at_tab(at, "Versions")
    at = clean(further(at).set_value([("v3.npy", npy(NEW[:, :5]), "application/octet-stream")]).run())
    assert [c for c in at.caption if "v3" in c.value] and not at.error
    at = clean(further(at).set_value([("v4.npy", npy(NEW[:9]), "application/octet-stream")]).run())
    assert ["hold 90 items" in e.value for e in at.error] == [True]
    both = [("v4.npy", npy(NEW[:9]), ""), ("v5.npy", npy(NEW[:, :4]), "")]
    at = clean(further(at).set_value(both).run())
    assert len(at.error) == 1 and any("v3" in c.value and "v5" in c.value for c in at.caption)  # the good one is in
    at = clean(settle(by_key(at, "further-clear").click().run()))
    assert not at.error and not any(c.value.startswith("With ") for c in at.caption)


def test_a_link_to_an_upload_of_another_session_asks_for_the_files():
    given = Embeddings(OLD, NEW)
    view = CompatibleView(data=f"upload:{given.fingerprint}", title="old.npy and new.npy", map="affine", tab="Maps")
    at = clean(open_at(**{"data": view.data, "title": view.title, "map": view.map}))
    assert "stayed with the session" in at.info[0].value
    at = clean(bring(at, ("old.npy", npy(OLD)), ("new.npy", npy(NEW))))
    assert now(at) == view


def test_hostile_files_are_one_sentence_each_and_the_view_stays():
    at = open_at(map="procrustes")
    before = now(at)
    for name in list(HOSTILE)[::12]:  # all of them meet the loader in tests/compatible
        files, _, _ = HOSTILE[name]()
        if len(files) != 1 or len(files[0][1]) > 5_000_000:
            continue
        at = bring(at, files[0], ("new.npy", npy(NEW)))
        assert [e.value for e in at.exception] == [], name
        sentences = [e.value for e in at.error if "swapped" not in e.value]
        if now(at) != before:  # a matrix of just as many rows is no attack
            pytest.fail(f"{name} was taken")
        assert len(sentences) == 1 and "\n" not in sentences[0] and len(sentences[0]) < 400, (name, sentences)


def test_cancel_leaves_a_button_that_computes_again():
    at = AppTest.from_file(ROOT / "pages/compatible/page.py", default_timeout=60)
    at.session_state["compatible:sample:cancelled"] = "compatible:sample:digits-learned:77"
    at.query_params["v"] = CompatibleView(seed=77).link()
    at = at.run()
    assert by_key(at, "sample:go").label == "Compute again" and not at.metric
    at = clean(settle(by_key(at, "sample:go").click().run()))
    assert "new/old" in numbers(at)


def test_what_is_taken_away_is_what_is_shown():
    at = clean(open_at(tab="Take away", map="bt2", extra=3))
    buttons = {b.proto.label: b for b in at._tree if getattr(b, "type", "") == "download_button"}
    assert {"Map as npz", "Maps as csv", "Order as csv", "Save the recipe"} <= set(buttons)
    code = [c.value for c in at.code]
    again = next(c for c in code if "Study.of" in c)
    said: list[str] = []
    exec(again, {"print": lambda *a: said.append(" ".join(map(str, a)))})
    assert said[1] == f"new_old {numbers(at)['new/old']}" and said[2] == f"mapped {numbers(at)['new/new']}"
