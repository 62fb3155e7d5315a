"""Undo, and what browsers send late."""

import time

import pytest
from streamlit.testing.v1 import AppTest

from core.ui import history as module


def script():
    from dataclasses import dataclass

    import streamlit as st

    from core.ui.history import History
    from core.ui.view import View

    @dataclass(frozen=True)
    class Chosen(View):
        seed: int = 0

    history = History("tests", Chosen)
    history.bind("seed", st.number_input, "Seed", 0, 99)
    st.button("Another", key="another", on_click=lambda: history.change(seed=history.now.seed + 1))
    st.button("Undo", key="undo", on_click=history.undo)
    st.button("Else", key="else")
    st.text(str(history.now.seed))
    st.caption(history.notice)


@pytest.fixture
def at():
    return AppTest.from_function(script, default_timeout=20).run()


def seed(at):
    assert not at.exception
    assert at.number_input[0].value == int(at.text[0].value)
    return int(at.text[0].value)


def press(at, label):
    return next(b for b in at.button if b.label == label).click()


def test_a_choice_is_undone(at):
    assert seed(at.number_input[0].set_value(5).run()) == 5
    assert seed(press(at, "Another").run()) == 6
    assert seed(press(at, "Undo").run()) == 5
    assert seed(press(at, "Undo").run()) == 0


def test_a_click_that_carries_the_old_value_of_a_widget_does_not_undo_the_button(at, monkeypatch):
    """The browser's second click left before it had heard that the first one moved the widget."""
    press(at, "Another").run()
    at.number_input[0].set_value(0)
    assert seed(press(at, "Else").run()) == 1
    assert seed(at.number_input[0].set_value(0).run()) == 0  # without another click it is a choice
    press(at, "Another").run()
    later = time.monotonic() + module.LATE_SECONDS
    monkeypatch.setattr(module.time, "monotonic", lambda: later)
    at.number_input[0].set_value(0)
    assert seed(press(at, "Else").run()) == 0  # after so long the browser has heard


def test_a_broken_link_is_said_until_the_view_changes():
    at = AppTest.from_function(script, default_timeout=20)
    at.query_params["v"] = "zzzBROKEN"
    at.run()
    assert "incomplete or altered" in at.run().caption[0].value
    press(at, "Another").run()
    assert at.caption[0].value == "" and seed(at) == 1
