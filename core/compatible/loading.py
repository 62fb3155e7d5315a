"""Uploaded embeddings: two matrices about the same items, perhaps with labels, perhaps with further versions."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from core.datasets import ACCEPTED, load
from core.datasets.guard import base, shown
from core.datasets.matrices import read_arrays
from core.datasets.options import LIMITS, LoadOptions
from core.datasets.rows import read_delimited
from core.datasets.sniff import true_format
from core.errors import InputError, MissingValues

File = tuple[str, bytes]
LABELS = ("npy", "csv", "tsv", "txt")
_OLD, _NEW = ("old", "x_old", "old_embeddings"), ("new", "x_new", "new_embeddings")


@dataclass(frozen=True, eq=False)
class Embeddings:
    """What two models made of the same N items, as it came.

    Attributes:
        old, new: `(N, d_old)` and `(N, d_new)` float32, not normalised.
        labels: `(N,)` of any kind, or None.
        title: what a person calls the pair.
        names: of the two models.
        fitted: `(N,)` True where maps may be fitted, when that is given from outside (training items), else None.
        units: tables of activations `(N, ...)` of hidden layers by name, `(new, old)`, where there are any.
        notes: what was done, one sentence each.
    """

    old: np.ndarray
    new: np.ndarray
    labels: np.ndarray | None = None
    title: str = "two models"
    names: tuple[str, str] = ("old", "new")
    fitted: np.ndarray | None = None
    units: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.old)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of shapes, numbers and labels."""
        digest = hashlib.sha256(f"{self.old.shape}{self.new.shape}".encode())
        for x in (self.old, self.new):
            digest.update(np.ascontiguousarray(x).data)
        if self.labels is not None:
            digest.update("\0".join(map(str, self.labels.tolist())).encode())
        return digest.hexdigest()


def load_embeddings(files: Sequence[File], labels: File | None = None) -> Embeddings:
    """Two matrices from uploaded files.

    Args:
        files: the old and the new matrix, in that order, each `csv`, `tsv`, `parquet`, `npy`, `npz` or `safetensors`
            with one row an item; or one `npz` or `safetensors` with arrays called `old` and `new`, and perhaps
            `labels`.
        labels: a file with one label an item; a column or array of labels inside a matrix serves as well.

    Raises:
        InputError: unreadable files, other numbers of rows, fewer than four items, or labels that do not fit.
    """
    if not files:
        raise InputError("Give the embeddings of the old and of the new model, one file each.")
    if len(files) > 2:
        raise InputError("Give two files, the old and the new embeddings; further versions go into the tab Versions.")
    if len(files) == 1:
        made = _both(files[0])
    else:
        old, new = (_matrix(*file) for file in files)
        inside = old.labels if old.labels is not None else new.labels
        if labels is None and len(old) == len(new):
            _same_items(old, new)
        title = f"{base(files[0][0])} and {base(files[1][0])}"
        made = Embeddings(old.matrix, new.matrix, inside, title, (old.title, new.title), notes=(*old.notes, *new.notes))
    if len(made.old) != len(made.new):
        raise InputError(
            f"{made.names[0]} has {len(made.old):,} rows and {made.names[1]} has {len(made.new):,}; "
            "both must hold the same items in the same order."
        )
    if len(made) < 6:
        raise InputError(
            f"There are {len(made)} items; at least six are needed, three to fit a map and three to judge it."
        )
    if labels is not None:
        made = _labelled(made, *labels)
    if made.labels is not None and len(made.labels) != len(made):
        raise InputError(f"There are {len(made):,} items but {len(made.labels):,} labels; give one for each item.")
    return _without_useless_labels(made)


def _labelled(made: Embeddings, name: str, data: bytes) -> Embeddings:
    """With the labels of a file; a first line too many that no other line repeats is its heading."""
    found, notes = read_labels(name, data), made.notes
    if len(found) == len(made) + 1 and true_format(name, data) != "npy" and found[0] not in found[1:]:
        notes = (*notes, f"The first line of {base(name)}, {found[0]}, was taken for its heading.")
        found = found[1:]
    return replace(made, labels=found, notes=notes)


def _without_useless_labels(made: Embeddings) -> Embeddings:
    """Labels that are all different, or all equal, cannot say which match is right."""
    many = 0 if made.labels is None else len(np.unique(made.labels.astype(str)))
    if many not in (1, len(made)):
        return made
    what = "All items have the same label" if many == 1 else "Every item has a label of its own"
    said = f"{what}, so labels were left out and a match is right by identity."
    return replace(made, labels=None, notes=(*made.notes, said))


def _same_items(old, new) -> None:
    """Labels in both files must name the same groups, in whatever words; else the rows are in another order.

    Raises:
        InputError: they do not.
    """
    if old.labels is None or new.labels is None:
        return
    both = [np.unique([shown(v) for v in x.labels], return_inverse=True) for x in (old, new)]
    pairs = len(np.unique(both[0][1] * len(both[1][0]) + both[1][1]))
    if pairs > max(len(known) for known, _ in both):
        raise InputError(
            f"The labels in {old.title} and in {new.title} do not agree row by row, so the rows are hardly the same "
            "items in the same order; sort them alike, or give the labels as a file of their own."
        )


def load_version(file: File, items: int) -> np.ndarray:
    """A further version's embeddings `(N, d)` of the same items.

    Raises:
        InputError: unreadable, or another number of rows.
    """
    found = _matrix(*file)
    if len(found) != items:
        raise InputError(f"{found.title} has {len(found):,} rows; the other versions hold {items:,} items.")
    return found.matrix


def read_labels(name: str, data: bytes) -> np.ndarray:
    """`(N,)` labels from an `npy`, or from text with one label a line (of several columns, one called `label` or the
    last).

    Raises:
        InputError: nothing that reads as a list of labels.
    """
    label, form = base(name), true_format(name, data)
    if len(data) > LIMITS.bytes["text"]:
        raise InputError(f"{label} is too large for a list of labels.")
    if form == "npy":
        values = np.squeeze(read_arrays(name, data, form)[0]["X"])
        if values.ndim != 1:
            raise InputError(f"{label} has the shape {values.shape}; labels are one number or word for each item.")
        return np.array([shown(v) for v in values.tolist()])
    if form not in LABELS:
        raise InputError(f"{label} is a {form} file; labels are read from {', '.join(LABELS)}.")
    columns = read_delimited(name, data, LoadOptions(missing="fill mean"))
    if not columns.values or not len(columns.values[0]):
        raise InputError(f"{label} holds no labels; one a line is accepted.")
    heads = [str(n).strip().lower() for n in columns.names]
    values = columns.values[heads.index("label") if "label" in heads else -1]
    return np.array([_word(v) for v in values])


def _word(value: object) -> str:
    if value is None or (isinstance(value, float) and not np.isfinite(value)):
        return "missing"
    return f"{value:g}" if isinstance(value, (float, np.floating)) else shown(value)


def _matrix(name: str, data: bytes):
    try:
        return load([(name, data)], "activations")
    except MissingValues as gaps:
        raise InputError(
            f"{base(name)} lacks {gaps.values:,} value{'s' if gaps.values != 1 else ''}; embeddings must be complete, "
            "as both files hold the same items."
        ) from None


def _both(file: File) -> Embeddings:
    name, data = file
    form = true_format(name, data)
    if form not in ("npz", "safetensors"):
        endings = ", ".join(ACCEPTED["activations"])
        raise InputError(
            f"{base(name)} is one matrix; give two files, old and new ({endings}), or one npz with arrays old and new."
        )
    arrays, _ = read_arrays(name, data, form)
    lower = {k.lower(): v for k, v in arrays.items()}
    old, new = (next((lower[k] for k in keys if k in lower), None) for keys in (_OLD, _NEW))
    if old is None or new is None:
        held = ", ".join(shown(k) for k in list(arrays)[:6]) or "nothing"
        raise InputError(f"{base(name)} holds {held}; arrays called old and new are needed, or give two files.")
    for what, x in (("old", old), ("new", new)):
        if x.ndim != 2 or x.dtype.kind not in "biuf" or 0 in x.shape:
            raise InputError(
                f"The array {what} of {base(name)} must be a matrix of numbers with one row for each item."
            )
        with np.errstate(all="ignore"):
            total = np.sum(x, dtype=np.float64)
        if not np.isfinite(total):
            raise InputError(f"The array {what} of {base(name)} has entries that are not finite; all must be.")
    inside = next((lower[k] for k in ("labels", "y", "label", "targets") if k in lower), None)
    if inside is not None:
        inside = np.array([shown(v) for v in inside.reshape(-1).tolist()])
    return Embeddings(old.astype(np.float32), new.astype(np.float32), inside, base(name))
