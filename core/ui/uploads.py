"""What this browser session brought: parsed once, kept in the session, seen by nobody else."""

from dataclasses import dataclass, field, replace

import streamlit as st

from core.datasets import KINDS, Dataset, LoadOptions, load
from core.errors import InputError, MissingValues

MOST_DATASETS = 4
REREAD_BYTES = 100_000_000


@dataclass
class Uploads:
    """The uploads of one session.

    Attributes:
        datasets: parsed data by fingerprint, the newest last; the oldest goes when there are more than a few.
        sources: names of the files and options of the loader that each of them was made of.
        files: the bytes of the last upload, so that it can be read another way; empty when large.
        kind: how the last upload was read, None for automatic.
        missing: counts of missing values, while the person has not said what to do about them.
        error: one sentence about the last upload, or empty.
    """

    datasets: dict[str, Dataset] = field(default_factory=dict)
    sources: dict[str, tuple[list[str], dict]] = field(default_factory=dict)
    files: list[tuple[str, bytes]] = field(default_factory=list)
    kind: str | None = None
    missing: MissingValues | None = None
    error: str = ""
    generation: int = 0

    def read(
        self,
        files: list[tuple[str, bytes]],
        kind: str | None,
        options: LoadOptions | None = None,
        awaited: str = "",
    ) -> str | None:
        """Parse an upload.

        Args:
            awaited: the fingerprint that a link waits for; where nobody says a kind, that which gives it is taken.

        Returns:
            The fingerprint of the new data, or None when there is a sentence in `error` or a question in `missing`.
        """
        self.error, self.missing = "", None
        self.kind = kind
        options = options or LoadOptions()
        large = sum(len(b) for _, b in files) > REREAD_BYTES
        try:
            dataset = _awaited(files, options, awaited) if awaited and kind is None and not large else None
            if dataset is None:
                dataset = load(files, kind, options)
        except MissingValues as question:
            self.missing, self.files = question, files
            return None
        except InputError as error:
            self.error = str(error)
            return None
        self.files = [] if large else files
        usual = LoadOptions().as_dict()
        chosen = {name: value for name, value in options.as_dict().items() if value != usual[name]}
        self.sources[dataset.fingerprint] = ([name for name, _ in files], chosen)
        return self.keep(dataset)

    def read_again(self, kind: str | None, awaited: str = "", **options) -> str | None:
        """Parse the last upload another way (as another kind, or with missing values dropped or filled)."""
        return self.read(self.files, kind, replace(LoadOptions(), **options), awaited)

    def keep(self, dataset: Dataset) -> str:
        """Put a dataset among those of the session."""
        print_ = dataset.fingerprint
        self.datasets.pop(print_, None)
        self.datasets[print_] = dataset
        for old in list(self.datasets)[:-MOST_DATASETS]:
            del self.datasets[old]
            self.sources.pop(old, None)
        return print_


def _awaited(files: list[tuple[str, bytes]], options: LoadOptions, fingerprint: str) -> Dataset | None:
    """The upload read as the kind that gives this fingerprint, if one does."""
    for kind in (None, *KINDS):
        try:
            dataset = load(files, kind, options)
        except InputError:
            continue
        if dataset.fingerprint == fingerprint:
            return dataset
    return None


def uploads() -> Uploads:
    """The uploads of this session."""
    return st.session_state.setdefault("uploads", Uploads())
