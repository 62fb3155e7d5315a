"""Non-negative matrix factorisation: parts that only add up."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import NMF as SkNMF
from sklearn.decomposition import non_negative_factorization
from sklearn.exceptions import ConvergenceWarning

from core.basis import Basis
from core.errors import InputError
from core.linear import LinearModel, count, flat, measured, numbers
from core.models import Settings, register, setting


@dataclass(frozen=True)
class NMFSettings(Settings):
    """Settings of `NMF`."""

    k: int = setting(16, "How many parts to find.", low=1, high=1024)
    shift: bool = setting(
        False, "Subtract each feature's minimum first, so that data with negative values can be used."
    )
    sparsity: float = setting(0.0, "Penalty on the sizes of weights and parts (L1).", low=0, high=10, more=True)
    start: str = setting("nndsvda", "Where the iterations start.", choices=("nndsvda", "nndsvd", "random"), more=True)
    iterations: int = setting(300, "At most this many iterations.", low=1, high=10000, more=True)
    tolerance: float = setting(1e-4, "Stop when an iteration gains less than this.", low=1e-9, high=0.1, more=True)


@register
class NMF(LinearModel):
    """Non-negative directions with non-negative codes: least squares `||X - C D||^2` over `C, D >= 0`.

    Decoding is `offset + code @ directions`; the offset, the basis' mean, is zero, or the smallest value of each
    feature with `shift`. Encoding solves for the non-negative code, as scikit-learn's `transform` does; with `shift`
    a new sample's values below the offset count as the offset.

    Attributes:
        converged_: whether the iterations settled.
        iterations_: how many there were.
    """

    family = "directions.nmf"
    title = "NMF"
    summary = "Parts that only add up: directions and weights are never negative."
    source = "Lee and Seung 1999; coordinate descent: Cichocki and Phan 2009"
    Settings = NMFSettings

    def _fit(self, dataset, *, seed, run):
        x = numbers(dataset)
        s = self.settings
        k = count(s.k, *x.shape)
        offset = x.min(axis=0) if s.shift else np.zeros(x.shape[1], dtype=x.dtype)
        nmf = SkNMF(k, init=s.start, random_state=seed, **self._options())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            codes = nmf.fit_transform(self._non_negative(x, offset))
        self.converged_ = not any(issubclass(w.category, ConvergenceWarning) for w in caught)
        self.iterations_ = int(nmf.n_iter_)
        self.basis_ = measured(Basis(nmf.components_, offset), codes)
        run.progress(1, 1, {"iterations": float(self.iterations_), "converged": float(self.converged_)})

    def encode(self, samples):
        x = self._non_negative(flat(samples).astype(np.float64), self.basis_.mean.astype(np.float64))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            codes, _, _ = non_negative_factorization(
                x,
                H=self.basis_.directions.astype(np.float64),
                n_components=self.basis_.k,
                update_H=False,
                **self._options(),
            )
        return codes.astype(np.float32)

    def _options(self) -> dict:
        s = self.settings
        return dict(tol=s.tolerance, max_iter=s.iterations, alpha_W=s.sparsity, l1_ratio=1.0)

    def _non_negative(self, x: np.ndarray, offset: np.ndarray) -> np.ndarray:
        if self.settings.shift:
            return np.maximum(x - offset, 0)
        if x.min() < 0:
            raise InputError(
                "NMF takes values that are not negative, and this data has some; "
                "switch on shift, which subtracts each feature's minimum first."
            )
        return x

    def seconds(self, dataset):
        n, d, k = len(dataset), dataset.d, self.settings.k
        return 0.05 + min(self.settings.iterations, 150) * (4e-10 * n * d * k + 1e-9 * (n + d) * k * k)
