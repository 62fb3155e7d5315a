"""How the optimal basis loses its orthogonality, and what that costs."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from core.graphs.polynomials import optimal, orthogonality_loss
from core.progress import Run


@dataclass(frozen=True, eq=False)
class Drift:
    """One way to compute the basis, up to degree K.

    Attributes:
        loss: `(K+1,)` largest entry of `|G - I|` among the first columns.
        left: `(K+1,)` length of the target without its projections on the first columns, over its own length.
    """

    loss: np.ndarray
    left: np.ndarray


def drifts(p: sp.csr_array, x: np.ndarray, y: np.ndarray, degree: int, *, run: Run | None = None) -> dict[bool, Drift]:
    """The basis without (False) and with (True) re-orthogonalisation.

    `left` takes the weights `<h_k, y>` as they are, as a filter in an orthonormal basis may: what drifts counts twice.
    """
    run, out = run or Run(), {}
    for at, again in enumerate((False, True)):
        columns = optimal(p, x, degree, reorthogonalise=again).columns
        rest, left = np.array(y, dtype=np.float64), []
        for column in columns.T:
            rest -= (column @ y) * column
            left.append(np.linalg.norm(rest))
        out[again] = Drift(orthogonality_loss(columns), np.array(left) / (np.linalg.norm(y) or 1.0))
        run.progress(at + 1, 2)
    return out
