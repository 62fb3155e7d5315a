"""Files that are brought to the page: good ones, ones with gaps, and every broken or hostile one."""

import io
import json
import sys

import numpy as np
import pytest
from directions_app import by_key, choose, clean, keys, now, open_at, press, said, shown

from core.datasets import load
from core.ui.text import escape
from core.ui.uploads import MOST_DATASETS
from pages.directions.view import DirectionsView
from tests.browser import ROOT

sys.path.insert(0, str(ROOT / "tests" / "datasets"))
from hostile import HOSTILE, csv, npy, png, wav

VIEW = DirectionsView(data="sample:wine", settings={"k": 3}, sample=5, mix={"muted": [1]}, names={"0": "strength"})

PICTURES = [(f"{i}.png", png(np.random.default_rng(i).integers(0, 255, (9, 9), np.uint8))) for i in range(5)]


def bring(at, *files, kind=None):
    """Drop files of `(name, content)` into the page."""
    if kind is not None:
        at = choose(at, "read-as", kind)
    uploader = next(u for u in at.file_uploader if u.label == "Drop files here")
    return uploader.set_value([(name, content, "application/octet-stream") for name, content in files]).run()


@pytest.fixture(scope="module")
def shared():
    """One session for all hostile files, one after another: what one leaves behind, the next would meet."""
    return {"at": clean(open_at(VIEW))}


@pytest.mark.parametrize("name", [n for n in HOSTILE if HOSTILE[n]()[0]])
def test_a_hostile_upload_is_one_sentence_or_a_note_and_the_view_before_it_stays(shared, name):
    files, kind, expected = HOSTILE[name]()
    at = shared["at"]
    if now(at) != VIEW:  # one before failed
        at = open_at(VIEW)
    before = shown(at, "mixer")
    at = choose(at, "read-as", kind)
    at = shared["at"] = bring(at, *files)
    assert [e.message for e in at.exception] == []
    if expected == "error":
        sentences = [e.value for e in at.error] + [w.value for w in at.warning]
        assert len(sentences) == 1, sentences
        assert sentences[0].endswith(".") and "\n" not in sentences[0] and len(sentences[0]) < 400
        assert now(at) == VIEW
        after = shown(at, "mixer")
        assert {k: v for k, v in after.items() if k != "answer"} == {k: v for k, v in before.items() if k != "answer"}
        assert by_key(at, "data").value == "sample:wine"
        return
    clean(at)
    assert now(at).data.startswith("upload:") and now(at).mix == {}
    captions = [c.value for c in at.caption]
    made = load(files, kind)
    assert made.notes and all(escape(note) in captions for note in made.notes)
    at = shared["at"] = clean(press(at, "undo"))
    assert now(at) == VIEW


def test_no_file_changes_nothing():
    at = open_at(VIEW)
    uploader = next(u for u in at.file_uploader if u.label == "Drop files here")
    at = clean(uploader.set_value([]).run())
    assert now(at) == VIEW


def test_a_table_is_shown_at_once_and_listed_as_ones_own():
    content = csv(20, 4)
    at = clean(bring(open_at(VIEW), ("my table.csv", content)))
    data = load([("my table.csv", content)])
    assert now(at) == DirectionsView(data=f"upload:{data.fingerprint}", title=data.title, settings={"k": 3})
    assert by_key(at, "data").options[-1] == f"{data.title} (yours)"
    assert len(shown(at, "mixer")["code"]) == 3 and by_key(at, "sample").max == 19
    at = clean(press(at, "undo"))
    assert now(at) == VIEW
    at = clean(press(at, "redo"))
    assert now(at).data == f"upload:{data.fingerprint}"
    at = clean(choose(at, "data", "sample:digits"))
    at = clean(choose(at, "data", f"upload:{data.fingerprint}"))
    assert by_key(at, "sample").max == 19


@pytest.mark.parametrize(
    ("files", "kind", "form"),
    [
        ([("a.npy", npy(np.random.default_rng(0).standard_normal((30, 6))))], None, "bars"),
        ([("a.npy", npy(np.random.default_rng(0).standard_normal((30, 6))))], "activations", "bars"),
        ([("a.csv", csv(30, 8))], "curves", "curve"),
        (PICTURES, None, "image"),
        ([("a.wav", wav())], None, "spectrum"),
        ([("a.txt", b"the cat sat\n\nthe dog ran far\n\na cat and a dog\n\nthe end of it\n" * 3)], None, "bars"),
    ],
    ids=["table", "activations", "curves", "images", "audio", "text"],
)  # fmt: skip
def test_every_kind_of_upload_is_drawn_in_its_own_form(files, kind, form):
    at = clean(bring(open_at(settings={"k": 2}), *files, kind=kind))
    assert now(at).data.startswith("upload:")
    assert len(shown(at, "mixer")["code"]) == 2
    for tab in ("One direction", "One sample", "Map", "Diagnostics", "Compare", "Take away"):
        at.query_params["v"] = now(at).having(tab=tab).link()
        at = clean(at.run())


def test_gaps_are_counted_and_dropped_or_filled():
    text = "a,b,c\n" + "".join(f"{i},{i * i},{'' if i in (3, 7) else i % 4}\n" for i in range(20))
    for button, rows in (("drop rows", 18), ("fill mean", 20), ("fill median", 20)):
        at = bring(open_at(VIEW), ("gaps.csv", text.encode()))
        assert said(at) == [] and "2" in at.warning[0].value and now(at) == VIEW
        at = clean(press(at, f"missing:{button}"))
        assert by_key(at, "sample").max == rows - 1 and now(at).title == "gaps.csv"
        assert not at.warning and f"missing:{button}" not in keys(at)


def test_the_link_of_an_upload_waits_for_the_file_and_then_shows_its_view():
    content = csv(20, 4)
    mine = clean(bring(open_at(settings={"k": 3}), ("t.csv", content)))
    view = now(mine).having(sample=9, mix={"muted": [0]})
    other = open_at(view)
    assert "stayed with the session that uploaded it" in other.info[0].value and now(other) == view
    assert by_key(other, "data").value == "sample:digits"
    other = clean(bring(other, ("t.csv", content)))
    assert now(other) == view and not other.info and shown(other, "mixer")["state"] == {"muted": [0]}


@pytest.mark.parametrize("gaps", [False, True])
def test_a_link_that_waits_finds_out_how_the_file_was_read(gaps):
    """A table read as curves or activations is so again; the link cannot say it to whoever drops the file."""
    content = b"a,b,c\n,1,2\n" + csv(20, 3).split(b"\n", 1)[1] if gaps else csv(20, 3)
    mine = bring(open_at(settings={"k": 2}), ("t.csv", content), kind="activations")
    mine = clean(press(mine, "missing:fill mean") if gaps else mine)
    view = now(mine).having(sample=9, mix={"muted": [0]})
    other = bring(open_at(view), ("t.csv", content))
    assert now(other) == view
    other = clean(press(other, "missing:fill mean") if gaps else other)
    assert now(other) == view and not other.info and shown(other, "mixer")["state"] == {"muted": [0]}


def test_two_files_of_one_name_are_two_choices():
    at = open_at(settings={"k": 2})
    for rows in (10, 14):
        at = clean(bring(at, ("table.csv", csv(rows, 3))))
    assert by_key(at, "data").options[-2:] == ["table.csv (yours) (2)", "table.csv (yours)"]
    for index, last in ((-1, 9), (-2, 13)):
        select = by_key(at, "data")
        at = clean(select.select_index(len(select.options) + index).run())
        assert by_key(at, "sample").max == last


def test_nobody_sees_the_uploads_of_others():
    mine = clean(bring(open_at(), ("secret.csv", csv(20, 4))))
    other = open_at(now(mine))
    assert not any("yours" in o for o in by_key(other, "data").options)
    assert by_key(other, "sample").max == 1796


def test_equal_numbers_under_other_names_do_not_show_the_names_of_others():
    """What sessions share in the server's memory goes by everything in the data, not by its numbers alone."""
    mine = "name,tonnage,stature\nAnna,1,2\nBert,3,5\nCarl,6,4\n"
    theirs = "name,a,b\nx,1,2\ny,3,5\nz,6,4\n"
    clean(bring(open_at(settings={"k": 2}, tab="One direction"), ("staff.csv", mine.encode())))
    at = clean(bring(open_at(settings={"k": 2}, tab="One direction"), ("other.csv", theirs.encode())))
    shown_text = " ".join(str(getattr(node, "value", "")) for node in at._tree).replace("\\", "")
    assert "other.csv" in shown_text
    assert not any(word in shown_text for word in ("Anna", "tonnage", "stature", "staff"))


def test_only_the_newest_few_are_kept():
    at = open_at()
    for i in range(MOST_DATASETS + 1):
        at = clean(bring(at, (f"table{i}.csv", csv(10 + i, 3))))
    own = [o for o in by_key(at, "data").options if o.endswith("(yours)")]
    assert own == [f"table{i}.csv (yours)" for i in range(MOST_DATASETS, 0, -1)]


@pytest.mark.parametrize("gaps", [False, True])
def test_the_snippet_of_an_upload_runs_beside_the_file(tmp_path, gaps):
    import subprocess

    text = "a,b,c\n" + "".join(f"{i},{i * i % 7},{'' if gaps and i == 3 else i % 4}\n" for i in range(20))
    at = bring(open_at(settings={"k": 2}, tab="Take away"), ("my file.csv", text.encode()))
    if gaps:
        at = press(at, "missing:fill mean")
    clean(at)
    (tmp_path / "my file.csv").write_text(text)
    (tmp_path / "s.py").write_text(at.code[0].value + "\nimport json\nprint(json.dumps(codes[0].tolist()))\n")
    environment = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "BASIS_DEVICE": "cpu", "PATH": ""}
    done = subprocess.run([sys.executable, "s.py"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    code = json.loads(done.stdout.splitlines()[-1])
    np.testing.assert_allclose(code, shown(at, "mixer")["code"], atol=1e-4)


def test_arrays_of_nested_npz_are_read_without_pickle():
    out = io.BytesIO()
    np.savez(out, X=np.random.default_rng(0).standard_normal((12, 4)), y=np.array(list("aabbccaabbcc")))
    at = clean(bring(open_at(), ("x.npz", out.getvalue())))
    assert by_key(at, "sample").max == 11
    assert any("label" in m.value for m in at.markdown)
