"""Samples for the terminal: loaded and prepared as the pages do it, for a fit and again for new samples."""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from core.datasets import Dataset, LoadOptions, load, sample
from core.datasets.preparation import PREPARATIONS, prepare
from core.errors import InputError
from core.store import Card
from core.terminal.options import pairs

MOST_KEPT = 20_000  # numbers of a preparation that a card has room for


def load_raw(arguments: argparse.Namespace) -> tuple[Dataset, str]:
    """The samples as loaded, and what the page names them by (`sample:digits`, or `upload:` and the fingerprint).

    Raises:
        InputError: no data was named, or it cannot be read.
    """
    if bool(arguments.files) == bool(arguments.sample):
        raise InputError("Name files with samples, or --sample with the name of a built-in one.")
    if arguments.sample:
        if arguments.load or arguments.kind:
            raise InputError("--kind and --load go with files; a built-in sample needs neither.")
        return sample(arguments.sample), f"sample:{arguments.sample}"
    options = LoadOptions(**pairs(arguments.load, LoadOptions))
    dataset = load([read(name) for name in arguments.files], arguments.kind, options)
    return dataset, f"upload:{dataset.fingerprint}"


def prepared(raw: Dataset, name: str, given: list[str]) -> tuple[Dataset, dict[str, Any]]:
    """The samples made ready for a basis, and what the card keeps of it.

    Args:
        name: of the data, as `load_raw` gives it.
        given: `name=value` words, choices of the preparation.

    Raises:
        InputError: choices that this kind of data does not have, or that do not suit it.
    """
    cls = PREPARATIONS.get(raw.kind)
    if cls is None:
        return raw, {"kind": raw.kind, "preparation": {}, "data": name}
    settings = cls(**pairs(given, cls))
    dataset = prepare(raw, settings)
    more: dict[str, Any] = {"kind": raw.kind, "preparation": settings.as_dict(), "data": name}
    for what in ("mean", "deviation", "idf"):
        if what in dataset.extra and what not in raw.extra and dataset.extra[what].size <= MOST_KEPT:
            more[what] = [float(v) for v in dataset.extra[what]]
    return dataset, more


def prepared_as(raw: Dataset, card: Card) -> Dataset:
    """New samples made ready as those were that the model was fitted to.

    Raises:
        InputError: samples of another kind or shape.
    """
    more = card.more
    if more.get("kind", raw.kind) != raw.kind:
        raise InputError(f"This model takes data of the kind {more['kind']}; this data is of the kind {raw.kind}.")
    cls = PREPARATIONS.get(raw.kind)
    if cls and "preparation" in more:
        dataset = prepare(raw, cls.of(dict(more["preparation"])))
        if dataset.fingerprint == card.fingerprint:
            return dataset  # the very data of the fit: the same numbers to the bit
    if "idf" in more and raw.kind == "text":
        dataset = _word_weights(raw, card)
    elif "mean" in more and "deviation" in more:
        if raw.d != len(more["mean"]):
            raise InputError(f"This model takes samples of {len(more['mean'])} numbers; this data has {raw.d}.")
        flat = (raw.matrix.astype(np.float64) - more["mean"]) / np.asarray(more["deviation"])
        dataset = raw.noted(samples=flat.reshape(raw.samples.shape))
    elif not cls or "preparation" not in more:
        dataset = raw
    if dataset.shape != card.shape:
        raise InputError(f"This model takes samples of the shape {card.shape}; this data has {dataset.shape}.")
    return dataset


def own_units(samples: np.ndarray, card: Card) -> np.ndarray:
    """Decoded samples `(N, D)` in the units of the data before it was standardised."""
    if "mean" in card.more and "deviation" in card.more:
        return samples * np.float32(card.more["deviation"]) + np.float32(card.more["mean"])
    return samples


def read(name: str) -> tuple[str, bytes]:
    """Name and content of a file.

    Raises:
        InputError: it cannot be read.
    """
    path = Path(name)
    try:
        return path.name, path.read_bytes()
    except OSError as error:
        raise InputError(f"The file {name} cannot be read: {error.strerror}.") from None


def _word_weights(raw: Dataset, card: Card) -> Dataset:
    from sklearn.feature_extraction.text import TfidfVectorizer

    maker = TfidfVectorizer(vocabulary=list(card.features or ()), stop_words="english")
    maker.idf_ = np.asarray(card.more["idf"])
    matrix = maker.transform([str(t) for t in raw.samples]).toarray().astype(np.float32)
    return Dataset(matrix, "table", title=raw.title, names=raw.names, features=card.features)
