"""`python -m core fit`: a training in this process, or on a configured cluster, with the run's folder beside it."""

import argparse
import contextlib
import json
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.datasets.dataset import Dataset
from core.device import use_one_thread
from core.errors import InputError
from core.models import families, family
from core.runs.cluster import configured_address
from core.runs.execute import execute
from core.runs.folder import RunFolder
from core.runs.folder_run import FolderRun
from core.runs.new import new_run
from core.runs.service import Runs
from core.runs.view import Journal, RunView
from core.store import add_copy, load_card, places
from core.store.disk import write_folder
from core.terminal.bar import Bar
from core.terminal.data import load_raw, prepared
from core.terminal.options import add_data, add_settings, settings_of, words


def fit(argv: Sequence[str]) -> int:
    """Fit a family to data; see `python -m core fit --help`.

    Returns:
        0, or 130 when it was interrupted and what it had is kept.
    """
    parser = argparse.ArgumentParser(
        prog="python -m core fit",
        description="Fit a family to data. Ctrl-C ends a training and keeps what it has.",
        add_help=False,
    )
    parser.add_argument("family", nargs="?")
    first, rest = parser.parse_known_args(argv)
    if first.family is None or first.family.startswith("-"):
        parser.epilog = "Families: " + ", ".join(families())  # imports them all, which takes a while
        parser.print_help()
        return 0 if "--help" in argv or "-h" in argv else 2
    cls = family(first.family)
    arguments = _parser(cls).parse_args(rest)
    use_one_thread()
    settings = cls.Settings.of(settings_of(arguments)).as_dict()
    raw, name = load_raw(arguments)
    dataset, more = prepared(raw, name, arguments.prepare)
    run = dict(seed=arguments.seed, name=arguments.name, device=arguments.device, more=more)
    if configured_address() and not arguments.here:
        view = _on_cluster(cls.family, dataset, settings, run)
    else:
        view = train(new_run(cls, dataset, settings, **run), dataset)
    return finish(view, arguments)


def _parser(cls) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m core fit {cls.family}", description=f"{cls.title}: {cls.summary}", allow_abbrev=False
    )
    add_settings(parser, cls.Settings)
    add_data(parser)
    parser.add_argument(
        "--prepare",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a choice of the preparation (standardise=no)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of everything drawn at random; default: 0")
    parser.add_argument("--device", help="cpu, cuda, cuda:1 or mps; default: the best there is")
    parser.add_argument("--here", action="store_true", help="on this machine, although a cluster is configured")
    parser.add_argument("--name", default="", help="of the model")
    add_results(parser)
    return parser


def add_results(parser: argparse.ArgumentParser) -> None:
    """The arguments that say where a model goes."""
    parser.add_argument("--out", help="folder to write the model to")
    parser.add_argument("--share", action="store_true", help="put the model into the shared place of the library")
    parser.add_argument("--json", action="store_true", help="the outcome as JSON")


def train(folder: RunFolder, dataset: Dataset, attempt: int = 1) -> RunView:
    """Train a run in this process; Ctrl-C or a polite kill ends it and keeps what it has."""
    folder.look_after(attempt=attempt, where="terminal")
    folder.append("submitted", attempt=attempt)
    bar, stop = Bar(), threading.Event()
    run = _BarRun(folder, attempt=attempt, stop=stop, bar=bar)
    with _stops(stop):
        execute(run, dataset, where="terminal")
    bar.close()
    folder.look_away()
    return Journal(folder).refresh().view()


def finish(view: RunView, arguments: argparse.Namespace) -> int:
    """Put the model where it was asked for and say how it went.

    Raises:
        InputError: the training failed.
    """
    if view.state == "failed":
        raise InputError(view.error)
    folder = RunFolder.find(view.id)
    said: dict[str, Any] = {"run": view.id, "state": view.state, "step": view.step, "total": view.total}
    if view.kept:
        card = load_card(folder.model_path)
        said.update(family=card.family, settings=card.settings, seed=card.seed, sizes=card.sizes)
        said.update(metrics=card.metrics, seconds=card.seconds, device=card.device, model=str(folder.model_path))
        if arguments.out:
            files = {f.name: f.read_bytes() for f in folder.model_path.iterdir()}
            said["model"] = str(write_folder(Path(arguments.out).resolve(), files) or arguments.out)
        if arguments.share:
            said["library"] = add_copy(folder.model_path, places()["shared"]).id
    _say(view, said, arguments.json)
    return 0 if view.state == "done" else 130


def _say(view: RunView, said: dict[str, Any], as_json: bool) -> None:
    if view.state != "done":
        kept = "what it had is kept" if view.kept else "nothing was learned yet"
        print(f"Interrupted; {kept}. Go on with: python -m core runs resume {view.id}", file=sys.stderr)
    if as_json:
        print(json.dumps(said))
    elif view.kept:
        sizes = ", ".join(f"{bank} {k} x {d}" for bank, (k, d) in said["sizes"].items())
        numbers = words(said["metrics"])
        print(
            f"{said['model']}  {said['family']}  {sizes}  {said['seconds']:.1f} s" + (f"  {numbers}" if numbers else "")
        )


def _on_cluster(name: str, dataset: Dataset, settings: dict[str, Any], run: dict[str, Any]) -> RunView:
    runs, bar, stop = Runs(), Bar(), threading.Event()
    try:
        with _stops(stop):
            run_id = runs.submit(name, dataset, settings, **run)
            asked = False
            while (view := runs.follow(run_id)).active or view.state == "lost":
                if stop.is_set() and not asked:
                    runs.stop(run_id)
                    asked = True
                bar.show(view.step, view.total, view.metrics.get("loss"), view.seconds_left)
                time.sleep(0.1)
        return view
    finally:
        bar.close()
        runs.close()


class _BarRun(FolderRun):
    def __init__(self, folder: RunFolder, *, bar: Bar, **more):
        super().__init__(folder, **more)
        self._bar, self._from = bar, None

    def progress(self, step, total, metrics=None, preview=None):
        super().progress(step, total, metrics, preview)
        now = time.monotonic()
        self._from = self._from or (now, step)
        pace = (now - self._from[0]) / (step - self._from[1]) if step > self._from[1] else None
        self._bar.show(step, total, self.metrics.get("loss"), None if pace is None else pace * (total - step))


@contextlib.contextmanager
def _stops(stop: threading.Event):
    """Inside, the first Ctrl-C or polite kill sets `stop`, and a second one ends the process as usual."""

    def first(number, frame):
        stop.set()
        signal.signal(number, before[number])

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        for number in before:
            signal.signal(number, first)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
