"""PCA directions turned within their span until each uses few features."""

from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import PCA as SkPCA

from core.basis import Basis
from core.linear import LinearModel, count, measured, numbers, oriented
from core.models import Settings, register, setting
from core.orthomax import orthomax


@dataclass(frozen=True)
class VarimaxSettings(Settings):
    """Settings of `Varimax`."""

    k: int = setting(16, "How many PCA directions to keep and turn.", low=1, high=1024)
    weighted: bool = setting(
        False, "Weigh each PCA direction by its standard deviation while turning, as factor analysis does.", more=True
    )
    gamma: float = setting(
        1.0, "0 is quartimax, 1 varimax, half of K equamax; it matters only when weighted.", low=0, high=512, more=True
    )
    sweeps: int = setting(100, "At most this many passes over all pairs of directions.", low=1, high=1000, more=True)


@register
class Varimax(LinearModel):
    """The PCA span in the orthonormal directions with the largest orthomax criterion, largest variance first.

    Unit directions have column sums of one, so that all values of gamma mean the same there; with `weighted` the
    rotation is found for the loadings `standard deviation * direction` and applied to the unit directions.
    """

    family = "directions.varimax"
    title = "Varimax-rotated PCA"
    summary = "The span of PCA, turned so that each direction uses few features; still orthonormal."
    source = "Kaiser 1958; Richman 1986 (rotation of principal components)"
    Settings = VarimaxSettings

    def _fit(self, dataset, *, seed, run):
        x = numbers(dataset)
        k, sweeps = count(self.settings.k, *x.shape), self.settings.sweeps
        pca = SkPCA(k, random_state=seed).fit(x)
        weights = np.sqrt(np.maximum(pca.explained_variance_, 0)) if self.settings.weighted else np.ones(k)

        def tell(sweep: int, value: float) -> bool:
            run.progress(sweep, sweeps, {"criterion": value})
            return run.should_stop()

        rotation = orthomax(
            (pca.components_ * weights[:, None]).T, self.settings.gamma, sweeps=sweeps, tolerance=1e-7, on_sweep=tell
        )
        directions = oriented(rotation.T @ pca.components_)
        basis = Basis(directions, pca.mean_)
        variance = basis.encode(dataset.matrix).var(axis=0, dtype=np.float64)
        order = np.argsort(-variance, kind="stable")
        self.basis_ = measured(Basis(directions[order], pca.mean_), basis.encode(dataset.matrix)[:, order])

    def seconds(self, dataset):
        n, d, k = len(dataset), dataset.d, self.settings.k
        return (
            0.05
            + 1e-9 * n * d * min(n, d, 4 * k + 40)
            + min(self.settings.sweeps, 30) * k * (1e-4 + 2e-8 * (d + k) * k)
        )
