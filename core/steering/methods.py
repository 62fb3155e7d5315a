"""How directions are found in activations: five methods, one order and one sign for all of them."""

import warnings

import numpy as np
from scipy.stats import skew
from sklearn.decomposition import PCA, FastICA, MiniBatchDictionaryLearning
from sklearn.exceptions import ConvergenceWarning

from core.linear import count, rank
from core.orthomax import orthomax

METHODS = {
    "varimax": "PCA, turned until each text uses few directions (orthonormal)",
    "pca": "largest variance first, two-ended directions (orthonormal)",
    "ica": "independent weights, made orthonormal",
    "sparse": "a sparse dictionary; its directions may overlap",
    "paper": "all middle blocks joined, plain PCA, added at every one of them",
}


def find(x: np.ndarray, k: int, method: str, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Directions of activations, with fixed signs and order.

    Args:
        x: `(N, D)`, finite, not all the same; float64 unless very large.
        k: how many.
        method: one of `METHODS`.

    Returns:
        `(K, D)` unit directions (orthonormal for all but `sparse`) and the mean `(D,)`. Signs give each direction's
        weights a positive skew; the largest variance comes first.

    Raises:
        InputError: the data does not have that many directions.

    Source: Kaiser 1958 (varimax; here of the whitened scores, so that texts, not neurons, become simple); Hyvärinen
    and Oja 2000 (FastICA), made orthonormal by the polar factor; Mairal et al. 2010 (dictionary); Kang et al. 2026,
    arXiv 2604.17614 (`paper`).
    """
    count(k, *x.shape, most=rank(x))
    pca = PCA(k, svd_solver="full" if min(x.shape) <= 2000 else "randomized", random_state=seed).fit(x)
    if method in ("pca", "paper"):
        directions = pca.components_
    elif method == "varimax":
        scores = (x - pca.mean_) @ pca.components_.T
        directions = orthomax(scores / scores.std(axis=0), tolerance=1e-9).T @ pca.components_
    elif method == "ica":
        directions = _independent((x - pca.mean_) @ pca.components_.T, seed) @ pca.components_
    else:
        directions = _sparse(x - pca.mean_, k, seed)
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


def _sparse(centred: np.ndarray, k: int, seed: int) -> np.ndarray:
    """`(K, D)` atoms of a dictionary learned on the strongest components, at unit mean square."""
    kept = PCA(min(*centred.shape, 8 * k), random_state=seed).fit(centred)
    scores = kept.transform(centred)
    learner = MiniBatchDictionaryLearning(
        k, alpha=1.0, batch_size=64, max_iter=200, transform_algorithm="lasso_lars", random_state=seed
    )
    size = np.sqrt(np.square(scores).sum(axis=1).mean() / k)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learner.fit(scores / size)
    return learner.components_ @ kept.components_
