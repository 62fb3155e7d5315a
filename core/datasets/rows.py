"""`csv`, `tsv` and `parquet` as named columns: encoding, separator, decimal sign and header are found out here."""

import csv
import io
import re
from dataclasses import dataclass, field

import numpy as np

from core.datasets.guard import base, check_size, counted, decoding, listed, shown
from core.datasets.options import LIMITS, LoadOptions
from core.errors import InputError

NUMBER = re.compile(r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$")
EMPTY = frozenset(("", "na", "n/a", "nan", "null", "none", "-", "?", "inf", "-inf", "+inf", "infinity", "-infinity"))
_COMMA = re.compile(r"^\s*[+-]?\d+,\d+([eE][+-]?\d+)?\s*$")
_THOUSANDS = re.compile(r"^\s*[+-]?[1-9]\d{0,2},\d{3}\s*$")
_EXCEL = re.compile(rb"\Asep=([,;|:\t])\r?\n", re.IGNORECASE)
_COMMENTS = re.compile(rb"\A(?:#[^\n]*\n)+")
_SIGNED = (
    r"[€$£¥]?\s*([+-]?(?:\d{{1,3}}(?:[{group}\u00a0\u202f' ]\d{{3}})+|\d+)(?:{point}\d*)?(?:[eE][+-]?\d+)?)\s*[%€$£¥]?"
)
_WRITTEN = {
    point: re.compile(_SIGNED.format(group=re.escape(group), point=re.escape(point)))
    for point, group in ((".", ","), (",", "."))
}
_HEADS = frozenset(
    ("text", "label", "class", "target", "id", "name", "sentence", "content", "category", "title", "date")
)
_NULLS = ["", "NA", "N/A", "n/a", "na", "NaN", "nan", "null", "NULL", "None", "none", "-", "?"]
_HEAD_BYTES, _HEAD_ROWS = 1 << 20, 50


@dataclass
class Columns:
    """Columns as read: names, one array each (float64, or texts as objects with None for gaps), and notes.

    `decimal` is the sign before the decimals in cells that were left as texts.
    """

    names: list[str]
    values: list[np.ndarray]
    notes: list[str] = field(default_factory=list)
    header: bool = True
    decimal: str = "."


def to_utf8(name: str, data: bytes) -> tuple[bytes, list[str]]:
    """The bytes of a text file as UTF-8 without a byte order mark, and a note when they were something else.

    Raises:
        InputError: it is not text.
    """
    label = base(name)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        with decoding(label, "it looks like UTF-16 text, which is read when complete"):
            return data.decode("utf-16").encode(), [f"{label} was read as UTF-16."]
    data = data.removeprefix(b"\xef\xbb\xbf")
    control = len(data[:_HEAD_BYTES]) - len(
        data[:_HEAD_BYTES].translate(None, bytes(range(1, 9)) + b"\x0e\x0f\x10\x7f")
    )
    if b"\0" in data or control > 0.01 * len(data[:_HEAD_BYTES]):
        raise InputError(f"{label} holds binary content, not text; accepted is text in UTF-8.")
    if data.isascii():
        return data, []
    try:
        data.decode("utf-8")
        return data, []
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
        return text.encode(), [f"{label} is not UTF-8; it was read as Windows-1252, so some letters may be wrong."]


def read_delimited(name: str, data: bytes, options: LoadOptions) -> Columns:
    """The columns of a csv or tsv file. Cells that begin with `=` are texts like any other.

    Raises:
        InputError: not text, nothing in it, too large, or rows of different lengths.
    """
    import pyarrow as pa
    from pyarrow import csv as pacsv

    label = base(name)
    data, notes = to_utf8(name, data)
    data = data.lstrip(b"\r\n")
    if b"\r" in data and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    separator = options.separator
    if excel := _EXCEL.match(data):  # Excel's own line that names the separator
        separator, data = separator or excel[1].decode(), data[excel.end() :]
    head, data = _comments(data)
    if not data.strip():
        raise InputError(f"{label} has no rows; accepted is a table with one sample a row.")
    separator = separator or _separator(data, "\t" if name.lower().endswith("tsv") else "")
    data = _header_comment(head, data, separator) + data
    if separator == " ":
        data = re.sub(rb"[ \t]+", b" ", re.sub(rb"(?m)^[ \t]+|[ \t\r]+$", b"", data))
    width = data.split(b"\n", 1)[0].count(separator.encode()) + 1
    check_size(data.count(b"\n"), width, label)
    head = _head(label, data, separator)
    width = len(head[0])
    check_size(data.count(b"\n"), width, label)
    decimal = _decimal(head, separator)
    header, why = _has_header(head, options.header, decimal)
    names = head[0] if header else [f"column {i + 1}" for i in range(width)]
    if why:
        notes.append(why)
    if decimal == ",":
        notes.append("Numbers were read with a decimal comma.")

    ragged: list[tuple[int, int]] = []

    def skip(row):  # the number is known only without threads
        ragged.append((row.number or 0, row.actual_columns))
        return "skip"

    keys = [f"c{i}" for i in range(width)]
    quoted = b'"' in data
    convert = dict(null_values=_NULLS, strings_can_be_null=True, decimal_point=decimal, timestamp_parsers=[])
    parse = pacsv.ParseOptions(
        delimiter=separator, newlines_in_values=quoted, invalid_row_handler=skip, ignore_empty_lines=width > 1
    )

    def read(threads: bool, **more):
        ragged.clear()
        block = 1 << 26 if len(data) > 1 << 24 else 1 << 24
        how = pacsv.ReadOptions(
            column_names=keys, skip_rows_after_names=int(header), block_size=block, use_threads=threads
        )
        return pacsv.read_csv(io.BytesIO(data), how, parse, pacsv.ConvertOptions(**convert, **more))

    with decoding(label, "accepted is a table with one sample a row and the same number of cells in each"):
        try:
            table = read(not quoted)
        except pa.ArrowInvalid:  # a column changes its type after the first block: read all as text
            table = read(not quoted, column_types={k: pa.string() for k in keys})
        if ragged and not quoted:
            read(False, column_types={k: pa.string() for k in keys})
    if ragged:
        where = f"row {ragged[0][0]}" if ragged[0][0] else "one"
        raise InputError(
            f"{label} has {counted(len(ragged), 'row')} of another length: {where} has "
            f"{counted(ragged[0][1], 'cell')} where the first has {width:,}; all rows need the same number."
        )
    check_size(table.num_rows, width, label)
    return Columns(names, [_column(table.column(i)) for i in range(width)], notes, header, decimal)


def _comments(data: bytes) -> tuple[bytes, bytes]:
    """The lines at the start that begin with `#`, and all that follows."""
    found = _COMMENTS.match(data)
    return (data[: found.end()], data[found.end() :]) if found else (b"", data)


def _header_comment(comments: bytes, data: bytes, separator: str) -> bytes:
    """The last of the comments, when it names the columns, as numpy.savetxt writes them; else nothing."""
    last = comments.rstrip(b"\r\n").rpartition(b"\n")[2].lstrip(b"# ")

    def cells(line: bytes) -> int:
        line = line.decode("utf-8", "ignore").strip()
        return len(line.split() if separator == " " else line.split(separator))

    return last + b"\n" if last and cells(last) == cells(data.partition(b"\n")[0]) else b""


def read_parquet(name: str, data: bytes) -> Columns:
    """The columns of a parquet file; a column of lists of equal length becomes one column for each place.

    Raises:
        InputError: damaged, or larger than allowed by its own account.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    label = base(name)
    hint = "accepted is a parquet file that is complete and not encrypted"
    with decoding(label, hint):
        source = pa.BufferReader(data)
        meta = pq.read_metadata(source)
        rows, groups = meta.num_rows, [meta.row_group(i) for i in range(min(meta.num_row_groups, 100_000))]
        entries = sum(g.column(j).num_values for g in groups for j in range(g.num_columns))
        unpacked = sum(g.total_byte_size for g in groups)
        schema = meta.schema.to_arrow_schema()
    check_size(rows, len(schema), label, max(entries, rows * len(schema)))
    if unpacked > LIMITS.unpacked:
        raise InputError(f"{label} unpacks to more than {LIMITS.unpacked // 10**6} MB, which is refused.")
    flat = [f.name for f in schema if not pa.types.is_nested(f.type) and not pa.types.is_binary(f.type)]
    lists = [f.name for f in schema if _is_list_of_numbers(f.type)]
    texts = [f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)]
    with decoding(label, hint):
        # texts stay as dictionaries, so that one long text repeated a million times is held once
        file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts)
        table = file.read(columns=flat, use_threads=False)
        vectors = {n: v for n in lists if (v := _vectors(file.read(columns=[n], use_threads=False))) is not None}
    notes = [f"The lists of {shown(n)} became {counted(v.shape[1], 'column')}." for n, v in vectors.items()]
    nested = [f.name for f in schema if f.name not in {*flat, *vectors}]
    if nested:
        notes.append(f"Columns that hold lists, records or bytes were left out: {listed(nested)}.")
    with decoding(label, hint):
        kept = [i for i in range(table.num_columns) if not table.column(i).type.equals(pa.null())]
        columns = Columns([table.column_names[i] for i in kept], [_column(table.column(i)) for i in kept], notes)
    for n, matrix in vectors.items():
        columns.names += [f"{n} {j + 1}" for j in range(matrix.shape[1])]
        columns.values += list(matrix.T)
    return columns


def _is_list_of_numbers(kind) -> bool:
    import pyarrow.types as types

    inside = getattr(kind, "value_type", None)
    return types.is_nested(kind) and inside is not None and (types.is_floating(inside) or types.is_integer(inside))


def _vectors(table) -> np.ndarray | None:
    """A column of lists as a matrix; None when they are of several lengths, empty, or missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = table.column(0) if table.num_columns else pa.chunked_array([], pa.float64())
    if not len(column) or column.null_count:
        return None
    lengths = pc.unique(pc.list_value_length(column)).to_pylist()
    if len(lengths) != 1 or not 0 < lengths[0] <= LIMITS.features:
        return None
    return pc.list_flatten(column).cast(pa.float64(), safe=False).to_numpy().reshape(-1, lengths[0])


def _column(chunked) -> np.ndarray:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = chunked.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind):
        return chunked.cast(pa.float64(), safe=False).to_numpy()
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        chunked = pc.cast(chunked, pa.string())
    if not pa.types.is_dictionary(chunked.type):
        chunked = chunked.dictionary_encode()
    chunked = chunked.combine_chunks()
    if isinstance(chunked, pa.ChunkedArray):
        chunked = chunked.chunk(0) if chunked.num_chunks else pa.array([], pa.dictionary(pa.int32(), pa.string()))
    words = np.array([*chunked.dictionary.to_pylist(), None], dtype=object)  # each distinct text once
    return words[chunked.indices.fill_null(len(words) - 1).to_numpy(zero_copy_only=False)]


def _head(label: str, data: bytes, separator: str) -> list[list[str]]:
    text = data[:_HEAD_BYTES].decode("utf-8", "ignore")
    if len(data) > _HEAD_BYTES and "\n" in text:
        text = text[: text.rindex("\n")]
    elif len(data) > _HEAD_BYTES:
        text = data.split(b"\n", 1)[0].decode("utf-8", "ignore")
    rows = []
    with decoding(label):
        csv.field_size_limit(1 << 24)
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            if row:
                rows.append(row)
            if len(rows) >= _HEAD_ROWS:
                break
    if not rows:
        raise InputError(f"{label} has no rows; accepted is a table with one sample a row.")
    return rows


def _separator(data: bytes, preferred: str) -> str:
    lines = [line for line in data[:65536].decode("utf-8", "ignore").splitlines() if line.strip()]
    lines = lines[:-1] if len(lines) > 1 and len(data) > 65536 else lines
    scores = {}
    for sep in (preferred or ",", ";", "\t", "|", ","):
        try:
            counts = [len(r) for r in csv.reader(lines[:_HEAD_ROWS], delimiter=sep) if r]
        except csv.Error:
            continue
        common = max(set(counts), key=counts.count) if counts else 1
        if common > 1:
            scores[sep] = counts.count(common) / len(counts) + (0.01 if sep == preferred else 0)
    if scores:
        best = max(scores, key=scores.get)
        if best != "," or len(scores) == 1 or max(v for k, v in scores.items() if k != ",") < 1:
            return best
        return max((k for k in scores if k != ","), key=scores.get)  # decimal commas beside a real separator
    words = [line.split() for line in lines[1:_HEAD_ROWS]] or [line.split() for line in lines]
    numeric = words and all(len(w) > 1 and all(NUMBER.match(v) or v.lower() in EMPTY for v in w) for w in words)
    return " " if numeric else ","


def _decimal(head: list[list[str]], separator: str) -> str:
    cells = [c for row in head for c in row]
    if separator == "," and all(_THOUSANDS.match(c) for c in cells if _COMMA.match(c)):
        return "."  # else a comma inside a quoted cell is a decimal one
    commas, points = sum(bool(_COMMA.match(c)) for c in cells), sum(bool(NUMBER.match(c)) and "." in c for c in cells)
    return "," if commas > points else "."


def _has_header(head: list[list[str]], wanted: str, decimal: str) -> tuple[bool, str]:
    if wanted != "auto":
        return wanted == "yes", ""
    if len(head) < 2:
        return False, ""

    def numeric(cell):
        return bool(NUMBER.match(plain_number(cell, decimal)))

    def gap(cell):
        return cell.strip().lower() in EMPTY

    first, rest = head[0], [r for r in head[1:] if len(r) == len(head[0])]
    if not rest:
        return False, ""
    if all(numeric(c) for c in first):
        values = np.array([float(plain_number(c, decimal)) for c in first])
        steps = np.diff(values)
        even = len(values) > 3 and steps[0] > 0 and np.allclose(steps, steps[0], rtol=1e-2, atol=0)
        body = np.array([float(plain_number(c, decimal)) for c in rest[0] if numeric(c)])
        same = len(body) == len(values) and np.allclose(np.diff(body), steps, rtol=1e-2)
        if even and not same:
            return True, "The first row rises in even steps, so it was read as the axis."
        return False, ""
    for j, cell in enumerate(first):
        below = [r[j] for r in rest if not gap(r[j])]
        if below and not numeric(cell) and not gap(cell) and all(numeric(b) for b in below):
            return True, ""
    if sum(numeric(c) for c in first) > 0:
        return False, ""
    if any(2 * sum(numeric(r[j]) for r in rest) > len(rest) for j in range(len(first))):
        return True, ""  # no number above columns of numbers
    known = any(c.strip().lower() in _HEADS for c in first)
    fresh = all(cell not in {r[j] for r in rest} for j, cell in enumerate(first))
    short = all(len(c) <= 40 for c in first) and len({c.strip() for c in first}) == len(first)
    return bool((known and short) or (fresh and short and len(first) > 1 and _has_repeats(rest))), ""


def _has_repeats(rest: list[list[str]]) -> bool:
    return any(len({r[j] for r in rest}) < len(rest) for j in range(len(rest[0])))


def plain_number(text: str, decimal: str) -> str:
    """A number as people write it, `1.234,5 €`, as computers do; any other text as it is."""
    found = _WRITTEN[decimal].fullmatch(text.strip()) if len(text) < 40 else None
    return re.sub(rf"[^\d+\-eE{decimal}]", "", found[1]).replace(",", ".") if found else text


def unique(names: list[str], notes: list[str]) -> list[str]:
    """Column names made printable and different from each other, with a note when some were not."""
    seen: dict[str, int] = {}
    result, changed = [], []
    for i, raw in enumerate(names):
        name = shown(raw, 60) or f"column {i + 1}"
        if name in seen:
            changed.append(name)
        candidate = name
        while candidate in seen:
            seen[name] += 1
            candidate = f"{name} ({seen[name]})"
        seen[candidate] = 1
        result.append(candidate)
    if changed:
        notes.append(f"Column names that come twice were numbered: {listed(list(dict.fromkeys(changed)))}.")
    return result
