"""The equation tried on one local spectrum: F with every kind of input at equal size, and how far each can carry S."""

from dataclasses import dataclass

import numpy as np

from core.progress import Run
from core.transport.law import Law, LawSettings, compare, fit_law
from core.transport.paths import carry, random_paths
from core.transport.spectrum import LocalSpectrum

LENGTHS = (0.03, 0.06, 0.12, 0.25)


@dataclass(frozen=True, eq=False)
class Tried:
    """What the equation explains of one local spectrum.

    Attributes:
        law: F(x, S).
        shares: unexplained share on held-out places and size of F, by what F is told; `F = 0` leaves everything.
        lengths: of random straight paths, in longest sides.
        carried, constant: median relative error at the end of such paths, carried by F and with S held constant.
    """

    law: Law
    shares: dict[str, tuple[float, int]]
    lengths: tuple[float, ...]
    carried: tuple[float, ...]
    constant: tuple[float, ...]

    @property
    def holds(self) -> list[bool]:
        """Whether carrying beats standing still by a tenth or more, for each length; less is chance of the paths."""
        return [a < 0.9 * b for a, b in zip(self.carried, self.constant, strict=True)]


def try_equation(
    spectrum: LocalSpectrum, settings: LawSettings, *, seed: int = 0, run: Run | None = None
) -> Tried | None:
    """Fit F for inputs (x, S), S and x, and carry S along 64 random paths of each length; None when it was stopped.

    Raises:
        InputError: S is flat.
    """
    run, laws = run or Run(), []

    def fit(spectrum, settings, *, seed):
        done, total = len(laws), settings.steps
        laws.append(fit_law(spectrum, settings, seed=seed, run=_Part(run, done, 3, total)))
        return laws[-1]

    shares = compare(spectrum, settings, seed=seed, fit=fit)
    if run.should_stop():
        return None
    law, ends = laws[0], []
    for length in LENGTHS:
        along = carry(spectrum, law, random_paths(spectrum, length, seed=seed))
        ends.append((float(along.error[-1]), float(along.constant[-1])))
    return Tried(law, shares, LENGTHS, *(tuple(float(v) for v in column) for column in np.array(ends).T))


class _Part(Run):
    """A run that is one of several of equal length."""

    def __init__(self, whole: Run, done: int, parts: int, total: int):
        self._whole, self._done, self._parts, self._total = whole, done, parts, total

    def progress(self, step, total, metrics=None, preview=None):
        self._whole.progress(self._done * self._total + step, self._parts * self._total, metrics)

    def should_stop(self):
        return self._whole.should_stop()
