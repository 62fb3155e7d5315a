"""Two matrices about the same items, checked and brought to one form."""

from dataclasses import dataclass

import numpy as np

from core.errors import InputError


@dataclass(frozen=True, eq=False)
class Pairs:
    """Embeddings of the same N items by an old and a new model, row by row.

    Attributes:
        new: `(N, d_new)` float32.
        old: `(N, d_old)` float32.
        labels: `(N,)` whole numbers from 0, or None when only the identity of an item is known.
        classes: what the numbers in `labels` stand for.
        notes: what was done to the data, one sentence each.
    """

    new: np.ndarray
    old: np.ndarray
    labels: np.ndarray | None = None
    classes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.new)


def pairs(new: np.ndarray, old: np.ndarray, labels: np.ndarray | None = None, *, unit: bool = True) -> Pairs:
    """Check two matrices and give them unit rows.

    Args:
        new, old: `(N, d_new)` and `(N, d_old)`, one row an item, the same item in the same row.
        labels: `(N,)` of any kind.
        unit: divide each row by its length, so that the inner product is the cosine. Rows of zeros stay.

    Raises:
        InputError: other shapes, another number of rows, fewer than three items, or entries that are not finite.
    """
    new, old = _matrix(new, "new"), _matrix(old, "old")
    if len(new) != len(old):
        raise InputError(
            f"The new matrix has {len(new)} rows and the old one {len(old)}; "
            "both must hold the same items in the same order."
        )
    notes = []
    if unit:
        new, old = unit_rows(new), unit_rows(old)
        zeros = int((~new.any(axis=1) | ~old.any(axis=1)).sum())
        if zeros:
            notes.append(
                f"{zeros} item{'s have' if zeros != 1 else ' has'} an embedding of zeros, which matches nothing."
            )
    if labels is None:
        return Pairs(new, old, notes=tuple(notes))
    labels = np.asarray(labels)
    if labels.shape != (len(new),):
        raise InputError(f"There are {len(new)} items but {labels.size} labels; give one label for each item.")
    classes, index = np.unique(labels.astype(str), return_inverse=True)
    return Pairs(new, old, index.astype(np.int64), tuple(map(str, classes)), tuple(notes))


def unit_rows(x: np.ndarray) -> np.ndarray:
    """Rows `(N, d)` divided by their lengths; rows of zeros stay."""
    length = np.linalg.norm(x, axis=1, keepdims=True)
    return (x / np.where(length > 0, length, 1)).astype(np.float32, copy=False)


def _matrix(x: np.ndarray, what: str) -> np.ndarray:
    try:
        x = np.asarray(x, dtype=np.float32)
    except (TypeError, ValueError):
        raise InputError(f"The {what} embeddings must be a table of numbers.") from None
    if x.ndim != 2 or 0 in x.shape:
        raise InputError(f"The {what} embeddings must be a matrix with one row for each item, not of shape {x.shape}.")
    if len(x) < 3:
        raise InputError(f"The {what} embeddings hold {len(x)} items; at least three are needed.")
    if not np.isfinite(x).all():
        raise InputError(f"The {what} embeddings hold entries that are not finite; remove or fill those rows first.")
    return x
