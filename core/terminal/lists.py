"""`python -m core runs` and `models`: what there is on this machine, and the little that can be done with it here."""

import argparse
import datetime
import json
import time
from collections.abc import Sequence
from pathlib import Path

from core.datasets.io import from_bytes
from core.device import use_one_thread
from core.errors import InputError
from core.runs.folder import RunFolder, all_runs, data_path
from core.runs.view import Journal, RunView
from core.store import add_file, export_file, find, list_models, places, write_atomic
from core.terminal.data import read
from core.terminal.fit import add_results, finish, train
from core.terminal.options import words


def runs(argv: Sequence[str]) -> int:
    """List trainings, resume or remove one; see `python -m core runs --help`."""
    parser = argparse.ArgumentParser(prog="python -m core runs", description="Trainings on this machine.")
    parser.add_argument("--json", action="store_true", help="as JSON")
    actions = parser.add_subparsers(dest="action", metavar="action")
    actions.add_parser("list", help="list all (what happens without an action)")
    resume = actions.add_parser("resume", help="go on with one that was stopped, failed or lost, in this process")
    resume.add_argument("run")
    add_results(resume)
    actions.add_parser("remove", help="remove one that is over").add_argument("run")
    arguments = parser.parse_args(argv)
    if arguments.action == "resume":
        return _resume(arguments)
    if arguments.action == "remove":
        folder = RunFolder.find(arguments.run)
        if Journal(folder).refresh().view().active:
            raise InputError("This run is still under way; stop it first.")
        folder.remove()
        return 0
    views = sorted((Journal(f).refresh().view() for f in all_runs()), key=lambda v: v.created)
    if arguments.json:
        print(json.dumps([_as_dict(v) for v in views]))
        return 0
    for v in views:
        when = datetime.datetime.fromtimestamp(v.created).isoformat(sep=" ", timespec="minutes")
        print(f"{v.id}  {when}  {v.state:8}  {v.step}/{v.total}  {v.family}  {v.data['title']}  {words(v.metrics)}")
    return 0


def models(argv: Sequence[str]) -> int:
    """List models, export or import one; see `python -m core models --help`."""
    parser = argparse.ArgumentParser(prog="python -m core models", description="Models of the library.")
    parser.add_argument("--key", help="of a session, for its own place")
    parser.add_argument("--json", action="store_true", help="as JSON")
    actions = parser.add_subparsers(dest="action", metavar="action")
    actions.add_parser("list", help="list all (what happens without an action)")
    export = actions.add_parser("export", help="write one as a single file")
    export.add_argument("model", help="as the list names it, or a model's folder")
    export.add_argument("file", help="to write")
    bring = actions.add_parser(
        "import", help="put an exported file into the shared place, or with --key into one's own"
    )
    bring.add_argument("file")
    arguments = parser.parse_args(argv)
    if arguments.action == "export":
        folder = Path(arguments.model)
        if not folder.is_dir():
            folder = find(arguments.model, arguments.key).folder
        write_atomic(Path(arguments.file).resolve(), export_file(folder))
        return 0
    if arguments.action == "import":
        place = places(arguments.key)["own" if arguments.key else "shared"]
        print(add_file(read(arguments.file)[1], place).id)
        return 0
    entries = list_models(arguments.key)
    if arguments.json:
        print(json.dumps([{"id": e.id, "bytes": e.bytes, "broken": e.broken, **_card(e.card)} for e in entries]))
        return 0
    for e in entries:
        c = e.card
        sizes = ", ".join(f"{k} x {d}" for k, d in c.sizes.values()) if c else ""
        metrics = words(dict(list(c.metrics.items())[:3])) if c else ""  # all of them with --json
        line = f"{c.family}  {sizes}  {c.data}  {metrics}  {c.licence}" if c else e.broken
        print(f"{e.id}  {e.bytes / 1024:.0f} KB  {line}")
    return 0


def _resume(arguments: argparse.Namespace) -> int:
    folder = RunFolder.find(arguments.run)
    journal = Journal(folder).refresh()
    view = journal.view()
    if not view.resumable:
        raise InputError(f"This run cannot be resumed: it is {view.state}.")
    path = data_path(folder.settings["data"]["name"])
    if not path.is_file():
        raise InputError("The data of this run was removed; start it anew from the data.")
    use_one_thread()
    return finish(train(folder, from_bytes(path.read_bytes()), journal.attempt + 1), arguments)


def _as_dict(v: RunView) -> dict:
    names = "id state family settings seed name study data step total metrics seconds seconds_left device error kept"
    return {n: getattr(v, n) for n in names.split()} | {"age": round(time.time() - v.created, 1)}


def _card(card) -> dict:
    if card is None:
        return {}
    names = (
        "name family settings shape kind data samples fingerprint sizes seed metrics seconds device date licence note"
    )
    return {n: getattr(card, n) for n in names.split()}
