"""Trainings in the background, on this machine or on a cluster: submit, follow, stop, resume.

A run is a folder under `home()/runs`: its settings, everything that happened as JSON lines, the last checkpoint, the
model. `Runs` is the one object that the app holds; it hands runs to Dask workers and keeps their folders up to date.
"""

import importlib
from typing import Any

_WHERE = {
    "Runs": "service",
    "Unreachable": "cluster",
    "RunView": "view",
    "RunFolder": "folder",
}
__all__ = ["RunFolder", "RunView", "Runs", "Unreachable"]


def __getattr__(name: str) -> Any:
    """Import on first use: a scheduler that unpacks a run needs this package, but not torch."""
    if name not in _WHERE:
        raise AttributeError(name)
    return getattr(importlib.import_module(f"core.runs.{_WHERE[name]}"), name)
