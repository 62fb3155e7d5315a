"""The one object of this server that trains in the background."""

import threading

import streamlit as st

from core.runs import Runs


class _Holder:
    """Makes `Runs` at first use; Streamlit's cache would refuse a Dask client, which can be awaited."""

    def __init__(self):
        self._lock, self._runs = threading.Lock(), None

    def get(self) -> Runs:
        with self._lock:
            if self._runs is None:
                self._runs = Runs()
            return self._runs

    def close(self) -> None:
        with self._lock:
            if self._runs is not None:
                self._runs.close()
                self._runs = None


@st.cache_resource(show_spinner=False)
def _holder() -> _Holder:
    return _Holder()


def runs() -> Runs:
    """The server's runs; nothing is started before the first one is submitted."""
    return _holder().get()


def forget() -> None:
    """End the server's runs and their workers; the next call of `runs` starts anew, with the settings of then."""
    _holder().close()
