"""What a run is, before anybody trains it: its settings in a folder, its data beside it."""

import time
from collections.abc import Mapping
from typing import Any

from core.datasets.dataset import Dataset
from core.datasets.io import name_of, to_bytes
from core.models import Model
from core.runs.folder import RunFolder, data_path
from core.store import owner_of
from core.store.disk import write_atomic


def new_run(
    cls: type[Model],
    dataset: Dataset,
    settings: Mapping[str, Any],
    *,
    seed: int = 0,
    owner: str | None = None,
    name: str = "",
    study: str = "",
    device: str | None = None,
    more: Mapping[str, Any] | None = None,
) -> RunFolder:
    """The folder of a run that nobody trains yet; the data is stored beside it, once."""
    stored = name_of(dataset)
    path = data_path(stored)
    if not path.is_file():
        write_atomic(path, to_bytes(dataset))
    return RunFolder.create(
        {
            "family": cls.family,
            "settings": dict(settings),
            "seed": int(seed),
            "owner": owner_of(owner) if owner else "",
            "name": name,
            "study": study,
            "device": device or "",
            "more": dict(more or {}),
            "created": time.time(),
            "data": {
                "name": stored,
                "title": dataset.title,
                "kind": dataset.kind,
                "samples": len(dataset),
                "shape": list(dataset.shape),
                "fingerprint": dataset.fingerprint,
            },
        }
    )
