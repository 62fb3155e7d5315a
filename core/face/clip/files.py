"""Code curves as CSV and as JSON that a person can read, and back, with every check."""

import csv
import io
import json
from typing import Any

import numpy as np

from core.datasets.guard import base
from core.errors import InputError
from core.face.clip.curves import MOST_CODES, MOST_TIMES, CodeCurves

FORMAT = 1
WHAT = "code curves"
MOST_BYTES = 50_000_000


def to_csv(curves: CodeCurves) -> bytes:
    """One row a time: `time`, `present` (1 or 0), then a column `bank: name` for each code."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["time", "present", *(f"{b}: {n}" for b, n in zip(curves.banks, curves.names, strict=True))])
    for time, present, row in zip(curves.times, curves.present, curves.values, strict=True):
        writer.writerow([_short(time), int(present), *map(_short, row)])
    return out.getvalue().encode()


def from_csv(name: str, data: bytes) -> CodeCurves:
    """The curves of such a file; `present` may be left out.

    Raises:
        InputError: not such a file (one sentence that names the row).
    """
    label = base(name)
    rows = csv.reader(io.StringIO(_text(label, data), newline=""))
    try:
        header = [h.strip() for h in next(rows, [])]
        gaps = header[1:2] == ["present"]
        columns = header[1 + gaps :]
        if header[:1] != ["time"] or not columns or not all(": " in c for c in columns) or len(columns) > MOST_CODES:
            raise InputError(
                f"The first row of {label} must be time, present and one column 'bank: name' for each code, "
                f"at most {MOST_CODES:,}."
            )
        table = []
        for number, row in enumerate(rows, start=2):
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(header) or len(table) >= MOST_TIMES:
                raise InputError(
                    f"Row {number} of {label} does not fit; it needs {len(header)} cells, within {MOST_TIMES:,} rows."
                )
            try:
                table.append([float(cell) for cell in row])
            except ValueError:
                raise InputError(f"Row {number} of {label} holds something that is not a number.") from None
    except csv.Error as error:
        raise InputError(f"{label} is not a csv file, or it is damaged.") from error
    if not table:
        raise InputError(f"{label} has no row of codes below its first one.")
    numbers = np.array(table)
    banks, names = zip(*(c.split(": ", 1) for c in columns), strict=True)
    return CodeCurves(
        numbers[:, 0], _bounded(label, numbers[:, 1 + gaps :]), names, banks, numbers[:, 1] > 0.5 if gaps else None
    )


def to_json(curves: CodeCurves) -> bytes:
    """The same as JSON: `times`, `present`, and `banks`, each with the values of its directions by name."""
    banks: dict[str, dict[str, list[float]]] = {}
    for bank, name, column in zip(curves.banks, curves.names, curves.values.T, strict=True):
        banks.setdefault(bank, {})[name] = [float(_short(v)) for v in column]
    times = [float(_short(t)) for t in curves.times]
    whole = {"what": WHAT, "format": FORMAT, "times": times, "present": curves.present.tolist(), "banks": banks}
    return json.dumps(whole, ensure_ascii=False, allow_nan=False).replace('"banks"', '\n"banks"').encode()


def from_json(name: str, data: bytes) -> CodeCurves:
    """The curves of such a file.

    Raises:
        InputError: not such a file, of a later format, or lists of differing lengths.
    """
    label = base(name)
    try:
        whole = json.loads(_text(label, data))
    except (ValueError, RecursionError):
        raise InputError(f"{label} is not valid JSON.") from None
    if not isinstance(whole, dict) or whole.get("what") != WHAT:
        raise InputError(f"{label} does not hold code curves; accepted are files that this app wrote as such.")
    if whole.get("format") != FORMAT:
        raise InputError(f"{label} has another format than {FORMAT}, the one that this version of the app reads.")
    banks, times = whole.get("banks"), whole.get("times")
    if not isinstance(banks, dict) or not all(isinstance(b, dict) for b in banks.values()):
        raise InputError(f"The banks of {label} must each hold directions by name.")
    columns = [(bank, name, values) for bank, inside in banks.items() for name, values in inside.items()]
    if not _numbers(times) or not 1 <= len(times) <= MOST_TIMES or not 1 <= len(columns) <= MOST_CODES:
        raise InputError(f"{label} needs a list of 1 to {MOST_TIMES:,} times and 1 to {MOST_CODES:,} codes.")
    if not all(_numbers(values) and len(values) == len(times) for _, _, values in columns):
        raise InputError(f"Every direction of {label} needs one number for each time.")
    present = whole.get("present")
    if present is not None and not (isinstance(present, list) and all(isinstance(p, bool) for p in present)):
        raise InputError(f"The entry present of {label} must be a list of true and false.")
    values = _bounded(label, np.array([c[2] for c in columns], dtype=float).T)
    return CodeCurves(np.array(times, float), values, [c[1] for c in columns], [c[0] for c in columns], present)


def read_curves(name: str, data: bytes) -> CodeCurves:
    """Curves out of either kind of file, told by its first character.

    Raises:
        InputError: neither.
    """
    return from_json(name, data) if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" else from_csv(name, data)


def _bounded(label: str, values: np.ndarray) -> np.ndarray:
    if np.isfinite(values).all() and np.abs(values).max(initial=0) > 1e6:
        raise InputError(f"{label} has codes above a million; that cannot be a motion.")
    return values


def _numbers(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in value)


def _short(value: float) -> str:
    return f"{float(value):.7g}"


def _text(label: str, data: bytes) -> str:
    if not data.strip():
        raise InputError(f"{label} is empty; accepted are code curves as csv or json.")
    if len(data) > MOST_BYTES:
        raise InputError(f"{label} is larger than {MOST_BYTES // 10**6} MB, the most that is accepted here.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{label} is not a text; accepted are code curves as csv or json.") from None
