"""Basis transformation with extra dimensions: old items stay comparable, and what is new has a place of its own."""

import numpy as np
import scipy.linalg

from core.compatible.maps import LinearMap, Moments, lambda_orthogonal, least_squares, procrustes
from core.errors import InputError


def basis_transformation(
    m: Moments, extra: int, *, orthogonal: bool = True, balance: float = 1.0, limit: float | None = None
) -> LinearMap:
    """Map new embeddings to `d_old + extra` numbers; the first `d_old` are compared with old items.

    After BT2 (Zhou and others 2022), for embeddings that are already there instead of a network still in training:
    the compatible block is the best rigid map (or one within `limit` of rigid, or free), and the extra block reads
    the new space along the `extra` orthonormal directions in which most of it is left once the compatible block
    is known. Old items get zeros there. With enough extra dimensions nothing of the new space is lost.

    Args:
        m: of the pairs.
        extra: how many dimensions are added, 0 to d_new.
        orthogonal: a rigid compatible block (else least squares).
        balance: weight of the extra block against the compatible one in the inner product.
        limit: a deviation from rigid, in place of `orthogonal`.

    Raises:
        InputError: more extra dimensions than the new space has.
    """
    d_new, d_old = m.xy.shape
    if not 0 <= extra <= d_new:
        raise InputError(f"The new space has {d_new} dimensions; the number of extra ones must be 0 to {d_new}.")
    if limit is not None:
        block = lambda_orthogonal(m, [limit])[0].weight
    else:
        block = (procrustes if orthogonal else least_squares)(m).weight
    # second moment of the new embeddings given the compatible block: what linear regression on it leaves over
    cross = m.xx @ block
    left = m.xx - cross @ scipy.linalg.pinvh(block.T @ cross) @ cross.T
    value, vector = scipy.linalg.eigh((left + left.T) / 2)
    directions = vector[:, ::-1][:, :extra]
    weight = np.hstack([block, balance * directions])
    kept = float(np.sum(np.maximum(value[::-1][:extra], 0)) / max(np.sum(np.maximum(value, 0)), 1e-300))
    return LinearMap(
        "bt2",
        weight,
        m.mean_in,
        np.concatenate([m.mean_out, np.zeros(extra)]),
        d_old,
        {"extra": extra, "balance": balance, "left_over_kept": kept, "loss": m.loss(block)},
    )
