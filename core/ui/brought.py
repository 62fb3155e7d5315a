"""Things that a browser session brought and that are no data set: kept by fingerprint, seen by nobody else."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import streamlit as st

from core.errors import InputError
from core.ui.text import escape

T = TypeVar("T")
R = TypeVar("R")


@dataclass
class Brought(Generic[T]):
    """What was brought to one page.

    Attributes:
        things: parsed uploads by fingerprint, the newest last.
        files: names of the files that each was made of.
        error: one sentence about the last upload, or empty.
        generation: counts uploads; as part of the uploader's key it makes an empty one that lets go of the bytes.
    """

    most: int = 3
    things: dict[str, T] = field(default_factory=dict)
    files: dict[str, tuple[str, ...]] = field(default_factory=dict)
    error: str = ""
    generation: int = 0

    @classmethod
    def of(cls, page: str) -> "Brought[T]":
        """Those of this session on that page."""
        return st.session_state.setdefault(f"{page}:brought", cls())

    def read(self, make: Callable[[], R], doing: str = "Reading ...") -> R:
        """What `make` gives of a new upload; the next rerun has an empty uploader, which lets go of the bytes.

        When it raises `InputError`, the sentence is kept as `error` and the page runs anew: nothing else changes.
        """
        self.error = ""
        self.generation += 1
        try:
            with st.spinner(doing):
                return make()
        except InputError as error:
            self.error = str(error)
            st.rerun()

    def keep(self, fingerprint: str, thing: T, files: tuple[str, ...] = ()) -> str:
        """Put one among those of the session; the oldest goes when there are more than a few."""
        self.things.pop(fingerprint, None)
        self.things[fingerprint], self.files[fingerprint] = thing, files
        for old in list(self.things)[: -self.most]:
            del self.things[old], self.files[old]
        return fingerprint


def ask_again(data: str, title: str, *, several: bool = False) -> None:
    """Say that a link shows an upload of another session; `several` where that is more than one file."""
    if not data.startswith("upload:"):
        return
    what, them, files = ("two files", "them", "files") if several else ("a file", "it", "file")
    st.info(
        f"This link shows *{escape(title) or what}*, which stayed with the session that uploaded {them}. "
        f"Drop the same {files} here to reopen the view; until then you see a sample.",
        icon=":material/upload_file:",
    )
