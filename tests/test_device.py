"""Which device is picked, whatever this machine has."""

import ctypes

import psutil
import pytest
import torch

from core import device
from core.errors import InputError


@pytest.fixture
def machine(monkeypatch):
    """A machine with so many CUDA devices, and perhaps MPS, that names no device itself."""
    monkeypatch.delenv("BASIS_DEVICE", raising=False)

    def having(cuda=0, mps=False):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: cuda)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)

    having()
    return having


@pytest.mark.parametrize(
    ("cuda", "mps", "best"), [(0, False, "cpu"), (0, True, "mps"), (1, False, "cuda"), (2, True, "cuda")]
)
def test_the_best_there_is(machine, cuda, mps, best):
    machine(cuda, mps)
    assert device.pick() == torch.device(best)


def test_a_name_goes_before_the_environment_and_that_before_the_best(machine, monkeypatch):
    machine(cuda=2)
    monkeypatch.setenv("BASIS_DEVICE", "cuda:1")
    assert device.pick() == torch.device("cuda:1")
    assert device.pick("cpu") == torch.device("cpu")
    monkeypatch.setenv("BASIS_DEVICE", "")
    assert device.pick() == torch.device("cuda")


@pytest.mark.parametrize("name", ["cuda", "cuda:1", "mps", "toaster", "cuda:x", "meta"])
def test_what_is_not_there_is_refused(machine, monkeypatch, name):
    if name == "cuda:1":
        machine(cuda=1)
    with pytest.raises(InputError, match="not on this machine"):
        device.pick(name)
    monkeypatch.setenv("BASIS_DEVICE", name)
    with pytest.raises(InputError, match="not on this machine"):
        device.pick()


def test_described_in_words(machine, monkeypatch):
    assert device.describe("cpu").startswith("CPU, ")
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0}, raising=False)
    assert device.describe("cpu") == "CPU, 1 core"
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    assert device.describe() == "CPU, 3 cores"
    assert "MPS" in device.describe("mps")
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda d: f"Some GPU {d.index}")
    assert device.describe("cuda:1") == "Some GPU 1"


def test_one_thread():
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        device.use_one_thread()
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("cuda", "wanted", "name", "count"),
    [
        (4, None, "cuda", 4),
        (4, "2", "cuda", 2),
        (4, "9", "cuda", 4),
        (4, None, "cuda:1", 1),
        (1, None, "cuda", 1),
        (0, None, "cpu", 1),
        (0, "3", "cpu", 3),
        (0, "3", "mps", 1),
    ],
)
def test_how_many_share_a_training(machine, monkeypatch, cuda, wanted, name, count):
    machine(cuda)
    monkeypatch.delenv("BASIS_RANKS", raising=False)
    if wanted:
        monkeypatch.setenv("BASIS_RANKS", wanted)
    assert device.ranks(name) == count


def test_each_rank_has_a_gpu_of_its_own(monkeypatch):
    chosen = []
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    assert [device.of_rank("cuda", r) for r in range(2)] == [torch.device("cuda:0"), torch.device("cuda:1")]
    assert device.of_rank("cpu", 1) == torch.device("cpu") and chosen == [0, 1]
    assert "nccl" in device.backend("cuda:1") and device.backend("cpu") == "gloo"


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="another C library")
def test_freed_memory_goes_back_to_the_system():
    process = psutil.Process()
    blocks = [b"x" * 60_000 for _ in range(3000)]
    kept = blocks[::100]  # holes between them, which the C library holds on to
    del blocks
    before = process.memory_info().rss
    device.release_memory()
    assert process.memory_info().rss < before - 120 * 2**20 and len(kept) == 30
