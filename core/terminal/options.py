"""Arguments out of settings classes, and the arguments that several commands share."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from core.errors import InputError
from core.settings import Settings


def add_settings(parser: argparse.ArgumentParser, cls: type[Settings]) -> None:
    """One option for each setting, named as on the pages; those left out are not in the result."""
    group = parser.add_argument_group("settings")
    for f in fields(cls):
        meta, default = f.metadata, f.default
        names = list(dict.fromkeys((f"--{f.name.replace('_', '-')}", f"--{f.name}")))
        help = f"{meta['help']} Default: {default}.".replace("%", "%%")
        common = dict(dest=f"setting.{f.name}", default=argparse.SUPPRESS, help=help)
        if isinstance(default, bool):
            group.add_argument(*names, action=argparse.BooleanOptionalAction, **common)
        else:
            choices = f"{{{','.join(map(str, meta['choices']))}}}" if meta["choices"] else f.name.upper()
            group.add_argument(*names, type=type(default), metavar=choices, **common)


def settings_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that were given."""
    return {n.removeprefix("setting."): v for n, v in vars(arguments).items() if n.startswith("setting.")}


def pairs(given: Sequence[str], cls: type[Settings]) -> dict[str, Any]:
    """Values out of `name=value` words, with the types that the settings class has.

    Raises:
        InputError: a word of another form, an unknown name, or a value of another type.
    """
    kinds = {f.name: type(f.default) for f in fields(cls)}
    values: dict[str, Any] = {}
    for word in given:
        name, equals, value = word.partition("=")
        name = name.replace("-", "_")
        if not equals or name not in kinds:
            raise InputError(f"{word!r} is not name=value with one of these names: {', '.join(kinds) or 'none'}.")
        values[name] = _typed(name, value, kinds[name])
    return values


def add_data(parser: argparse.ArgumentParser) -> None:
    """The arguments that say where samples come from."""
    group = parser.add_argument_group("data")
    group.add_argument("files", nargs="*", help="files with samples; several only for images")
    group.add_argument("--sample", help="a built-in sample instead of files, such as digits")
    group.add_argument("--kind", help="what the files hold, when their form does not tell")
    group.add_argument(
        "--load", action="append", default=[], metavar="NAME=VALUE", help="a choice of the loader (missing=drop rows)"
    )


def words(numbers: Mapping[str, float | None]) -> str:
    """Named numbers in one line."""
    return ", ".join(f"{name} {value:.6g}" for name, value in numbers.items() if value is not None)


def _typed(name: str, value: str, kind: type) -> Any:
    if kind is bool:
        if value.lower() not in ("yes", "no", "true", "false", "1", "0"):
            raise InputError(f"{name} is yes or no, not {value!r}.")
        return value.lower() in ("yes", "true", "1")
    try:
        return kind(value)
    except ValueError:
        raise InputError(f"{name} takes a value of type {kind.__name__}, not {value!r}.") from None
