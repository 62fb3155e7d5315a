"""Every representation at about the same number of stored numbers."""

from collections.abc import Callable

import numpy as np
import torch

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
    """A network of about `budget` stored numbers, at most 2 % more, for a signal `(C, *shape)`.

    Depths and rates are those that did best at 128 x 128 with 2.8k and 9k numbers; widths follow the budget. Along a
    single axis the first frequencies follow the number of samples, since a sound has hundreds of cycles.

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
    first, spread = (max(30.0, values.shape[1] / 8), max(8.0, values.shape[1] / 40)) if d == 1 else (30.0, 8.0)
    makers: dict[str, Callable[[int], Field]] = {
        "siren": lambda w: Siren(d, c, w, 4, first=first),
        "finer": lambda w: Finer(d, c, w, 4, first=first),
        "fourier": lambda w: FourierFeatures(d, c, w, 2, features=w, sigma=spread),
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
    low, high, most = 2, 2, 1.02 * budget
    with seeded(seed):
        while make(high).stored <= most and high < 4096:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if make(middle).stored <= most else (low, middle)
    with seeded(seed):
        made = make(low)
    if made.stored > most:
        raise InputError(f"{budget} numbers are too few for this network; its smallest form has {made.stored}.")
    return made


def _deep_sine(values: np.ndarray, budget: int, seed: int) -> Field:
    """About a third of the numbers in the amplitudes, on a bilinear grid.

    At 128 x 128 and equal numbers a bilinear grid of 5 x 5 knots did 1 dB better than a cubic one, many maps on 25 to
    36 knots better than few on 81, and first frequencies like a SIREN's (5 cycles a side) better than
    log-uniform ones up to 16, by 1.5 dB.
    """
    shape, d = values.shape[1:], values.ndim - 1
    size = budget / 2800
    k = 8 * max(1, round(3 * size**0.45))
    cells = {1: round(0.25 * budget / k), 2: round(5 * size**0.2)}.get(d, 2)
    grid = Grid.over(shape, max(2, cells), 1)
    fastest = 5 if d > 1 else max(5, shape[0] / 40)
    carriers = np.random.default_rng(seed).uniform(-fastest, fastest, (k, d))

    def make(width: int) -> Field:
        width = width - width % 4 if width > 24 else width  # products of such widths run faster
        return Modulated(d, len(values), carriers, grid, decoder="sine", width=width, depth=4)

    return _widest(make, budget, seed)


def _deep_relu(values: np.ndarray, budget: int, seed: int) -> Field:
    shape, d = values.shape[1:], values.ndim - 1
    grid = Grid.over(shape, max(2, round((budget / 110) ** (1 / 2)) - 2), 3)
    mono = np.asarray(values, dtype=np.float32).mean(0)

    def make(width: int) -> Field:
        k = max(4, round(0.4 * budget / (grid.size + width)))
        return Modulated(d, len(values), np.zeros((k, d)), grid, decoder="relu", width=width, depth=2, grid_rate=33.0)

    net = _widest(make, budget, seed)
    found = find_carriers(mono, len(net.w), kind="data", cells=20, seed=seed)  # once, when their number is settled
    with torch.no_grad():
        net.w.copy_(2 * np.pi * torch.as_tensor(found))
    return net
