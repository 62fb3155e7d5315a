"""One sample, rebuilt from more and more of its directions."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.diagnostics.arrays import rows

Decode = Callable[[np.ndarray], np.ndarray]


def contributions(basis: Any, code: Any) -> np.ndarray:
    """`(K,)` size of what each direction adds to a sample: `|c_k| ||d_k||`, in the data's units."""
    return np.abs(np.asarray(code, dtype=np.float64)) * np.linalg.norm(rows(basis), axis=1)


def own_order(basis: Any, code: Any) -> np.ndarray:
    """`(K,)` indices of the directions, the one that adds most to this sample first."""
    return np.argsort(-contributions(basis, code), kind="stable")


def first_counts(k: int) -> list[int]:
    """1, 2, 4, 8, ... up to and with `k`."""
    counts = [2**i for i in range(k.bit_length()) if 2**i < k]
    return [*counts, k]


def partial_codes(code: Any, order: Sequence[int] | np.ndarray, counts: Sequence[int]) -> np.ndarray:
    """`(M, K)` the code with only its first `counts[m]` directions in `order`; the other weights are zero."""
    code, order = np.asarray(code, dtype=np.float32), np.asarray(order)
    out = np.zeros((len(counts), len(code)), dtype=np.float32)
    for row, count in zip(out, counts, strict=True):
        kept = order[:count]
        row[kept] = code[kept]
    return out


def error_path(
    decode: Decode, code: Any, sample: Any, order: Sequence[int] | np.ndarray, counts: Sequence[int]
) -> np.ndarray:
    """`(M,)` share of the sample left out with the first directions: `||x - x_m||^2 / ||x - x_0||^2`.

    `x_m` decodes the code with `counts[m]` directions, `x_0` the zero code. Above 1 the rebuild is worse than that
    of no directions. A sample that equals `x_0` has error 0.

    Args:
        decode: `(M, K)` codes to `(M, D)` samples.
        code: `(K,)`.
        sample: `(D,)`.
        order: in which directions are added.
    """
    sample = np.asarray(sample, dtype=np.float64).ravel()
    rebuilt = np.asarray(decode(partial_codes(code, order, [0, *counts])), dtype=np.float64)
    squares = np.square(rebuilt - sample).sum(axis=1)
    return squares[1:] / squares[0] if squares[0] > 0 else np.zeros(len(counts))
