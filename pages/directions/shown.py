"""What the tabs of *Basis directions* draw: the fitted basis with its codes, in the form of the data."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core import diagnostics
from core.basis import Basis
from core.datasets import Dataset
from core.models import Model
from core.ui.components import Form, Payload


@dataclass(frozen=True)
class Origin:
    """Where prepared data came from: what it is, the kind it was loaded as, and the settings of its preparation."""

    data: str
    kind: str
    preparation: dict


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model fitted to a dataset, with what every tab needs of it; shared by all sessions that look at the same.

    Attributes:
        key: names dataset, family, settings and seed; equal keys have equal contents.
        codes: `(N, K)` codes of all samples.
        basis: directions in the space of the data, drawn from the model where its bank lives in another space.
    """

    key: str
    origin: Origin
    dataset: Dataset
    model: Model
    codes: np.ndarray
    basis: Basis

    @classmethod
    def of(cls, key: str, origin: Origin, dataset: Dataset, model: Model) -> "Fitted":
        """Encode the data and collect what is drawn."""
        codes = model.encode(dataset.samples)
        return cls(key, origin, dataset, model, codes, drawn_basis(model, codes))

    @cached_property
    def energy(self) -> np.ndarray:
        """`(K,)` share of the data's energy that each direction explains."""
        return diagnostics.explained_energy(self.basis, self.codes, self.dataset.matrix)

    @cached_property
    def use(self) -> np.ndarray:
        """`(K,)` share of samples that use each direction."""
        return diagnostics.use(self.codes)

    @cached_property
    def nonnegative(self) -> bool:
        """Whether no code has a negative weight (parts, prototypes, sparse codes)."""
        return bool((self.codes >= 0).all())

    @cached_property
    def form(self) -> Form:
        """How one sample of the data is drawn."""
        return Form.of(self.dataset)

    @cached_property
    def payload(self) -> Payload:
        """The directions as the browser gets them."""
        return Payload(self.basis.directions, self.form, self.basis.mean, self.basis.scale)

    def order(self, by: str, names: Sequence[str]) -> list[int]:
        """Indices of the directions, by explained energy, use, or name."""
        if by == "name":
            return sorted(range(self.basis.k), key=lambda i: (not names[i].isdigit(), names[i].zfill(6)))
        return np.argsort(-(self.energy if by == "energy" else self.use), kind="stable").tolist()


def drawn_basis(model: Model, codes: np.ndarray) -> Basis:
    """The model's directions in the space of the data, with the scale of its codes."""
    if model.affine:
        (basis,) = model.bases().values()
        return basis
    return Basis(model.draw_directions(), model.decode(codes.mean(axis=0, keepdims=True))[0], codes.std(axis=0) + 1e-6)


def names_of(fitted: Fitted, renamed: dict[str, str]) -> list[str]:
    """The names of the directions, a person's own names first."""
    return [renamed.get(str(i), name) for i, name in enumerate(fitted.basis.names)]
