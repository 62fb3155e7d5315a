"""From a signal to its local spectrum: carriers, then the exact solve, then, if wanted, refinement."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from core.errors import InputError
from core.settings import Settings, setting
from core.transport.carriers import KINDS, find_carriers
from core.transport.solve import Solved, solve
from core.transport.spectrum import LocalSpectrum
from core.transport.splines import DEGREES, Grid, positions
from core.transport.synthesis import synthesis


@dataclass(frozen=True)
class SpectrumSettings(Settings):
    k: int = setting(8, "How many carriers.", low=1, high=128)
    cells: int = setting(20, "Cells of the grid along the longest side.", low=1, high=4096)
    spline: str = setting("cubic", "How S runs between the knots.", choices=tuple(DEGREES))
    carriers: str = setting("auto", "Where the carriers come from.", choices=KINDS)
    mean: bool = setting(True, "Also fit a grid without a carrier, for slow brightness.", more=True)
    smoothness: float = setting(1e-4, "Price of bending S.", low=0.0, high=10.0)
    ridge: float = setting(1e-3, "Price of a large S; keeps carriers that overlap apart.", low=0.0, high=1.0, more=True)
    iterations: int = setting(60, "Steps of the exact solve.", low=1, high=2000, more=True)
    refine: int = setting(0, "Steps that also move the carriers.", low=0, high=2000)


@dataclass(frozen=True)
class Fitted:
    """A local spectrum, what the solver said, and the processor seconds of each part."""

    spectrum: LocalSpectrum
    solved: Solved
    seconds: dict[str, float]


def operator_for(spectrum: LocalSpectrum, *, dtype=torch.float32, device="cpu"):
    """The synthesis at the signal's own samples."""
    return synthesis(spectrum.grid, spectrum.carriers, spectrum.places(), dtype=dtype, device=device)


def fit_spectrum(
    values: np.ndarray,
    settings: SpectrumSettings | None = None,
    *,
    carriers: np.ndarray | None = None,
    seed: int = 0,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
    should_stop: Callable[[], bool] = lambda: False,
) -> Fitted:
    """Fit a signal `(C, *shape)` exactly: carriers fixed, S the optimum.

    Args:
        carriers: `(K, d)`, found before (they are worth keeping); found here when left out.

    Raises:
        InputError: the signal is not finite or has no sample.
    """
    from time import process_time

    settings = settings or SpectrumSettings()
    values = np.asarray(values)
    if values.size == 0 or not np.isfinite(values).all():
        raise InputError("The signal has samples that are missing or not finite; every sample must be a number.")
    shape = values.shape[1:]
    began = process_time()
    grid = Grid.over(shape, settings.cells, DEGREES[settings.spline])
    if carriers is None:
        carriers = find_carriers(values.mean(0), settings.k, kind=settings.carriers, cells=max(grid.cells), seed=seed)
    found = process_time()
    operator = synthesis(grid, carriers, positions(shape), dtype=dtype, device=device)
    if not settings.mean:
        operator = WithoutMean(operator)
    level = values.reshape(len(values), -1).mean(1)  # a constant would leak into carriers near frequency 0
    level = level.reshape(-1, *[1] * len(shape))
    target = torch.as_tensor(values - level, dtype=dtype, device=device)
    solved = solve(
        operator,
        target,
        rho=settings.ridge,
        lam=settings.smoothness,
        iterations=settings.iterations,
        should_stop=should_stop,
    )
    s = solved.coefficients.cpu().numpy().astype(np.complex64)
    s[:, 0] += level  # splines add up to one
    spectrum = LocalSpectrum(np.asarray(carriers, dtype=float), s, grid, shape, settings.mean)
    return Fitted(spectrum, solved, {"carriers": found - began, "solve": process_time() - found})


class WithoutMean:
    """A synthesis whose un-modulated map stays zero."""

    def __init__(self, operator):
        self._operator = operator

    def __getattr__(self, name):
        return getattr(self._operator, name)

    def adjoint(self, f):
        """The adjoint with no entry for the mean."""
        s = self._operator.adjoint(f)
        s[:, 0] = 0
        return s


def psnr(reference: np.ndarray, values: np.ndarray, peak: float = 1.0) -> float:
    """Peak signal to noise ratio in dB; 120 at most."""
    error = float(np.mean((np.asarray(reference, dtype=np.float64) - np.asarray(values, dtype=np.float64)) ** 2))
    return 10 * float(np.log10(peak**2 / max(error, peak**2 * 1e-12)))


def snr(reference: np.ndarray, values: np.ndarray) -> float:
    """Signal to noise ratio in dB, the mean of the signal left out; 120 at most, 0 for a signal that is flat."""
    reference = np.asarray(reference, dtype=np.float64)
    power = float(np.var(reference))
    error = float(np.mean((reference - values) ** 2))
    return 10 * float(np.log10(power / max(error, power * 1e-12))) if power > 0 else 0.0
