"""Models on disk: a folder of `model.safetensors` and `card.json`, or one file of the two. No pickle, in or out."""

import io
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import safetensors
import safetensors.numpy

from core.errors import InputError
from core.models import Model, family
from core.store.card import MOST_CARD_BYTES, Card, one_line
from core.store.disk import settle, write_atomic, write_folder

ARRAYS, CARD = "model.safetensors", "card.json"
MOST_ARRAYS = 4096


def most_bytes() -> int:
    """The largest model that is read, in bytes: `BASIS_MAX_MODEL_MB`, 1024 when unset."""
    return int(os.environ.get("BASIS_MAX_MODEL_MB") or 1024) * 2**20


def save(model: Model, folder: Path | str, card: Card) -> Path:
    """Write a fitted model and its card as a folder, replacing one that is there.

    A crash at any moment leaves the old model or the new one.
    """
    arrays = {name: np.asarray(array, order="C") for name, array in model.arrays().items()}
    write_folder(Path(folder), {ARRAYS: safetensors.numpy.save(arrays), CARD: _card_bytes(card)})
    return Path(folder)


def load(path: Path | str, *, device: str | None = None) -> tuple[Model, Card]:
    """A model and its card from a folder, or from an exported file.

    Raises:
        InputError: there is no model, or it is damaged (one sentence).
    """
    path = Path(path)
    if path.is_file():
        if path.stat().st_size > _most_file():
            raise InputError(_too_large())
        return unpack(path.read_bytes(), device=device)
    return build(*_read_folder(path), device=device)


def load_card(folder: Path | str) -> Card:
    """The card of a model in a folder.

    Raises:
        InputError: there is no model, or its card is damaged.
    """
    folder = Path(folder)
    settle(folder)
    path = folder / CARD
    if not path.is_file() or not (folder / ARRAYS).is_file():
        raise InputError(f"There is no model in {folder.name}: it needs {ARRAYS} and {CARD}.")
    if path.stat().st_size > MOST_CARD_BYTES:
        raise InputError(f"The card of the model in {folder.name} is larger than {MOST_CARD_BYTES // 2**20} MB.")
    return Card.from_json(path.read_bytes())


def change_card(folder: Path | str, **values) -> Card:
    """Change entries of a card, such as `name` or `note`.

    Raises:
        InputError: the new card would not be valid; the old one stays.
    """
    card = replace(load_card(folder), **values)
    content = _card_bytes(card)
    card = Card.from_json(content)
    write_atomic(Path(folder) / CARD, content)
    return card


def build(card: Card, arrays: bytes, *, device: str | None = None) -> tuple[Model, Card]:
    """A model out of its card and the content of its safetensors file, all checked.

    Raises:
        InputError: unknown family, settings that are not its own, arrays that are not finite or do not fit.
    """
    cls = family(card.family)
    try:
        named = safetensors.numpy.load(arrays)
    except (safetensors.SafetensorError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"The file {ARRAYS} is damaged or not in the safetensors format.") from error
    if len(named) > MOST_ARRAYS:
        raise InputError(f"The file {ARRAYS} holds {len(named)} arrays; at most {MOST_ARRAYS} are accepted.")
    for name, array in named.items():
        if array.dtype.kind in "fc" and not np.isfinite(array).all():
            raise InputError(f"The array {name[:60]!r} of this model has entries that are not finite numbers.")
    try:
        model = cls.from_arrays(dict(card.settings), named, card.shape, device=device)
        sizes = {bank: [basis.k, basis.d] for bank, basis in model.bases().items()}
    except InputError:
        raise
    except Exception as error:  # a family meets arrays that somebody made up: whatever it trips over, they do not fit
        raise InputError(f"The arrays in this file do not make a model of the family {card.family}.") from error
    if card.sizes and card.sizes != sizes:
        raise InputError("The arrays in this model are not of the sizes that its card says.")
    model.seed_ = card.seed
    return model, card


def export_file(folder: Path | str) -> bytes:
    """A model as one file: a zip archive of its two files, stored without compression.

    Raises:
        InputError: there is no model, or its card is damaged.
    """
    card, arrays = _read_folder(Path(folder))
    return pack(card, arrays)


def pack(card: Card, arrays: bytes) -> bytes:
    """The exported file of a card and the content of a safetensors file. The same model gives the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in ((CARD, _card_bytes(card)), (ARRAYS, arrays)):
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def unpack(content: bytes, *, device: str | None = None) -> tuple[Model, Card]:
    """A model and its card out of an exported file; everything is checked before it is used.

    Raises:
        InputError: too large, not such a file, damaged, or a model that is not valid (one sentence).
    """
    card, arrays = _open(content)
    return build(card, arrays, device=device)


def import_file(content: bytes, folder: Path | str, **changes) -> Card:
    """Check an exported file and write it as a model folder.

    The name of the model is made fit to be shown: one line of printable characters, and not endless.

    Args:
        content: of the file.
        folder: to be made.
        changes: entries of the card to change, such as `name`.

    Raises:
        InputError: the file is not a sound model; nothing is written.
    """
    card, arrays = _open(content)
    model, _ = build(card, arrays, device="cpu")
    _try_out(model, card)
    changes.setdefault("name", one_line(card.name) or model.title)
    card = Card.from_json(_card_bytes(replace(card, **changes)))
    write_folder(Path(folder), {ARRAYS: arrays, CARD: _card_bytes(card)})
    return card


def _try_out(model: Model, card: Card) -> None:
    """Encode and decode one sample of the shape that the card names."""
    try:
        sample = np.array([""]) if card.kind == "text" else np.zeros((1, *card.shape), dtype=np.float32)
        codes = model.encode(sample)
        finite = np.isfinite(codes).all() and np.isfinite(model.decode(codes)).all()
    except Exception as error:  # as in `build`
        raise InputError("The model in this file cannot take samples of the shape that its card says.") from error
    if not finite:
        raise InputError("The model in this file makes numbers that are not finite.")


def _open(content: bytes) -> tuple[Card, bytes]:
    if len(content) > _most_file():
        raise InputError(_too_large())
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            if sorted(e.filename for e in entries) != [CARD, ARRAYS]:
                raise InputError(f"A model file holds {CARD} and {ARRAYS} and nothing else; this file does not.")
            for e in entries:
                if e.compress_type != zipfile.ZIP_STORED or e.flag_bits & 1 or e.file_size > len(content):
                    raise InputError("This model file is compressed or encrypted; export it again from the app.")
            return Card.from_json(archive.read(CARD)), archive.read(ARRAYS)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError, OverflowError) as error:
        raise InputError("This is not a model file of this app, or it is damaged or cut short.") from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError("This is not a model file of this app, or it is damaged or cut short.") from error


def _read_folder(folder: Path) -> tuple[Card, bytes]:
    card = load_card(folder)
    path = folder / ARRAYS
    if path.stat().st_size > most_bytes():
        raise InputError(_too_large())
    return card, path.read_bytes()


def _card_bytes(card: Card) -> bytes:
    content = card.to_json()
    if len(content) > MOST_CARD_BYTES:  # a table of very many columns: their names do not fit in a card
        content = replace(card, features=None).to_json()
    return content


def _most_file() -> int:
    return most_bytes() + MOST_CARD_BYTES + 4096


def _too_large() -> str:
    return f"This model is larger than {most_bytes() // 2**20} MB, the largest that is read here."
