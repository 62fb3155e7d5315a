"""The joint loss: reconstruction and the equation at once, with a weight."""

from dataclasses import dataclass

import numpy as np
import torch

from core.errors import InputError
from core.progress import Run
from core.settings import Settings, setting
from core.training import seeded
from core.training import steps as counted
from core.transport.fit import Fitted, operator_for, psnr
from core.transport.law import LawSettings, Transport
from core.transport.spectrum import LocalSpectrum, gradient_energy
from core.transport.synthesis import real_mean


@dataclass(frozen=True)
class JointSettings(Settings):
    weight: float = setting(1e-4, "Weight of the equation beside the reconstruction.", low=0.0, high=1.0, log=True)
    steps: int = setting(400, "Training steps.", low=10, high=20000)
    rate: float = setting(2e-2, "Learning rate of S, in its own standard deviations.", low=1e-5, high=1.0, more=True)
    width: int = setting(64, "Neurons of F.", low=2, high=512)


@dataclass(frozen=True, eq=False)
class Joint:
    """What a joint training gives: S, its PSNR, the share of `grad S` left elsewhere, mean `|grad S|^2`."""

    spectrum: LocalSpectrum
    psnr: float
    unexplained: float
    gradient: float
    gradient_before: float


def fit_joint(
    values: np.ndarray, fitted: Fitted, settings: JointSettings | None = None, *, seed: int = 0, run: Run | None = None
) -> Joint:
    """Train S (signed) and F together from the exact fit on.

    The loss is `mean (f - signal)^2 + weight * mean |grad S - F(x, S)|^2 / G`, G the mean of `|grad S|^2` at the start.
    With a large weight the cheapest S is a flat one: watch `gradient` against `gradient_before`.

    Raises:
        InputError: S is flat, so that there is no change for F to follow.
    """
    settings, run = settings or JointSettings(), run or Run()
    spectrum = fitted.spectrum
    before = float(gradient_energy(spectrum).mean())
    if not before > 1e-12:
        raise InputError("The local spectrum is flat, so there is no change to train on; fit a signal with structure.")
    operator = operator_for(spectrum)
    target = torch.as_tensor(np.asarray(values, dtype=np.float32))
    start = torch.as_tensor(spectrum.coefficients)
    unit = float(start[:, 1:].abs().std()) or 1.0
    s = torch.nn.Parameter(torch.view_as_real(start) / unit)
    m = 2 * spectrum.channels * spectrum.k
    places = np.stack(np.meshgrid(*spectrum.places(), indexing="ij"), -1).reshape(-1, spectrum.d)
    rng = np.random.default_rng(seed)
    drawn = rng.permutation(len(places))  # the equation is asked for everywhere, so tests are other places, not tiles
    test_at, train_at = np.split(drawn[: 4096 + 2048], [min(2048, len(places) // 3)])
    with seeded(seed):
        net = Transport(spectrum.d, m, LawSettings(width=settings.width, field="signed"))
    touch = {name: _touches(spectrum, places[at]) for name, at in (("train", train_at), ("test", test_at))}
    x = {"train": torch.as_tensor(places[train_at]).float(), "test": torch.as_tensor(places[test_at]).float()}
    with torch.no_grad():
        value, gradient = _at(s * unit, touch["train"], m)
        net.centre.copy_(value.mean(0))
        net.spread.copy_(value.std(0).clamp_min(1e-6))
        net.slope.copy_(gradient.pow(2).mean().sqrt().clamp_min(1e-9))
        scale = float(gradient.pow(2).sum((1, 2)).mean())
    optimizer = torch.optim.Adam([{"params": [s], "lr": settings.rate}, {"params": net.parameters(), "lr": 3e-3}])
    metrics: dict = {}
    for step in counted(run, settings.steps, metrics=metrics):
        level = 0.01 + 0.99 * 0.5 * (1 + np.cos(np.pi * step / settings.steps))
        for group, rate in zip(optimizer.param_groups, (settings.rate, 3e-3), strict=True):
            group["lr"] = rate * level
        full = real_mean(torch.view_as_complex((s * unit).contiguous()))
        error = ((operator.forward(full) - target) ** 2).mean()
        draw = torch.as_tensor(np.random.default_rng((seed, step)).integers(0, len(train_at), 512))
        value, gradient = _at(s * unit, [t[draw] for t in touch["train"]], m)
        residual = ((net(x["train"][draw], value) - gradient) ** 2).sum((1, 2)).mean() / scale
        optimizer.zero_grad(set_to_none=True)
        (error + settings.weight * residual).backward()
        optimizer.step()
        metrics.update(mse=error.detach(), residual=residual.detach())
    with torch.no_grad():
        value, gradient = _at(s * unit, touch["test"], m)
        left = (net(x["test"], value) - gradient).pow(2).sum() / gradient.pow(2).sum().clamp_min(1e-20)
        done = real_mean(torch.view_as_complex((s * unit).contiguous()))
    made = LocalSpectrum(spectrum.carriers, done.numpy(), spectrum.grid, spectrum.shape, spectrum.mean)
    return Joint(
        made,
        psnr(values, made.synthesise()),
        float(left),
        float(gradient_energy(made).mean()),
        before,
    )


def _touches(spectrum: LocalSpectrum, points: np.ndarray) -> list[torch.Tensor]:
    orders = [None, *[tuple(int(a == b) for a in range(spectrum.d)) for b in range(spectrum.d)]]
    return [torch.as_tensor(spectrum.grid.scattered(points, o), dtype=torch.float32) for o in orders]


def _at(s: torch.Tensor, touch: list[torch.Tensor], m: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Values `(N, M)` and gradients `(N, d, M)` of signed S at places."""
    flat = s[:, 1:].movedim(-1, 0).reshape(m, -1)  # real parts, then imaginary parts
    values, *slopes = [t @ flat.T for t in touch]
    return values, torch.stack(slopes, 1)
