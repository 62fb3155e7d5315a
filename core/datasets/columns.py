"""Which columns become numbers, labels, names, or are left out; gaps; and the sentences that say so."""

import numpy as np

from core.datasets.guard import base, counted, listed, shown
from core.datasets.options import LIMITS, LoadOptions
from core.datasets.rows import Columns, plain_number, unique
from core.errors import InputError, MissingValues

_LABEL_HEADS = ("label", "labels", "class", "target", "y", "species", "category", "group", "type", "diagnosis")
_NAME_HEADS = ("name", "id", "sample", "sample_name", "sample id", "index", "title")


def split_columns(name: str, columns: Columns, options: LoadOptions, *, rescale: bool) -> dict:
    """Sort the columns of a table into samples, labels and names.

    Args:
        rescale: whether a column of very large numbers may be divided by a power of ten of its own.

    Returns:
        the fields of a Dataset: `samples (N, D)` float32, `features`, `labels`, `names`, `extra`, `notes`.

    Raises:
        InputError: no column of numbers, a column that was asked for is not there, no row is left.
        MissingValues: gaps, and `options.missing` is `refuse`.
    """
    label, notes = base(name), list(columns.notes)
    heads = unique(columns.names, notes)
    raw = dict(zip(heads, columns.values, strict=True))
    if columns.values and not any(map(len, columns.values)):
        raise InputError(f"{label} has a heading and no rows; accepted is a table with one sample a row.")
    numbers, texts, empty, junk = {}, {}, [], {}
    for head, values in raw.items():
        if values.dtype != object:
            numbers[head] = values
        else:
            parsed, bad = as_numbers(values, columns.decimal)
            if parsed is None:
                texts[head] = values
            else:
                numbers[head] = parsed
                if bad:
                    junk[head] = bad
        if head in numbers and not np.isfinite(numbers[head]).any():
            del numbers[head]
            empty.append(head)
    if empty:
        notes.append(f"Left out, as they hold no finite number: {listed(empty)}.")

    label_key, label_values = _labels(label, raw, numbers, texts, options)
    numbers.pop(label_key, None)
    texts.pop(label_key, None)
    if label_key:
        notes.append(f"The column {shown(label_key)} labels the samples.")
    name_key, name_values = _names(label, raw, numbers, texts, options)
    numbers.pop(name_key, None)
    texts.pop(name_key, None)
    if name_key:
        notes.append(f"The column {shown(name_key)} names the samples.")
    groups = {k: v for k, v in texts.items() if 2 <= len(set(v.tolist())) <= _most_groups(len(v))}
    dropped = [k for k in texts if k not in groups]
    if groups:
        notes.append(f"Columns of words are kept beside the numbers, to colour by: {listed(list(groups))}.")
    if dropped:
        notes.append(f"Columns that are not numbers were left out: {listed(dropped)}.")
    if not numbers:
        raise InputError(f"{label} has no column of numbers; accepted is a table with one sample a row.")
    why = ""
    if junk:
        why = f"{counted(sum(junk.values()), 'cell')} with words among numbers"
        notes.append(f"Counted as missing: {why}, in {listed(list(junk))}.")

    matrix = np.column_stack(list(numbers.values()))
    matrix, kept = fill(label, matrix, options.missing, notes, why)
    if rescale:
        _shrink(matrix, list(numbers), notes)
    found = dict(
        samples=matrix.astype(np.float32),
        features=list(numbers),
        labels=None if label_values is None else label_values[kept],
        names=() if name_values is None else [name_values[i] for i in np.flatnonzero(kept)],
        extra={f"column {k}": np.array([shown(w or "missing", 60) for w in v[kept]]) for k, v in groups.items()},
        notes=notes,
        header=columns.header,
    )
    constant = [h for h, low, high in zip(numbers, matrix.min(0), matrix.max(0), strict=True) if low == high]
    if constant and len(matrix) > 1 and len(constant) < len(numbers):
        notes.append(f"The same value in every row, so of no use to a basis: {listed(constant)}.")
    return found


def fill(label: str, matrix: np.ndarray, how: str, notes: list[str], why: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Deal with gaps (not-a-number and infinity both count).

    Args:
        matrix: `(N, D)` float64.
        how: `refuse`, `drop rows`, `fill mean` or `fill median`.
        why: what else counted as missing, for the refusal.

    Returns:
        the matrix without gaps, and a mask `(N,)` of the rows that stayed.

    Raises:
        MissingValues: there are gaps and `how` is `refuse`.
        InputError: no row is left.
    """
    gaps = ~np.isfinite(matrix)
    kept = np.ones(len(matrix), dtype=bool)
    if not gaps.any():
        return matrix, kept
    if gaps.all():
        raise InputError(f"{label} has no number in it that is finite, so nothing could fill its gaps.")
    rows, columns, values = int(gaps.any(1).sum()), int(gaps.any(0).sum()), int(gaps.sum())
    count = f"{counted(values, 'value')} in {counted(rows, 'row')} and {counted(columns, 'column')}"
    if how == "refuse":
        count += f", {why} included" if why else ""
        sentence = f"{label} lacks {count}; drop those rows or fill the gaps with the mean or median of their column."
        raise MissingValues(sentence, values, rows, columns)
    if how == "drop rows":
        kept = ~gaps.any(1)
        if not kept.any():
            raise InputError(f"Every row of {label} has gaps ({count}), so none is left; fill the gaps instead.")
        notes.append(f"Dropped {counted(rows, 'row')} with missing values ({count}).")
        return matrix[kept], kept
    matrix = np.where(gaps, np.nan, matrix)
    if gaps.all(0).any():
        raise InputError(f"A column of {label} holds no numbers at all, so its gaps cannot be filled.")
    size = np.maximum(np.nanmax(np.abs(matrix), axis=0), 1e-300)  # so that the sum of very large numbers stays finite
    middle = (np.nanmean if how == "fill mean" else np.nanmedian)(matrix / size, axis=0) * size
    notes.append(f"Filled {count} with the {how.split()[1]} of the column.")
    return np.where(gaps, middle, matrix), kept


def as_numbers(values: np.ndarray, decimal: str) -> tuple[np.ndarray | None, int]:
    """Texts as numbers, when at least half of those that are not gaps read as numbers; else None.

    Read, too: thousands set apart, a per cent or currency sign beside the number.
    """
    import pandas as pd

    present = np.array([v is not None for v in values])
    if not present.any():
        return np.full(len(values), np.nan), 0
    if set(values[present].tolist()) <= {"true", "false"}:
        return None, 0
    plain = {v: plain_number(v, decimal) for v in set(values[present].tolist())}
    values = np.array([plain.get(v) for v in values], dtype=object)
    parsed = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    good = int((present & ~np.isnan(parsed)).sum())
    return (parsed, int(present.sum()) - good) if good >= 0.5 * present.sum() else (None, 0)


def _most_groups(n: int) -> int:
    return int(min(50, max(2, n // 2)))


def _asked(label: str, wanted: str, raw: dict, what: str) -> str | None:
    if wanted in raw:
        return wanted
    raise InputError(f"{label} has no column {shown(wanted)} for the {what}; it has {listed(list(raw))}.")


def _labels(label, raw, numbers, texts, options: LoadOptions):
    wanted = options.label_column
    if wanted == "-":
        return None, None
    if wanted:
        key = _asked(label, wanted, raw, "labels")
    else:
        few = [k for k, v in texts.items() if 2 <= len(set(v.tolist())) <= _most_groups(len(v))]
        whole = [
            k
            for k, v in numbers.items()
            if k.strip().lower() in _LABEL_HEADS[:4]
            and len(numbers) > 1
            and np.isfinite(v).all()
            and (v == np.round(v)).all()
            and 2 <= len(np.unique(v)) <= _most_groups(len(v))
        ]
        named = [k for k in (*few, *whole) if k.strip().lower() in _LABEL_HEADS]
        key = (named or few or [None])[0]
    if key is None:
        return None, None
    values = raw[key]
    if values.dtype == object:
        return key, np.array([shown(v, 60) if v is not None else "missing" for v in values])
    if np.isfinite(values).all() and (values == np.round(values)).all() and np.abs(values).max(initial=0) < 2**53:
        return key, values.astype(np.int64)
    return key, values if np.isfinite(values).all() else _words(values)


def _words(values: np.ndarray) -> np.ndarray:
    return np.array([f"{v:g}" if np.isfinite(v) else "missing" for v in values])


def _names(label, raw, numbers, texts, options: LoadOptions):
    wanted = options.name_column
    if wanted == "-":
        return None, None
    if wanted:
        key = _asked(label, wanted, raw, "names")
    else:
        distinct = [k for k, v in texts.items() if len(set(v.tolist())) == len(v) and None not in v[:1]]
        named = [k for k in distinct if k.strip().lower() in _NAME_HEADS]
        key = (named or distinct or [None])[0]
        if key is None and len(numbers) > 1:
            first = next(iter(numbers))
            plain = first.lower() in ("", "unnamed: 0", "index", "id", "column 1") and raw[first].dtype != object
            steps = np.diff(numbers[first])
            if plain and len(steps) and (steps == 1).all() and numbers[first][0] in (0, 1):
                key = first
    if key is None:
        return None, None
    values = raw[key]
    if values.dtype == object:
        return key, [shown(v, 80) if v is not None else str(i + 1) for i, v in enumerate(values)]
    return key, [f"{v:.15g}" for v in values]


def _shrink(matrix: np.ndarray, heads: list[str], notes: list[str]) -> None:
    """Divide columns of very large numbers by a power of ten, in place, so that their squares stay finite."""
    top = np.maximum(matrix.max(0), -matrix.min(0))
    for j in np.flatnonzero(top > LIMITS.magnitude):
        power = int(np.floor(np.log10(top[j])))
        matrix[:, j] /= 10.0**power
        if sum("was divided by" in n for n in notes) < 5:
            notes.append(f"The column {shown(heads[j])} was divided by 10^{power}, as its numbers are that large.")
