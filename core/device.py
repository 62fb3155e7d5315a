"""Which processor computes. The only place in the project that asks for CUDA or MPS."""

import os

import torch

from core.errors import InputError


def pick(name: str | None = None) -> torch.device:
    """The device to compute on.

    Args:
        name: `"cpu"`, `"cuda"`, `"cuda:1"`, `"mps"`, or None for the best one there is. Without a name the
            environment variable `BASIS_DEVICE` is asked first.

    Raises:
        InputError: the named device is not on this machine.
    """
    name = name or os.environ.get("BASIS_DEVICE") or None
    if name is None:
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or not _present(device):
        raise InputError(f"The device {name!r} is not on this machine; use cpu, or cuda or mps where there is one.")
    return device


def _present(device: torch.device) -> bool:
    if device.type == "cuda":
        return torch.cuda.is_available() and (device.index or 0) < torch.cuda.device_count()
    if device.type == "mps":
        return torch.backends.mps.is_available()
    return device.type == "cpu"


def describe(device: torch.device | str | None = None) -> str:
    """A device in words for the sidebar and the cards, such as `NVIDIA H200` or `CPU, 2 cores`."""
    device = torch.device(device) if device is not None else pick()
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    if device.type == "mps":
        return "Apple GPU (MPS)"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return f"CPU, {cores} core{'s' if cores != 1 else ''}"


def half(device: torch.device | str) -> torch.dtype | None:
    """The short number format that trainings on this device may mix in, or None where there is none worth having.

    It is bfloat16 on GPUs that compute with it natively: with the range of float32, it needs no loss scaling.
    """
    device = torch.device(device)
    if device.type == "cuda" and torch.cuda.get_device_capability(device)[0] >= 8:
        return torch.bfloat16
    return None


def use_one_thread() -> None:
    """Give torch one thread in this process.

    Two threads on a shared two-core machine make small training loops several times slower, and leave no core
    to the page; workers, tests and the app call this once at their start.
    """
    torch.set_num_threads(1)
