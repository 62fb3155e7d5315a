"""Runs for tests: workers that know the paced family, and nothing left behind."""

import dask
import distributed  # noqa: F401  before its settings are changed for a while
import numpy as np
import paced  # noqa: F401  registers the family in this process
import psutil
import pytest

from core.datasets.dataset import Dataset


@pytest.fixture(autouse=True, scope="module")
def home(tmp_path_factory):
    """One folder for a module: starting workers takes seconds, so that its tests share them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BASIS_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    return Dataset(rng.normal(size=(64, 2)) @ rng.normal(size=(2, 8)), "table", title="plane")


@pytest.fixture(scope="module")
def runs(home):
    """A `Runs` on this machine; no child process is left after it."""
    from core.runs import Runs

    before = {p.pid for p in psutil.Process().children(recursive=True)}
    with dask.config.set({"distributed.worker.preload": ["paced"]}):
        service = Runs()
        yield service
        service.close()
    left = [p for p in psutil.Process().children(recursive=True) if p.pid not in before and "tracker" not in _line(p)]
    assert psutil.wait_procs(left, timeout=10)[1] == []


def _line(process):
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""
