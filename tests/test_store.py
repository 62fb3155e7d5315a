"""Models on disk, the exported file, the library."""

import contextlib
import io
import json
import os
import pickle
import stat
import subprocess
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pytest
import safetensors.numpy

from core import store
from core.datasets import Dataset, sample
from core.directions.pca import PCA
from core.errors import InputError
from core.models import family
from core.store.disk import write_folder

KEY, OTHER = "k" * 24, "o" * 24


@pytest.fixture(scope="module")
def data():
    return Dataset(np.random.default_rng(0).normal(size=(40, 3, 4)), "images", title="noise", licence="CC0")


@pytest.fixture(scope="module")
def model(data):
    return PCA(k=3).fit(data, seed=5)


@pytest.fixture
def folder(tmp_path, model, data):
    return store.save(model, tmp_path / "m", store.Card.of(model, data, metrics={"loss": 0.25, "bad": float("nan")}))


def test_a_saved_model_comes_back_to_the_bit(folder, model, data):
    again, card = store.load(folder)
    np.testing.assert_array_equal(again.encode(data.samples), model.encode(data.samples))
    assert (card.family, card.shape, card.kind, card.seed) == ("directions.pca", (3, 4), "images", 5)
    assert card.metrics == {"loss": 0.25} and card.sizes == {"directions": [3, 12]}
    assert card.fingerprint == data.fingerprint and card.licence == "CC0"
    assert store.Card.from_json(card.to_json()) == card


def test_the_exported_file_is_the_model(folder, model, data, tmp_path):
    content = store.export_file(folder)
    assert content == store.export_file(folder)
    assert zipfile.ZipFile(io.BytesIO(content)).namelist() == ["card.json", "model.safetensors"]
    file = tmp_path / "x.basis.zip"
    file.write_bytes(content)
    np.testing.assert_array_equal(store.load(file)[0].encode(data.samples), model.encode(data.samples))
    store.import_file(content, tmp_path / "in", name="mine")
    assert store.load(tmp_path / "in")[1].name == "mine"


def test_the_snippet_runs(folder, tmp_path):
    file = tmp_path / "it's a model.zip"
    file.write_bytes(store.export_file(folder))
    code = store.snippet(store.load_card(folder), str(file))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.getcwd()}
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["directions (3, 12)", "(2, 3) (2, 12)"]


def _zip(entries, compression=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return out.getvalue()


class _Evil:
    def __reduce__(self):
        return os.system, ("touch evil",)


def _bad_files(folder):
    card, arrays = (folder / "card.json").read_bytes(), (folder / "model.safetensors").read_bytes()
    good = store.export_file(folder)
    words = json.loads(card)

    def with_card(**changes):
        return _zip({"card.json": json.dumps({**words, **changes}), "model.safetensors": arrays})

    def with_arrays(**changes):
        new = {**safetensors.numpy.load(arrays), **changes}
        return _zip({"card.json": card, "model.safetensors": safetensors.numpy.save(new)})

    flipped = bytearray(good)
    flipped[len(good) // 2] ^= 255
    infinite = np.full((3, 12), np.inf, np.float32)
    return {
        "empty": b"",
        "text": b"hello",
        "flipped": bytes(flipped),
        "pickle": pickle.dumps(_Evil()),
        "pickled arrays": _zip({"card.json": card, "model.safetensors": pickle.dumps(_Evil())}),
        "one file": _zip({"card.json": card}),
        "third file": _zip({"card.json": card, "model.safetensors": arrays, "run.py": "import os"}),
        "path": _zip({"../card.json": card, "model.safetensors": arrays}),
        "absolute": _zip({"/card.json": card, "model.safetensors": arrays}),
        "folder": _zip({"m/card.json": card, "m/model.safetensors": arrays}),
        "compressed": _zip({"card.json": card, "model.safetensors": arrays}, zipfile.ZIP_DEFLATED),
        "card is a list": _zip({"card.json": "[]", "model.safetensors": arrays}),
        "card is cut": _zip({"card.json": card[:40], "model.safetensors": arrays}),
        "deep card": _zip({"card.json": "[" * 100_000, "model.safetensors": arrays}),
        "huge card": _zip({"card.json": b" " * (5 * 2**20), "model.safetensors": arrays}),
        "no such family": with_card(family="directions.magic"),
        "family is a path": with_card(family="../../x"),
        "unknown setting": with_card(settings={"k": 3, "colour": 1}),
        "setting out of range": with_card(settings={"k": -3, "solver": "auto"}),
        "setting is a list": with_card(settings={"k": [3]}),
        "unknown entry": with_card(code="import os"),
        "later format": with_card(format=99),
        "no format": with_card(format=True),
        "wrong shape": with_card(shape=[5, 5]),
        "shape is text": with_card(shape="ab"),
        "shape beyond any memory": with_card(shape=[2**30, 2**30]),
        "seed without end": with_card(seed=10**400),
        "wrong sizes": with_card(sizes={"directions": [9, 12]}),
        "nan": with_card(seconds=float("nan")),
        "infinite arrays": with_arrays(directions=infinite, dual=infinite),
        "arrays that do not fit": with_arrays(mean=np.zeros(5, np.float32)),
        "arrays of text size": with_arrays(directions=np.zeros((3, 0), np.float32)),
        "cut arrays": _zip({"card.json": card, "model.safetensors": arrays[:-7]}),
        "garbage arrays": _zip({"card.json": card, "model.safetensors": b"\xff" * 64}),
    }


def test_files_that_are_no_sound_model_are_refused_in_one_sentence_and_change_nothing(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = store.places(KEY)["own"]
    for name, content in _bad_files(folder).items():
        with pytest.raises(InputError) as caught:
            store.add_file(content, place)
            print("accepted:", name)
        words = str(caught.value)
        assert words and "\n" not in words and len(words) < 1000, name
        assert list(place.folder.iterdir()) == [], name
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("name, shown", [("a\u202eb\x00\n c ", "ab c"), ("", "PCA"), ("N" * 9000, "N" * 120)])
def test_the_name_of_an_imported_model_is_one_line_that_can_be_shown(model, data, name, shown):
    content = store.pack(store.Card.of(model, data, name=name), safetensors.numpy.save(model.arrays()))
    assert store.add_file(content, store.places(KEY)["own"]).card.name == shown


@pytest.mark.parametrize("part", [0.01, 0.3, 0.6, 0.9, 0.999])
def test_a_file_cut_short_anywhere_is_refused(folder, part, tmp_path):
    content = store.export_file(folder)
    with pytest.raises(InputError, match="damaged or cut short"):
        store.import_file(content[: int(part * len(content))], tmp_path / "in")
    assert not (tmp_path / "in").exists()


def test_an_oversized_file_is_refused_before_it_is_opened(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("BASIS_MAX_MODEL_MB", "1")
    content = store.export_file(folder) + b"\0" * (6 * 2**20)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(InputError, match="larger than 1 MB"):
        store.import_file(content, tmp_path / "in")


def test_a_crash_leaves_the_old_model_or_the_new(folder, model, data, monkeypatch):
    """The process dies at each rename and each write in turn; what is loaded then is one of the two, whole."""
    new = store.Card.of(model, data, name="new")
    real = {name: getattr(os, name) for name in ("rename", "replace", "fsync")}
    for moment in range(12):
        store.save(model, folder, replace(new, name="old"))
        count = iter(range(100))

        def dies(name, count=count, moment=moment):
            def call(*args):
                if next(count) == moment:
                    raise KeyboardInterrupt
                return real[name](*args)

            return call

        for name in real:
            monkeypatch.setattr(os, name, dies(name))
        with contextlib.suppress(KeyboardInterrupt):
            store.save(model, folder, new)
        for name, function in real.items():
            monkeypatch.setattr(os, name, function)
        assert store.load(folder)[1].name in ("old", "new")
    assert 8 < next(count) < moment  # the last round ran to the end, so every moment was tried


def test_places_are_apart_and_private(folder, home, model, data):
    own = store.places(KEY)["own"]
    store.add_copy(folder, own, name="secret")
    assert [e.card.name for e in store.list_models(KEY) if e.place == "own"] == ["secret"]
    assert [e for e in store.list_models(OTHER) if e.place == "own"] == []
    assert all(e.place != "own" for e in store.list_models())
    assert KEY not in str(own.folder)
    assert stat.S_IMODE(own.folder.stat().st_mode) == 0o700 and stat.S_IMODE(home.stat().st_mode) == 0o700
    entry = next(e for e in store.list_models(KEY) if e.place == "own")
    assert store.find(entry.id, KEY).card.name == "secret"
    for key in (OTHER, None):
        with pytest.raises(InputError):
            store.find(entry.id, key)
    with pytest.raises(InputError):
        store.find("own/../shared/x", KEY)
    with pytest.raises(InputError, match="key"):
        store.places("short")


def test_rename_note_delete_and_undo(folder):
    place = store.places(KEY)["own"]
    entry = store.add_copy(folder, place)
    entry = store.annotate(store.rename(entry, "  My   basis "), "seen on Monday")
    assert (entry.card.name, entry.card.note) == ("My basis", "seen on Monday")
    assert entry.bytes == sum(f.stat().st_size for f in entry.folder.iterdir())
    for name in ("", "x" * 121):
        with pytest.raises(InputError):
            store.rename(entry, name)
    with pytest.raises(InputError):
        store.annotate(entry, "x" * 10_001)
    gone = store.delete(entry)
    assert all(e.place != "own" for e in store.list_models(KEY, family="directions."))
    with pytest.raises(InputError):
        store.delete(entry)
    assert store.undelete(gone) == entry.folder and store.load(entry.folder)[1].note == "seen on Monday"
    store.delete(entry)
    assert store.purge_trash(KEY) == 0 and store.purge_trash(KEY, older_than=0) == 1
    with pytest.raises(InputError):
        store.undelete(gone)


def test_pretrained_models_cannot_be_changed(folder, tmp_path, monkeypatch):
    (tmp_path / "shipped").mkdir()
    folder.rename(tmp_path / "shipped" / "m")
    monkeypatch.setattr("core.store.library.SHIPPED", tmp_path / "shipped")
    (entry,) = store.list_models()
    assert entry.place == "pretrained"
    for change in (store.delete, lambda e: store.rename(e, "x"), lambda e: store.annotate(e, "x")):
        with pytest.raises(InputError, match="pretrained"):
            change(entry)


def test_broken_folders_are_listed_and_never_raise(folder):
    place = store.places(KEY)["own"]
    good = store.add_copy(folder, place)
    write_folder(place.folder / "no-card", {"model.safetensors": b""})
    write_folder(place.folder / "bad-card", {"model.safetensors": b"", "card.json": b"{"})
    (place.folder / "empty").mkdir()
    (place.folder / "a file").write_text("x")
    entries = {e.folder.name: e for e in store.list_models(KEY)}
    assert {n for n, e in entries.items() if e.broken} == {"no-card", "bad-card", "empty"}
    assert all(e.broken.endswith(".") for e in entries.values() if e.card is None)
    assert entries[good.folder.name].card is not None
    assert [e.folder for e in store.list_models(KEY, shape=(3, 4))] == [good.folder]
    assert store.list_models(KEY, shape=(4, 3)) == []


@pytest.mark.parametrize(
    "name, settings",
    {
        "sparse_coding": {"k": 4},
        "psd": {"k": 4},
        "sae": {"k": 4, "active": 2},
        "autoencoder": {"k": 4},
        "vq": {},
        "lattice": {},
    }.items(),
)
def test_families_of_many_steps_come_back_from_the_disk_with_the_same_codes(name, settings, tmp_path):
    data = sample("wine")
    model = family(f"directions.{name}")(**settings, steps=3).fit(data)
    store.save(model, tmp_path / "model", store.Card.of(model, data))
    again, _ = store.load(tmp_path / "model")
    assert np.array_equal(again.encode(data.samples), model.encode(data.samples))
