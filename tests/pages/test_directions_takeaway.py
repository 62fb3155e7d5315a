"""What is taken away from the page: files, figures, a recipe, a snippet that runs, and a model for the library."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest
from directions_app import by_key, clean, keys, now, open_at, press, said
from safetensors.numpy import load as from_safetensors
from streamlit.runtime.media_file_manager import MediaFileManager

from core.datasets import sample
from core.datasets.preparation import PREPARATIONS, prepare
from core.models import family
from core.store import list_models
from pages.directions.view import DirectionsView
from tests.browser import ROOT

VIEW = DirectionsView(
    data="sample:wine",
    settings={"k": 4},
    sample=5,
    mix={"weights": {"1": 2.0}},
    names={"0": "=strength", "2": "größe"},
    tab="Take away",
)


@pytest.fixture
def downloads(monkeypatch):
    """What the download buttons of the last run would give, by file name."""
    made, original = {}, MediaFileManager.add_deferred

    def add(self, make, mimetype, coordinates, file_name=None, **kw):
        made[file_name] = make
        return original(self, make, mimetype, coordinates, file_name, **kw)

    monkeypatch.setattr(MediaFileManager, "add_deferred", add)
    return made


@pytest.fixture(scope="module")
def wine():
    raw = sample("wine")
    data = prepare(raw, PREPARATIONS["table"]())
    model = family("directions.pca")(k=4).fit(data)
    return data, model, model.encode(data.samples)


def test_files_hold_the_same_numbers(downloads, wine):
    data, model, codes = wine
    clean(open_at(VIEW))
    archive = np.load(io.BytesIO(downloads["basis.npz"]()), allow_pickle=False)
    np.testing.assert_allclose(archive["directions"], model.bases()["directions"].directions, atol=1e-6)
    np.testing.assert_allclose(archive["codes"], codes, atol=1e-5)
    assert archive["direction_names"].tolist() == ["=strength", "2", "größe", "4"]
    arrays = from_safetensors(downloads["basis.safetensors"]())
    np.testing.assert_array_equal(arrays["directions"], archive["directions"])
    rows = list(csv.reader(io.StringIO(downloads["directions.csv"]().decode())))
    assert rows[0][:3] == ["direction", "scale", data.features[0]] and rows[2][0] == "'=strength"
    np.testing.assert_array_equal(np.array(rows[2][2:], dtype=np.float32), archive["directions"][0])
    rows = list(csv.reader(io.StringIO(downloads["codes.csv"]().decode())))
    assert len(rows) == len(data) + 1 and rows[0][:2] == ["sample", "label"]
    np.testing.assert_array_equal(np.array(rows[6][2:], dtype=np.float32), archive["codes"][5])


@pytest.mark.parametrize("data", ["wine", "digits", "tecator", "speech"])
def test_figures_of_every_form(downloads, data):
    clean(open_at(data=f"sample:{data}", settings={"k": 3}, tab="Take away"))
    assert downloads["directions.png"]()[:8] == b"\x89PNG\r\n\x1a\n"
    assert b"<svg" in _bytes(downloads["directions.svg"]())[:400]
    assert b"<img" in _bytes(downloads["directions.html"]()) or b"<svg" in _bytes(downloads["directions.html"]())


def _bytes(made):
    return made.encode() if isinstance(made, str) else made


def test_a_recipe_reopens_the_view_elsewhere(downloads):
    clean(open_at(VIEW))
    recipe = downloads["recipe.json"]()
    assert json.loads(recipe) == VIEW.changed()
    at = open_at(tab="Take away", data="sample:ecg")
    by_key(at, "recipe:0").set_value(("recipe.json", _bytes(recipe), "application/json"))
    at = clean(at.run())
    assert now(at) == VIEW
    at = clean(press(at, "undo"))
    assert now(at).data == "sample:ecg"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[1, 2]",
        b"3",
        b"null",
        b'{"data": 5}',
        b'{"nonsense": 1}',
        b'{"sample": true}',
        b"[" * 100_000,
        b'{"names": ' + b'{"a":' * 5000 + b"1" + b"}" * 5001,
        b" " * 300_000 + b"{}",
        b"{" + b'"data": "sample:wine"' * 2,
        b"not json",
    ],
)
def test_what_is_no_recipe_is_one_sentence_and_the_view_stays(content):
    at = open_at(VIEW)
    by_key(at, "recipe:0").set_value(("recipe.json", content, "application/json"))
    at = at.run()
    assert len(said(at)) == 1 and said(at)[0].endswith(".") and len(said(at)[0]) < 200
    assert now(at) == VIEW


@pytest.mark.parametrize(
    "view",
    [
        VIEW,
        DirectionsView(tab="Take away", preparation={"cut": "patches", "patch": 4, "count": 200}, settings={"k": 3}),
        DirectionsView(tab="Take away", data="sample:speech", family="directions.nmf", settings={"k": 3}, seed=4),
    ],
    ids=["table", "patches", "sound"],
)
def test_the_snippet_really_runs(view, tmp_path):
    at = clean(open_at(view))
    (tmp_path / "snippet.py").write_text(at.code[0].value + "\nimport numpy\nnumpy.save('codes.npy', codes)\n")
    done = subprocess.run(
        [sys.executable, "snippet.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "BASIS_DEVICE": "cpu", "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    codes = np.load(tmp_path / "codes.npy")
    shown_code = np.array(_mixer(at)["code"])
    np.testing.assert_allclose(codes[view.sample], shown_code, atol=1e-3 * np.abs(shown_code).max())


def _mixer(at):
    return json.loads(by_key(at, "mixer").proto.json)


def test_a_kept_model_is_in_the_library_and_opens_from_there():
    at = open_at(VIEW)
    name = next(k for k in keys(at) if k.startswith("keep-name:"))
    by_key(at, name).set_value("My *wine*")
    at = clean(press(at, "keep"))
    assert r"My \*wine\*" in at.success[0].value
    at = at.run()
    model = by_key(at, "model")
    assert model.options == ["Learn from this data", "My *wine* (own)"]
    code = _mixer(at)["code"]
    at = clean(model.select_index(1).run())
    assert now(at).model.startswith("model:own/") and _mixer(at)["code"] == pytest.approx(code, abs=1e-4)
    assert "settings.k" not in keys(at)
    assert any("in the library already" in c.value for c in at.caption)
    at = clean(press(at, "undo"))
    assert now(at).model == "" and "settings.k" in keys(at)


def test_a_model_for_samples_of_another_shape_is_one_sentence():
    at = press(open_at(VIEW), "keep").run()
    ref = by_key(at, "model").options
    assert len(ref) == 2
    at = by_key(at, "model").select_index(1).run()
    model = now(at).model
    at.query_params["v"] = DirectionsView(data="sample:digits", model=model).link()
    at = at.run()
    assert [e.message for e in at.exception] == []
    assert len(said(at)) == 1 and "shape" in said(at)[0]


def test_a_link_that_waits_for_an_upload_keeps_and_trains_what_it_shows():
    waiting = "upload:" + "0" * 16
    at = press(open_at(VIEW.having(data=waiting, title="mine.csv")), "keep")
    assert said(at) == [] and now(at).data == waiting
    (entry,) = [e for e in list_models(at.session_state["owner"]) if e.place == "own"]
    assert entry.card.more["data"] == "sample:digits" and entry.card.data == sample("digits").title
    assert "sample('digits')" in at.code[0].value
