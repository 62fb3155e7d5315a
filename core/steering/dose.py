"""What a dose does and what it costs: texts written at several strengths, measured, beside a random direction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from core.errors import InputError
from core.steering.corpus import openings
from core.steering.generate import Row, Writing, write
from core.steering.language_model import LanguageModel
from core.steering.meters import METERS, Meter
from core.steering.probe import costs
from core.steering.steer import Steer

TOGETHER = 16  # texts written in one batch: others who wait in the queue get their turn after each
STRENGTHS = (-4.0, -2.0, 0.0, 2.0, 4.0)


@dataclass(frozen=True)
class Dose:
    """What was measured on the texts of one strength and one seed.

    Attributes:
        kind: `direction`, or `random` (a random direction of the same length).
        strength: in sigma (for a layer sweep, of r).
        ratio: r, length of the added vector over the mean length of a token.
        seed: of the writing, and of the random direction.
        meters: mean over the texts, by name of the meter.
        kl: per token, nats.
        perplexity: of all texts under the unsteered model.
        block: that was steered.
    """

    kind: str
    strength: float
    ratio: float
    seed: int
    meters: dict[str, float]
    kl: float
    perplexity: float
    block: int = 0


@dataclass(frozen=True)
class DoseTable:
    """All doses measured so far.

    Attributes:
        doses: in the order of measuring.
        done, total: texts written, and to be written.
        examples: the first text of each kind, strength (or block) and first seed, as (kind, strength, block, text).
    """

    doses: tuple[Dose, ...] = ()
    done: int = 0
    total: int = 0
    examples: tuple[tuple[str, float, int, str], ...] = ()

    def strengths(self, kind: str = "direction") -> list[float]:
        """The strengths measured, smallest first; strength 0 belongs to both kinds."""
        return sorted({d.strength for d in self._of(kind)})

    def curve(self, what: str, kind: str = "direction") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Strengths, means over seeds and standard deviations over seeds of a meter (or `kl`, `perplexity`)."""
        strengths = self.strengths(kind)
        values = [[_value(d, what) for d in self._of(kind) if d.strength == s] for s in strengths]
        return np.array(strengths), np.array([np.mean(v) for v in values]), np.array([np.std(v) for v in values])

    def rank_correlation(self, what: str) -> tuple[float, float]:
        """Spearman's correlation of strength with the mean over seeds, and its standard deviation over single seeds."""
        strengths, means, _ = self.curve(what)
        each = []
        for seed in sorted({d.seed for d in self.doses}):
            own = [d for d in self._of("direction") if d.seed == seed]
            each.append(_spearman([d.strength for d in own], [_value(d, what) for d in own]))
        return _spearman(strengths, means), float(np.std(each))

    def control_share(self, what: str, strength: float) -> float:
        """How far a random direction of the same length moves a meter, as a share of how far the direction does.

        The size of the mean move over seeds (each seed has a random direction of its own).
        """
        own, random = (self._moves(what, strength, kind) for kind in ("direction", "random"))
        return float(abs(np.mean(random)) / max(abs(np.mean(own)), 1e-9)) if own and random else float("nan")

    def _moves(self, what: str, strength: float, kind: str) -> list[float]:
        start = {d.seed: _value(d, what) for d in self.doses if d.strength == 0}
        return [
            _value(d, what) - start[d.seed]
            for d in self.doses
            if d.kind == kind and d.strength == strength and d.seed in start
        ]

    def _of(self, kind: str) -> list[Dose]:
        return [d for d in self.doses if d.kind == kind or d.strength == 0]


def dose_response(
    model: LanguageModel,
    direction: np.ndarray,
    sigma: float,
    block: int,
    *,
    strengths: Sequence[float] = STRENGTHS,
    seeds: Sequence[int] = (0, 1, 2),
    prompts: Sequence[str] | None = None,
    meters: Mapping[str, Meter] | None = None,
    writing: Writing | None = None,
    random: bool | Sequence[float] = True,
    method: str = "add",
    where: str = "both",
    against: np.ndarray | None = None,
    centre: np.ndarray | None = None,
) -> Iterator[DoseTable]:
    """Write and measure at each strength and seed. Leaving the iterator stops it; what was yielded stays.

    Args:
        direction: `(W,)`.
        sigma: of the direction's weight; strengths are multiples of it.
        prompts: neutral openings of the sample corpus (requests, in chat) when left out.
        meters: `METERS` when left out.
        writing: tokens, temperature and so on; its seed is replaced by each of `seeds`. 32 tokens, no chat, when left
            out.
        random: whether a random direction of equal length is measured beside it at every strength, or at which.
        method, where, against, centre: as in `Steer`.

    Yields:
        A `DoseTable` after every batch of texts.

    Raises:
        InputError: no strengths, seeds or prompts, or a direction that does not fit the model. Raised at the first
            step.
    """
    if not len(strengths) or not len(seeds) or (prompts is not None and not len(prompts)):
        raise InputError("A dose-response needs at least one strength, one seed and one prompt.")
    at = set(strengths) - {0.0} if random is True else set(random or ())
    more: dict[str, Any] = dict(method=method, where=where, against=against, centre=centre)
    jobs = []
    for seed in seeds:
        drawn = np.random.default_rng(seed).standard_normal(np.size(direction))
        for s in sorted(set(strengths) | at, key=abs):
            if s in strengths:
                jobs.append(("direction", s, seed, Steer(block, [(direction, s * sigma)], **more)))
            if s in at:
                jobs.append(("random", s, seed, Steer(block, [(drawn, s * sigma)], **more)))
    yield from _measure(model, jobs, prompts, meters, writing)


def layer_sweep(
    model: LanguageModel,
    directions: Mapping[int, np.ndarray],
    *,
    ratio: float = 0.2,
    seeds: Sequence[int] = (0,),
    prompts: Sequence[str] | None = None,
    meters: Mapping[str, Meter] | None = None,
    writing: Writing | None = None,
) -> Iterator[DoseTable]:
    """The effect and the cost of one direction at several blocks, at equal r; strength 0 is unsteered.

    Args:
        directions: by block, such as `across_blocks` gives.

    Yields:
        A `DoseTable` after every batch; the strength of its doses is r.
    """
    if not directions or not len(seeds):
        raise InputError("A sweep needs at least one block and one seed.")
    jobs = []
    for seed in seeds:
        jobs.append(("direction", 0.0, seed, Steer(next(iter(directions)), [])))
        for block, direction in directions.items():
            strength = ratio * model.token_norm(block)
            jobs.append(("direction", ratio, seed, Steer(block, [(direction, strength)])))
    yield from _measure(model, jobs, prompts, meters, writing)


def across_blocks(samples: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The directions `(B, W)`, of unit length, along which activations of several blocks vary with given weights.

    Each is the covariance of the activations with the weights. For weights of 1 and 0 that is the difference of means.

    Args:
        samples: `(N, B, W)`.
        codes: `(N,)`, not all the same.
    """
    codes = np.asarray(codes, dtype=np.float64) - np.mean(codes)
    found = np.einsum("n,nbw->bw", codes, np.asarray(samples, dtype=np.float64) - np.mean(samples, axis=0))
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    if not lengths.all():
        raise InputError("These weights do not vary with the texts, so they have no direction in another block.")
    return found / lengths


def strength_of(model: LanguageModel, block: int, sigma: float, ratio: float) -> float:
    """How many sigma make the length ratio r."""
    return ratio * model.token_norm(block) / sigma


def _measure(model, jobs, prompts, meters, writing) -> Iterator[DoseTable]:
    writing = writing or Writing(tokens=32, chat=False)
    prompts = list(prompts or openings(writing.chat))
    meters = METERS if meters is None else meters
    table = DoseTable(total=len(jobs) * len(prompts))
    starts = [model.tokenize(p, writing.chat, writing.system or None) for p in prompts]
    starts = starts if writing.chat else [model.started(s) for s in starts]
    for kind, strength, seed, steer in jobs:
        texts, spent = [], []
        for i in range(0, len(prompts), TOGETHER):
            part = prompts[i : i + TOGETHER]
            written = write(
                model, [Row(p, steer) for p in part], settings=replace(writing, seed=int(seed)), compare=False
            )
            texts += [w.text for w in written]
            spent += costs(model, starts[i : i + TOGETHER], [w.ids for w in written], [steer] * len(part))
            table = replace(table, done=table.done + len(part))
            if i + TOGETHER < len(prompts):
                yield table
        dose = Dose(
            kind,
            float(strength),
            steer.within(model).length_ratio(model),
            int(seed),
            {n: float(np.mean([m.read(t) for t in texts])) for n, m in meters.items()},
            float(np.mean(np.concatenate([c.kl for c in spent]))),
            float(np.exp(np.mean(np.concatenate([c.surprise for c in spent])))),
            steer.block,
        )
        seen = {e[:3] for e in table.examples}
        example = (kind, float(strength), steer.block, prompts[0] + texts[0] if not writing.chat else texts[0])
        examples = table.examples if example[:3] in seen else (*table.examples, example)
        table = replace(table, doses=(*table.doses, dose), examples=examples)
        yield table


def last(tables: Iterable[DoseTable]) -> DoseTable:
    """The whole table, for who does not want to look on."""
    table = DoseTable()
    for table in tables:  # noqa: B007
        pass
    return table


def _value(dose: Dose, what: str) -> float:
    return dose.kl if what == "kl" else dose.perplexity if what == "perplexity" else dose.meters[what]


def _spearman(a, b) -> float:
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(spearmanr(a, b).statistic)
