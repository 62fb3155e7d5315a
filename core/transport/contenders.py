"""Every representation at about the same number of stored numbers."""

from collections.abc import Callable

import numpy as np

from core.errors import InputError
from core.training import seeded
from core.transport.carriers import find_carriers
from core.transport.deep import Modulated
from core.transport.narrow import narrow_share
from core.transport.networks import Field, Finer, FourierFeatures, HashGrid, Siren
from core.transport.splines import Grid

TITLES = {
    "deep": "Modulated sines, deep (ours)",
    "siren": "SIREN",
    "finer": "FINER",
    "fourier": "Fourier features",
    "hash": "Multiresolution hash grid",
}
NETWORKS = tuple(TITLES)


def build(name: str, budget: int, values: np.ndarray, *, seed: int = 0, decoder: str = "auto") -> Field:
    """A network of at most `budget` stored numbers for a signal `(C, *shape)`.

    Depths and rates are those that did best at 128 x 128 with 2.8k and 9k numbers; widths follow the budget.

    Args:
        name: one of `NETWORKS`.
        decoder: of the deep model, `sine`, `relu`, or `auto`, the rule of `choose_decoder`.

    Raises:
        InputError: a name that is no network here, or a budget too small for any.
    """
    c, d = len(values), values.ndim - 1
    if name == "deep":
        decoder = choose_decoder(values) if decoder == "auto" else decoder
        return (_deep_sine if decoder == "sine" else _deep_relu)(values, budget, seed)
    makers: dict[str, Callable[[int], Field]] = {
        "siren": lambda w: Siren(d, c, w, 4),
        "finer": lambda w: Finer(d, c, w, 4),
        "fourier": lambda w: FourierFeatures(d, c, w, 2, features=w),
        "hash": lambda w: HashGrid(d, c, 16, 1, levels=6, table=8 * w, finest={1: 1024, 2: 64}.get(d, 32)),
    }
    if name not in makers:
        raise InputError(f"There is no network {name!r} here; there are {', '.join(NETWORKS)}.")
    return _widest(makers[name], budget, seed)


def choose_decoder(values: np.ndarray, limit: float = 0.9) -> str:
    """`relu` for a signal that is locally narrow-band, `sine` for any other.

    The rule: where more than `limit` of the local energy lies around one frequency, the modulated sines themselves
    nearly are the signal, and layers that multiply frequencies are in the way.
    """
    return "relu" if narrow_share(np.asarray(values, dtype=np.float32).mean(0)) > limit else "sine"


def _widest(make: Callable[[int], Field], budget: int, seed: int) -> Field:
    low, high = 2, 2
    with seeded(seed):
        while make(high).stored <= budget and high < 4096:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if make(middle).stored <= budget else (low, middle)
    with seeded(seed):
        made = make(low)
    if made.stored > budget:
        raise InputError(f"{budget} numbers are too few for this network; its smallest form has {made.stored}.")
    return made


def _deep_sine(values: np.ndarray, budget: int, seed: int) -> Field:
    shape, d = values.shape[1:], values.ndim - 1
    grid = Grid.over(shape, 4, 1)  # a bilinear grid did 1 dB better here than a cubic one of as many numbers
    share = 0.22

    def make(width: int) -> Field:
        k = max(4, min(round(1.1 * width), round(share * budget / grid.size)))
        carriers = np.random.default_rng(seed).uniform(-5, 5, (k, d))
        return Modulated(d, len(values), carriers, grid, decoder="sine", width=width, depth=4)

    return _widest(make, budget, seed)


def _deep_relu(values: np.ndarray, budget: int, seed: int) -> Field:
    shape, d = values.shape[1:], values.ndim - 1
    grid = Grid.over(shape, max(2, round((budget / 110) ** (1 / 2)) - 2), 3)
    mono = np.asarray(values, dtype=np.float32).mean(0)
    kept: dict[int, np.ndarray] = {}

    def make(width: int) -> Field:
        k = max(4, round(0.4 * budget / (grid.size + width)))
        if k not in kept:
            kept[k] = find_carriers(mono, k, kind="data", cells=20, seed=seed)
        return Modulated(d, len(values), kept[k], grid, decoder="relu", width=width, depth=2, grid_rate=33.0)

    return _widest(make, budget, seed)
