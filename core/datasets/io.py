"""A dataset as bytes and back, without pickle, so that it can lie on a disk or go to another machine."""

import hashlib
import io
import json
import zipfile
from typing import Any

import numpy as np

from core.datasets.dataset import Dataset
from core.errors import InputError

_PLAIN = ("kind", "title", "axis", "rate", "source", "licence")


def name_of(dataset: Dataset) -> str:
    """What a stored dataset is found by: its fingerprint, and a digest of the words around it."""
    about = json.dumps([*_words(dataset).values(), *dataset.extra], default=_plain)
    return f"{dataset.fingerprint}-{hashlib.sha256(about.encode()).hexdigest()[:8]}"


def to_bytes(dataset: Dataset) -> bytes:
    """A dataset as one npz archive (arrays) with a JSON part (all else). The fingerprint survives."""
    arrays: dict[str, np.ndarray] = {f"extra.{i}": np.asarray(v) for i, v in enumerate(dataset.extra.values())}
    about = {**_words(dataset), "extra": list(dataset.extra)}
    if dataset.kind == "text":
        about["texts"] = [str(t) for t in dataset.samples]
    else:
        arrays["samples"] = dataset.samples
    if dataset.labels is not None:
        if dataset.labels.dtype.kind == "O":
            about["labels"] = dataset.labels.tolist()
        else:
            arrays["labels"] = dataset.labels
    for name, array in list(arrays.items()):
        if array.dtype.kind == "O":
            about.setdefault("objects", {})[name] = arrays.pop(name).astype(str).tolist()
    arrays["about"] = np.frombuffer(json.dumps(about, default=_plain).encode(), dtype=np.uint8)
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def from_bytes(content: bytes) -> Dataset:
    """The dataset that `to_bytes` wrote.

    Raises:
        InputError: the bytes are not such an archive.
    """
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        about = json.loads(arrays.pop("about").tobytes())
        objects = about.pop("objects", {})
        extra = {
            name: arrays[f"extra.{i}"] if f"extra.{i}" in arrays else np.array(objects[f"extra.{i}"])
            for i, name in enumerate(about.pop("extra"))
        }
        texts, labels = about.pop("texts", None), about.pop("labels", None)
        return Dataset(
            samples=arrays["samples"] if texts is None else np.array(texts),
            labels=arrays.get("labels") if labels is None else np.array(labels, dtype=object),
            extra=extra,
            notes=tuple(about.pop("notes")),
            **about,
        )
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise InputError("These bytes are not a stored dataset, or they are damaged.") from error


def _words(dataset: Dataset) -> dict[str, Any]:
    about: dict[str, Any] = {name: getattr(dataset, name) for name in _PLAIN}
    return {**about, "names": list(dataset.names), "features": dataset.features, "notes": list(dataset.notes)}


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be stored")
