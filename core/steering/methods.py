"""How directions are found in activations: five methods, one order and one sign for all of them."""

import warnings

import numpy as np
from scipy.stats import skew
from sklearn.decomposition import PCA, FastICA
from sklearn.exceptions import ConvergenceWarning

from core.linear import count, rank
from core.orthomax import orthomax

METHODS = {
    "varimax": "PCA, turned until each text uses few directions (orthonormal)",
    "pca": "largest variance first, two-ended directions (orthonormal)",
    "ica": "independent weights, made orthonormal",
    "sparse": "a sparse dictionary: few directions at work in each text (orthonormal)",
    "paper": "all middle blocks joined, plain PCA, added at every one of them",
}


def find(x: np.ndarray, k: int, method: str, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Directions of activations, with fixed signs and order.

    Args:
        x: `(N, D)`, finite, not all the same; float64 unless very large.
        k: how many.
        method: one of `METHODS`.

    Returns:
        `(K, D)` orthonormal directions and the mean `(D,)`. Signs give each direction's
        weights a positive skew; the largest variance comes first.

    Raises:
        InputError: the data does not have that many directions.

    Source: Kaiser 1958 (varimax; here of the whitened scores, so that texts, not neurons, become simple); Hyvärinen
    and Oja 2000 (FastICA), made orthonormal by the polar factor; Bao, Cai and Ji 2013 (orthogonal sparse dictionary);
    Kang et al. 2026, arXiv 2604.17614 (`paper`).
    """
    count(k, *x.shape, most=rank(x))
    pca = PCA(k, svd_solver="full" if min(x.shape) <= 2000 else "randomized", random_state=seed).fit(x)
    if method in ("pca", "paper"):
        directions = pca.components_
    else:
        scores = (x - pca.mean_) @ pca.components_.T
        if method == "ica":
            turn = _independent(scores, seed)
        else:
            turn = orthomax(scores / scores.std(axis=0), tolerance=1e-9).T
        directions = (_sparse(scores, turn) if method == "sparse" else turn) @ pca.components_
    return arranged(directions, x - pca.mean_), pca.mean_


def arranged(directions: np.ndarray, centred: np.ndarray) -> np.ndarray:
    """Unit rows `(K, D)`, each with positive skew of its weights on centred samples, largest variance first."""
    directions = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    codes = centred @ directions.T
    signs = np.where(skew(codes, axis=0) < 0, -1.0, 1.0)
    order = np.argsort(-codes.var(axis=0), kind="stable")
    return (directions * signs[:, None])[order]


def _independent(scores: np.ndarray, seed: int) -> np.ndarray:
    """`(K, K)` orthonormal rows nearest to FastICA's mixing directions of `(N, K)` scores."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ica = FastICA(whiten="unit-variance", max_iter=2000, tol=1e-6, random_state=seed).fit(scores)
    mixing = ica.mixing_.T / np.linalg.norm(ica.mixing_, axis=0)[:, None]
    u, _, v = np.linalg.svd(mixing)
    return u @ v


def _sparse(scores: np.ndarray, start: np.ndarray, strength: float = 0.5, steps: int = 300) -> np.ndarray:
    """`(K, K)` orthonormal rows D that minimise `||S - b - C D||^2 + lam |C|_1` over D, codes C and an offset b.

    Each in turn has a closed form: soft thresholding, the polar factor, a mean; so the energy never rises.

    Args:
        scores: `(N, K)` within the span of the strongest components.
        start: `(K, K)` orthonormal rows to begin with.
        strength: lam over twice the root mean square of the scores.
    """
    d, offset = start, np.zeros(scores.shape[1])
    threshold, energy = strength * np.sqrt(np.square(scores).mean()), np.inf
    for _ in range(steps):
        codes = (scores - offset) @ d.T
        codes = np.sign(codes) * np.maximum(np.abs(codes) - threshold, 0)
        left = np.square(scores - offset - codes @ d).sum() + 2 * threshold * np.abs(codes).sum()
        if left > energy * (1 - 1e-9):
            break
        energy = left
        offset = (scores - codes @ d).mean(axis=0)
        u, _, v = np.linalg.svd(codes.T @ (scores - offset))
        d = u @ v
    return d
