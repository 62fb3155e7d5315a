"""Models on disk, and the library of them.

A model is a folder of `model.safetensors` and `card.json`; exported, it is one file of the two. There is no pickle
anywhere, in or out, and nothing that is read can run code.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.store.card import FORMAT, Card, thinned
    from core.store.code import snippet
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

_WHERE = {
    "Card": "card",
    "Entry": "library",
    "FORMAT": "card",
    "Place": "library",
    "add_copy": "library",
    "add_file": "library",
    "annotate": "library",
    "build": "models",
    "change_card": "models",
    "delete": "library",
    "export_file": "models",
    "find": "library",
    "home": "disk",
    "import_file": "models",
    "list_models": "library",
    "load": "models",
    "load_card": "models",
    "new_folder": "library",
    "new_key": "library",
    "owner_of": "library",
    "pack": "models",
    "places": "library",
    "purge_trash": "library",
    "rename": "library",
    "save": "models",
    "snippet": "code",
    "thinned": "card",
    "undelete": "library",
    "unpack": "models",
    "write_atomic": "disk",
}
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


def __getattr__(name: str) -> Any:
    """Import on first use: a worker reports that it has a run before it spends seconds on importing torch."""
    if name not in _WHERE:
        raise AttributeError(name)
    return getattr(importlib.import_module(f"core.store.{_WHERE[name]}"), name)
