"""Independent components by FastICA."""

import warnings
from dataclasses import dataclass

from sklearn.decomposition import FastICA
from sklearn.exceptions import ConvergenceWarning

from core.basis import Basis
from core.linear import LinearModel, count, measured, numbers, rank
from core.models import Settings, register, setting


@dataclass(frozen=True)
class ICASettings(Settings):
    """Settings of `ICA`."""

    k: int = setting(16, "How many independent directions to find.", low=1, high=1024)
    contrast: str = setting(
        "logcosh",
        "What measures independence: logcosh is a good all-rounder, exp suits heavy tails.",
        choices=("logcosh", "exp", "cube"),
        more=True,
    )
    algorithm: str = setting(
        "parallel", "Find all directions together or one after the other.", choices=("parallel", "deflation"), more=True
    )
    iterations: int = setting(300, "At most this many iterations.", low=1, high=10000, more=True)
    tolerance: float = setting(1e-4, "Stop when the directions turn less than this.", low=1e-9, high=0.1, more=True)


@register
class ICA(LinearModel):
    """Directions whose codes are as independent, and as far from normal, as can be; codes have unit variance.

    The directions are the columns of the mixing matrix, the codes scikit-learn's sources. Directions come in no
    natural order, and their signs are arbitrary.

    Attributes:
        converged_: whether the iterations settled.
        iterations_: how many there were.
    """

    family = "directions.ica"
    title = "ICA"
    summary = "Directions whose weights are as independent of each other as can be; not orthogonal."
    source = "Hyvärinen and Oja 2000 (FastICA)"
    Settings = ICASettings

    def _fit(self, dataset, *, seed, run):
        x = numbers(dataset)
        s = self.settings
        # Whitening divides by the singular values, so that directions without variance would be noise or worse.
        k = count(s.k, *x.shape, most=rank(x))
        ica = FastICA(
            k,
            algorithm=s.algorithm,
            whiten="unit-variance",
            fun=s.contrast,
            max_iter=s.iterations,
            tol=s.tolerance,
            random_state=seed,
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ica.fit(x)
        self.converged_ = not any(issubclass(w.category, ConvergenceWarning) for w in caught)
        self.iterations_ = int(ica.n_iter_)
        basis = Basis.from_estimator(ica)
        self.basis_ = measured(basis, basis.encode(dataset.matrix))
        run.progress(1, 1, {"iterations": float(self.iterations_), "converged": float(self.converged_)})

    def seconds(self, dataset):
        n, d, k = len(dataset), dataset.d, self.settings.k
        rounds = min(self.settings.iterations, 200) * (k if self.settings.algorithm == "deflation" else 1)
        width = k if self.settings.algorithm == "parallel" else 1
        return 0.05 + 8e-10 * n * d * min(n, d) + rounds * n * width * (2e-8 + 2e-10 * k)
