"""An edit of one code as factors that other codes can be multiplied by."""

import numpy as np


def gains(own: np.ndarray, edited: np.ndarray, *, most: float = 10.0) -> np.ndarray:
    """Factors `(K,)` with `edited = factors * own`, within `-most .. most`.

    A weight that was zero (or next to it) has no factor; it stays as it is, so its factor is one.

    Args:
        own, edited: `(K,)` codes before and after.
        most: bound of the factors, since a tiny weight that was raised would make others deafening.
    """
    own, edited = np.asarray(own, dtype=np.float64), np.asarray(edited, dtype=np.float64)
    some = np.abs(own) > 1e-6 * max(np.abs(own).max(initial=0.0), 1e-30)
    factors = np.divide(edited, own, out=np.ones_like(own), where=some)
    return np.clip(factors, -most, most)
