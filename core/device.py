"""Which processor computes. The only place in the project that asks for CUDA or MPS."""

import contextlib
import ctypes
import os
import sys

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


def ranks(device: torch.device | str) -> int:
    """How many processes may share a training on this device: the number of GPUs for plain `cuda`, otherwise one.

    The environment variable `BASIS_RANKS` sets another number: at most the GPUs there are, any on a CPU.
    """
    device, wanted = torch.device(device), int(os.environ.get("BASIS_RANKS") or 0)
    if device == torch.device("cuda"):
        there = max(1, torch.cuda.device_count())
        return min(wanted, there) if wanted > 0 else there
    return max(1, wanted) if device.type == "cpu" else 1


def of_rank(device: torch.device | str, rank: int) -> torch.device:
    """The device of one of the processes that share a training; it becomes the process's usual one."""
    device = torch.device(device)
    if device.type != "cuda":
        return device
    torch.cuda.set_device(rank)
    return torch.device("cuda", rank)


def backend(device: torch.device | str) -> str:
    """What such processes talk through, for numbers on the device and for those that stay on the CPU."""
    return "cpu:gloo,cuda:nccl" if torch.device(device).type == "cuda" else "gloo"


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


def fast_format(device: torch.device | str) -> torch.dtype:
    """The number format in which a language model reads and writes fastest: bfloat16 where the processor has it.

    It has half the bytes of float32, and writing a text is mostly reading weights from memory.
    """
    device = torch.device(device)
    if device.type == "cpu":
        can = torch.cpu.get_capabilities()
        native = can.get("avx512_bf16") or can.get("amx_bf16") or can.get("bf16")
        return torch.bfloat16 if native else torch.float32
    return half(device) or torch.float32


def half_precision(device: torch.device | str) -> contextlib.AbstractContextManager:
    """A context in which networks that draw or listen run in float16 on a GPU: faster, and finer than bfloat16."""
    if torch.device(device).type == "cuda":
        return torch.autocast("cuda", torch.float16)
    return contextlib.nullcontext()


def use_one_thread() -> None:
    """Give torch one thread in this process.

    Two threads on a shared two-core machine make small training loops several times slower, and leave no core
    to the page; workers, tests and the app call this once at their start.
    """
    torch.set_num_threads(1)


def release_memory() -> None:
    """Hand memory that was freed back to the system, where the C library can (glibc); elsewhere nothing happens.

    Batches of ever new shapes leave holes that the library keeps otherwise.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim:
        trim(0)
