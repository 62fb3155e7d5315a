"""Refinement: the carriers move too."""

from time import process_time

import numpy as np
import torch

from core.progress import Run
from core.training import steps as counted
from core.transport.fit import Fitted, SpectrumSettings, WithoutMean
from core.transport.solve import solve
from core.transport.spectrum import LocalSpectrum
from core.transport.splines import positions
from core.transport.synthesis import synthesis


def refine(
    values: np.ndarray,
    fitted: Fitted,
    settings: SpectrumSettings,
    *,
    steps: int = 60,
    rate: float = 0.1,
    inner: int = 4,
    run: Run | None = None,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
) -> Fitted:
    """Move the carriers by Adam while S stays near its optimum; the last solve is exact again.

    The gradient by a carrier at the best S is the gradient of the whole problem (variable projection, Golub and
    Pereyra 1973), so each step solves S a little further and then moves the carriers once.

    Args:
        values: `(C, *shape)`.
        steps: of the carriers.
        rate: first learning rate, in cycles a side; it falls to nothing along a half cosine.
        inner: steps of conjugate gradients between two moves.
    """
    began, run = process_time(), run or Run()
    spectrum = fitted.spectrum
    level = values.reshape(len(values), -1).mean(1).reshape(-1, *[1] * spectrum.d)
    target = torch.as_tensor(values - level, dtype=dtype, device=device)
    s = torch.as_tensor(spectrum.coefficients, device=device).to(torch.complex64 if dtype is torch.float32 else None)
    s = s.clone()
    s[:, 0] -= torch.as_tensor(level, dtype=dtype, device=device)
    w = torch.nn.Parameter(torch.tensor(spectrum.carriers, dtype=torch.float64, device=device))  # a copy
    zero = torch.zeros(1, spectrum.d, dtype=torch.float64, device=device)
    places = positions(spectrum.shape)
    optimizer = torch.optim.Adam([w], lr=rate, betas=(0.9, 0.99))
    best, metrics = None, {}

    def operator(carriers):
        made = synthesis(spectrum.grid, carriers, places, dtype=dtype, device=device)
        return made if settings.mean else WithoutMean(made)

    def further(made, start, iterations):
        return solve(made, target, rho=settings.ridge, lam=settings.smoothness, iterations=iterations, start=start)

    for step in counted(run, steps, metrics=metrics):
        with torch.no_grad():
            s = further(operator(torch.cat([zero, w])), s, inner).coefficients
        loss = ((operator(torch.cat([zero, w])).forward(s) - target) ** 2).mean()
        value = float(loss.detach())
        if best is None or value < best[0]:
            best = (value, w.detach().clone(), s.clone())
        optimizer.param_groups[0]["lr"] = rate * 0.5 * (1 + np.cos(np.pi * step / steps))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        metrics["mse"] = loss.detach()
    if best is None:
        return fitted
    with torch.no_grad():
        solved = further(operator(torch.cat([zero, best[1]])), best[2], settings.iterations)
    s = solved.coefficients.cpu().numpy().astype(np.complex64)
    s[:, 0] += level
    made = LocalSpectrum(best[1].cpu().numpy(), s, spectrum.grid, spectrum.shape, spectrum.mean)
    return Fitted(made, solved, {**fitted.seconds, "refine": process_time() - began})
