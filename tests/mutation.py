"""Damage to a valid file, drawn from a seed; `BASIS_TEST_MUTATIONS` says how many times each file is damaged."""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from core.errors import InputError

TIMES = int(os.environ.get("BASIS_TEST_MUTATIONS", "14"))


def mutate(data: bytes, other: bytes, rng: np.random.Generator) -> bytes:
    """Cut, flip bits, write over the head, insert, leave out, or go on as another file."""
    data, how = bytearray(data), rng.integers(6)
    if how == 0:
        return bytes(data[: rng.integers(1, len(data))])
    if how == 1:
        for _ in range(rng.integers(1, 12)):
            data[rng.integers(len(data))] ^= 1 << rng.integers(8)
    elif how == 2:  # damage near the start, where headers are
        for _ in range(rng.integers(1, 6)):
            data[rng.integers(min(64, len(data)))] = rng.integers(256)
    elif how == 3:
        at = rng.integers(len(data))
        data[at:at] = rng.integers(0, 256, rng.integers(1, 40), dtype=np.uint8).tobytes()
    elif how == 4:
        a, b = sorted(rng.integers(0, len(data), 2))
        del data[a : a + max(1, (b - a) // 4)]
    else:
        cut = rng.integers(1, len(data))
        return bytes(data[:cut]) + other[rng.integers(len(other)) :]
    return bytes(data)


def damaged(form: str, files: Mapping[str, bytes]) -> Iterator[bytes]:
    """`TIMES` damaged copies of one of the files; the others lend their ends."""
    rng, others = np.random.default_rng(list(form.encode())), list(files.values())
    for _ in range(TIMES):
        yield mutate(files[form], others[rng.integers(len(others))], rng)


def read_or_refused(read: Callable[[bytes], Any], data: bytes) -> Any:
    """What was read, or None when it was refused in one sentence; anything else that is raised goes on."""
    try:
        return read(data)
    except InputError as error:
        text = str(error)
        assert text.endswith(".") and len(text) < 300 and "\n" not in text, text
        return None
