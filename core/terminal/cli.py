"""The commands of the terminal, and how their outcome becomes an exit code."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from core.errors import InputError

OK, REFUSED, INTERRUPTED = 0, 2, 130

COMMANDS = {
    "fit": "fit a family to data and write the model",
    "encode": "codes of samples by a model",
    "decode": "samples of codes by a model",
    "runs": "list, resume or remove trainings",
    "models": "list, export or import models of the library",
    "assets": "list or fetch the large files that do not come with the project",
    "serve": "start the app in the browser",
}


def main(argv: Sequence[str]) -> int:
    """Run one command.

    Returns:
        0 done, 2 the input cannot be used (one sentence on stderr), 130 interrupted.
    """
    parser = argparse.ArgumentParser(prog="python -m core", description="Learn, look at and take away bases.")
    commands = parser.add_subparsers(metavar="command", required=True)
    for name, help in COMMANDS.items():
        commands.add_parser(name, help=help, add_help=False).set_defaults(name=name)
    if not argv or argv[0] not in COMMANDS:
        parser.parse_args(argv)  # ends with the help or with an error
        return REFUSED
    try:
        return _command(argv[0])(argv[1:])
    except InputError as error:
        print(error, file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output, such as `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK


def _command(name: str) -> Callable[[Sequence[str]], int]:
    # each is imported when it is called, so that --help and serve do not wait for the others
    if name == "fit":
        from core.terminal.fit import fit as command
    elif name == "encode":
        from core.terminal.convert import encode as command
    elif name == "decode":
        from core.terminal.convert import decode as command
    elif name == "runs":
        from core.terminal.lists import runs as command
    elif name == "models":
        from core.terminal.lists import models as command
    elif name == "assets":
        from core.terminal.fetch import assets as command
    else:
        from core.terminal.serve import serve as command
    return command
