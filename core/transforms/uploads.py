"""What a person brings to the page *Learned transforms*: signals, curves with a target, pairs of functions."""

import numpy as np

from core.datasets import load
from core.datasets.audio import lower_rate, read_sound
from core.datasets.columns import split_columns
from core.datasets.dataset import Dataset
from core.datasets.guard import base, check_values, counted, shown
from core.datasets.matrices import read_arrays
from core.datasets.options import ACCEPTED, LIMITS, LoadOptions
from core.datasets.pixels import pixels
from core.datasets.rows import read_delimited, read_parquet
from core.datasets.sniff import true_format
from core.errors import InputError, MissingValues
from core.transforms.operators import uploaded_pairs

LONGEST, MOST, SIDE = 2**16, 64, 512
_ARRAYS, _TEXT = ("npy", "npz", "safetensors"), ("csv", "tsv", "txt")
_PICTURES = tuple(e for e in ACCEPTED["images"] if e not in (*_ARRAYS, "zip"))
_TARGETS = ("target", "y", "label", "response", "value")


def read_signals(name: str, data: bytes) -> Dataset:
    """Series `(N, T)` or one grey image `(1, H, W)`.

    Args:
        data: an image, a sound, a table (few long columns are series, else the rows are) or an array of one, two or
            three axes.

    Raises:
        InputError: unreadable, too large, or shorter than 16 samples.
    """
    label, form = base(name), true_format(name, data)
    if len(data) > LIMITS.bytes["audio"]:
        raise InputError(f"{label} is larger than {LIMITS.bytes['audio'] // 10**6} MB, the most that is accepted here.")
    notes: list[str] = []
    if form in _PICTURES:
        return _image(label, pixels(name, data, grey=True, remarks={}), notes)
    if form in ACCEPTED["audio"]:
        wave, rate, notes = read_sound(label, data)
        wave, rate = lower_rate(wave, rate, notes)
        return _series(label, wave[None], notes, rate=rate)
    if form in _ARRAYS:
        numbers = [a for a in read_arrays(name, data, form)[0].values() if a.dtype.kind in "biuf" and 1 <= a.ndim <= 3]
        if not numbers or not numbers[0].size:
            raise InputError(f"{label} holds no array of numbers with one, two or three axes.")
        x = numbers[0]
        if x.ndim == 3:
            return _image(label, x[0], [*notes, "Only the first image was kept."] if len(x) > 1 else notes)
        return _series(label, _rows(np.atleast_2d(x)), notes)
    if form not in (*_TEXT, "parquet"):
        raise InputError(
            f"{label} is a {form} file; accepted are tables and arrays ({', '.join(ACCEPTED['table'])}), images and "
            f"sounds ({', '.join(ACCEPTED['audio'])})."
        )
    options = LoadOptions(label_column="-", name_column="-")
    columns = read_parquet(name, data) if form == "parquet" else read_delimited(name, data, options)
    if not columns.values or not len(columns.values[0]):
        raise InputError(f"{label} holds no rows of numbers.")
    try:
        found = split_columns(name, columns, options, rescale=False)
    except MissingValues as gaps:
        raise InputError(f"{label} lacks {counted(gaps.values, 'value')}; a series must be complete.") from None
    return _series(label, _rows(found["samples"]), notes)


def _rows(x: np.ndarray) -> np.ndarray:
    return x.T if len(x) > x.shape[1] and x.shape[1] <= 16 else x


def _series(label: str, x: np.ndarray, notes: list[str], rate: float | None = None) -> Dataset:
    if x.shape[1] < 16:
        raise InputError(f"{label} has series of {x.shape[1]} samples; at least 16 are needed.")
    if len(x) > MOST or x.shape[1] > LONGEST:
        notes = [*notes, f"Only the first {MOST} series and {LONGEST:,} samples of each were kept."]
    x = np.asarray(x[:MOST, :LONGEST], dtype=np.float64)
    check_values(x, label)
    return Dataset(x, "curves", title=label, axis="sample", rate=rate, notes=tuple(notes))


def _image(label: str, x: np.ndarray, notes: list[str]) -> Dataset:
    if min(x.shape) < 16:
        raise InputError(f"{label} has {x.shape[0]} x {x.shape[1]} pixels; at least 16 x 16 are needed.")
    if max(x.shape) > SIDE:
        top, left = (max(0, (s - SIDE) // 2) for s in x.shape)
        x = x[top : top + SIDE, left : left + SIDE]
        notes = [*notes, f"Only the middle {x.shape[0]} x {x.shape[1]} pixels were kept."]
    x = np.asarray(x, dtype=np.float64)
    check_values(x, label)
    if np.abs(x).max() > 1:
        x = x / np.abs(x).max()
    return Dataset(x[None], "images", title=label, notes=tuple(notes))


def read_curves(name: str, data: bytes, target: str = "") -> Dataset:
    """Curves with one number each to predict.

    Args:
        target: the column with that number; when left out, one called target, y, label, response or value, else the
            last. Arrays in an npz: `X` and `y`.

    Raises:
        InputError: no such column, or a target that is not a number.
    """
    label, form = base(name), true_format(name, data)
    options = LoadOptions(label_column=target)
    if not target and form not in _ARRAYS:
        columns = read_parquet(name, data) if form == "parquet" else read_delimited(name, data, options)
        heads = [str(n) for n in columns.names]
        named = [h for h in heads if h.strip().lower() in _TARGETS]
        if not heads:
            raise InputError(f"{label} holds no table; accepted is one curve a row with its target in a column.")
        options = LoadOptions(label_column=(named or heads[-1:])[0])
    try:
        made = load([(name, data)], "curves", options)
    except MissingValues as gaps:
        raise InputError(f"{label} lacks {counted(gaps.values, 'value')}; complete or leave out those rows.") from None
    if made.labels is None or np.asarray(made.labels).dtype.kind not in "biuf":
        raise InputError(f"{label} has no numbers to predict; give one column of numbers, or an npz with X and y.")
    if len(made) < 20:
        raise InputError(f"{label} has {counted(len(made), 'curve')}; at least twenty are needed to train and to test.")
    return made


def read_pairs(files: list[tuple[str, bytes]]) -> Dataset:
    """Pairs of functions: two matrices, inputs and outputs, or one npz with arrays `inputs` and `outputs`.

    Raises:
        InputError: unreadable, or matrices that do not belong together.
    """
    if len(files) == 1:
        name, data = files[0]
        form = true_format(name, data)
        if form not in ("npz", "safetensors"):
            raise InputError(f"{base(name)} is one {form} file; give two matrices, inputs first, or an npz with both.")
        arrays = read_arrays(name, data, form)[0]
        if "inputs" not in arrays or "outputs" not in arrays:
            held = ", ".join(shown(k) for k in list(arrays)[:6]) or "nothing"
            raise InputError(f"{base(name)} holds {held}; arrays called inputs and outputs are needed.")
        pair = [arrays["inputs"], arrays["outputs"]]
        if any(a.dtype.kind not in "biuf" for a in pair):
            raise InputError(f"{base(name)} holds inputs or outputs that are no numbers.")
        return uploaded_pairs(*pair, title=base(name))
    if len(files) != 2:
        raise InputError("Give two files, inputs and outputs, or one npz with both.")
    pair = []
    for name, data in files:
        try:
            pair.append(load([(name, data)], "curves", LoadOptions(label_column="-", name_column="-")).samples)
        except MissingValues as gaps:
            raise InputError(
                f"{base(name)} lacks {counted(gaps.values, 'value')}; functions must be complete."
            ) from None
    return uploaded_pairs(*pair, title=f"{base(files[0][0])} and {base(files[1][0])}")
