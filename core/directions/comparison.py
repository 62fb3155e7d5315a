"""Rate and error of fitted models on samples they have not seen: the numbers behind the tab *Compare*."""

import time
from dataclasses import dataclass

import numpy as np

from core.basis import Basis
from core.datasets.dataset import Dataset
from core.errors import InputError
from core.models import Model


@dataclass(frozen=True)
class Score:
    """What one fitted model costs and what it leaves out.

    Attributes:
        family, title: of the model; `k` its number of directions.
        stored_basis: numbers kept once (mean and directions, or all arrays of a model with a decoder).
        stored_sample: numbers kept for each sample, in the mean over the held-out ones. A dense code costs K. A code
            with zeros costs two numbers (which, how much) for each weight that is not zero, where that is less.
        error: `sum ||x - decode(encode(x))||^2 / sum ||x - mean||^2` over the held-out samples; 0 is perfect, 1 is
            no better than the mean of the training samples.
        fit_seconds, encode_seconds: wall clock; encoding is for 1,000 samples.
    """

    family: str
    title: str
    k: int
    stored_basis: int
    stored_sample: float
    error: float
    fit_seconds: float
    encode_seconds: float


def split(dataset: Dataset, *, held_out: float = 0.2, seed: int = 0) -> tuple[Dataset, Dataset]:
    """Training and held-out samples, drawn at random; at least two and one.

    Raises:
        InputError: there are fewer than three samples.
    """
    n = len(dataset)
    if n < 3:
        raise InputError(f"A comparison needs at least three samples, two to fit on and one to measure; here are {n}.")
    rest = min(max(1, round(held_out * n)), n - 2)
    order = np.random.default_rng(seed).permutation(n)
    return dataset.take(np.sort(order[rest:])), dataset.take(np.sort(order[:rest]))


def score(model: Model, train_mean: np.ndarray, held_out: Dataset, fit_seconds: float) -> Score:
    """Measure a fitted model on held-out samples.

    Args:
        train_mean: `(D,)` mean of the training samples, the reference of `error`.
        fit_seconds: what fitting took.
    """
    x = held_out.matrix
    start = time.perf_counter()
    codes = model.encode(held_out.samples)
    encode_seconds = (time.perf_counter() - start) * 1000 / len(x)
    left = np.square(x - model.decode(codes), dtype=np.float64).sum()
    total = np.square(x - train_mean, dtype=np.float64).sum()
    return Score(
        family=model.family,
        title=model.title,
        k=codes.shape[1],
        stored_basis=stored_numbers(model),
        stored_sample=float(np.minimum(2 * np.count_nonzero(codes, axis=1), codes.shape[1]).mean()),
        error=float(left / total) if total > 0 else float(left > 0),
        fit_seconds=fit_seconds,
        encode_seconds=encode_seconds,
    )


def stored_numbers(model: Model) -> int:
    """Numbers needed to decode: mean and directions of an affine model, all arrays of any other."""
    if model.affine:
        (basis,) = model.bases().values()
        return _size(basis)
    return int(sum(a.size for a in model.arrays().values()))


def _size(basis: Basis) -> int:
    return basis.k * basis.d + basis.d


def equal_numbers_k(budget: float, d: int, n: int) -> int:
    """The largest K whose dense basis and codes of `n` samples fit in `budget` numbers: `K (D + n) + D <= budget`."""
    return max(1, int((budget - d) // (d + n)))


def sizes(k: int, most: int | None = None, *, few: bool = False) -> list[int]:
    """Numbers of directions to compare at: powers of two up to `k`, and `k` itself.

    Args:
        most: the largest number that the data has, None for no limit.
        few: only a quarter, half and all of it, for families that train long.
    """
    largest = max(1, k if most is None else min(k, most))
    if few:
        return sorted({max(1, largest // 4), max(1, largest // 2), largest})
    return sorted({2**i for i in range(largest.bit_length()) if 2**i <= largest} | {largest})


def verdict(scores: list[Score], family: str, control: str = "directions.random") -> str:
    """One sentence on the family at hand against the best other and the control, at the largest common K."""
    common = set.intersection(*({s.k for s in scores if s.family == f} for f in {s.family for s in scores}))
    if not common:
        return ""
    at = {s.family: s for s in scores if s.k == max(common)}
    mine, others = at.get(family), [s for f, s in at.items() if f not in (family, control)]
    if mine is None:
        return ""
    best = min(others, key=lambda s: s.error, default=None)
    said = f"At K = {mine.k} {mine.title} leaves out {mine.error:.1%}"
    if best is not None and best.error < mine.error * 0.999:
        said += f"; {best.title} does better here with {best.error:.1%}"
    elif best is not None:
        said += f", {best.title} {best.error:.1%}"
    if control in at and family != control:
        worse = mine.error > at[control].error
        said += f"; {'even ' if worse else ''}a random basis leaves out {at[control].error:.1%}"
    return said + "."
