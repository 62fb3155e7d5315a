"""The newest request wins: older computations of the same session that still wait are dropped."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st


class _Gate:
    def __init__(self):
        self.lock = threading.Lock()
        self.tickets = 0


@contextmanager
def newest(name: str) -> Iterator[None]:
    """Run the body alone in this session; a request that is overtaken while it waits ends its rerun quietly.

    A rerun of Streamlit does not stop the computation of the one before, so that six quick steps of a slider would
    compute six times side by side.
    """
    gate = st.session_state.setdefault(f"gate:{name}", _Gate())
    gate.tickets += 1
    mine = gate.tickets
    with gate.lock:
        if mine != gate.tickets:
            st.stop()
        yield
