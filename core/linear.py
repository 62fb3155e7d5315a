"""What all families share whose decoding is `mean + code @ directions`."""

import numpy as np

from core.basis import Basis
from core.datasets.dataset import Dataset
from core.errors import InputError
from core.models import Model

# Above this many entries a second copy of the data in double precision costs more memory than it is worth.
DOUBLE_ENTRIES = 30_000_000


class LinearModel(Model):
    """A model that is one basis: `_fit` sets `basis_`; encoding reads the code off linearly."""

    affine = True
    basis_: Basis

    @classmethod
    def most(cls, dataset: Dataset) -> int:
        """The largest number of directions this family looks for in data of that size."""
        return min(len(dataset), dataset.d)

    def encode(self, samples):
        return self.basis_.encode(flat(samples))

    def decode(self, codes):
        return self.basis_.decode(np.atleast_2d(codes))

    def bases(self):
        return {"directions": self.basis_}

    def arrays(self):
        b = self.basis_
        arrays = {"directions": b.directions, "mean": b.mean, "scale": b.scale}
        # A dual that was not given is found again from the directions, so that a loaded basis is cut and
        # rotated exactly as the fitted one.
        return arrays | {"dual": b.dual} if b.has_own_dual else arrays

    def _load(self, arrays):
        self.basis_ = Basis(arrays["directions"], arrays["mean"], arrays["scale"], dual=arrays.get("dual"))


def flat(samples: np.ndarray) -> np.ndarray:
    """`(N, *shape)` as `(N, D)` float32."""
    samples = np.asarray(samples, dtype=np.float32)
    return samples.reshape(len(samples), -1)


def count(k: int, n: int, d: int, *, most: int | None = None) -> int:
    """`k` if the data can have that many directions.

    Raises:
        InputError: fewer samples or dimensions than directions.
    """
    limit = min(n, d) if most is None else most
    if k > limit:
        raise InputError(f"This data ({n} samples of {d} numbers) has at most {limit} directions; {k} were asked for.")
    return k


def numbers(dataset: Dataset) -> np.ndarray:
    """The samples as `(N, D)`, in double precision unless the data is very large.

    Raises:
        InputError: text, entries that are not finite, or samples that are all the same.
    """
    if dataset.kind == "text":
        raise InputError("Directions are found in numbers; this data is text, so turn it into vectors first.")
    x = dataset.matrix
    if x.size <= DOUBLE_ENTRIES:
        x = x.astype(np.float64)
    if not np.isfinite(x).all():
        raise InputError("This data has entries that are not finite numbers; remove or fill them first.")
    if not np.any(x != x[0]):
        raise InputError("All samples are the same; a basis needs samples that differ.")
    return x


def rank(x: np.ndarray) -> int:
    """The number of dimensions that centred samples `(N, D)` span.

    Singular values below 1e-6 of the largest count as zero, about what single precision data can tell apart.
    """
    centred = np.asarray(x - x.mean(axis=0), dtype=np.float64)
    gram = centred @ centred.T if len(x) < x.shape[1] else centred.T @ centred
    eigenvalues = np.linalg.eigvalsh(gram)
    return int((eigenvalues > 1e-12 * eigenvalues[-1]).sum())


def measured(basis: Basis, codes: np.ndarray) -> Basis:
    """The basis with the standard deviations of the training codes `(N, K)` as its scale."""
    return basis.with_scale(np.std(codes, axis=0, dtype=np.float64))


def oriented(directions: np.ndarray) -> np.ndarray:
    """Rows `(K, D)` with signs that make the entry of largest magnitude positive, as scikit-learn's PCA has it."""
    largest = directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)]
    return directions * np.where(largest < 0, -1.0, 1.0)[:, None]
