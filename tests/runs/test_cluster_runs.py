"""Runs on a cluster that was started from the command line, over TLS, whose workers share no disk with the app."""

import os
import re
import signal
import time

import numpy as np
import paced
import pytest
from tls import CommandLine, certificates, free_port
from waiting import ended, wait_for

from core.errors import InputError
from core.runs import RunFolder, Runs, Unreachable

pytestmark = pytest.mark.slow
KEY = "k" * 24


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, home):
    folder = tmp_path_factory.mktemp("cluster")
    made = certificates(folder / "tls")
    started = CommandLine(folder, made)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BASIS_SCHEDULER", started.address)
        for name, path in made.items():
            patch.setenv(f"BASIS_TLS_{name}", path)
        started.start()
        yield started
        started.stop()


@pytest.fixture(scope="module")
def far(cluster):
    """A `Runs` that is connected to the cluster."""

    def reached():
        service = Runs()
        try:
            service.warm()
            return service
        except Unreachable:
            service.close()
            return None

    service = wait_for(reached, 120, 0.5)
    wait_for(lambda: _slots(service) == 2, 120, 0.5)
    yield service
    service.close()


def _slots(service):
    return next(iter(service._clusters.values())).slots()[0]


def _direct(table, seed=0, **settings):
    return paced.Paced(**settings).fit(table, seed=seed).arrays()


def _check(service, run_id, wanted):
    for name, array in service.result(run_id)[0].arrays().items():
        np.testing.assert_array_equal(array, wanted[name])


def test_a_study_is_spread_and_its_data_sent_once(far, cluster, table):
    study = far.study("tests.paced", table, {"steps": 40, "pause": 0.05}, seeds=range(4), owner=KEY)
    most, views = 0, far.runs_of(study)
    while any(v.active for v in views):
        most = max(most, sum(v.state == "running" for v in views))
        time.sleep(0.05)
        views = far.runs_of(study)
    assert [v.state for v in views] == ["done"] * 4 and most == 2 and far.trouble() == ""
    for v in views:
        assert v.history and v.preview.startswith(b"\x89PNG") and v.step == 40
        _check(far, v.id, _direct(table, v.seed, steps=40))
    sent = [f for i in (0, 1) for f in (cluster.home(i) / "data").iterdir()]
    assert len(sent) == 2
    when = [f.stat().st_mtime_ns for f in sent]
    run_id = far.submit("tests.paced", table, {"steps": 5})
    assert ended(far, run_id).state == "done" and [f.stat().st_mtime_ns for f in sent] == when
    wait_for(lambda: not [f for i in (0, 1) for f in (cluster.home(i) / "runs").iterdir()])


def test_stop_and_resume_from_afar(far, table):
    settings = {"steps": 100, "pause": 0.05}
    run_id = far.submit("tests.paced", table, settings)
    wait_for(lambda: far.follow(run_id).step > 10)
    far.stop(run_id)
    view = ended(far, run_id, 15)
    assert view.state == "stopped" and view.kept and view.step < 100
    far.resume(run_id)
    assert ended(far, run_id).state == "done"
    assert '"restored"' in RunFolder.find(run_id).events_path.read_text()
    _check(far, run_id, _direct(table, steps=100))


def test_a_killed_worker_far_away(far, cluster, table):
    settings = {"steps": 100, "pause": 0.05}
    ids = [far.submit("tests.paced", table, settings) for _ in range(2)]  # one of them is on each worker
    wait_for(lambda: all(RunFolder.find(i).checkpoint_about()["step"] for i in ids))
    os.kill(cluster.worker_process(0), signal.SIGKILL)
    for i in ids:
        assert ended(far, i).state == "done"
        _check(far, i, _direct(table, steps=100))
    assert any('"restored"' in RunFolder.find(i).events_path.read_text() for i in ids)


def test_the_next_app_takes_up_what_goes_on_and_finds_what_has_ended(far, cluster, table):
    first = Runs()
    long = first.submit("tests.paced", table, {"steps": 120, "pause": 0.05})
    wait_for(lambda: first.follow(long).step > 5)
    short = first.submit("tests.paced", table, {"steps": 30, "pause": 0.05})
    wait_for(lambda: first.follow(short).step > 2)
    first.close()
    time.sleep(3)
    assert far.follow(long).state == "lost"
    second = Runs()
    try:
        assert [ended(second, i).state for i in (long, short)] == ["done", "done"]
        _check(second, long, _direct(table, steps=120))
        text = RunFolder.find(long).events_path.read_text()
        assert text.count('"restored"') == 0  # the same training went on all the time
    finally:
        second.close()


def test_a_scheduler_that_stops_and_comes_back(far, cluster, table):
    settings = {"steps": 100, "pause": 0.06}
    study = far.study("tests.paced", table, settings, seeds=range(3))
    wait_for(lambda: sum(RunFolder.find(v.id).checkpoint_about()["step"] > 0 for v in far.runs_of(study)) == 2)
    cluster.stop(scheduler_only=True)
    sentence = wait_for(far.trouble, 60)
    assert sentence.count("stopped answering") == 1 and cluster.address in sentence
    views = wait_for(lambda: (v := far.runs_of(study)) and all(x.state == "lost" for x in v) and v)
    assert {v.error for v in views} == {sentence}
    assert all(v.active and v.returns and not v.resumable for v in views)  # a page goes on looking
    for process in cluster.workers:
        process.wait(60)  # they end by themselves
    cluster.stop()
    cluster.start()
    for v in views:
        assert (
            ended(far, wait_for(lambda v=v: far.follow(v.id).state != "lost" and v.id, 120, 0.2), 120).state == "done"
        )
        _check(far, v.id, _direct(table, v.seed, steps=100))
    assert far.trouble() == ""


@pytest.mark.parametrize(
    ("address", "words"),
    [
        # a busy machine may not even try before the time is up
        ("tls://127.0.0.1:{port}", r"cannot be reached \((nothing listens there|it does not answer)\)"),
        ("tcp://192.0.2.1:8786", "not safe"),
        ("http://localhost:1", "not safe"),
        ("nonsense", "not safe"),
    ],
)
def test_one_sentence_when_there_is_no_cluster(cluster, table, monkeypatch, address, words):
    monkeypatch.setenv("BASIS_SCHEDULER", address.format(port=free_port()))
    monkeypatch.setattr("core.runs.cluster.CONNECT_SECONDS", 2)
    service = Runs()
    try:
        with pytest.raises(Unreachable) as caught:
            service.submit("tests.paced", table, {"steps": 3})
        assert re.search(words, str(caught.value)) and isinstance(caught.value, InputError)
        assert service.list(None) == [] or all(v.settings["steps"] != 3 for v in service.list(None))
    finally:
        service.close()


def test_certificates_that_are_missing_or_of_another_authority(far, cluster, table, tmp_path, monkeypatch):
    service = Runs()
    monkeypatch.setattr("core.runs.cluster.CONNECT_SECONDS", 3)
    try:
        for what, path in certificates(tmp_path / "other").items():
            monkeypatch.setenv(f"BASIS_TLS_{what}", path)
        with pytest.raises(Unreachable, match="cannot be reached"):
            service.submit("tests.paced", table, {"steps": 3})
        monkeypatch.setenv("BASIS_TLS_KEY", str(tmp_path / "none.pem"))
        with pytest.raises(Unreachable, match="BASIS_TLS_KEY"):
            service.submit("tests.paced", table, {"steps": 3})
    finally:
        service.close()
