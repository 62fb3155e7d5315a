"""The exact fit: with carriers fixed and no decoder, the model is linear, and conjugate gradients find its optimum."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from core.transport.penalty import penalty


@dataclass(frozen=True)
class Solved:
    """What the solver gives: coefficients, iterations done, relative gradient left, processor seconds."""

    coefficients: torch.Tensor
    iterations: int
    gradient: float
    seconds: float


def solve(
    operator,
    signal: torch.Tensor,
    *,
    rho: float = 1e-4,
    lam: float = 0.0,
    iterations: int = 60,
    tolerance: float = 1e-5,
    start: torch.Tensor | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Solved:
    """Minimise `|forward(s) - signal|^2 + rho |S|^2 + lam |S''|^2` over the coefficients `s`.

    Conjugate gradients on the normal equations (Hestenes and Stiefel 1952), preconditioned by the fit of each carrier
    alone, which is exact when carriers are far apart.

    Args:
        operator: a `Synthesis` or `LineSynthesis`.
        signal: `(C, *shape)`.
        rho, lam: prices of size and of bending, each per sample of the signal.
        iterations: at most this many.
        tolerance: stop when the gradient has fallen to this share of its first size.
        start: coefficients to begin from; zero when left out.
    """
    began = time.process_time()
    price = penalty(
        operator.grid, operator.places, rho, lam, dtype=operator.dtype, device=signal.device, line=operator.line
    )
    zero = operator.adjoint(signal)
    weight = torch.full((zero.shape[1],), 0.5, dtype=operator.dtype, device=signal.device)
    weight[0] = 1.0

    def normal(s):
        return operator.adjoint(operator.forward(s)) + price.apply(s)

    s = torch.zeros_like(zero) if start is None else start.clone()
    r = zero if start is None else zero - normal(s)
    z = price.precondition(r, weight)
    p, rz = z, _dot(r, z)
    first = _dot(zero, price.precondition(zero, weight)) if start is not None else rz
    done = 0
    while done < iterations and rz > tolerance**2 * first and rz > 0 and not should_stop():
        q = normal(p)
        step = rz / _dot(p, q)
        s = s + step * p
        r = r - step * q
        z = price.precondition(r, weight)
        rz, old = _dot(r, z), rz
        p = z + (rz / old) * p
        done += 1
    left = (max(rz, 0.0) / first) ** 0.5 if first > 0 else 0.0
    return Solved(s, done, left, time.process_time() - began)


def _dot(a: torch.Tensor, b: torch.Tensor) -> float:
    return float(torch.dot(torch.view_as_real(a).flatten(), torch.view_as_real(b).flatten()))
