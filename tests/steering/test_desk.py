"""Texts that are written beside a page: how they end."""

import time

import pytest

from core.steering import desk as module
from core.steering.desk import Piece
from core.steering.generate import Row, Step, Token, Writing

TOKEN = Token(id=1, text="a", chance=0.5, surprise=0.7, kl=0.0, top=[], top_unsteered=[], ended=False)


class Model:
    """One that says nothing of prompts."""

    @staticmethod
    def control_tokens(text):
        return []


def ended(piece: Piece) -> str:
    for _ in range(200):
        if not piece.active:
            time.sleep(0.05)  # the thread has its last word
            return piece.state
        time.sleep(0.01)
    return f"still {piece.state}"


@pytest.fixture
def writes(monkeypatch):
    """Let a function take the place of the model's writing."""

    def put(generate):
        monkeypatch.setattr(module, "shared", lambda source: Model)
        monkeypatch.setattr(module, "generate", generate)

    return put


def test_a_stop_in_the_middle_of_a_step_is_never_lost(writes):
    piece = Piece(1)

    class Late(Step):
        @property
        def rows(self):
            piece.stop()  # after the thread has looked whether it should
            return (TOKEN,)

    writes(lambda *_, stop, **kw: iter([object.__new__(Late)] * 3))
    piece.start("any", [Row("x")], Writing(tokens=3))
    assert ended(piece) == "stopped" and piece.held


def test_a_long_prompt_is_not_taken_for_a_model_that_loads(writes):
    seen, piece = [], Piece(1)

    def generate(*_, stop, **kw):
        seen.append(piece.state)
        yield Step((TOKEN,))

    writes(generate)
    piece.start("any", [Row("x")], Writing(tokens=1))
    assert ended(piece) == "done" and seen == ["writing"] and piece.text(0) == "a"
