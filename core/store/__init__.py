"""Models on disk, and the library of them.

A model is a folder of `model.safetensors` and `card.json`; exported, it is one file of the two. There is no pickle
anywhere, in or out, and nothing that is read can run code.
"""

from core.store.card import FORMAT, Card, thinned
from core.store.disk import home, write_atomic
from core.store.library import (
    Entry,
    Place,
    add_copy,
    add_file,
    annotate,
    delete,
    find,
    list_models,
    new_folder,
    new_key,
    owner_of,
    places,
    purge_trash,
    rename,
    undelete,
)
from core.store.models import build, change_card, export_file, import_file, load, load_card, pack, save, unpack
from core.store.snippet import snippet

__all__ = [
    "FORMAT",
    "Card",
    "Entry",
    "Place",
    "add_copy",
    "add_file",
    "annotate",
    "build",
    "change_card",
    "delete",
    "export_file",
    "find",
    "home",
    "import_file",
    "list_models",
    "load",
    "load_card",
    "new_folder",
    "new_key",
    "owner_of",
    "pack",
    "places",
    "purge_trash",
    "rename",
    "save",
    "snippet",
    "thinned",
    "undelete",
    "unpack",
    "write_atomic",
]
