"""Random orthonormal directions: the control that every other basis is compared with."""

from dataclasses import dataclass

from core.basis import Basis
from core.linear import LinearModel, count, measured, numbers
from core.models import Settings, register, setting


@dataclass(frozen=True)
class RandomBasisSettings(Settings):
    """Settings of `RandomBasis`."""

    k: int = setting(16, "How many directions to draw.", low=1, high=1024)


@register
class RandomBasis(LinearModel):
    """Orthonormal directions drawn uniformly, about the mean of the data. It learns nothing else from the data."""

    family = "directions.random"
    title = "Random directions"
    summary = "Orthonormal directions drawn at random: the control for every other basis."
    source = "uniform (Haar) by QR of a normal matrix: Stewart 1980, Mezzadri 2007"
    Settings = RandomBasisSettings

    @classmethod
    def most(cls, dataset):
        return dataset.d

    def _fit(self, dataset, *, seed, run):
        x = numbers(dataset)
        k = count(self.settings.k, *x.shape, most=x.shape[1])
        basis = Basis.random(k, x.shape[1], seed=seed, mean=x.mean(axis=0))
        self.basis_ = measured(basis, basis.encode(dataset.matrix))
        run.progress(1, 1)

    def seconds(self, dataset):
        n, d, k = len(dataset), dataset.d, self.settings.k
        return 0.02 + 2e-10 * n * d * k + 1e-9 * d * k * k
