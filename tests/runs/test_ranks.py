"""A training that two processes share: the numbers of one alone, stop, resume, errors, and nobody left behind."""

import signal
import socket
import subprocess
import sys
import threading

import numpy as np
import psutil
import pytest
import shared
from waiting import ROOT, wait_for

from core.errors import InputError
from core.progress import Run
from core.runs.execute import execute
from core.runs.folder_run import FolderRun, Interrupted
from core.runs.new import new_run
from core.runs.ranks import Link, _look_after, fit
from core.store import load

STEPS = 25  # the last of them is checked, and the best


class Watched(Run):
    """Keeps what is reported."""

    def __init__(self):
        self.reports = []

    def progress(self, step, total, metrics=None, preview=None):
        self.reports.append((step, dict(metrics or {})))


@pytest.fixture(autouse=True)
def nobody_left(home, monkeypatch):
    """Two ranks on the CPU; when the test ends no child process is left."""
    monkeypatch.setenv("BASIS_RANKS", "2")
    before = {p.pid for p in psutil.Process().children(recursive=True)}
    yield
    assert [p for p in psutil.Process().children(recursive=True) if p.pid not in before] == []


def _alone(table, **settings):
    run = Watched()
    return shared.Shared(**{"steps": STEPS, **settings}).fit(table, seed=4, run=run), run


@pytest.mark.slow
def test_stopped_and_resumed_two_ranks_give_the_numbers_of_one(table):
    alone, quiet = _alone(table)
    settings = shared.Shared.Settings.of({"steps": STEPS, "pause": 0.03}).as_dict()
    folder = new_run(shared.Shared, table, settings, seed=4)
    stop = threading.Event()
    run = FolderRun(folder, stop=stop, on_line=lambda n, line: '"progress"' in line and stop.set())
    assert execute(run, table) == "stopped"
    done = folder.checkpoint_about()["step"]
    assert 0 < done < STEPS and load(folder.model_path)[0].more_["seen"] == done * 8  # what there was is kept
    assert execute(FolderRun(folder, attempt=2), table) == "done"
    together, card = load(folder.model_path)
    assert together.more_.pop("seen") == alone.more_.pop("seen") / 2 == STEPS * 8  # rank 0's share of each batch
    for name, values in alone.more_.items():
        np.testing.assert_allclose(together.more_[name], values, atol=1e-5, err_msg=name)
    assert np.abs(together.more_["weight"] - _alone(table, steps=1)[0].more_["weight"]).max() > 0.05  # it did train
    for name in ("loss", "shown", "check"):  # of the whole batch, not of rank 0's share
        assert card.metrics[name] == pytest.approx(quiet.reports[-1][1][name], rel=1e-4)


@pytest.mark.slow
def test_an_error_in_one_rank_is_the_end_of_the_run(table):
    settings = shared.Shared.Settings.of({"steps": STEPS, "fail_at": 4}).as_dict()
    folder = new_run(shared.Shared, table, settings, seed=4)
    assert execute(FolderRun(folder), table) == "failed"
    assert "in process 1, ArithmeticError: as asked" in folder.events_path.read_text()
    assert "in loss" in (folder.path / "error.txt").read_text()  # where it happened


@pytest.mark.parametrize(("kind", "raised"), [("InputError", InputError), ("MemoryError", MemoryError)])
def test_what_a_person_can_mend_is_said_as_ever(kind, raised):
    here, there = socket.socketpair()
    ours, theirs = Link(here.detach()), Link(there.detach())
    theirs.say("failed", rank=1, kind=kind, words="too much", trace="")
    with pytest.raises(raised, match=r"^too much$"):
        _look_after([ours, theirs], Run())


def test_small_trainings_and_other_families_stay_in_one_process(table, monkeypatch):
    import core.runs.ranks as module

    monkeypatch.setattr(module, "_fit_by_several", lambda *args: pytest.fail("several processes"))
    monkeypatch.setattr(shared.Shared, "parallel", False)
    fit(shared.Shared(steps=2), table, seed=4, run=Run())
    monkeypatch.setattr(shared.Shared, "parallel", True)
    monkeypatch.delenv("BASIS_RANKS")
    monkeypatch.setattr(module, "ranks", lambda device: 8)
    monkeypatch.setattr(shared.Shared, "seconds", lambda self, dataset: 1.0)
    fit(shared.Shared(steps=2), table, seed=4, run=Run())


def test_a_run_that_is_taken_away_ends_although_its_ranks_are_silent():
    class Taken(Run):
        def should_stop(self):
            raise Interrupted

    here, there = socket.socketpair()
    with there, pytest.raises(Interrupted):
        _look_after([Link(here.detach())], Taken())


def test_a_rank_ends_with_the_process_that_started_it():
    here, there = socket.socketpair()
    code = """
import os, subprocess, sys
child = [sys.executable, "-m", "core.runs.rank", sys.argv[1], str(os.getpid())]
print(subprocess.Popen(child, pass_fds=[int(sys.argv[1])]).pid, flush=True)
sys.stdin.read()
"""
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(there.fileno())],
        pass_fds=[there.fileno()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    try:
        rank = psutil.Process(int(parent.stdout.readline()))
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    wait_for(lambda: not rank.is_running() or rank.status() == psutil.STATUS_ZOMBIE, seconds=30)
    here.close(), there.close()
