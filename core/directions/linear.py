"""What all families share whose decoding is `mean + code @ directions`."""

import numpy as np

from core.basis import Basis
from core.errors import InputError
from core.models import Model


class LinearModel(Model):
    """A model that is one basis: `_fit` sets `basis_`; encoding reads the code off linearly."""

    affine = True
    basis_: Basis

    def encode(self, samples):
        samples = np.asarray(samples, dtype=np.float32)
        return self.basis_.encode(samples.reshape(len(samples), -1))

    def decode(self, codes):
        return self.basis_.decode(np.atleast_2d(codes))

    def bases(self):
        return {"directions": self.basis_}

    def arrays(self):
        b = self.basis_
        return {"directions": b.directions, "mean": b.mean, "scale": b.scale, "dual": b.dual}

    def _load(self, arrays):
        self.basis_ = Basis(arrays["directions"], arrays["mean"], arrays["scale"], dual=arrays["dual"])


def count(k: int, n: int, d: int, *, most: int | None = None) -> int:
    """`k` if the data can have that many directions.

    Raises:
        InputError: fewer samples or dimensions than directions.
    """
    limit = min(n, d) if most is None else most
    if k > limit:
        raise InputError(f"This data ({n} samples of {d} numbers) has at most {limit} directions; {k} were asked for.")
    return k
