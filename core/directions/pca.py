"""Principal components, exact, randomised or incremental."""

from dataclasses import dataclass

from sklearn.decomposition import PCA as SkPCA

from core.basis import Basis
from core.directions.linear import LinearModel, count
from core.models import Settings, register, setting


@dataclass(frozen=True)
class PCASettings(Settings):
    k: int = setting(16, "How many directions to keep.", low=1, high=1024)
    solver: str = setting(
        "auto", "How the singular vectors are computed.", choices=("auto", "full", "randomized"), more=True
    )


@register
class PCA(LinearModel):
    """Orthonormal directions of largest variance: the minimiser of `||X - mean - C D||^2` over `D D^T = I`."""

    family = "directions.pca"
    title = "PCA"
    summary = "Orthonormal directions in which the data varies most, largest first."
    source = "Pearson 1901; Hotelling 1933"
    Settings = PCASettings

    def _fit(self, dataset, *, seed, run):
        x = dataset.matrix
        k = count(self.settings.k, *x.shape)
        pca = SkPCA(k, svd_solver=self.settings.solver, random_state=seed).fit(x)
        self.basis_ = Basis.from_estimator(pca)
        run.progress(1, 1)
