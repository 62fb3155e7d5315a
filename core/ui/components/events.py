"""What a component in the browser tells Python, in order and once each."""

from collections.abc import Callable
from secrets import token_hex
from typing import Any

import streamlit as st


def last(key: str) -> int:
    """The number of the newest event of this component that Python has dealt with."""
    return st.session_state.get(f"{key}:seen", 0)


def answer(key: str) -> dict[str, Any]:
    """What the browser must know to tell an answer to its newest event from an older one.

    `life` changes with the session: a page that stayed open over a restart of the server counts anew.
    """
    return {"ack": last(key), "life": st.session_state.setdefault(f"{key}:life", token_hex(4))}


def receive(key: str, handle: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
    """A callback for `on_event_change` that hands over events not seen before.

    The browser sends its events again until Python has answered them, because Streamlit keeps only the newest of
    several messages that arrive during one run. Every event carries a number that rises.
    """

    def told() -> None:
        value = st.session_state.get(key)
        events = value.get("event") if hasattr(value, "get") else None
        for event in events if isinstance(events, list) else ():
            if isinstance(event, dict) and isinstance(event.get("seq"), int) and event["seq"] > last(key):
                st.session_state[f"{key}:seen"] = event["seq"]
                handle(event)

    return told
