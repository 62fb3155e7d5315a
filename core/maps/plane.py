"""Points in a plane for vectors in many dimensions."""

import contextlib
import io
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from core.errors import InputError

METHODS = ("PCA", "UMAP", "t-SNE")
SLOW = ("UMAP", "t-SNE")
# UMAP compares all pairs up to 4,096 points, and above that builds a search index that alone takes longer to compile
# than everything else.
MOST_POINTS = 4000
FEWEST_POINTS = 4
NEIGHBOURS = 15
MOST_FOR_TRUST = 2000

Report = Callable[[str, float], Any]


def chosen(n: int, most: int = MOST_POINTS, seed: int = 0) -> np.ndarray:
    """Indices of all of `n` vectors, or of `most` drawn without repetition, in their order."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors `(N, D)` at length one, so that directions are compared by their angle; zero stays zero."""
    vectors = np.asarray(vectors, dtype=np.float32)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)


def project(
    vectors: np.ndarray,
    method: str = "PCA",
    *,
    seed: int = 0,
    neighbours: int = NEIGHBOURS,
    report: Report | None = None,
) -> np.ndarray:
    """Points `(N, 2)` float32 for vectors `(N, D)`. The same seed gives the same points.

    Args:
        method: one of `METHODS`.
        neighbours: how many near points each point should keep near: UMAP's `n_neighbors`, t-SNE's perplexity.
        report: called with a stage in words and the share that is done.

    Raises:
        InputError: an unknown method, too few vectors, or vectors that are all the same.

    Source: van der Maaten and Hinton 2008 (t-SNE); McInnes, Healy and Melville 2018 (UMAP).
    """
    x = np.ascontiguousarray(vectors, dtype=np.float32)
    if method not in METHODS:
        raise InputError(f"There is no map by {method!r}; there are {', '.join(METHODS)}.")
    if len(x) < FEWEST_POINTS:
        raise InputError(f"A map needs at least {FEWEST_POINTS} points; here are {len(x)}.")
    if not np.any(x != x[0]):
        raise InputError("All points are the same, so there is nothing to lay out.")
    say = report or (lambda stage, share: None)
    if method == "PCA":
        return _pca(x)
    near = int(np.clip(neighbours, 2, len(x) - 1))
    return (_umap if method == "UMAP" else _tsne)(x, seed, near, say)


def trust(vectors: np.ndarray, points: np.ndarray, *, neighbours: int = NEIGHBOURS, seed: int = 0) -> float:
    """Trustworthiness of a map, 0 to 1: 1 when points that are near in the plane are near in all dimensions.

    `1 - 2 / (N k (2N - 3k - 1)) sum_i sum_j max(0, r(i, j) - k)` over the `k` points j nearest to i in the plane,
    with r the rank of j among the neighbours of i in all dimensions. At most 2,000 points are looked at.

    Source: Venna and Kaski 2001.
    """
    from sklearn.manifold import trustworthiness

    some = chosen(len(vectors), MOST_FOR_TRUST, seed)
    k = min(neighbours, (len(some) - 1) // 2)
    return float(trustworthiness(np.asarray(vectors)[some], np.asarray(points)[some], n_neighbors=max(1, k)))


def _pca(x: np.ndarray) -> np.ndarray:
    centred = x.astype(np.float64) - x.mean(axis=0, dtype=np.float64)
    gram = centred @ centred.T if len(x) < x.shape[1] else centred.T @ centred
    _, vectors = np.linalg.eigh(gram)
    top = vectors[:, ::-1][:, :2]
    top = top * np.where(top[np.abs(top).argmax(axis=0), range(top.shape[1])] < 0, -1, 1)
    if len(x) < x.shape[1]:
        top = centred.T @ top
        top /= np.maximum(np.linalg.norm(top, axis=0), 1e-12)
    points = centred @ top
    return np.pad(points, ((0, 0), (0, 2 - points.shape[1]))).astype(np.float32)


def _umap(x: np.ndarray, seed: int, near: int, say: Report) -> np.ndarray:
    say("starting UMAP", 0.02)
    import umap  # 6 to 15 seconds: compiles

    say("finding neighbours", 0.4)
    counter = {"bar_format": "{n_fmt}/{total_fmt}\n", "mininterval": 0.2}
    steps = _Steps("laying out", 0.8, 0.96, say, re.compile(r"(\d+)/(\d+)"))
    # The spectral start needs more points than dimensions of the plane plus two.
    start = "spectral" if len(x) > 5 else "random"
    mapper = umap.UMAP(
        n_neighbors=near,
        init=start,
        random_state=seed,
        n_jobs=1,
        verbose=True,
        tqdm_kwds={**counter, "file": steps},
    )
    with contextlib.redirect_stdout(io.StringIO()):
        return np.asarray(mapper.fit_transform(x), dtype=np.float32)


def _tsne(x: np.ndarray, seed: int, near: int, say: Report) -> np.ndarray:
    say("starting t-SNE", 0.02)
    from sklearn.manifold import TSNE

    perplexity = float(min(2 * near, (len(x) - 1) / 3))
    say("finding neighbours", 0.05)
    steps = _Steps("laying out", 0.1, 0.95, say, re.compile(r"Iteration (\d+)"), total=1000)
    start = "pca" if min(x.shape) >= 2 else "random"
    with contextlib.redirect_stdout(steps):
        points = TSNE(2, perplexity=perplexity, init=start, random_state=seed, verbose=2, max_iter=1000).fit_transform(
            x
        )
    return np.asarray(points, dtype=np.float32)


class _Steps(io.TextIOBase):
    """Reads the number of the step off what a library prints, and reports it."""

    def __init__(self, stage: str, low: float, high: float, say: Report, pattern: re.Pattern, total: int = 0):
        self.stage, self.low, self.high, self.say, self.pattern, self.total = stage, low, high, say, pattern, total

    def write(self, text: str) -> int:
        found = self.pattern.search(text)
        if found:
            total = self.total or int(found.group(2))
            self.say(self.stage, self.low + (self.high - self.low) * min(1.0, int(found.group(1)) / max(total, 1)))
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""
