"""Whose turn it is to write: one at a time in the order of asking, and nobody can hold the others up for ever."""

import threading
import time
from collections import OrderedDict

STALL_SECONDS = 20.0


class Queue:
    """A fair lock around generation.

    The first in line has the turn. Whoever has it and neither goes on nor leaves for `stall` seconds (a browser that
    was closed, a page that hangs) goes to the end of the line, and goes on writing when it is its turn again.
    """

    def __init__(self, stall: float = STALL_SECONDS):
        self._stall, self._line, self._change = stall, OrderedDict(), threading.Condition()

    def enter(self) -> "Ticket":
        """Stand in line; leave it with `Ticket.leave`, or use the ticket in a `with` statement."""
        ticket = Ticket(self)
        with self._change:
            self._line[ticket] = time.monotonic()
        return ticket

    def __len__(self) -> int:
        return len(self._line)


class Ticket:
    """A place in a queue."""

    def __init__(self, queue: Queue):
        self._queue = queue

    def position(self) -> int:
        """How many are before this one; 0 when it has its turn, or has left."""
        with self._queue._change:
            return self._place()

    def wait(self, seconds: float) -> bool:
        """Wait for the turn, at most so long; whether it has come. Called again before each step, it keeps the turn."""
        queue, until = self._queue, time.monotonic() + seconds
        with queue._change:
            queue._line.setdefault(self, time.monotonic())
            while True:
                now = time.monotonic()
                first = next(iter(queue._line))
                if first is self:
                    queue._line[self] = now
                    return True
                if now - queue._line[first] > queue._stall:
                    queue._line.move_to_end(first)
                    queue._line[next(iter(queue._line))] = now
                    queue._change.notify_all()
                    continue
                if now >= until:
                    return False
                queue._change.wait(min(until - now, 0.5))

    def leave(self) -> None:
        """Give the turn to the next one. Leaving twice does no harm."""
        queue = self._queue
        with queue._change:
            if queue._line.pop(self, None) is not None and queue._line:
                queue._line[next(iter(queue._line))] = time.monotonic()
            queue._change.notify_all()

    def _place(self) -> int:
        for i, ticket in enumerate(self._queue._line):
            if ticket is self:
                return i
        return 0

    def __enter__(self) -> "Ticket":
        return self

    def __exit__(self, *_) -> None:
        self.leave()


QUEUE = Queue()  # the server's one: whatever is written, two rows at once take as long as two after another
