"""What a run costs beside the same training called directly, and what a second worker gains for a study."""

import argparse
import contextlib
import os
import tempfile
import time
from collections.abc import Iterator, Sequence

from core.datasets import Dataset, sample
from core.device import use_one_thread
from core.models import family
from core.runs import Runs
from core.runs.execute import execute
from core.runs.folder_run import FolderRun
from core.runs.new import new_run

FAMILY = "directions.autoencoder"
SEEDS = 6
TURNS = 6  # a shared machine's speed drifts by more than what is measured here


def main(argv: Sequence[str] = ()) -> int:
    """Print the figures. On a machine that does other work at the same time they say little."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks runs", description=main.__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="length of the training; default: 60")
    arguments = parser.parse_args(list(argv))
    use_one_thread()
    data = sample("digits")
    steps = steps_for(data, arguments.seconds)
    with runs_with(1) as runs:
        asked, first, _, seen = one_run(runs, data, 200)
        direct, trained = in_turns(runs, data, steps // TURNS)
        print(f"{steps} steps of {FAMILY} in {TURNS} parts, called directly: {direct:.1f} s")
        print(f"the same as runs: {trained:.1f} s of training, {100 * (trained / direct - 1):+.1f} % (aim: under 5 %)")
        plain, noted = processor_seconds(data, max(1, steps // 2))
        print(f"in processor time, with events and checkpoints: {100 * (noted / plain - 1):+.1f} %")
        print(f"submission until a worker has it, cold: {asked + seen:.2f} s (aim: under 3 s)")
        print(f"submission until the first report, cold: {asked + first:.2f} s, {asked:.2f} s of it "
              "until `submit` came back")  # fmt: skip
        asked, first, _, _ = one_run(runs, data, max(1, steps // 20))
        print(f"submission until the first report, with a worker that is there: {asked + first:.2f} s")
        print(f"stop: {stopped(runs, data, steps):.2f} s (aim: under 1 s)")
    times = [study(n, data, max(1, steps // 4)) for n in (1, 2)]
    print(f"{SEEDS} seeds over one worker {times[0]:.1f} s, over two {times[1]:.1f} s: {times[1] / times[0]:.2f} of it "
          f"(aim: under 0.7); {os.cpu_count()} cores")  # fmt: skip
    return 0


def steps_for(data: Dataset, seconds: float) -> int:
    """How many steps take about so long."""
    few = 200
    family(FAMILY)(steps=few).fit(data, seed=0)
    began = time.monotonic()
    family(FAMILY)(steps=few).fit(data, seed=0)
    return max(few, int(few * seconds / (time.monotonic() - began)))


@contextlib.contextmanager
def runs_with(workers: int) -> Iterator[Runs]:
    """`Runs` with so many workers and a home of its own, which is removed in the end."""
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(BASIS_HOME=home, BASIS_WORKERS=str(workers))
        runs = Runs()
        try:
            yield runs
        finally:
            runs.close()


def one_run(runs: Runs, data: Dataset, steps: int) -> tuple[float, float, float, float]:
    """Seconds until `submit` came back, then until the first report, of the training, then until a worker had it."""
    began = time.monotonic()
    run_id = runs.submit(FAMILY, data, {"steps": steps}, here=True)
    asked = time.monotonic()
    while runs.follow(run_id).state == "waiting":
        time.sleep(0.01)
    seen = time.monotonic()
    while not (view := runs.follow(run_id)).step and view.active:
        time.sleep(0.01)
    first = time.monotonic()
    while (view := runs.follow(run_id)).active:
        time.sleep(0.2)
    if view.state != "done":
        raise RuntimeError(view.error)
    return asked - began, first - asked, view.seconds, seen - asked


def in_turns(runs: Runs, data: Dataset, steps: int) -> tuple[float, float]:
    """Seconds of trainings called directly, and of as many runs, one after the other by turns."""
    direct = trained = 0.0
    for _ in range(TURNS):
        began = time.monotonic()
        family(FAMILY)(steps=steps).fit(data, seed=0)
        direct += time.monotonic() - began
        trained += one_run(runs, data, steps)[2]
    return direct, trained


def processor_seconds(data: Dataset, steps: int) -> tuple[float, float]:
    """Processor seconds of a training called directly, and of one that writes a run's folder; other work on the
    machine does not change them much."""
    cls = family(FAMILY)
    settings = cls.Settings(steps=steps)
    began = time.process_time()
    cls(settings).fit(data, seed=0)
    plain = time.process_time() - began
    folder = new_run(cls, data, settings.as_dict())
    folder.append("submitted", attempt=1)
    began = time.process_time()
    execute(FolderRun(folder), data)
    return plain, time.process_time() - began


def stopped(runs: Runs, data: Dataset, steps: int) -> float:
    """Seconds from asking a run to stop until it has."""
    run_id = runs.submit(FAMILY, data, {"steps": steps}, here=True)
    while not runs.follow(run_id).step:
        time.sleep(0.01)
    began = time.monotonic()
    runs.stop(run_id)
    while runs.follow(run_id).active:
        time.sleep(0.01)
    return time.monotonic() - began


def study(workers: int, data: Dataset, steps: int) -> float:
    """Seconds of a study over so many workers that are there already."""
    with runs_with(workers) as runs:
        runs.warm()
        began = time.monotonic()
        study_id = runs.study(FAMILY, data, {"steps": steps}, seeds=range(SEEDS), here=True)
        while any(v.active for v in runs.runs_of(study_id)):
            time.sleep(0.1)
        return time.monotonic() - began
