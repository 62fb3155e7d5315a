"""The table of the diagnostics tab: one column for this basis, one for a random basis of equal size."""

from typing import Any

import numpy as np

from core.basis import Basis
from core.diagnostics.arrays import flat, some
from core.diagnostics.codes import dead_directions, energy_count, hoyer, l0
from core.diagnostics.compare import control_basis
from core.diagnostics.energy import explained_share
from core.diagnostics.geometry import (
    coherence,
    effective_rank,
    orthogonality_error,
    participation_ratio,
    span_variances,
)
from core.diagnostics.privileged import Privileged, privileged

# name -> what a person reads, and one sentence on what it says
LABELS: dict[str, tuple[str, str]] = {
    "explained_energy": (
        "Explained energy",
        "Share of the energy about the mean of the data that the rebuild keeps; 1 is all.",
    ),
    "orthogonality_error": ("Orthogonality error", "Largest difference between the Gram matrix and the identity."),
    "coherence": ("Coherence", "Largest |cosine| between two directions; 0 when all are orthogonal."),
    "effective_rank": ("Effective rank", "How many directions count, by the entropy of their singular values."),
    "participation_ratio": ("Participation ratio", "How many principal axes share the variance of the rebuild."),
    "dead": ("Dead directions", "Directions that contribute less than 1/10000 of the largest one."),
    "l0": ("L0", "Mean number of weights that hold more than 1/10000 of the energy of their code."),
    "energy_count": ("Weights for 90 %", "Mean number of weights that hold 90 % of the energy of a code."),
    "hoyer": ("Hoyer sparsity", "Mean over samples: 0 when all weights are equal, 1 when there is just one."),
    "kurtosis": ("Excess kurtosis", "Mean over directions: 0 for normal weights, larger for sparse ones."),
    "kurtosis_low": ("Band, low", "5 % of the random rotations of this span have less kurtosis."),
    "kurtosis_high": ("Band, high", "5 % of the random rotations of this span have more kurtosis."),
}


def summary(
    basis: Basis,
    codes: Any,
    samples: Any,
    *,
    control: Basis | None = None,
    rebuilt: Any = None,
    seed: int = 0,
    most: int = 4000,
) -> dict[str, Any]:
    """All numbers of `LABELS` for a basis and for its control.

    Args:
        basis: K directions.
        codes: `(N, K)`.
        samples: `(N, ...)`.
        control: the basis to compare with, which encodes by itself; when left out random directions about the mean of
            the samples.
        rebuilt: `(N, ...)` what the model makes of the codes, where that is not `basis.decode(codes)`.
        seed: of the control, of the rotations, and of which samples are looked at.
        most: at most so many samples are looked at (the rotations look at 2000).

    Returns:
        `here` and `control` (dictionaries by name), `privileged` (the comparison with random rotations, see
        `Privileged`), and `samples`, how many were looked at.
    """
    samples, codes = flat(samples), np.asarray(codes)
    chosen = some(len(samples), most, seed)
    x, c = samples[chosen], codes[chosen]
    again = basis.decode(c) if rebuilt is None else flat(rebuilt)[chosen]
    mean = samples.mean(axis=0, dtype=np.float64)
    control = control_basis(basis, seed, mean=mean) if control is None else control
    control_codes = control.encode(x)
    here, band = _numbers(basis, c, explained_share(x, again, mean), seed)
    there, _ = _numbers(control, control_codes, explained_share(x, control.decode(control_codes), mean), seed)
    return {"here": here, "control": there, "privileged": band, "samples": len(chosen)}


def _numbers(basis: Basis, codes: np.ndarray, share: float, seed: int) -> tuple[dict[str, float], Privileged]:
    band = privileged(basis, codes, seed=seed)
    return {
        "explained_energy": share,
        "orthogonality_error": orthogonality_error(basis),
        "coherence": coherence(basis),
        "effective_rank": effective_rank(basis),
        "participation_ratio": participation_ratio(span_variances(basis, codes)),
        "dead": float(dead_directions(basis, codes).sum()),
        "l0": float(l0(codes).mean()),
        "energy_count": float(energy_count(codes).mean()),
        "hoyer": float(hoyer(codes).mean()),
        "kurtosis": band.here,
        "kurtosis_low": band.low,
        "kurtosis_high": band.high,
    }, band
