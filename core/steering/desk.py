"""Texts that are written beside a page, for one person: in a thread of their own, shown as they grow, and kept."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from core.device import use_one_thread
from core.errors import InputError
from core.steering.generate import Row, Token, Writing, generate
from core.steering.language_model import LanguageModel
from core.steering.shared import shared

ABANDONED = 10.0  # seconds after which a text that nobody looks at is not written on
MOST_TOKENS = 8_000  # of all texts that are kept, about 2 kB each
WRITING = ("loading", "waiting", "writing")


class Piece:
    """Some rows that are written together, and how far they are. All attributes may be read while they grow.

    Attributes:
        rows: tokens of each row so far.
        state: `loading` (the language model), `waiting` (for others), `writing`, `done`, `stopped` or `failed`.
        position: how many others are before it while it waits.
        error: one sentence when it failed.
        notes: sentences about the prompt.
        forwards, hook_calls: passes of the model, and how often the steer was applied in them.
        seconds: spent writing, without loading and waiting.
        held: a person has stopped it.
    """

    def __init__(self, rows: int):
        self.rows: list[list[Token]] = [[] for _ in range(rows)]
        self.state, self.position, self.error = "stopped", 0, ""
        self.notes: list[str] = []
        self.forwards = self.hook_calls = 0
        self.seconds, self.written = 0.0, 0
        self._looked = time.monotonic()
        self.held = False
        self._stop = threading.Event()

    @property
    def active(self) -> bool:
        """Whether more is coming."""
        return self.state in WRITING

    @property
    def length(self) -> int:
        """Tokens of the longest row."""
        return max(map(len, self.rows), default=0)

    @property
    def ended(self) -> bool:
        """Whether the model has ended all rows by itself."""
        return all(row and row[-1].ended for row in self.rows)

    @property
    def rate(self) -> float:
        """Tokens a second of each row; NaN before the first."""
        return self.written / self.seconds if self.seconds else float("nan")

    def ids(self, row: int) -> list[int]:
        """Token ids of a row so far."""
        return [t.id for t in self.rows[row]]

    def text(self, row: int) -> str:
        """The text of a row so far."""
        return "".join(t.text for t in list(self.rows[row]))

    def kl(self, row: int) -> float:
        """KL a token, steered from unsteered, nats."""
        return float(np.mean([t.kl for t in self.rows[row]])) if self.rows[row] else float("nan")

    def perplexity(self, row: int) -> float:
        """Of a row under the unsteered model."""
        found = [t.surprise for t in self.rows[row]]
        return float(np.exp(np.mean(found))) if found else float("nan")

    def look(self) -> None:
        """Tell it that somebody still looks."""
        self._looked = time.monotonic()

    def stop(self) -> None:
        """End the writing for good; what there is stays. The step under way is not waited for."""
        self.held = True
        self.pause()

    def pause(self) -> None:
        """End the writing until somebody wants the text again."""
        self._stop.set()
        if self.active:
            self.state = "stopped"

    def start(self, source: str, rows: Sequence[Row], writing: Writing) -> None:
        """Write on from what there is, in a thread, until each row has `writing.tokens` tokens or has ended."""
        self.pause()
        self._stop, self.held, self.state, self.error = threading.Event(), False, "loading", ""
        self.look()
        threading.Thread(target=self._work, args=(source, list(rows), writing, self._stop), daemon=True).start()

    def _work(self, source: str, rows: list[Row], writing: Writing, stop: threading.Event) -> None:
        use_one_thread()

        def over() -> bool:
            return stop.is_set() or time.monotonic() - self._looked > ABANDONED

        try:
            model = shared(source)
            if not stop.is_set():
                self.state = "writing"  # a long prompt is read for a while before the first token
                self._write(model, rows, writing, over)
            state = "stopped" if over() else "done"
        except InputError as error:
            state, message = "failed", str(error)
        except Exception as error:
            state, message = "failed", f"Writing failed ({type(error).__name__}); change a setting and try again."
            raise
        finally:
            if not stop.is_set():  # else somebody has set the state already, or has started anew
                self.error = message if state == "failed" else ""
                self.state = state
            elif self._stop is stop and self.active:  # stopped between two looks at the event
                self.state = "stopped"

    def _write(self, model: LanguageModel, rows: list[Row], writing: Writing, over: Callable[[], bool]) -> None:
        self.notes = notes_of(model, rows)
        going = [i for i, row in enumerate(self.rows) if not (row and row[-1].ended)]
        left = writing.tokens - min((len(self.rows[i]) for i in going), default=writing.tokens)
        if left < 1:
            return
        rest = [replace(rows[i], written=tuple(self.ids(i))) for i in going]
        before = None
        for step in generate(model, rest, settings=replace(writing, tokens=left), stop=over):
            if over():
                return
            if not step.rows:
                self.state, self.position, before = "waiting", step.position, None
                continue
            now = time.monotonic()
            if before is not None:
                self.seconds, self.written = self.seconds + now - before, self.written + 1
            before, self.state = now, "writing"
            self.forwards, self.hook_calls = step.forwards, step.hook_calls
            for i, token in zip(going, step.rows, strict=True):
                if token is not None:
                    self.rows[i].append(token)


def notes_of(model: LanguageModel, rows: Sequence[Row]) -> list[str]:
    """What a person should know of the prompts."""
    found = sorted({c for row in rows for c in model.control_tokens(row.prompt)})
    return [f"The prompt holds {', '.join(found)}, which is read as plain text."] if found else []


class Desk:
    """The pieces of one person by key: what was written is kept, and one piece is written at a time in each place."""

    def __init__(self):
        self._pieces: OrderedDict[str, Piece] = OrderedDict()
        self._places: dict[str, str] = {}

    def find(self, key: str) -> Piece | None:
        """The piece of that key."""
        return self._pieces.get(key)

    def want(self, place: str, key: str, source: str, rows: Sequence[Row], writing: Writing) -> Piece:
        """The piece of that key, written on where it is shorter than asked for and was not stopped.

        Args:
            place: on the page; another piece that is being written there is stopped.
            key: names everything but the number of tokens.
        """
        before = self.find(self._places.get(place, ""))
        if self._places.get(place) != key and before is not None:
            before.pause()
        self._places[place] = key
        piece = self._pieces.get(key)
        if piece is None:
            piece = self._pieces[key] = Piece(len(rows))
            piece.start(source, rows, writing)
        elif piece.state in ("done", "stopped") and not (piece.held or piece.ended) and piece.length < writing.tokens:
            piece.start(source, rows, writing)
        self._pieces.move_to_end(key)
        self._tidy()
        piece.look()
        return piece

    def _tidy(self) -> None:
        kept = 0
        for key, piece in reversed(list(self._pieces.items())):
            kept += sum(map(len, piece.rows))
            if kept > MOST_TOKENS and not piece.active and key not in self._places.values():
                del self._pieces[key]
