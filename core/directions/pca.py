"""Principal components, exact, randomised or incremental."""

from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import PCA as SkPCA
from sklearn.decomposition import IncrementalPCA
from sklearn.utils import gen_batches

from core.basis import Basis
from core.linear import DOUBLE_ENTRIES, LinearModel, count, measured, numbers
from core.models import Settings, register, setting


@dataclass(frozen=True)
class PCASettings(Settings):
    """Settings of `PCA`."""

    k: int = setting(16, "How many directions to keep.", low=1, high=1024)
    solver: str = setting(
        "auto",
        "How the directions are computed: exactly, by random projections, or batch by batch for large data.",
        choices=("auto", "full", "randomized", "incremental"),
        more=True,
    )
    batch: int = setting(1024, "Samples a batch, for the incremental solver.", low=2, high=65536, more=True)


@register
class PCA(LinearModel):
    """Orthonormal directions of largest variance: the minimiser of `||X - mean - C D||^2` over `D D^T = I`.

    The solver `auto` is scikit-learn's choice by size, and incremental above 30 million entries.
    """

    family = "directions.pca"
    title = "PCA"
    summary = "Orthonormal directions in which the data varies most, largest first."
    source = "Pearson 1901; Hotelling 1933; randomised: Halko et al. 2011; incremental: Ross et al. 2008"
    Settings = PCASettings

    def _fit(self, dataset, *, seed, run):
        x = numbers(dataset)
        k = count(self.settings.k, *x.shape)
        solver = self.settings.solver
        if solver == "auto" and x.size > DOUBLE_ENTRIES:
            solver = "incremental"
        if solver == "incremental":
            basis = _incremental(x, k, max(self.settings.batch, k), run)
        else:
            with np.errstate(invalid="ignore"):
                basis = Basis.from_estimator(SkPCA(k, svd_solver=solver, random_state=seed).fit(x))
            run.progress(1, 1)
        self.basis_ = measured(basis, basis.encode(dataset.matrix))

    def seconds(self, dataset):
        n, d = len(dataset), dataset.d
        if self.settings.solver == "incremental" or n * d > DOUBLE_ENTRIES:
            return 0.05 + 6e-10 * n * d * min(d, max(self.settings.batch, self.settings.k) + self.settings.k)
        if self.settings.solver == "auto" and d <= 1000 and n >= 10 * d:  # scikit-learn then takes the covariance
            return 0.05 + 5e-9 * n * d + 2.5e-10 * n * d * d
        k = min(n, d) if self.settings.solver == "full" else min(n, d, 4 * self.settings.k + 40)
        return 0.05 + 1e-9 * n * d * k


def _incremental(x: np.ndarray, k: int, batch: int, run) -> Basis:
    pca = IncrementalPCA(k)
    batches = list(gen_batches(len(x), batch, min_batch_size=k))
    for step, rows in enumerate(batches, start=1):
        pca.partial_fit(np.asarray(x[rows], dtype=np.float64))
        run.progress(step, len(batches), {"variance of the first direction": float(pca.explained_variance_[0])})
        if run.should_stop():
            break
    return Basis(pca.components_, pca.mean_)
