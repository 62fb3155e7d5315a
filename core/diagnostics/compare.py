"""Two or more bases side by side: matched directions, angles between spans, stability over seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.linalg import subspace_angles
from scipy.optimize import linear_sum_assignment

from core.basis import Basis
from core.diagnostics.arrays import rows, unit
from core.diagnostics.codes import code_correlation


@dataclass(frozen=True)
class Match:
    """The one-to-one pairing of two sets that has the largest sum of |value|.

    Attributes:
        first, second: `(M,)` indices of the pairs, ordered by `first`.
        values: `(M,)` signed values (cosines or correlations) of the pairs.
    """

    first: np.ndarray
    second: np.ndarray
    values: np.ndarray

    @property
    def mean(self) -> float:
        """The mean of |value|."""
        return float(np.abs(self.values).mean())

    def share(self, threshold: float = 0.9) -> float:
        """The share of pairs with |value| of at least `threshold`."""
        return float((np.abs(self.values) >= threshold).mean())


def match(values: Any) -> Match:
    """Pair rows with columns of `(A, B)` so that the sum of |value| is largest (Hungarian algorithm)."""
    values = np.asarray(values, dtype=np.float64)
    first, second = linear_sum_assignment(-np.abs(values))
    return Match(first, second, values[first, second])


def matched_cosine(a: Any, b: Any) -> Match:
    """Pair the directions of two bases by |cosine|. Use it with a planted dictionary to see what was found.

    Args:
        a, b: `Basis` or `(K, D)`, of any two numbers of directions.
    """
    return match(np.clip(unit(rows(a), axis=1) @ unit(rows(b), axis=1).T, -1, 1))


def matched_correlation(codes: Any, others: Any) -> Match:
    """Pair the columns of two sets of codes of the same samples, `(N, K)` and `(N, L)`, by |correlation|."""
    return match(code_correlation(codes, others))


def principal_angles(a: Any, b: Any) -> np.ndarray:
    """Angles between two spans in degrees, largest first, as many as the smaller span has dimensions.

    Source: Björck and Golub 1973; Knyazev and Argentati 2002.
    """
    return np.degrees(subspace_angles(rows(a).T, rows(b).T))


def control_basis(basis: Basis, seed: int = 0, *, mean: Any = None) -> Basis:
    """Random directions of equal number: orthonormal, or unit vectors where K exceeds D.

    Args:
        mean: `(D,)`; that of the basis when left out. A basis without a mean (NMF) is compared fairly only with
            directions about the mean of the data.
    """
    mean = basis.mean if mean is None else mean
    if basis.k <= basis.d:
        return Basis.random(basis.k, basis.d, seed=seed, mean=mean)
    drawn = np.random.default_rng(seed).standard_normal(basis.directions.shape)
    return Basis(unit(drawn, axis=1), mean)


@dataclass(frozen=True)
class Stability:
    """How alike the bases of several seeds are.

    Attributes:
        each: `(K,)` for each direction of the first basis, the mean |cosine| with its match in the others.
        cosine: mean matched |cosine| over all pairs of bases.
        angle: mean over all pairs of the largest principal angle, in degrees.
        control_cosine, control_angle: the same for random bases of equal size.
    """

    each: np.ndarray
    cosine: float
    angle: float
    control_cosine: float
    control_angle: float


def stability(bases: Sequence[Basis], *, seed: int = 0) -> Stability:
    """Compare the bases that one family finds with different seeds, beside random ones.

    Args:
        bases: two or more, in the same space, of equal numbers of directions.
        seed: of the random control.

    Raises:
        ValueError: fewer than two bases, or of different sizes.
    """
    if len(bases) < 2 or len({b.directions.shape for b in bases}) != 1:
        raise ValueError("stability needs two or more bases of equal size")
    cosine, angle = _alike(bases)
    random = np.random.default_rng(seed).integers(2**31, size=len(bases))
    control_cosine, control_angle = _alike([control_basis(bases[0], int(s)) for s in random])
    each = np.mean([np.abs(matched_cosine(bases[0], other).values) for other in bases[1:]], axis=0)
    return Stability(each, cosine, angle, control_cosine, control_angle)


def _alike(bases: Sequence[Basis]) -> tuple[float, float]:
    pairs = list(combinations(bases, 2))
    cosine = np.mean([matched_cosine(a, b).mean for a, b in pairs])
    angle = np.mean([principal_angles(a, b).max(initial=0.0) for a, b in pairs])
    return float(cosine), float(angle)
