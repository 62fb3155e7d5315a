"""What the tests of runs share beside fixtures."""

import time
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def wait_for(what, seconds=60, pause=0.02):
    """Wait until `what()` is true and return it."""
    until = time.monotonic() + seconds
    while True:
        found = what()
        if found:
            return found
        assert time.monotonic() < until, "waited too long"
        time.sleep(pause)


def ended(runs, run_id, seconds=90):
    """The view of a run once it no longer waits or trains."""
    return wait_for(lambda: (v := runs.follow(run_id)) and not v.active and v, seconds)
