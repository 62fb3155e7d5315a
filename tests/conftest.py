"""What every test needs: one torch thread, and a home folder of its own."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("BASIS_DEVICE", "cpu")

import pytest

from core.device import use_one_thread

use_one_thread()


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Everything the app keeps on disk goes to a folder of this test."""
    monkeypatch.setenv("BASIS_HOME", str(tmp_path / "home"))
    return tmp_path / "home"
