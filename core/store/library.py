"""The library: the places where models lie, who may see them, and what can be done with them there."""

import hashlib
import os
import re
import secrets
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from core.errors import InputError
from core.store.card import MOST_NAME, Card
from core.store.disk import home, private, settle, size_of, write_folder
from core.store.models import ARRAYS, CARD, change_card, import_file, load_card

SHIPPED = Path(__file__).resolve().parents[2] / "assets" / "models"
TRASH = ".trash"
LEAST_KEY = 16


@dataclass(frozen=True)
class Place:
    """Where models lie: `pretrained`, `shared` or `own`."""

    name: str
    folder: Path
    writable: bool


@dataclass(frozen=True)
class Entry:
    """One line of the library.

    Attributes:
        place: `pretrained`, `shared` or `own`.
        folder: of the model; its name is the entry's id within the place.
        card: None when the model is broken.
        bytes: on disk.
        broken: one sentence, empty when the model is sound as far as its card tells.
    """

    place: str
    folder: Path
    card: Card | None
    bytes: int
    broken: str = ""

    @property
    def id(self) -> str:
        """What a link names it by."""
        return f"{self.place}/{self.folder.name}"


def owner_of(key: str) -> str:
    """What stands for a key on the disk: its SHA-256. The key itself is kept nowhere.

    Raises:
        InputError: the key is too short to be beyond guessing.
    """
    if len(key) < LEAST_KEY:
        raise InputError(f"The key of a session has at least {LEAST_KEY} characters.")
    return hashlib.sha256(key.encode()).hexdigest()


def new_key() -> str:
    """A key for a session's link that cannot be guessed."""
    return secrets.token_urlsafe(24)


def places(key: str | None = None) -> dict[str, Place]:
    """The places that one may read: what is shipped, what is shared, and, with a key, one's own."""
    library = private(home() / "library")
    found = {
        "pretrained": Place("pretrained", SHIPPED, False),
        "shared": Place("shared", private(library / "shared"), True),
    }
    if key:
        found["own"] = Place("own", private(private(library / "own") / owner_of(key)), True)
    return found


def list_models(key: str | None = None, *, family: str | None = None, shape: tuple | None = None) -> list[Entry]:
    """All models that one may see, newest first within each place. Never raises for a broken one.

    Args:
        key: of the session, for its own place.
        family: only models of this family, or of this folder when it ends in a dot (`directions.`).
        shape: only models of samples of this shape.
    """
    entries = []
    for place in places(key).values():
        found = [_entry(place, folder) for folder in _folders(place.folder)]
        found.sort(key=lambda e: (e.card.date if e.card else "", e.folder.name), reverse=True)
        entries += found
    if family is not None:
        entries = [e for e in entries if e.card and (e.card.family == family or _in_folder(e.card.family, family))]
    if shape is not None:
        entries = [e for e in entries if e.card and e.card.shape == tuple(shape)]
    return entries


def find(entry_id: str, key: str | None = None) -> Entry:
    """The entry of an id, such as `shared/pca-of-digits-1a2b3c4d`.

    Raises:
        InputError: there is none that one may see.
    """
    place_name, _, name = entry_id.partition("/")
    place = places(key).get(place_name)
    if place is None or not re.fullmatch(r"[\w-][\w.-]*", name) or not (place.folder / name).is_dir():
        raise InputError("There is no such model in the library (it may have been deleted, or be another session's).")
    return _entry(place, place.folder / name)


def new_folder(place: Place, name: str) -> Path:
    """A free folder for a model of this name; it is not made yet.

    Raises:
        InputError: the place cannot be written to.
    """
    _check_writable(place)
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:48] or "model"
    return place.folder / f"{slug}-{secrets.token_hex(4)}"


def add_copy(model_folder: Path, place: Place, *, name: str | None = None) -> Entry:
    """Copy a model folder into a place.

    Raises:
        InputError: there is no sound card, or the place cannot be written to.
    """
    card = load_card(model_folder)
    folder = new_folder(place, name or card.name)
    write_folder(folder, {n: (model_folder / n).read_bytes() for n in (ARRAYS, CARD)})
    if name:
        change_card(folder, name=_name(name))
    return _entry(place, folder)


def add_file(content: bytes, place: Place, *, name: str | None = None) -> Entry:
    """Import an exported file into a place.

    Raises:
        InputError: it is not a sound model, or the place cannot be written to; nothing is changed.
    """
    folder = new_folder(place, name or "imported")
    import_file(content, folder, **({"name": _name(name)} if name else {}))
    return _entry(place, folder)


def rename(entry: Entry, name: str) -> Entry:
    """Give a model another name.

    Raises:
        InputError: an empty or very long name, or a model that cannot be changed.
    """
    _check_writable(entry)
    change_card(entry.folder, name=_name(name))
    return _entry(_place_of(entry), entry.folder)


def annotate(entry: Entry, note: str) -> Entry:
    """Write a note on a model's card.

    Raises:
        InputError: a note of more than 10,000 characters, or a model that cannot be changed.
    """
    _check_writable(entry)
    change_card(entry.folder, note=note.strip())
    return _entry(_place_of(entry), entry.folder)


def delete(entry: Entry) -> Path:
    """Move a model to the trash of its place.

    Returns:
        Where it lies now; `undelete` takes it back from there.

    Raises:
        InputError: the model cannot be changed or is gone.
    """
    _check_writable(entry)
    trash = private(entry.folder.parent / TRASH)
    gone = trash / f"{int(time.time())}-{entry.folder.name}"
    try:
        os.rename(entry.folder, gone)
    except OSError:
        raise InputError("This model is gone already.") from None
    return gone


def undelete(gone: Path) -> Path:
    """Take a model back out of the trash, to where it was.

    Raises:
        InputError: it is no longer there.
    """
    folder = gone.parent.parent / gone.name.split("-", 1)[1]
    if gone.parent.name != TRASH or not gone.is_dir() or folder.exists():
        raise InputError("This model is no longer in the trash.")
    os.rename(gone, folder)
    return folder


def purge_trash(key: str | None = None, *, older_than: float = 7 * 86400) -> int:
    """Remove for good what was deleted longer ago than `older_than` seconds; the number of models removed."""
    removed = 0
    for place in places(key).values():
        if not place.writable:
            continue
        for gone in _folders(place.folder / TRASH):
            stamp = gone.name.split("-", 1)[0]
            if stamp.isdigit() and time.time() - int(stamp) >= older_than:
                shutil.rmtree(gone, ignore_errors=True)
                removed += 1
    return removed


def _in_folder(family: str, folder: str) -> bool:
    return folder.endswith(".") and family.startswith(folder)


def _folders(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    for old in folder.glob(".old-*"):
        settle(folder / old.name.removeprefix(".old-"))
    return [f for f in folder.iterdir() if f.is_dir() and not f.name.startswith(".")]


def _entry(place: Place, folder: Path) -> Entry:
    try:
        size = size_of(folder)
        return Entry(place.name, folder, load_card(folder), size)
    except InputError as error:
        return Entry(place.name, folder, None, size, str(error))
    except OSError as error:
        return Entry(place.name, folder, None, 0, f"This model cannot be read ({error.strerror}).")


def _place_of(entry: Entry) -> Place:
    return Place(entry.place, entry.folder.parent, True)


def _check_writable(what: Place | Entry) -> None:
    name = what.name if isinstance(what, Place) else what.place
    if name == "pretrained":
        raise InputError("The pretrained models cannot be changed; copy one to your own place first.")


def _name(name: str) -> str:
    name = " ".join(name.split())
    if not 1 <= len(name) <= MOST_NAME:
        raise InputError(f"A name has 1 to {MOST_NAME} characters.")
    return name
