"""Factor analysis: common directions plus noise that each feature has for itself."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import FactorAnalysis as SkFactorAnalysis
from sklearn.exceptions import ConvergenceWarning

from core.basis import Basis
from core.linear import LinearModel, count, measured, numbers
from core.models import Settings, register, setting


@dataclass(frozen=True)
class FactorAnalysisSettings(Settings):
    """Settings of `FactorAnalysis`."""

    k: int = setting(8, "How many common factors.", low=1, high=512)
    rotation: str = setting(
        "none", "Turn the factors so that each loads on few features.", choices=("none", "varimax", "quartimax")
    )
    solver: str = setting(
        "randomized", "How each step's singular vectors are computed.", choices=("randomized", "lapack"), more=True
    )
    iterations: int = setting(500, "At most this many steps.", low=1, high=10000, more=True)
    tolerance: float = setting(1e-2, "Stop when the log-likelihood of a step gains less.", low=1e-8, high=10, more=True)


@register
class FactorAnalysis(LinearModel):
    """The maximum likelihood fit of `x ~ N(mean, D^T D + diag(noise))`.

    The code is the posterior mean `(I + D N^-1 D^T)^-1 D N^-1 (x - mean)` with `N = diag(noise)`, which shrinks
    towards zero; decoding it does not give the least-squares rebuild.

    Attributes:
        noise_variance_: `(D,)`, what each feature keeps for itself.
        converged_: whether the iterations settled.
        iterations_: how many there were.
    """

    family = "directions.factor_analysis"
    title = "Factor analysis"
    summary = "Common factors, with noise of its own for every feature; good where features differ in noise."
    source = "Spearman 1904; Rubin and Thayer 1982; Barber 2012, section 21.2"
    Settings = FactorAnalysisSettings

    def _fit(self, dataset, *, seed, run):
        x = numbers(dataset)
        s = self.settings
        k = count(s.k, *x.shape)
        fa = SkFactorAnalysis(
            k,
            tol=s.tolerance,
            max_iter=s.iterations,
            svd_method=s.solver,
            rotation=None if s.rotation == "none" else s.rotation,
            random_state=seed,
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fa.fit(x)
        self.converged_ = not any(issubclass(w.category, ConvergenceWarning) for w in caught)
        self.iterations_ = int(fa.n_iter_)
        self.noise_variance_ = np.asarray(fa.noise_variance_, dtype=np.float32)
        weighed = fa.components_ / fa.noise_variance_
        dual = np.linalg.solve(np.eye(k) + weighed @ fa.components_.T, weighed)
        basis = Basis(fa.components_, fa.mean_, dual=dual)
        self.basis_ = measured(basis, basis.encode(dataset.matrix))
        run.progress(1, 1, {"iterations": float(self.iterations_), "converged": float(self.converged_)})

    def arrays(self):
        return super().arrays() | {"noise_variance": self.noise_variance_}

    def _load(self, arrays):
        super()._load(arrays)
        self.noise_variance_ = np.asarray(arrays["noise_variance"], dtype=np.float32)

    def seconds(self, dataset):
        n, d, k = len(dataset), dataset.d, self.settings.k
        width = min(n, d) if self.settings.solver == "lapack" else min(n, d, 4 * k + 40)
        return 0.05 + min(self.settings.iterations, 20) * 5e-10 * n * d * width
