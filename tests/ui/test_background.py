"""Work beside the page: once for equal keys, stopped when cancelled, an error is one sentence."""

import threading

from streamlit.testing.v1 import AppTest

from core.errors import InputError
from core.ui.background import Shelf


def test_equal_keys_share_one_computation_and_progress_is_a_share():
    shelf, calls, go = Shelf(), [], threading.Event()

    def compute(run):
        calls.append(1)
        run.progress(1, 4)
        go.wait(5)
        return 42

    one, two = shelf.start("a", compute), shelf.start("a", compute)
    assert one is two
    while not one.share:
        pass
    assert one.share == 0.25 and one.result is None and not one.over.is_set()
    go.set()
    assert one.over.wait(5) and one.result == 42 and calls == [1]


def test_forgotten_work_is_asked_to_stop_and_can_be_begun_anew():
    shelf, seen = Shelf(), threading.Event()

    def compute(run):
        while not run.should_stop():
            seen.set()
        return None

    work = shelf.start("a", compute)
    assert seen.wait(5)
    shelf.forget("a")
    assert work.over.wait(5) and work.result is None and shelf.find("a") is None
    assert shelf.start("a", lambda run: 1) is not work


def test_errors_become_sentences(monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda args: None)  # the log, where the second one would stand
    shelf = Shelf()

    def refuse(run):
        raise InputError("This is too much.")

    def break_(run):
        raise ZeroDivisionError

    refused, broken = shelf.start("a", refuse), shelf.start("b", break_)
    assert refused.over.wait(5) and broken.over.wait(5)
    assert refused.error == "This is too much." and "ZeroDivisionError" in broken.error


def test_only_some_finished_work_is_kept():
    shelf = Shelf(kept=3)
    for i in range(8):
        assert shelf.start(str(i), lambda run, i=i: i).over.wait(5)
    assert shelf.find("0") is None and shelf.find("7").result == 7


def test_the_button_that_starts_gives_way_to_the_progress():
    def page():
        import time

        from core.ui.background import background

        def compute(run):
            while not run.should_stop():
                time.sleep(0.01)

        background("place", "test:gives way", compute, "Working", ask="Work")

    at = AppTest.from_function(page).run()
    at.button(key="place:go").click().run()
    assert [b.label for b in at.button] == ["Cancel"]
    at.button(key="place:cancel").click().run()
    assert [b.label for b in at.button] == ["Work"]
