"""What is done to the residual stream of one block while a model writes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import torch

from core.errors import InputError
from core.steering.language_model import LanguageModel

METHODS = {
    "add": "add the vector",
    "keep_norm": "add the vector, then give every token its old length back",
    "cap": "raise the projection on each direction to its strength where it is below (lower it, for a negative one)",
    "ablate": "project the directions out",
}
PLACES = {"both": "prompt and generated", "prompt": "prompt only", "generated": "generated only"}
AMBER, RED = 0.35, 0.5  # of the length ratio: first oddities; degenerate text (measured, see `length_ratio`)


@dataclass(frozen=True, eq=False)
class Steer:
    """A change of the output of one block, at every token that `where` names.

    Attributes:
        block: its number, from 0.
        terms: pairs of a direction `(W,)` and a strength: how far along the direction, in units of the activations
            (weight in sigma times sigma). Directions are brought to unit length; a strength of 0 does nothing.
        method: one of `METHODS`.
        where: one of `PLACES`.
        against: a direction `(W,)`, or several `(M, W)`, that the change leaves alone: what lies along them is taken
            out of every direction (the orthogonal projection of FluxSpace, Dalva et al. 2024, eq. 7).
        centre: `(W,)` from which `cap` and `ablate` measure projections, such as the mean of a basis; zero when
            left out.

    Raises:
        InputError: unknown method or place, directions that are not finite, of different widths, or nothing but
            zeros.
    """

    block: int
    terms: Sequence[tuple[np.ndarray, float]]
    method: str = "add"
    where: str = "both"
    against: np.ndarray | None = None
    centre: np.ndarray | None = None

    def __post_init__(self):
        if self.method not in METHODS:
            raise InputError(f"The method of a steer is one of {', '.join(METHODS)}, not {self.method!r}.")
        if self.where not in PLACES:
            raise InputError(f"A steer acts on one of {', '.join(PLACES)}, not {self.where!r}.")
        terms = tuple((_unit(d), _finite(s)) for d, s in self.terms)
        if len({d.size for d, _ in terms}) > 1:
            raise InputError("The directions of a steer must all have the same width.")
        object.__setattr__(self, "terms", terms)

    @classmethod
    def of_vector(cls, block: int, vector: np.ndarray, **more) -> Self:
        """A steer that adds this very vector `(W,)`, such as one out of a control-vector file."""
        vector = np.asarray(vector, dtype=np.float64)
        length = float(np.linalg.norm(vector))
        return cls(block, [(vector, length)] if length else [], **more)

    @property
    def active(self) -> bool:
        """Whether it does anything at all; a model that is not steered runs without a hook."""
        return any(s for _, s in self.terms)

    @cached_property
    def directions(self) -> np.ndarray:
        """Directions `(K, W)` with a strength other than 0, made orthogonal to `against`; not of unit length then."""
        kept = np.array([d for d, s in self.terms if s]).reshape(-1, self.width)
        if self.against is None or not len(kept):
            return kept
        q, r = np.linalg.qr(np.atleast_2d(np.asarray(self.against, dtype=np.float64)).T)
        q = q[:, np.abs(np.diag(r)) > 1e-12]
        return kept - (kept @ q) @ q.T

    @cached_property
    def strengths(self) -> np.ndarray:
        """Strengths `(K,)` other than 0, one for each of `directions`."""
        return np.array([s for _, s in self.terms if s])

    def vector(self) -> np.ndarray:
        """The sum of strength times direction, `(W,)`, in units of the activations; empty without directions."""
        return self.strengths @ self.directions if self.active else np.zeros(self.width)

    @property
    def width(self) -> int:
        """Of the directions; 0 when there are none."""
        return self.terms[0][0].size if self.terms else 0

    def length_ratio(self, model: LanguageModel) -> float:
        """r: the length of the added vector over the mean length of a token in that block.

        Its effect hardly depends on the block: 0.2 is clear and fluent, 0.35 brings first oddities (`AMBER`), 0.5
        degenerate text (`RED`). It says nothing about `ablate`, for which it is 0.
        """
        if self.method == "ablate" or not self.active:
            return 0.0
        return float(np.linalg.norm(self.vector())) / model.token_norm(self.block)

    def within(self, model: LanguageModel, most: float = RED) -> "Steer":
        """The same steer, all strengths scaled down together where its length ratio is beyond `most`."""
        ratio = self.length_ratio(model)
        return self if ratio <= most else self.scaled(most / ratio)

    def scaled(self, factor: float) -> "Steer":
        """The same steer with every strength times a factor."""
        return replace(self, terms=[(d, s * factor) for d, s in self.terms])

    def check(self, model: LanguageModel) -> None:
        """
        Raises:
            InputError: the model has no such block, or is of another width.
        """
        model.check_block(self.block)
        for name, vector in (("against", self.against), ("centre", self.centre)):
            if vector is not None and np.asarray(vector).shape[-1] != model.width:
                raise InputError(f"The {name} of this steer is not of the model's width {model.width}.")
        if self.terms and self.width != model.width:
            raise InputError(
                f"This direction has {self.width} numbers and the activations of {model.name} have {model.width}; "
                "take a basis that was made with this model."
            )

    def apply(self, hidden: torch.Tensor) -> torch.Tensor:
        """Steered activations of activations `(..., W)`, at every token, in the same number format."""
        device = hidden.device
        x = hidden.float()
        if self.method in ("add", "keep_norm"):
            moved = x + _tensor(self.vector(), device)
            if self.method == "keep_norm":
                moved = moved * (x.norm(dim=-1, keepdim=True) / moved.norm(dim=-1, keepdim=True).clamp_min(1e-12))
            return moved.to(hidden.dtype)
        centre = 0.0 if self.centre is None else _tensor(np.asarray(self.centre), device)
        if self.method == "ablate":
            q, r = np.linalg.qr(self.directions.T)
            q = _tensor(q[:, np.abs(np.diag(r)) > 1e-9], device)
            return (x - ((x - centre) @ q) @ q.T).to(hidden.dtype)
        for direction, strength in zip(self.directions, self.strengths, strict=True):
            length = np.linalg.norm(direction)
            if length < 1e-9:
                continue
            unit = _tensor(direction / length, device)
            gap = strength - (x - centre) @ unit
            gap = gap.clamp_min(0) if strength > 0 else gap.clamp_max(0)
            x = x + gap[..., None] * unit
        return x.to(hidden.dtype)


def _tensor(array: np.ndarray, device: torch.device) -> torch.Tensor:
    return torch.as_tensor(np.ascontiguousarray(array), dtype=torch.float32, device=device)


def _unit(direction: np.ndarray) -> np.ndarray:
    direction = np.asarray(direction, dtype=np.float64).reshape(-1)
    length = float(np.linalg.norm(direction))
    if not np.isfinite(length) or length == 0:
        raise InputError("A direction to steer along has finite numbers that are not all zero.")
    return direction / length


def _finite(strength: float) -> float:
    if not np.isfinite(strength):
        raise InputError("The strength of a steer must be a finite number.")
    return float(strength)
