"""Do two networks learn the same units, or the same spaces? (Li and others 2016)"""

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy.optimize import linear_sum_assignment
from sklearn.linear_model import Lasso

from core.compatible.loading import Embeddings
from core.compatible.pairs import Pairs, pairs
from core.errors import InputError

MAX_UNITS = 4096


@dataclass(frozen=True, eq=False)
class Matches:
    """Correlations of units of two networks.

    Attributes:
        correlation: `(d_a, d_b)`, signed; 0 where a unit is constant.
        best: `(d_a,)` semi-matching: the unit of b with the largest absolute correlation, several may share one.
        best_value: `(d_a,)` that absolute correlation.
        pairs: `(min, 2)` one-to-one assignment with the largest sum, sorted by value.
        pair_value: `(min,)` absolute correlations of the assignment, largest first.
        order_a, order_b: units in an order that puts the pairs on the diagonal; unpaired units come last.
    """

    correlation: np.ndarray
    best: np.ndarray
    best_value: np.ndarray
    pairs: np.ndarray
    pair_value: np.ndarray
    order_a: np.ndarray
    order_b: np.ndarray

    @property
    def sorted(self) -> np.ndarray:
        """`(d_a, d_b)` correlations with the pairs on the diagonal, best first."""
        return self.correlation[np.ix_(self.order_a, self.order_b)]


@dataclass(frozen=True, eq=False)
class Subspaces:
    """What two activation tables share as spaces.

    Attributes:
        canonical: canonical correlations, largest first, of the leading principal parts of both.
        angles: principal angles in radians between the spaces that the k leading score vectors span over the items,
            smallest first.
        cka: linear centred kernel alignment (Kornblith and others 2019), 0 to 1.
        kept: how many principal directions each side kept.
    """

    canonical: np.ndarray
    angles: np.ndarray
    cka: float
    kept: tuple[int, int]


@dataclass(frozen=True, eq=False)
class OneToMany:
    """One unit of a predicted from few units of b.

    Attributes:
        weights: `(targets, d_b)` on standardised activations; mostly zeros.
        r2: `(targets,)` share of variance explained on the held-out half.
        used: `(targets,)` how many units of b are used.
        alpha: the penalty.
    """

    weights: np.ndarray
    r2: np.ndarray
    used: np.ndarray
    alpha: float


def match_units(pairs: Pairs) -> Matches:
    """Correlate every unit of `pairs.new` (a) with every unit of `pairs.old` (b) over the items and match them.

    Raises:
        InputError: more units than an assignment can be found for at once.
    """
    if max(pairs.new.shape[1], pairs.old.shape[1]) > MAX_UNITS:
        raise InputError(f"Units are matched one to one up to {MAX_UNITS} on a side; choose some of them.")
    a, b = _standard(pairs.new), _standard(pairs.old)
    correlation = a.T @ b / len(a)
    strength = np.abs(correlation)
    rows, columns = linear_sum_assignment(strength, maximize=True)
    value = strength[rows, columns]
    down = np.argsort(-value, kind="stable")
    rows, columns, value = rows[down], columns[down], value[down]
    best = strength.argmax(axis=1)
    return Matches(
        correlation=correlation,
        best=best,
        best_value=strength[np.arange(len(best)), best],
        pairs=np.stack([rows, columns], axis=1),
        pair_value=value,
        order_a=np.concatenate([rows, np.setdiff1d(np.arange(a.shape[1]), rows)]),
        order_b=np.concatenate([columns, np.setdiff1d(np.arange(b.shape[1]), columns)]),
    )


def one_to_many(pairs: Pairs, alpha: float, targets: np.ndarray | None = None, *, seed: int = 0) -> OneToMany:
    """Predict units of a by LASSO from the units of b; fitted on one half of the items, judged on the other.

    Args:
        alpha: scikit-learn's penalty on standardised activations, 0 < alpha; 1 or more leaves nothing.
        targets: which units of a; all when left out.
    """
    if alpha <= 0:
        raise InputError("The penalty alpha must be larger than zero.")
    a, b = _standard(pairs.new), _standard(pairs.old)
    targets = np.arange(a.shape[1]) if targets is None else np.asarray(targets)
    order = np.random.default_rng(seed).permutation(len(a))
    fit, rest = order[: len(a) // 2], order[len(a) // 2 :]
    model = Lasso(alpha, max_iter=5000, precompute=True).fit(b[fit], a[fit][:, targets])
    weights = np.atleast_2d(model.coef_)
    truth = a[rest][:, targets]
    error = ((truth - model.predict(b[rest]).reshape(truth.shape)) ** 2).sum(0)
    spread = ((truth - truth.mean(0)) ** 2).sum(0)
    r2 = np.where(spread > 0, 1 - error / np.where(spread > 0, spread, 1), 0.0)
    return OneToMany(weights, r2, (weights != 0).sum(axis=1), alpha)


def shared_subspaces(pairs: Pairs, *, keep: float = 0.99, k: int = 10) -> Subspaces:
    """Canonical correlations, principal angles and CKA.

    Args:
        keep: share of variance of the principal part that canonical correlation looks at (the SVCCA step of Raghu and
            others 2017): without it, directions of noise correlate by chance.
        k: how many leading principal scores span the spaces whose angles are given.
    """
    scores = []
    for x in (pairs.new, pairs.old):
        centred = x.astype(np.float64) - x.mean(axis=0, dtype=np.float64)
        value, vector = scipy.linalg.eigh(centred.T @ centred)
        value, vector = np.maximum(value[::-1], 0), vector[:, ::-1]
        if value[0] <= 0:
            raise InputError("One of the two tables is constant; there is nothing to compare.")
        many = int(np.searchsorted(np.cumsum(value) / value.sum(), keep - 1e-12) + 1)
        many = min(many, int((value > value[0] * 1e-10).sum()))
        scores.append((centred @ vector / np.sqrt(np.where(value > value[0] * 1e-10, value, np.inf)), value, many))
    (p, value_p, many_p), (q, value_q, many_q) = scores
    inner = p.T @ q
    canonical = np.linalg.svd(inner[:many_p, :many_q], compute_uv=False)
    k = min(k, int((value_p > value_p[0] * 1e-10).sum()), int((value_q > value_q[0] * 1e-10).sum()))
    cosines = np.linalg.svd(inner[:k, :k], compute_uv=False)
    cross = np.sum((np.sqrt(value_p)[:, None] * inner * np.sqrt(value_q)) ** 2)
    cka = float(cross / np.sqrt(np.sum(value_p**2) * np.sum(value_q**2)))
    return Subspaces(np.clip(canonical, 0, 1), np.arccos(np.clip(cosines, 0, 1)), cka, (many_p, many_q))


def _standard(x: np.ndarray) -> np.ndarray:
    x = x.astype(np.float64)
    spread = x.std(axis=0)
    return (x - x.mean(axis=0)) / np.where(spread > 1e-12, spread, np.inf)


def units(given: Embeddings, layer: str = "embeddings", *, most: int = 5000, seed: int = 0) -> Pairs:
    """The activations to compare: the embeddings as they came, or a hidden layer, of at most `most` items."""
    new, old = given.units.get(layer, (given.new, given.old))
    if len(new) > most:
        part = np.sort(np.random.default_rng(seed).choice(len(new), most, replace=False))
        new, old = new[part], old[part]
    return pairs(new, old, unit=False)


def shuffled(both: Pairs, *, seed: int = 0) -> Pairs:
    """The same tables with the items of one side in random order: what chance alone gives."""
    return Pairs(both.new, both.old[np.random.default_rng(seed).permutation(len(both))])
