"""Tables as CSV that a spreadsheet can open safely."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


def to_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """UTF-8 CSV with a header. Text that a spreadsheet would take for a formula gets an apostrophe in front."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_cell(h) for h in header])
    writer.writerows([_cell(v) for v in row] for row in rows)
    return out.getvalue().encode()


def _cell(value: Any) -> Any:
    if isinstance(value, (float, np.floating)):
        return f"{value:.9g}"  # float32 comes back exactly
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "'" + value
    return value
