"""`python -m core encode` and `decode`: samples to codes and back, as CSV, npy or JSON."""

import argparse
import csv
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.device import use_one_thread
from core.errors import InputError
from core.store import Card, load, write_atomic
from core.tables import to_csv
from core.terminal.data import load_raw, own_units, prepared_as, read
from core.terminal.options import add_data

_ENDINGS = ("", ".csv", ".npy", ".json")


def encode(argv: Sequence[str]) -> int:
    """Codes of samples; see `python -m core encode --help`."""
    parser = argparse.ArgumentParser(prog="python -m core encode", description="Codes of samples by a model.")
    parser.add_argument("model", help="a model's folder, or an exported file")
    add_data(parser)
    _add_out(parser)
    arguments = parser.parse_args(argv)
    use_one_thread()
    model, card = load(Path(arguments.model))
    codes = model.encode(prepared_as(load_raw(arguments)[0], card).samples)
    (basis, *others) = model.bases().values()
    names = basis.names if not others and basis.k == codes.shape[1] else map(str, range(1, codes.shape[1] + 1))
    _write(codes, [f"direction {n}" for n in names], "codes", arguments)
    return 0


def decode(argv: Sequence[str]) -> int:
    """Samples of codes; see `python -m core decode --help`."""
    parser = argparse.ArgumentParser(
        prog="python -m core decode", description="Flat samples of codes by a model, in the units of its data."
    )
    parser.add_argument("model", help="a model's folder, or an exported file")
    parser.add_argument("codes", help="a CSV file with a heading and one code a row (as encode writes it), or npy")
    _add_out(parser)
    arguments = parser.parse_args(argv)
    use_one_thread()
    model, card = load(Path(arguments.model))
    codes = _codes(arguments.codes)
    wanted = model.encode(np.zeros((1, *card.shape), dtype=np.float32)).shape[1]
    if codes.shape[1] != wanted:
        raise InputError(f"This model's codes have {wanted} weights; those in {arguments.codes} have {codes.shape[1]}.")
    samples = own_units(model.decode(codes), card)
    _write(samples, _features(card, samples.shape[1]), "samples", arguments)
    return 0


def _add_out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", help="file to write, .csv, .npy or .json; the terminal when left out")
    parser.add_argument("--json", action="store_true", help="JSON instead of CSV")


def _codes(name: str) -> np.ndarray:
    _, content = read(name)
    try:
        if content.startswith(b"\x93NUMPY"):
            codes = np.load(io.BytesIO(content), allow_pickle=False)
        else:
            rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))[1:]
            codes = np.array([[float(cell) for cell in row] for row in rows if row])
        codes = np.atleast_2d(np.asarray(codes, dtype=np.float32))
    except (ValueError, UnicodeDecodeError, EOFError):
        codes = np.empty(0)
    if codes.ndim != 2 or codes.size == 0 or not np.isfinite(codes).all():
        raise InputError(f"{name} holds no codes: a heading and one row of finite numbers for each code are needed.")
    return codes


def _features(card: Card, d: int) -> Sequence[str]:
    return card.features if card.features and len(card.features) == d else [str(i + 1) for i in range(d)]


def _write(rows: np.ndarray, heading: Sequence[str], what: str, arguments: argparse.Namespace) -> None:
    rows = np.asarray(rows, dtype=np.float32)
    ending = Path(arguments.out or "").suffix.lower()
    if ending not in _ENDINGS:
        raise InputError(f"The file to write ends in .csv, .npy or .json, not in {ending}.")
    if ending == ".npy":
        out = io.BytesIO()
        np.save(out, rows)
        content = out.getvalue()
    elif arguments.json or ending == ".json":
        cells = [[float(f"{v:.9g}") for v in row] for row in rows]  # nine digits: a float32 comes back exactly
        content = json.dumps({"names": list(heading), what: cells}).encode()
    else:
        content = to_csv(heading, rows)
    if arguments.out:
        write_atomic(Path(arguments.out).resolve(), content)
    else:
        sys.stdout.write(content.decode() + ("\n" if arguments.json else ""))
        sys.stdout.flush()
