"""k-means: a sample is one prototype out of K."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans as SkKMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin
from threadpoolctl import threadpool_limits

from core.basis import Basis
from core.errors import InputError
from core.linear import LinearModel, count, flat, measured, numbers
from core.models import Settings, register, setting


@dataclass(frozen=True)
class KMeansSettings(Settings):
    """Settings of `KMeans`."""

    k: int = setting(16, "How many prototypes.", low=1, high=1024)
    starts: int = setting(4, "How many starts, of which the best is kept.", low=1, high=100, more=True)
    iterations: int = setting(300, "At most this many iterations a start.", low=1, high=10000, more=True)


@register
class KMeans(LinearModel):
    """Prototypes with the smallest sum of squared distances from each sample to its nearest prototype.

    The directions lead from the mean of the data to the prototypes. The code of a sample is one for its nearest
    prototype and zero elsewhere, so that decoding gives the prototype; weights between mix prototypes.

    Attributes:
        inertia_: the sum of squared distances.
    """

    family = "directions.kmeans"
    title = "k-means prototypes"
    summary = "Typical samples: each sample is replaced by the prototype nearest to it."
    source = "Lloyd 1957, 1982; starts: Arthur and Vassilvitskii 2007"
    Settings = KMeansSettings

    @classmethod
    def most(cls, dataset):
        return len(dataset)

    def _fit(self, dataset, *, seed, run):
        x = numbers(dataset)
        s = self.settings
        k = count(s.k, *x.shape, most=len(x))
        kmeans = SkKMeans(k, n_init=s.starts, max_iter=s.iterations, random_state=seed)
        # Threads would add up the prototypes in an order of chance, and with it change the last digits.
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            kmeans.fit(x)
        found = len(np.unique(kmeans.labels_))
        if found < k:
            raise InputError(f"This data has only {found} different samples; {k} prototypes were asked for.")
        mean = x.mean(axis=0)
        self.inertia_ = float(kmeans.inertia_)
        self.basis_ = measured(Basis(kmeans.cluster_centers_ - mean, mean), np.eye(k)[kmeans.labels_])
        run.progress(1, 1, {"inertia": self.inertia_, "iterations": float(kmeans.n_iter_)})

    def nearest(self, samples: np.ndarray) -> np.ndarray:
        """`(N,)` index of the prototype nearest to each sample."""
        prototypes = self.basis_.directions.astype(np.float64) + self.basis_.mean
        return pairwise_distances_argmin(flat(samples).astype(np.float64), prototypes)

    def encode(self, samples):
        return np.eye(self.basis_.k, dtype=np.float32)[self.nearest(samples)]

    def seconds(self, dataset):
        n, d, k = len(dataset), dataset.d, self.settings.k
        return 0.05 + self.settings.starts * min(self.settings.iterations, 30) * n * k * (3e-10 * d + 2e-9)
