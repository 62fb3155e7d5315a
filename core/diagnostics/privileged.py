"""Is this basis special, or would any rotation of it do?"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.diagnostics.arrays import rows, some
from core.diagnostics.codes import excess_kurtosis


@dataclass(frozen=True)
class Privileged:
    """Excess kurtosis of the weights here and in random rotations of the same span.

    Attributes:
        each: `(K,)` excess kurtosis of each direction's weights.
        here: their mean.
        low, high: the band, quantiles of the same mean over the rotations.
        draws: `(R,)` the mean in each rotation.
        p: share of rotations, this basis counted in, that reach what is found here.
        samples: how many samples were looked at.
    """

    each: np.ndarray
    here: float
    low: float
    high: float
    draws: np.ndarray
    p: float
    samples: int

    @property
    def privileged(self) -> bool:
        """Whether the weights here have heavier tails than the band."""
        return self.here > self.high


def privileged(
    basis: Any,
    codes: Any,
    *,
    rotations: int = 50,
    band: tuple[float, float] = (0.05, 0.95),
    seed: int = 0,
    most: int = 2000,
) -> Privileged:
    """Compare the tails of the weights with those in random rotations of the span.

    The rebuilt samples are written in an orthonormal basis of the span and turned by rotations drawn uniformly.
    If the span has no special axes, the mean excess kurtosis here looks like any other; weights that are sparse or
    independent have more.

    Args:
        basis: `Basis` or `(K, D)` directions.
        codes: `(N, K)`; at most `most` of them, drawn at random, are looked at.
        rotations: how many are drawn.
        band: the quantiles that make the band.
        seed: of the draws.

    Source: Elhage et al. 2023, Privileged bases in the transformer residual stream.
    """
    codes = np.asarray(codes)
    chosen = codes[some(len(codes), most, seed)].astype(np.float64)
    each = excess_kurtosis(chosen)
    root = np.linalg.qr(rows(basis).T, mode="r")
    turned = ((chosen - chosen.mean(axis=0)) @ root.T).astype(np.float32)
    turned /= max(float(np.abs(turned).max()), np.finfo(np.float32).tiny)  # fourth powers stay in range
    random = np.random.default_rng(seed)
    draws = np.array([_mean_kurtosis(turned @ _rotation(turned.shape[1], random)) for _ in range(rotations)])
    here = float(each.mean())
    low, high = np.quantile(draws, band)
    p = (1 + int((draws >= here).sum())) / (rotations + 1)
    return Privileged(each, here, float(low), float(high), draws, p, len(chosen))


def _mean_kurtosis(codes: np.ndarray) -> float:
    return float(excess_kurtosis(codes).mean())


def _rotation(k: int, random: np.random.Generator) -> np.ndarray:
    q, r = np.linalg.qr(random.standard_normal((k, k)))
    return (q * np.sign(np.diag(r))).astype(np.float32)
