"""The queue before the model: order, places, and what happens to whoever holds the others up."""

import threading
import time

from core.steering.queue import Queue


def test_turns_come_in_the_order_of_asking_and_positions_count_those_before():
    queue = Queue()
    first, second, third = queue.enter(), queue.enter(), queue.enter()
    assert [t.position() for t in (first, second, third)] == [0, 1, 2]
    assert first.wait(0) and not second.wait(0.01) and not third.wait(0)
    first.leave()
    assert not third.wait(0) and second.wait(0)
    second.leave()
    second.leave()
    assert third.wait(0) and len(queue) == 1


def test_one_that_leaves_while_it_waits_lets_the_next_move_up():
    queue = Queue()
    first, second, third = queue.enter(), queue.enter(), queue.enter()
    second.leave()
    assert third.position() == 1
    first.leave()
    assert third.wait(0)


def test_a_waiting_thread_wakes_at_once_when_the_turn_is_free():
    queue, woken = Queue(), threading.Event()
    first, second = queue.enter(), queue.enter()
    thread = threading.Thread(target=lambda: second.wait(30) and woken.set(), daemon=True)
    thread.start()
    time.sleep(0.05)
    assert not woken.is_set()
    first.leave()
    assert woken.wait(5)


def test_one_that_stalls_loses_its_turn_to_the_next_and_gets_it_back_later():
    queue = Queue(stall=0.1)
    with queue.enter() as hangs:
        assert hangs.wait(0)
        with queue.enter() as patient:
            assert not patient.wait(0.02)
            assert patient.wait(5)
            assert hangs.position() == 1 and not hangs.wait(0.01)
        assert hangs.wait(0)


def test_one_that_goes_on_keeps_its_turn_however_long_it_takes():
    queue = Queue(stall=0.2)
    busy, other = queue.enter(), queue.enter()
    until = time.monotonic() + 0.6
    while time.monotonic() < until:
        assert busy.wait(0) and not other.wait(0.02)
