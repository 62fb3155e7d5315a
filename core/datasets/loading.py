"""The one entrance for uploads: bytes in, a dataset or one clear sentence out."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.datasets.dataset import Dataset
from core.datasets.guard import accepted, base, extension, listed, shown
from core.datasets.options import ACCEPTED, LIMITS, LoadOptions
from core.datasets.sniff import TEXTUAL, looks_like_jsonl, true_format
from core.errors import InputError

_MATRIX = ("table", "curves", "activations")
_ARRAYS = ("npy", "npz", "safetensors")
_PICTURES = tuple(e for e in ACCEPTED["images"] if e not in _ARRAYS)


def load(files: Sequence[tuple[str, bytes]], kind: str | None = None, options: LoadOptions | None = None) -> Dataset:
    """A dataset from uploaded files.

    Args:
        files: names and contents; several only for images. Names are shown and tell text formats apart; they are
            never opened. Everything else is told by the content.
        kind: `table`, `images`, `curves`, `audio`, `text` or `activations`; found out when left out.
        options: see `LoadOptions`.

    Raises:
        InputError: one sentence that says what is wrong and what is accepted.
        MissingValues: a table has gaps and `options.missing` is `refuse`; its counts let a page offer the rest.
    """
    options = options or LoadOptions()
    files = [(str(n), bytes(d)) for n, d in files]
    if not files:
        raise InputError(f"There is no file; {accepted(kind if kind in ACCEPTED else None)}.")
    if kind is not None and kind not in ACCEPTED:
        raise InputError(f"There is no loader for the kind {shown(kind)}; there are {', '.join(ACCEPTED)}.")
    _check_bytes(files, kind)
    forms = [_as_named(kind, n, true_format(n if kind is None else _textual(n, kind), d), d) for n, d in files]
    kind = kind or _kind_of(files, forms, options)
    _check_bytes(files, kind)
    wrong = [i for i, f in enumerate(forms) if f not in _taken(kind)]
    if wrong and (len(wrong) == len(files) or kind != "images"):
        raise InputError(f"{base(files[wrong[0]][0])} is a {forms[wrong[0]]} file; {accepted(kind)} for {kind}.")
    renamed = [
        f"{base(n)} is really a {f} file and was read as one."
        for (n, _), f in zip(files, forms, strict=True)
        if extension(n) not in (f, "jpeg" if f == "jpg" else "tiff" if f == "tif" else f) and f not in TEXTUAL
    ]
    skipped = [base(files[i][0]) for i in wrong]
    if skipped:
        files = [f for i, f in enumerate(files) if i not in wrong]
        forms = [f for i, f in enumerate(forms) if i not in wrong]
        renamed.append(f"Files that are no images were left out: {listed(skipped)}.")
    if len(files) > 1 and kind != "images":
        raise InputError(f"There are {len(files):,} files; give one file for {kind}, or several for images only.")
    made = _read(files, forms, kind, options)
    _check_varied(made)
    return replace(made, notes=(*renamed[:3], *made.notes))


def _read(files, forms, kind: str, options: LoadOptions) -> Dataset:
    (name, data), form = files[0], forms[0]
    if kind in _MATRIX:
        from core.datasets.matrices import load_matrix

        return load_matrix(name, data, form, kind, options)
    if kind == "images":
        from core.datasets.images import images_of_arrays, load_images

        if form in _ARRAYS:
            from core.datasets.matrices import read_arrays

            if len(files) > 1:
                raise InputError("Give one array of images, or several images, not both.")
            return images_of_arrays(name, read_arrays(name, data, form), options)
        return load_images(files, forms, options)
    if kind == "audio":
        from core.datasets.audio import load_audio

        return load_audio(name, data, options)
    from core.datasets.text import load_text

    return load_text(name, data, form, options)


def _check_bytes(files, kind: str | None) -> None:
    most = LIMITS.bytes[kind] if kind else max(LIMITS.bytes.values())
    total = sum(len(d) for _, d in files)
    if total > most:
        what = base(files[0][0]) if len(files) == 1 else f"These {len(files):,} files"
        verb = "has" if len(files) == 1 else "have"
        raise InputError(f"{what} {verb} {total / 1e6:,.0f} MB; at most {most // 10**6} MB is accepted.")
    if len(files) > LIMITS.files:
        raise InputError(f"There are {len(files):,} files; at most {LIMITS.files:,} are accepted.")


def _textual(name: str, kind: str) -> str:
    """The name to judge by when a person says what the file is: unknown endings then count as that kind's text."""
    if extension(name) in {e for endings in ACCEPTED.values() for e in endings}:
        return name
    return name + {"text": ".txt"}.get(kind, ".csv" if kind in _MATRIX else "")


def _as_named(kind: str | None, name: str, form: str, data: bytes) -> str:
    """A textual format corrected by what is inside and by the kind that was asked for."""
    if form == "txt" and looks_like_jsonl(data):
        return "jsonl"
    if form in ("txt", "tsv") and kind in _MATRIX:
        return "csv" if form == "txt" else form
    return form


def _taken(kind: str) -> tuple[str, ...]:
    return (*ACCEPTED[kind], "tsv") if kind == "text" else ACCEPTED[kind]


def _kind_of(files, forms: list[str], options: LoadOptions) -> str:
    if any(f in _PICTURES for f in forms):
        return "images"
    name, data, form = *files[0], forms[0]
    if form in ACCEPTED["audio"]:
        return "audio"
    if form in ("txt", "jsonl") or (options.text_column and form in ("csv", "tsv")):
        return "text"
    if form in ("csv", "tsv") and len(files) == 1 and len(data) <= LIMITS.bytes["text"]:
        from core.datasets.rows import read_delimited
        from core.datasets.text import reads_as_text

        if b'"' in data[:100_000] or _has_words(data[:100_000]):
            return "text" if reads_as_text(read_delimited(name, data, options)) else "table"
    if form in ("npy", "npz") and _has_images(name, data, form):
        return "images"
    return "table"


def _has_words(head: bytes) -> bool:
    letters = sum(head.count(c) for c in b" etaoinETAOIN")
    return letters > 0.2 * len(head)


def _has_images(name: str, data: bytes, form: str) -> bool:
    """Whether an array file has no matrix but a stack of them."""
    from core.datasets.matrices import read_arrays

    arrays, _ = read_arrays(name, data, form)
    axes = {v.ndim for v in arrays.values() if v.dtype.kind in "biuf" and v.size}
    return 2 not in axes and bool(axes & {3, 4})


def _check_varied(made: Dataset) -> None:
    if made.kind == "text":
        from core.datasets.text import check_words

        return check_words(made)
    if not made.samples.size:
        raise InputError(f"{made.title} holds no numbers; a basis needs samples of at least one number.")
    if len(made) < 2:
        raise InputError(f"{made.title} holds one sample; a basis needs at least two.")
    flat = made.matrix
    step = max(1, len(flat) // 64)
    if np.array_equal(flat[::step], np.broadcast_to(flat[0], flat[::step].shape)) and (flat == flat[0]).all():
        raise InputError(f"All samples of {made.title} are the same; a basis needs samples that differ.")
