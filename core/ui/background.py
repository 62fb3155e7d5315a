"""Work of some seconds beside the page: done once for all who ask, with progress and cancel, never inside a rerun.

Trainings of models that are kept belong to `core.runs`; this is for what a page computes to show and then forgets.
"""

import atexit
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import streamlit as st

from core.device import use_one_thread
from core.errors import InputError
from core.progress import Run
from core.ui.text import escape, say_error

REFRESH_SECONDS = 0.5
PATIENCE = 0.3  # seconds waited before progress is drawn, so that quick work does not flicker
FAREWELL_SECONDS = 5.0


class Work(Run):
    """One piece of work: what it gave, or how far it is."""

    def __init__(self):
        self.share, self.result, self.error, self.preview = 0.0, None, "", None
        self.over, self.stopped = threading.Event(), False
        self.began = time.monotonic()

    def progress(self, step, total, metrics=None, preview=None):
        self.share = min(step / total, 1.0) if total else 0.0
        self.preview = self.preview if preview is None else preview

    def should_stop(self):
        return self.stopped


_under_way: set[Work] = set()


@atexit.register
def _end() -> None:
    """Stop all work and wait a little: a thread inside a compiled library when Python ends aborts the process."""
    until = time.monotonic() + FAREWELL_SECONDS
    for work in tuple(_under_way):
        work.stopped = True
    for work in tuple(_under_way):
        work.over.wait(max(0.0, until - time.monotonic()))


class Shelf:
    """Work by key; finished work is kept until there is too much of it."""

    def __init__(self, kept: int = 32):
        self._kept, self._all, self._lock = kept, OrderedDict(), threading.Lock()
        self._turn = threading.Semaphore(2)

    def start(self, key: str, compute: Callable[[Run], Any]) -> Work:
        """The work of that key; begun if nobody has, or if the last try was stopped."""
        with self._lock:
            work = self._all.get(key)
            if work is None:
                work = self._all[key] = Work()
                threading.Thread(target=self._do, args=(key, work, compute), daemon=True).start()
            self._all.move_to_end(key)
            over = [k for k, w in self._all.items() if w.over.is_set()]
            for old in over[: max(0, len(over) - self._kept)]:
                del self._all[old]
            return work

    def find(self, key: str) -> Work | None:
        """The work of that key, where it has been asked for."""
        return self._all.get(key)

    def forget(self, key: str) -> None:
        """Stop the work and take it off the shelf."""
        with self._lock:
            work = self._all.pop(key, None)
        if work is not None:
            work.stopped = True

    def _do(self, key: str, work: Work, compute: Callable[[Run], Any]) -> None:
        use_one_thread()
        _under_way.add(work)
        with self._turn:
            try:
                work.result = None if work.stopped else compute(work)
            except InputError as error:
                work.error = str(error)
            except Exception as error:  # a thread has nobody else to tell; the page says it
                work.error = f"The computation failed ({type(error).__name__}); change a setting and try again."
                raise
            finally:
                work.over.set()
                _under_way.discard(work)


@st.cache_resource(show_spinner=False)
def shelf(lane: str = "") -> Shelf:
    """The server's one; a lane of its own keeps minutes of work from holding up everybody else's seconds."""
    return Shelf()


def background(
    name: str,
    key: str,
    compute: Callable[[Run], Any],
    label: str,
    *,
    ask: str = "",
    preview: Callable[[Any], None] | None = None,
    lane: str = "",
) -> Any | None:
    """What `compute(run)` returns, once it is there; until then progress and a button to cancel are drawn.

    Args:
        name: of the place on the page, for the keys of its widgets.
        key: names the work; equal keys share one computation.
        compute: told `run.progress`, asks `run.should_stop`, and returns None when it was stopped.
        label: what is going on, for the progress bar.
        ask: text of a button that starts it; started at once when left out.
        preview: draws what `compute` gave last as the `preview` of its progress, while the work is under way.
        lane: of the work; at most two pieces of a lane are worked on at once.

    Returns:
        None while it is under way, was cancelled, or failed with one sentence on the page.
    """
    cancelled = f"{name}:cancelled"
    work = shelf(lane).find(key)
    if work is None and (ask or st.session_state.get(cancelled) == key):
        place = st.empty()
        if not place.button(ask or "Compute again", key=f"{name}:go", type="primary", icon=":material/play_arrow:"):
            return None
        place.empty()  # or it stays above the progress and asks to be pressed again
        st.session_state.pop(cancelled, None)
    work = work or shelf(lane).start(key, compute)
    if work.over.wait(PATIENCE):
        if work.error:
            say_error(work.error)
            shelf(lane).forget(key)
        return work.result
    st.fragment(_progress, run_every=REFRESH_SECONDS)(name, key, label, preview, lane)
    return None


def _progress(name: str, key: str, label: str, preview: Callable[[Any], None] | None, lane: str) -> None:
    work = shelf(lane).find(key)
    if work is None or work.over.is_set():
        st.rerun()

    def cancel():
        st.session_state[f"{name}:cancelled"] = key
        shelf(lane).forget(key)

    with st.container(border=True):
        seconds = time.monotonic() - work.began
        left = f", about {max(1, round(seconds / work.share - seconds))} s left" if work.share > 0.1 else ""
        st.progress(work.share, text=f"{escape(label)}{left}")
        st.button("Cancel", key=f"{name}:cancel", icon=":material/cancel:", on_click=cancel)
    if preview is not None and work.preview is not None:
        preview(work.preview)
