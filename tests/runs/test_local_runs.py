"""Runs on this machine's own workers: follow, stop, kill, resume, and what survives a killed worker or app."""

import os
import random
import signal
import subprocess
import sys
import threading
import time

import dask
import numpy as np
import psutil
import pytest
from waiting import HERE, ROOT, ended, wait_for

from core.errors import InputError
from core.runs import RunFolder, Runs, Unreachable
from core.store import list_models, places

KEY, OTHER = "k" * 24, "o" * 24
KILLS = int(os.environ.get("BASIS_TEST_KILLS", "3"))  # each costs the seconds that a new worker takes


def _step(runs, run_id, step):
    return wait_for(lambda: runs.follow(run_id).step >= step)


def _arrays(runs, run_id):
    return runs.result(run_id)[0].arrays()


def _same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name])


def test_a_run_from_submission_to_model(runs, table):
    run_id = runs.submit("tests.paced", table, {"steps": 60, "pause": 0.01, "k": 3}, seed=7, owner=KEY, name="Plane")
    waiting = runs.submit("tests.paced", table, {"steps": 5}, owner=KEY)
    other = runs.submit("tests.paced", table, {"steps": 5}, owner=OTHER)
    _step(runs, run_id, 10)
    view = runs.follow(run_id)
    assert view.state == "running" and view.total == 60 and view.metrics["loss"] > 0 and "CPU" in view.device
    assert [runs.follow(i).queue for i in (run_id, waiting, other)] == [None, 1, 2]
    assert wait_for(lambda: runs.follow(run_id).seconds_left) < 60
    view = ended(runs, run_id)
    assert (view.state, view.step, view.kept, view.error) == ("done", 60, True, "")
    assert view.preview.startswith(b"\x89PNG") and view.history[-1]["step"] == 60
    model, card = runs.result(run_id)
    import paced

    direct = paced.Paced(steps=60, k=3).fit(table, seed=7)
    _same(model.arrays(), direct.arrays())
    assert card.name == "Plane" and card.seed == 7 and card.metrics == view.metrics and card.curve
    assert card.fingerprint == table.fingerprint and card.seconds > 0.5
    for i in (waiting, other):
        assert ended(runs, i).state == "done"
    assert [v.id for v in runs.list(KEY)] == [waiting, run_id] and [v.id for v in runs.list(OTHER)] == [other]
    assert runs.list(None) == [] and len(runs.list_all()) == 3
    runs.keep(run_id, places(KEY)["own"], name="Kept")
    assert [e.card.name for e in list_models(KEY, family="tests.paced")] == ["Kept"]
    assert RunFolder.find(run_id).settings["owner"] != KEY
    assert runs.owns(run_id, KEY) and not runs.owns(run_id, OTHER)
    with pytest.raises(InputError, match="done"):
        runs.resume(run_id)
    runs.remove(waiting)
    with pytest.raises(InputError, match="no such run"):
        runs.follow(waiting)
    assert runs.purge(3600) == 0 and runs.purge(0) == 2


def test_stop_keeps_and_resume_goes_on_to_the_same_numbers(runs, table):
    settings = {"steps": 80, "pause": 0.02}
    whole = runs.submit("tests.paced", table, settings)
    assert ended(runs, whole).state == "done"
    run_id = runs.submit("tests.paced", table, settings)
    queued = runs.submit("tests.paced", table, settings)
    runs.stop(queued)
    assert runs.follow(queued).state == "stopped"
    _step(runs, run_id, 20)
    began = time.monotonic()
    runs.stop(run_id)
    view = ended(runs, run_id)
    assert time.monotonic() - began < 5  # a second on a machine that is not busy
    assert view.state == "stopped" and view.kept and 20 <= view.step < 80 and view.resumable
    runs.result(run_id)
    with pytest.raises(InputError):
        runs.submit("tests.paced", table, {"steps": 0})
    runs.resume(run_id)
    with pytest.raises(InputError, match="cannot be resumed"):
        runs.resume(run_id)
    view = ended(runs, run_id)
    assert view.state == "done" and view.metrics == runs.follow(whole).metrics
    _same(_arrays(runs, run_id), _arrays(runs, whole))
    steps = [p["step"] for p in view.history]
    assert steps == sorted(set(steps))


def test_a_run_whose_worker_is_killed_at_random_steps_ends_as_if_nothing_had_been(runs, table, monkeypatch):
    monkeypatch.setattr("core.runs.folder_run.CHECKPOINT_SECONDS", 0.2)
    settings = {"steps": 120, "pause": 0.03}
    direct = _direct(table, settings)
    run_id = runs.submit("tests.paced", table, settings)
    draw = random.Random(5)
    for _ in range(KILLS):
        at = runs.follow(run_id).step + draw.randrange(1, 15)
        _step(runs, run_id, min(at, 110))
        os.kill(_worker(runs), signal.SIGKILL)
    view = ended(runs, run_id)
    assert view.state == "done" and view.step == 120
    _same(_arrays(runs, run_id), direct)
    leftovers = [f.name for f in RunFolder.find(run_id).path.rglob("*") if f.suffix == ".tmp"]
    assert len(leftovers) <= KILLS  # at most the one file that a kill came upon; what counts was whole each time


def _direct(table, settings):
    import paced

    return paced.Paced(**{**settings, "pause": 0.0}).fit(table, seed=0).arrays()


def _worker(runs):
    cluster = next(iter(runs._clusters.values()))
    return wait_for(lambda: [n.pid for n in cluster._local.workers.values() if n.pid])[0]


def test_workers_that_do_not_come_back_are_started_anew(runs, table, monkeypatch):
    run_id = runs.submit("tests.paced", table, {"steps": 40, "pause": 0.1})
    wait_for(lambda: RunFolder.find(run_id).checkpoint_about()["step"])
    monkeypatch.setattr("core.runs.cluster.EMPTY_SECONDS", 1)
    cluster = next(iter(runs._clusters.values()))
    (nanny,) = cluster._local.workers.values()
    cluster._local.sync(nanny.close, timeout=5)
    wait_for(lambda: runs.follow(run_id).state == "lost")
    monkeypatch.setattr("core.runs.cluster.EMPTY_SECONDS", 120)
    assert "started anew" in runs.follow(run_id).error
    wait_for(lambda: runs.follow(run_id).state != "lost")
    assert ended(runs, run_id).state == "done"
    _same(_arrays(runs, run_id), _direct(table, {"steps": 40}))


def test_kill_ends_at_once_and_what_was_checkpointed_can_be_resumed(runs, table):
    settings = {"steps": 20, "pause": 0.3}
    run_id = runs.submit("tests.paced", table, settings)
    wait_for(lambda: RunFolder.find(run_id).checkpoint_about()["step"])
    before = _worker(runs)
    runs.kill(run_id)
    view = runs.follow(run_id)
    assert view.state == "stopped" and not view.kept and view.resumable
    client = next(iter(runs._clusters.values())).client  # the process ends, or its training has noticed by itself
    wait_for(lambda: not psutil.pid_exists(before) or not any(client.processing().values()))
    runs.resume(run_id)
    view = ended(runs, run_id)
    assert view.state == "done"
    _same(_arrays(runs, run_id), _direct(table, settings))
    bad = runs.submit("tests.paced", table, {"steps": 9, "fail_at": 4})
    assert "ArithmeticError" in ended(runs, bad).error and runs.follow(bad).state == "failed"


def test_a_study_trains_every_combination_and_at_most_n_at_once(table, tmp_path, monkeypatch):
    monkeypatch.setenv("BASIS_HOME", str(tmp_path))
    monkeypatch.setenv("BASIS_WORKERS", "2")
    with dask.config.set({"distributed.worker.preload": ["paced"]}):
        runs = Runs()
        try:
            study = runs.study(
                "tests.paced", table, {"steps": 30, "pause": 0.02}, seeds=(0, 1), grid={"k": (1, 2)}, owner=KEY
            )
            most = 0
            while any(v.active for v in runs.runs_of(study)):
                most = max(most, sum(v.state == "running" for v in runs.runs_of(study)))
                time.sleep(0.02)
            views = runs.runs_of(study)
            assert [(v.settings["k"], v.seed) for v in views] == [(1, 0), (1, 1), (2, 0), (2, 1)]
            assert {v.state for v in views} == {"done"} and most == 2
            assert len({v.metrics["loss"] for v in views}) == 4 and len(list((tmp_path / "data").iterdir())) == 1
            monkeypatch.setenv("BASIS_MAX_RUNS", "1")
            study, most = runs.study("tests.paced", table, {"steps": 10, "pause": 0.02}, seeds=range(3)), 0
            while any(v.active for v in runs.runs_of(study)):
                most = max(most, sum(v.state == "running" for v in runs.runs_of(study)))
                time.sleep(0.02)
            assert most == 1
            with pytest.raises(InputError, match="200"):
                runs.study("tests.paced", table, seeds=range(201))
        finally:
            runs.close()


APP = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job starts with it ignored
sys.path[:0] = [{here!r}, {root!r}]
if __name__ == "__main__":
    import dask, numpy as np, paced
    from core.datasets import Dataset
    from core.runs import Runs
    dask.config.set({{"distributed.worker.preload": ["paced"]}})
    rng = np.random.default_rng(3)
    table = Dataset(rng.normal(size=(64, 2)) @ rng.normal(size=(2, 8)), "table", title="plane")
    runs = Runs()
    run_id = runs.submit("tests.paced", table, {{"steps": 60, "pause": 0.1}})
    print(run_id, flush=True)
    while runs.follow(run_id).active:
        time.sleep(0.05)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_an_app_that_ends_takes_its_workers_along_and_its_run_can_be_resumed(table, tmp_path, how, runs):
    script = tmp_path / "app_that_dies.py"
    script.write_text(APP.format(here=str(HERE), root=str(ROOT)))
    app = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    try:
        run_id = app.stdout.readline().strip()
        wait_for(lambda: RunFolder.find(run_id).checkpoint_about()["step"])
        assert runs.follow(run_id).state == "running"  # another process looks after it
        with pytest.raises(InputError):
            runs.resume(run_id)
        children = psutil.Process(app.pid).children(recursive=True)
        assert children
        app.send_signal(how)
        app.wait(20)
        assert psutil.wait_procs(children, timeout=10)[1] == []
    finally:
        app.kill()
        app.stdout.close()
    view = runs.follow(run_id)
    assert view.state == "lost" and view.error and view.resumable
    step = RunFolder.find(run_id).checkpoint_about()["step"]
    runs.resume(run_id)
    assert ended(runs, run_id).state == "done"
    assert step > 0 and '"restored"' in RunFolder.find(run_id).events_path.read_text()
    _same(_arrays(runs, run_id), _direct(table, {"steps": 60}))


def test_here_although_a_cluster_is_configured_that_cannot_be_reached(runs, table, monkeypatch):
    monkeypatch.setenv("BASIS_SCHEDULER", "tcp://127.0.0.1:9")
    monkeypatch.setattr("core.runs.cluster.CONNECT_SECONDS", 1)
    with pytest.raises(Unreachable, match="train on this machine instead"):
        runs.submit("tests.paced", table, {"steps": 3})
    assert ended(runs, runs.submit("tests.paced", table, {"steps": 3}, here=True)).state == "done"


def test_many_threads_may_ask(runs, table):
    ids, errors = [], []

    def ask():
        try:
            ids.append(runs.submit("tests.paced", table, {"steps": 3}))
            for _ in range(20):
                runs.follow(ids[-1])
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [] and len(set(ids)) == 4
    assert {ended(runs, i).state for i in ids} == {"done"}
