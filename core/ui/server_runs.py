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


@st.cache_resource(show_spinner=False)
def _holder() -> _Holder:
    return _Holder()


def runs() -> Runs:
    """The server's runs; nothing is started before the first one is submitted."""
    return _holder().get()
