"""The folder of a run without any worker: events, checkpoints, views, and the store of data."""

import json
import threading
import time

import numpy as np
import pytest
import torch

from core.datasets.dataset import Dataset
from core.datasets.io import from_bytes, name_of, to_bytes
from core.errors import InputError
from core.models import family
from core.runs.execute import execute
from core.runs.folder import RunFolder, _new_id
from core.runs.folder_run import FolderRun, Interrupted
from core.runs.new import new_run
from core.runs.state import about_state, pack_state, unpack_state
from core.runs.view import Journal


def test_a_state_comes_back_with_its_types():
    state = {
        "half": torch.arange(6, dtype=torch.bfloat16).reshape(2, 3).T,
        "whole": torch.tensor(7),
        "bytes": torch.get_rng_state(),
        "array": np.array([1.5, np.inf]),
        "words": np.arange(3, dtype=np.uint64),
        "step": 12,
        "loss": 0.1 + 0.2,
        "best": float("inf"),
        "name": "é",
        "on": True,
        "none": None,
    }
    content = pack_state(state, {"serial": 3})
    again, about = unpack_state(content)
    assert about == {"serial": 3} == about_state(content[:2000])
    assert set(again) == set(state)
    for name, value in state.items():
        if isinstance(value, torch.Tensor):
            assert torch.equal(again[name], value) and again[name].dtype == value.dtype
        elif isinstance(value, np.ndarray):
            np.testing.assert_array_equal(again[name], value)
            assert again[name].dtype == value.dtype
        else:
            assert again[name] == value and type(again[name]) is type(value)
    for bad in (b"", content[:20], content[: len(content) // 2]):
        with pytest.raises(ValueError):
            unpack_state(bad)
    with pytest.raises(TypeError):
        pack_state({"code": print}, {})


def test_datasets_come_back_without_pickle(table):
    text = Dataset(np.array(["one", "zwei", ""], dtype=object), "text", labels=np.array(["a", 1, None], dtype=object))
    curves = Dataset(
        np.ones((2, 3)), "curves", labels=[1, 2], features=("a", "b", "c"), axis="t / s", rate=8000.0,
        notes=("cut",), extra={"phase": np.arange(2), "who": np.array(["x", "y"], dtype=object)},
    )  # fmt: skip
    for data in (table, text, curves):
        again = from_bytes(to_bytes(data))
        assert again.fingerprint == data.fingerprint and name_of(again) == name_of(data)
        for name in ("kind", "title", "names", "features", "axis", "rate", "notes", "shape"):
            assert getattr(again, name) == getattr(data, name)
        assert {k: v.tolist() for k, v in again.extra.items()} == {k: v.tolist() for k, v in data.extra.items()}
    assert name_of(table) != name_of(table.noted(title="other"))
    for bad in (b"", b"PK", to_bytes(table)[:200]):
        with pytest.raises(InputError):
            from_bytes(bad)


def _folder(table, **settings):
    cls = family("tests.paced")
    folder = new_run(cls, table, cls.Settings.of(settings).as_dict(), seed=4)
    folder.append("submitted", attempt=1)
    return folder


def test_a_training_writes_its_folder(table):
    folder = _folder(table, steps=40)
    run = FolderRun(folder)
    assert execute(run, table) == "done"
    view = Journal(folder).refresh().view()
    assert (view.state, view.step, view.total, view.kept) == ("done", 40, 40, True)
    assert view.history[-1]["loss"] == view.metrics["loss"] and view.preview.startswith(b"\x89PNG")
    assert [e["event"] for e in map(json.loads, folder.events_path.read_text().splitlines())][-1] == "done"


def test_a_training_left_at_any_step_ends_as_one_that_was_not(table, monkeypatch):
    whole = _folder(table, steps=30)
    execute(FolderRun(whole), table)
    wanted = (whole.model_path / "model.safetensors").read_bytes()
    for moment in (1, 7, 28):
        folder = _folder(table, steps=30)
        run = FolderRun(folder)
        real = run.progress
        leave = lambda step, *more: (real(step, *more), run.leave.set() if step >= moment else None)  # noqa: B023, E731
        monkeypatch.setattr("core.training.REPORT_SECONDS", 0)
        run.progress = leave
        assert execute(run, table) == "interrupted"
        assert folder.checkpoint_about()["step"] in (moment, moment + 1)
        assert not folder.model_path.exists()
        assert execute(FolderRun(folder), table) == "done"
        assert (folder.model_path / "model.safetensors").read_bytes() == wanted
        assert Journal(folder).refresh().view().metrics == Journal(whole).refresh().view().metrics


def test_a_torn_line_and_repeated_steps_do_not_disturb_the_view(table):
    folder = _folder(table)
    folder.look_after(attempt=1, where="")
    point = lambda step, n, start="a": dict(  # noqa: E731
        step=step, total=9, metrics={"loss": float(step)}, seconds=step, start=start, n=n
    )
    folder.append("started", attempt=1, device="CPU", where="x", start="a", n=1)
    folder.append("progress", **point(3, 2))
    line = folder.append("progress", **point(6, 3))
    folder.append_lines([line])  # came twice
    with open(folder.events_path, "ab") as file:
        file.write(b'{"t": 1, "event": "progr')
    journal = Journal(folder)
    assert [p["step"] for p in journal.refresh().history] == [3, 6]
    folder.append("started", attempt=1, device="CPU", where="x", start="b", n=1)
    folder.append("restored", step=4, serial=1, start="b", n=2)
    folder.append("progress", **point(5, 3, "b"))
    view = journal.refresh().view()
    assert [p["step"] for p in view.history] == [3, 5] and view.state == "running" and view.step == 5
    folder.look_away()
    assert journal.refresh().view().state == "lost" and journal.view().resumable
    folder.append("failed", error="It broke.", start="b", n=4)
    assert journal.refresh().view().error == "It broke."


def test_what_a_killed_worker_still_writes_does_not_undo_the_end(table):
    folder = _folder(table)
    folder.append("submitted", attempt=1)
    folder.append("stopped", kept=False, killed=True)
    folder.append("started", attempt=1, device="CPU", where="x", start="a", n=1)
    journal = Journal(folder)
    assert journal.refresh().view().state == "stopped"
    folder.look_after(attempt=2, where="")
    folder.append("submitted", attempt=2)
    folder.append("started", attempt=2, device="CPU", where="x", start="b", n=1)
    assert journal.refresh().view().state == "running"


def test_a_worker_that_is_not_heard_of_is_told(table, monkeypatch):
    folder = _folder(table)
    folder.look_after(attempt=1, where="")
    folder.append("started", attempt=1, device="CPU", where="x", start="a", n=1)
    journal, now = Journal(folder).refresh(), time.time()
    monkeypatch.setattr("core.runs.view.time.time", lambda: now + 30)
    assert journal.view().silent == pytest.approx(30, abs=1)
    folder.append("done", start="a", n=2)
    assert journal.refresh().view().silent == 0


def test_the_step_that_a_kept_model_is_from_outlives_later_steps(table):
    folder = _folder(table)
    folder.append("progress", step=5, total=9, metrics={}, seconds=1.0, start="a", n=1)
    folder.append("stopped", kept=True, start="a", n=2)
    folder.append("progress", step=8, total=9, metrics={}, seconds=2.0, start="b", n=1)
    folder.append("stopped", kept=False)
    view = Journal(folder).refresh().view()
    assert (view.step, view.kept_step) == (8, 5)


def test_one_that_is_stopped_before_it_goes_on_keeps_the_time_that_it_took(table):
    folder = _folder(table)
    folder.append("progress", step=3, total=9, metrics={}, seconds=40.0, start="a", n=1)
    stop = threading.Event()
    stop.set()
    assert execute(FolderRun(folder, attempt=2, stop=stop), table) == "stopped"
    view = Journal(folder).refresh().view()
    assert (view.state, view.step, view.seconds) == ("stopped", 3, 40.0)


def test_checkpoints_are_rare_and_at_once_when_stopped(table):
    folder = _folder(table)
    run = FolderRun(folder)
    calls = []
    state = lambda: calls.append(1) or {"step": len(calls)}  # noqa: E731
    for _ in range(100):
        run.checkpoint(state)
    assert calls == [] and folder.checkpoint() is None
    run.stop.set()
    run.checkpoint(state)
    assert calls == [1] and folder.checkpoint_about()["serial"] == 1
    assert FolderRun(folder).restore() == {"step": 1}
    folder.checkpoint_path.write_bytes(b"half")
    assert FolderRun(folder).restore() is None


def test_a_training_that_belongs_to_another_by_now_ends_at_once(table):
    folder = _folder(table)
    run = FolderRun(folder, stop=threading.Event(), alive=lambda: False)
    run.stop.set()
    with pytest.raises(Interrupted):
        run.checkpoint(dict)
    assert folder.checkpoint() is None


def test_errors_become_one_sentence(table):
    folder = _folder(table, fail_at=3)
    assert execute(FolderRun(folder), table) == "failed"
    view = Journal(folder).refresh().view()
    assert view.error == "The training met an error of its own (ArithmeticError: as asked)." and view.resumable
    assert "Traceback" in (folder.path / "error.txt").read_text()
    folder = _folder(table.take([0]))
    assert execute(FolderRun(folder), table.take([0])) == "failed"
    assert "at least two samples" in Journal(folder).refresh().view().error


def test_ids_are_not_paths(table):
    folder = _folder(table)
    assert RunFolder.find(folder.id).path == folder.path
    for bad in ("", "..", "../runs", "x" * 22, folder.id + "/..", "." * 22):
        with pytest.raises(InputError):
            RunFolder.find(bad)


def test_no_id_looks_like_an_option_of_a_terminal(monkeypatch):
    drawn = iter(["-" + "a" * 21, "b" * 22])
    monkeypatch.setattr("core.runs.folder.secrets.token_urlsafe", lambda n: next(drawn))
    assert _new_id() == "b" * 22
