"""How much of the data a basis rebuilds: energy by direction, and the error as directions are added."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from core.basis import Basis
from core.diagnostics.arrays import flat

_BLOCK = 4096  # samples that are held in double precision at a time

Order = str | Sequence[int] | np.ndarray


def explained_share(samples: Any, rebuilt: Any, mean: Any = None) -> float:
    """`1 - sum ||x - x^||^2 / sum ||x - mean||^2`: 1 is a perfect rebuild, 0 no better than the mean.

    Args:
        samples, rebuilt: `(N, ...)`.
        mean: `(D,)`; the samples' own when left out. Samples that all equal the mean give 0.
    """
    samples, rebuilt = flat(samples), flat(rebuilt)
    mean = samples.mean(axis=0, dtype=np.float64) if mean is None else np.asarray(mean, dtype=np.float64)
    error = total = 0.0
    for part in _blocks(len(samples)):
        x = samples[part].astype(np.float64)
        error += float(((x - rebuilt[part]) ** 2).sum())
        total += float(((x - mean) ** 2).sum())
    return 1 - error / total if total > 0 else 0.0


def explained_energy(basis: Basis, codes: Any, samples: Any, order: Order = "greedy") -> np.ndarray:
    """`(K,)` share of the energy `E = sum ||x - mean||^2` that each direction explains, by the codes given.

    Directions are added one by one; a direction's share is by how much it lowers `sum ||x - mean - sum_k c_k d_k||^2`
    when its turn comes, divided by E. In an orthonormal basis with `c = (x - mean) @ directions.T` that is
    `sum c_k^2 / E` whatever the order. In others it depends on the order, and a share can be negative where codes
    rely on each other to cancel. The shares always add up to what all directions explain together.

    Args:
        basis: K directions.
        codes: `(N, K)`.
        samples: `(N, ...)`.
        order: `"greedy"` adds the direction that explains most at each turn; or indices, each once.
    """
    directions = basis.directions.astype(np.float64)
    codes = np.asarray(codes, dtype=np.float64)
    total, inner = 0.0, np.zeros(basis.k)
    for part, x in _centred(basis, samples):
        total += float(np.vdot(x, x))
        inner += np.einsum("nk,nk->k", codes[part], x @ directions.T)
    if total == 0:
        return np.zeros(basis.k)
    return _added(inner, (codes.T @ codes) * (directions @ directions.T), order)[1] / total


def energy_order(basis: Basis, codes: Any, samples: Any) -> np.ndarray:
    """`(K,)` indices of the directions, the one that adds most energy first (see `explained_energy`)."""
    directions = basis.directions.astype(np.float64)
    codes = np.asarray(codes, dtype=np.float64)
    inner = np.zeros(basis.k)
    for part, x in _centred(basis, samples):
        inner += np.einsum("nk,nk->k", codes[part], x @ directions.T)
    return _added(inner, (codes.T @ codes) * (directions @ directions.T), "greedy")[0]


def span_energy(basis: Basis, samples: Any, order: Order = "greedy") -> np.ndarray:
    """`(K,)` share of energy that each direction adds to the best rebuild from the directions before it.

    Like `explained_energy`, with codes found anew by least squares after each addition: the energy of the samples
    along the part of the direction that is orthogonal to those added already. Never negative; a direction that lies
    in the span of the others adds nothing.
    """
    directions = basis.directions.astype(np.float64)
    total, moment = 0.0, np.zeros((basis.k, basis.k))
    for _, x in _centred(basis, samples):
        total += float(np.vdot(x, x))
        inner = x @ directions.T
        moment += inner.T @ inner
    gram = directions @ directions.T
    floor = 1e-10 * np.maximum(np.diag(gram), np.finfo(float).tiny)
    left, shares = _indices(order, basis.k), np.zeros(basis.k)
    while left and total > 0:
        length = np.diag(gram)
        gains = np.where(length > floor, np.diag(moment) / np.maximum(length, floor), 0.0)
        k = max(left, key=lambda i: gains[i]) if isinstance(order, str) else left[0]
        left.remove(k)
        if gains[k] <= 0:
            continue
        shares[k] = gains[k] / total
        away = np.eye(basis.k)
        away[:, k] -= gram[:, k] / gram[k, k]  # every direction loses its part along the one just added
        gram, moment = away @ gram @ away.T, away @ moment @ away.T
    return shares


def reconstruction_error(basis: Basis, codes: Any, samples: Any, order: Sequence[int] | None = None) -> np.ndarray:
    """`(N, K + 1)` root mean square error of each sample with the first 0, 1, .. K directions, in the data's units.

    Args:
        order: in which the directions are added; as they stand when left out.
    """
    order = list(range(basis.k)) if order is None else _indices(order, basis.k)
    directions = basis.directions.astype(np.float64)[order]
    gram = directions @ directions.T
    weights = np.asarray(codes, dtype=np.float64)[:, order]
    squares = np.empty((len(weights), basis.k + 1))
    for part, x in _centred(basis, samples):
        c = weights[part]
        # ||r - c_k d_k||^2 = ||r||^2 - 2 c_k d_k.r + c_k^2 ||d_k||^2, with r = x - sum of the earlier c_j d_j
        before = c @ np.triu(gram, 1)
        steps = c * (c * np.diag(gram) + 2 * (before - x @ directions.T))
        squares[part, 0] = (x**2).sum(axis=1)
        squares[part, 1:] = squares[part, :1] + steps.cumsum(axis=1)
    return np.sqrt(np.maximum(squares, 0) / basis.d)


def _added(inner: np.ndarray, cross: np.ndarray, order: Order) -> tuple[np.ndarray, np.ndarray]:
    """The order taken, and the energy each direction removes from the residual at its turn."""
    left, taken, added = _indices(order, len(inner)), [], np.zeros(len(inner))
    gain = 2 * inner - np.diag(cross)
    while left:
        k = max(left, key=lambda i: gain[i]) if isinstance(order, str) else left[0]
        left.remove(k)
        taken.append(k)
        added[k] = gain[k]
        gain = gain - 2 * cross[k]
    return np.array(taken), added


def _indices(order: Order, k: int) -> list[int]:
    if isinstance(order, str):
        if order != "greedy":
            raise ValueError("order is 'greedy' or names every direction once")
        return list(range(k))
    indices = [int(i) for i in order]
    if sorted(indices) != list(range(k)):
        raise ValueError("order is 'greedy' or names every direction once")
    return indices


def _blocks(n: int) -> Iterator[slice]:
    for start in range(0, n, _BLOCK):
        yield slice(start, min(start + _BLOCK, n))


def _centred(basis: Basis, samples: Any) -> Iterator[tuple[slice, np.ndarray]]:
    samples = flat(samples)
    for part in _blocks(len(samples)):
        yield part, samples[part].astype(np.float64) - basis.mean
