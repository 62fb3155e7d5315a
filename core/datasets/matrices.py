"""Tables, curves and activations: one sample a row, from delimited text, parquet or arrays."""

import numpy as np

from core.datasets.columns import fill, split_columns
from core.datasets.dataset import Dataset
from core.datasets.guard import base, check_size, check_values, counted, listed, shown
from core.datasets.options import LoadOptions
from core.datasets.rows import read_delimited, read_parquet
from core.errors import InputError


def load_matrix(name: str, data: bytes, form: str, kind: str, options: LoadOptions) -> Dataset:
    """A dataset of the kind `table`, `curves` or `activations` from one file.

    Args:
        form: its true format.

    Raises:
        InputError: see the readers; MissingValues when there are gaps and no choice was made.
    """
    if form in ("npy", "npz", "safetensors"):
        return matrix_of_arrays(name, read_arrays(name, data, form), kind, options)
    columns = read_parquet(name, data) if form == "parquet" else read_delimited(name, data, options)
    if columns.values and not len(columns.values[0]):
        raise InputError(f"{base(name)} has a header but no rows; accepted is a table with one sample a row.")
    found = split_columns(name, columns, options, rescale=kind == "table")
    header = found.pop("header")
    return _finish(name, kind, found, axis_is_known=header)


def read_arrays(name: str, data: bytes, form: str) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Named arrays and metadata of an array file; the array of an npy file has the name X."""
    from core.datasets.arrays import read_npy, read_npz, read_safetensors

    if form == "npy":
        return {"X": read_npy(base(name), data)}, {}
    if form == "npz":
        return read_npz(name, data), {}
    return read_safetensors(name, data)


def matrix_of_arrays(name: str, content: tuple, kind: str, options: LoadOptions) -> Dataset:
    """A dataset of the kind `table`, `curves` or `activations` from named arrays.

    Raises:
        InputError: see `core.datasets.arrays.choose`.
    """
    import json

    from core.datasets.arrays import choose

    arrays, metadata = content
    label, notes = base(name), []
    found = choose(name, arrays, options.array, (2,))
    samples = found["samples"]
    check_size(*samples.shape, label)
    if len(arrays) > 1:
        notes.append(f"The array {shown(found['picked'])} holds the samples.")
    if found["rest"]:
        notes.append(f"Arrays that were left out: {listed(found['rest'])}.")
    for role, length in (("labels", len(samples)), ("names", len(samples)), ("features", samples.shape[1])):
        if role in found or role not in metadata:
            continue
        try:
            values = json.loads(metadata[role])
        except (ValueError, RecursionError):
            values = None
        if isinstance(values, list) and len(values) == length:
            found[role] = [shown(v, 80) for v in values]
    kept = np.ones(len(samples), dtype=bool)
    # summing first tells quickly whether anything is not finite
    with np.errstate(all="ignore"):
        total = np.sum(samples, dtype=np.float64)
    if samples.dtype.kind == "f" and not np.isfinite(total):
        samples, kept = fill(label, samples.astype(np.float64), options.missing, notes)
    if samples.dtype.itemsize > 4:
        top = max(float(samples.max()), -float(samples.min())) if samples.size else 0.0
        if top > 3e38:
            raise InputError(f"{label} has numbers as large as {top:.0e}; at most 1e+15 is accepted.")
    labels = found.get("labels")
    fields = dict(
        samples=samples.astype(np.float32),
        features=found.get("features"),
        labels=None if labels is None else np.asarray(labels)[kept],
        names=[v for v, k in zip(found.get("names", ()), kept, strict=False) if k],
        extra={},
        notes=notes,
    )
    return _finish(name, kind, fields, axis_is_known=fields["features"] is not None)


def _finish(name: str, kind: str, fields: dict, *, axis_is_known: bool) -> Dataset:
    label, samples = base(name), fields["samples"]
    check_values(samples, label)
    check_size(*samples.shape, label)
    if len(samples) < 2:
        raise InputError(f"{label} has {counted(len(samples), 'row')}; a basis needs at least two samples.")
    notes = tuple(fields.pop("notes"))
    axis = ""
    if kind == "curves":
        if samples.shape[1] < 3:
            raise InputError(f"{label} has curves of {samples.shape[1]} points; a curve needs at least three.")
        heads = fields["features"]
        if not axis_is_known or heads is None:
            fields["features"] = [str(i + 1) for i in range(samples.shape[1])]
            axis = "point"
    return Dataset(kind=kind, title=label, axis=axis, notes=notes, **fields)
