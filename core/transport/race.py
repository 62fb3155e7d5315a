"""All representations on one signal: equal numbers, equal processor time, taking turns."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.progress import Run
from core.transport.codecs import BYTES_A_NUMBER, jpeg, truncated_dct
from core.transport.contenders import NETWORKS, TITLES, build
from core.transport.descent import Descent
from core.transport.fit import SpectrumSettings, fit_spectrum, psnr
from core.transport.narrow import narrow_share
from core.transport.splines import Grid


@dataclass
class Entry:
    """One method with one seed: seconds and PSNR along its way, numbers stored, and what it draws in the end."""

    name: str
    title: str
    stored: int
    seed: int = 0
    seconds: list[float] = field(default_factory=list)
    decibels: list[float] = field(default_factory=list)
    steps: int = 0
    values: np.ndarray | None = None

    @property
    def final(self) -> float:
        """PSNR at the end."""
        return self.decibels[-1]


class Racer:
    """A network in a race.

    On its clock: building it (for the deep model also one look at the signal for its decoder and one search for its
    carriers) and every step of its training. Not on its clock: drawing and judging.
    """

    def __init__(self, name: str, budget: int, values: np.ndarray, seconds: float, seed: int):
        began = time.thread_time()
        self.values = values
        net = build(name, budget, values, seed=seed)
        self.entry = Entry(name, TITLES[name], net.stored, seed)
        self.descent = Descent(net, values, seed=seed)
        self.limit, self.used = seconds, time.thread_time() - began

    def run(self, until: float) -> None:
        """Train until this much processor time is used."""
        began, before = time.thread_time(), self.used
        until = min(until, self.limit)
        while self.used < until:
            self.descent.step(self.used / self.limit)
            self.used = before + time.thread_time() - began

    def judge(self) -> float:
        """Draw, compare and note."""
        shape = self.values.shape
        drawn = np.clip(self.descent.draw().T.reshape(shape), 0, 1)
        self.entry.seconds.append(self.used)
        self.entry.decibels.append(psnr(self.values, drawn))
        self.entry.steps = self.descent.step_number
        if self.used >= self.limit:
            self.entry.values = drawn
        return self.entry.decibels[-1]


def exact_settings(values: np.ndarray, budget: int, k: int = 8) -> SpectrumSettings:
    """The exact fit at a budget: eight carriers, and as many cells as fit."""
    cells = 2
    c, shape = len(values), values.shape[1:]
    while cells < max(shape) and c * (2 * k + 1) * Grid.over(shape, cells + 1).size + k * len(shape) <= budget:
        cells += 1
    return SpectrumSettings(k=k, cells=cells)


def race(
    values: np.ndarray,
    *,
    budget: int = 2800,
    seconds: float = 6.0,
    names: Sequence[str] = NETWORKS,
    seed: int = 0,
    judgements: int = 12,
    run: Run | None = None,
) -> Iterator[list[Entry]]:
    """Run a race on a signal `(C, *shape)` in 0..1, taking turns; yields all entries after every round.

    The exact fit is done first (its seconds are a fraction of one); the yardsticks have no clock and stand as lines.
    """
    run = run or Run()
    entries = [exact_entry(values, budget), *yardsticks(values, budget)]
    racers = [Racer(name, budget, values, seconds, seed) for name in names]
    entries += [r.entry for r in racers]
    for turn in range(1, judgements + 1):
        for part in range(8):
            for racer in racers:
                racer.run(seconds * (turn - 1 + (part + 1) / 8) / judgements)
            if run.should_stop():
                return
        metrics = {r.entry.name: r.judge() for r in racers}
        run.progress(turn, judgements, metrics)
        yield entries


def exact_entry(values: np.ndarray, budget: int) -> Entry:
    """The exact fit at this budget, with its processor seconds."""
    began = time.thread_time()
    fitted = fit_spectrum(values, exact_settings(values, budget))
    used = time.thread_time() - began
    drawn = np.clip(fitted.spectrum.synthesise(), 0, 1)
    entry = Entry("exact", "Exact fit", fitted.spectrum.stored)
    entry.seconds, entry.decibels, entry.values = [used], [psnr(values, drawn)], drawn
    return entry


def yardsticks(values: np.ndarray, budget: int) -> list[Entry]:
    """Truncated cosine transforms at this many numbers, and for pictures JPEG at as many bytes."""
    out = []
    for kept, title in (("largest", "DCT, largest (positions charged)"), ("lowest", "DCT, lowest frequencies")):
        coded = truncated_dct(values, budget, kept=kept)
        out.append((f"dct-{kept}", title, coded))
    if values.ndim == 3 and len(values) in (1, 3):
        coded = jpeg(values, budget * BYTES_A_NUMBER)
        if coded is not None:
            out.append(("jpeg", "JPEG (same bytes)", coded))
    entries = []
    for name, title, coded in out:
        entry = Entry(name, title, coded.stored)
        drawn = np.clip(coded.values, 0, 1)
        entry.seconds, entry.decibels, entry.values = [0.0], [psnr(values, drawn)], drawn
        entries.append(entry)
    return entries


def verdict(values: np.ndarray, entries: Sequence[Entry]) -> str:
    """One sentence: who wins on this signal, and why, with the locally narrow-band share."""
    if not np.ptp(values):
        return "This signal is the same everywhere, so anything can draw it and a race says nothing."
    trained = [e for e in entries if not e.name.startswith(("dct", "jpeg"))]
    best, second = sorted(trained, key=lambda e: -e.final)[:2]
    share = narrow_share(np.asarray(values, dtype=np.float32).mean(0))
    ahead = f"{best.title} leads with {best.final:.1f} dB, {best.final - second.final:.1f} dB above {second.title}"
    if share > 0.8:
        why = "most places hold one frequency, which few carriers can follow"
    elif share > 0.5:
        why = "many places hold one main frequency, but not only that one"
    else:
        why = "places hold many frequencies at once, which a few carriers cannot serve"
    return f"{ahead}: {100 * share:.0f} % of the local energy lies around one frequency, so {why}."
