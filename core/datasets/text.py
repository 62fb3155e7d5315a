"""Passages of text from `txt`, a column of a `csv`, or `jsonl`; and their TF-IDF table."""

import json
import re
from collections import Counter

import numpy as np

from core.datasets.columns import as_numbers
from core.datasets.dataset import Dataset
from core.datasets.guard import base, counted, decoding, listed, shown
from core.datasets.options import LIMITS, LoadOptions
from core.datasets.rows import Columns, read_delimited, to_utf8, unique
from core.errors import InputError

_FIELDS = ("text", "content", "sentence", "review", "body", "message", "abstract", "title", "prompt")
_LABELS = ("label", "class", "category", "target", "sentiment", "topic", "group")


def load_text(name: str, data: bytes, form: str, options: LoadOptions) -> Dataset:
    """Passages `(N,)` with labels where the file has them.

    Raises:
        InputError: not text, nothing in it, or no field that holds text.
    """
    if form == "jsonl":
        return _jsonl(name, data, options)
    if form in ("csv", "tsv"):
        return text_of_columns(name, read_delimited(name, data, options), options)
    data, notes = to_utf8(name, data)
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    paragraphs = [re.sub(r"\s*\n\s*", " ", p).strip() for p in re.split(r"\n\s*\n", text)]
    paragraphs = [p for p in paragraphs if p]
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    by_lines = options.split == "lines" or (options.split == "auto" and len(paragraphs) < 3)
    passages = lines if by_lines else paragraphs
    notes.append(f"The text was cut into {counted(len(passages), 'line' if by_lines else 'paragraph')}.")
    return _finish(name, passages, None, None, notes)


def text_column(columns: Columns, options: LoadOptions) -> int | None:
    """The number of the column that holds the text: the one asked for, or the one of words and the longest cells."""
    heads = unique(columns.names, [])
    if options.text_column:
        if options.text_column not in heads:
            raise InputError(f"There is no column {shown(options.text_column)}; there are {listed(heads)}.")
        return heads.index(options.text_column)
    words = [i for i, v in enumerate(columns.values) if v.dtype == object and any(c is not None for c in v)]
    if not words:
        return None
    named = [i for i in words if heads[i].strip().lower() in _FIELDS]
    return (named or sorted(words, key=lambda i: -np.mean([len(c or "") for c in columns.values[i]])))[0]


def reads_as_text(columns: Columns) -> bool:
    """Whether a table is really a list of passages.

    It has a column of mostly different sentences, and its columns of numbers, if any, can only be labels or row
    numbers.
    """
    read = [v if v.dtype != object else as_numbers(v, columns.decimal)[0] for v in columns.values]
    numbers = [(h, v) for h, v in zip(columns.names, read, strict=True) if v is not None]
    if not all(_no_measure(h, v) for h, v in numbers):
        return False
    i = text_column(columns, LoadOptions())
    if i is None:
        return False
    cells = [c for c in columns.values[i] if c is not None]
    words = float(np.mean([len(c.split()) for c in cells]))
    return words >= (4 if numbers else 2) and len(set(cells)) > 0.5 * len(cells)


def _no_measure(head: str, values: np.ndarray) -> bool:
    steps = np.diff(values)
    whole = np.isfinite(values).all() and (values == np.round(values)).all()
    few = len(np.unique(values)) <= min(20, max(2, len(values) // 2))
    return bool(whole and (head.strip().lower() in (*_LABELS, "id", "index", "") or few or (steps == 1).all()))


def text_of_columns(name: str, columns: Columns, options: LoadOptions) -> Dataset:
    """Passages from one column; another column of few words, if any, labels them.

    Raises:
        InputError: no column holds text.
    """
    label, notes = base(name), list(columns.notes)
    heads = unique(columns.names, notes)
    i = text_column(columns, options)
    if i is None:
        raise InputError(f"{label} has no column of text; accepted is a csv with one passage a row.")
    cells = columns.values[i]
    passages = [c if isinstance(c, str) else None if c is None or c != c else f"{c:g}" for c in cells]
    j = None
    if options.label_column and options.label_column != "-":
        if options.label_column not in heads:
            raise InputError(f"{label} has no column {shown(options.label_column)}; it has {listed(heads)}.")
        j = heads.index(options.label_column)
    elif not options.label_column:
        few = [
            k
            for k, v in enumerate(columns.values)
            if k != i and 2 <= len({str(c) for c in v}) <= min(50, max(2, len(v) // 2))
        ]
        j = next((k for k in few if heads[k].strip().lower() in _LABELS), few[0] if few else None)
    labels = None if j is None else [_word(c) for c in columns.values[j]]
    if len(heads) > 1:
        beside = "" if j is None else f", the column {shown(heads[j])} the labels"
        notes.append(f"The column {shown(heads[i])} holds the text{beside}.")
    left = [h for k, h in enumerate(heads) if k not in (i, j)]
    if left:
        notes.append(f"Columns that were left out: {listed(left)}.")
    return _finish(name, passages, labels, None, notes)


def _word(value) -> str:
    if value is None or value != value:
        return "missing"
    return shown(value if isinstance(value, str) else f"{value:g}", 60)


def _jsonl(name: str, data: bytes, options: LoadOptions) -> Dataset:
    label = base(name)
    data, notes = to_utf8(name, data)
    rows, bad = [], 0
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError):
            bad += 1
            if bad > 20 and bad > len(rows):
                break
    if not rows or bad > len(rows):
        raise InputError(f"{label} is not in JSON lines; accepted is one JSON object a line with a field text.")
    if bad:
        notes.append(f"Left out {counted(bad, 'line')} that cannot be read as JSON.")
    if all(isinstance(r, str) for r in rows):
        return _finish(name, rows, None, None, notes)
    objects = [r for r in rows if isinstance(r, dict)]
    if not objects:
        raise InputError(f"{label} has no JSON objects; accepted is one object a line with a field text.")
    keys = list(dict.fromkeys(k for r in objects for k in r))
    words = [k for k in keys if any(isinstance(r.get(k), str) and r[k].strip() for r in objects)]
    key = options.text_column or next((k for k in _FIELDS if k in words), None)
    key = key or max(words, key=lambda k: sum(len(r[k]) for r in objects if isinstance(r.get(k), str)), default=None)
    if key not in words:
        raise InputError(
            f"{label} has no field of text{' called ' + shown(key) if key else ''}; it has {listed(keys)}."
        )
    tag = options.label_column or next((k for k in _LABELS if k in keys and k != key), None)
    labels = None
    if tag and tag != "-":
        values = [r.get(tag) for r in objects]
        if all(v is None or isinstance(v, (str, int, float, bool)) for v in values):
            labels = ["missing" if v is None else shown(v, 60) for v in values]
            notes.append(f"The field {shown(tag)} labels the passages.")
    notes.append(f"The field {shown(key)} holds the text.")
    return _finish(name, [r.get(key) if isinstance(r.get(key), str) else None for r in objects], labels, None, notes)


def _finish(name: str, passages: list, labels: list | None, names: list | None, notes: list[str]) -> Dataset:
    label, kept, texts, cut = base(name), [], [], 0
    for i, passage in enumerate(passages):
        text = (passage or "").encode("utf-8", "replace").decode("utf-8").replace("\0", " ").strip()
        if not text:
            continue
        cut += len(text) > LIMITS.characters
        texts.append(text[: LIMITS.characters])
        kept.append(i)
    if not texts:
        raise InputError(f"{label} holds no passage of text; accepted is one passage a line, paragraph or row.")
    if len(texts) > LIMITS.samples:
        raise InputError(f"{label} holds {len(texts):,} passages; at most {LIMITS.samples:,} are accepted.")
    if len(kept) < len(passages):
        notes.append(f"Left out {counted(len(passages) - len(kept), 'empty passage')}.")
    if cut:
        notes.append(f"Cut {counted(cut, 'passage')} to {LIMITS.characters:,} characters.")
    samples = np.empty(len(texts), dtype=object)
    samples[:] = texts
    chosen = None if labels is None else np.array([labels[i] for i in kept])
    names = [shown(t, 40) for t in texts] if names is None else names
    return Dataset(samples, "text", title=label, names=names, labels=chosen, notes=tuple(notes))


def check_words(dataset: Dataset) -> None:
    """Whether `vectorise` can tell the passages apart; it reads no further than the first that differs.

    Raises:
        InputError: one passage, no words that count, or the same words in the same shares everywhere.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    if len(dataset) < 2:
        raise InputError(f"{dataset.title} holds one passage; a basis needs at least two.")
    words = TfidfVectorizer(stop_words="english").build_analyzer()
    first, any_words = None, False
    for passage in dataset.samples:
        counts = Counter(words(str(passage)))
        shares = {w: n / counts.total() for w, n in counts.items()}
        any_words = any_words or bool(counts)
        if first is not None and shares != first:
            return
        first = shares
    if not any_words:
        raise InputError(
            f"{dataset.title} holds no words that count; those like 'the' and 'of' and single letters do not."
        )
    raise InputError(f"All passages of {dataset.title} hold the same words; a basis needs passages that differ.")


def vectorise(dataset: Dataset, max_features: int = 2000, *, stop_words: bool = True) -> Dataset:
    """A table of TF-IDF weights, one word a column, rows of length one, names and labels kept.

    Args:
        dataset: of the kind `text`.
        max_features: how many words to keep, the most frequent.
        stop_words: leave out common English words.

    Raises:
        InputError: not text, or no words in it.

    Source: Salton and Buckley 1988, as in scikit-learn's `TfidfVectorizer`.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    if dataset.kind != "text":
        raise InputError(f"Only text can be turned into word weights; this data is of the kind {dataset.kind}.")
    if len(dataset) * max_features > LIMITS.elements:
        max_features = max(1, LIMITS.elements // len(dataset))
    maker = TfidfVectorizer(max_features=max_features, stop_words="english" if stop_words else None)
    with decoding("This text", "it needs words that say something"):
        matrix = maker.fit_transform([str(t) for t in dataset.samples])
    words = maker.get_feature_names_out().tolist()
    empty = int((np.diff(matrix.indptr) == 0).sum())
    notes = [f"Passages were turned into TF-IDF weights of {counted(len(words), 'word')}."]
    if empty:
        notes.append(f"None of these words, so all zeros: {counted(empty, 'passage')}.")
    samples = matrix.toarray().astype(np.float32)
    extra = {"idf": maker.idf_.astype(np.float32)}
    return Dataset(
        samples,
        "table",
        title=dataset.title,
        names=dataset.names,
        labels=dataset.labels,
        features=words,
        source=dataset.source,
        licence=dataset.licence,
        notes=dataset.notes + tuple(notes),
        extra=extra,
    )
