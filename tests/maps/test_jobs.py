import os
import subprocess
import sys
import time

import numpy as np
import psutil
import pytest

from core.maps.jobs import ROOT, Jobs
from core.maps.plane import project


def wait(job, seconds=90):
    end = time.monotonic() + seconds
    while not job.over and time.monotonic() < end:
        time.sleep(0.05)
    return job


@pytest.fixture
def jobs():
    jobs = Jobs()
    yield jobs
    jobs.close()


def test_a_map_from_a_process_is_the_map_computed_here(jobs):
    x = np.random.default_rng(0).standard_normal((50, 5)).astype(np.float32)
    job = wait(jobs.start("a", x, "t-SNE", seed=2))
    assert job.state == "done" and np.allclose(job.points, project(x, "t-SNE", seed=2), atol=1e-3)
    assert 0 < job.trust <= 1 and jobs.start("a", x, "t-SNE") is job and jobs.get("b") is None


def test_cancel_ends_the_process_when_the_last_owner_leaves(jobs):
    x = np.random.default_rng(0).standard_normal((3000, 20)).astype(np.float32)
    job = jobs.start("a", x, "t-SNE", owner="one")
    jobs.start("a", x, "t-SNE", owner="two")
    while job.process is None and not job.over:
        time.sleep(0.01)
    child = psutil.Process(job.process.pid)
    jobs.cancel("a", "one")
    assert job.state == "running"
    jobs.cancel("a", "two")
    assert job.state == "cancelled"
    child.wait(10)
    assert wait(jobs.start("a", x[:20], "t-SNE")).state == "done"  # it can be asked for again


def test_who_asks_for_another_map_no_longer_waits_for_the_last(jobs):
    x = np.random.default_rng(0).standard_normal((3000, 20)).astype(np.float32)
    running = jobs.start("a", x, "t-SNE", owner="one")
    while running.process is None and not running.over:
        time.sleep(0.01)
    left, shared = jobs.start("b", x, "t-SNE", owner="one"), jobs.start("c", x, "t-SNE", owner="two")
    jobs.start("c", x, "t-SNE", owner="one")
    last = jobs.start("d", x[:20], "t-SNE", owner="one")
    assert left.state == "cancelled" and jobs.get("b") is None  # so the page asks for it again
    assert (running.state, shared.state, shared.owners) == ("running", "waiting", {"two"})
    jobs.cancel("a", "one")
    jobs.cancel("c", "two")
    assert wait(last).state == "done"


def test_what_cannot_be_laid_out_fails_with_its_sentence(jobs):
    job = wait(jobs.start("a", np.zeros((9, 3)), "t-SNE"))
    assert job.state == "failed" and "the same" in job.error


def test_only_the_newest_are_kept():
    jobs = Jobs(kept=2)
    for key in "abcd":
        wait(jobs.start(key, np.zeros((9, 3)), "t-SNE"))
    assert jobs.get("a") is None and jobs.get("d") is not None


@pytest.mark.skipif(not hasattr(os, "getppid"), reason="needs POSIX")
def test_the_process_does_not_outlive_its_server():
    server = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import numpy as np, time\n"
            "from core.maps.jobs import JOBS\n"
            "job = JOBS.start('a', np.random.default_rng(0).standard_normal((4000, 60)), 't-SNE')\n"
            "while job.process is None: time.sleep(.01)\n"
            "print(job.process.pid, flush=True); time.sleep(60)",
        ],
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    child = psutil.Process(int(server.stdout.readline()))
    time.sleep(1.0)
    server.kill()
    server.wait()
    server.stdout.close()
    child.wait(15)
    assert not child.is_running()
