"""Saved results: what the page shows where no language model can be had, each measured by this project's own code."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np

from core.steering.dose import Dose, DoseTable, dose_response, last
from core.steering.generate import Row, Writing, generate
from core.steering.language_model import LanguageModel
from core.steering.meters import OF_STYLE
from core.steering.reading import ReadingModel
from core.steering.steer import AMBER, Steer

FILE = Path(__file__).parents[2] / "assets" / "samples" / "steering.json"
STRENGTHS, LONGEST = (-4.0, -2.0, 0.0, 2.0, 4.0), 40
PROMPTS = (("My friend told me that", False), ("What did you do today?", True))


@dataclass(frozen=True)
class Written:
    """One text of a strip.

    Attributes:
        strength: in sigma.
        ratio: r.
        pieces, kl: its tokens as text, and the KL of each, nats.
        perplexity: under the unsteered model.
    """

    strength: float
    ratio: float
    pieces: tuple[str, ...]
    kl: tuple[float, ...]
    perplexity: float


@dataclass(frozen=True)
class Strip:
    """One prompt at several strengths of one direction, all with the same seed."""

    direction: str
    prompt: str
    chat: bool
    seed: int
    rows: tuple[Written, ...]


@dataclass(frozen=True)
class Examples:
    """All saved results.

    Attributes:
        model: the language model's name.
        block: that was steered.
        made: the command that makes them anew.
        strips: of every named direction.
        doses: by the name of the direction.
    """

    model: str
    block: int
    made: str
    strips: tuple[Strip, ...]
    doses: dict[str, DoseTable]


@cache
def examples() -> Examples:
    """The saved results of the shipped skills."""
    plain = json.loads(FILE.read_text(encoding="utf-8"))
    strips = [
        Strip(
            **s
            | {"rows": tuple(Written(**w | {"pieces": tuple(w["pieces"]), "kl": tuple(w["kl"])}) for w in s["rows"])}
        )
        for s in plain["strips"]
    ]
    doses = {
        name: DoseTable(
            tuple(Dose(**d) for d in t["doses"]), t["done"], t["total"], tuple(tuple(e) for e in t["examples"])
        )
        for name, t in plain["doses"].items()
    }
    return Examples(plain["model"], plain["block"], plain["made"], tuple(strips), doses)


def strip(
    model: LanguageModel, direction, sigma: float, block: int, prompt: str, writing: Writing, strengths=STRENGTHS
) -> tuple[Written, ...]:
    """One prompt at several strengths, written in one batch; strengths beyond r = 0.35 are taken back to it."""
    steers = [Steer(block, [(direction, s * sigma)]).within(model, AMBER) for s in strengths]
    rows = [Row(prompt, s) for s in steers]
    pieces: list[list[str]] = [[] for _ in rows]
    kl: list[list[float]] = [[] for _ in rows]
    surprise: list[list[float]] = [[] for _ in rows]
    for step in generate(model, rows, settings=writing):
        for i, token in enumerate(step.rows):
            if token is not None:
                pieces[i].append(token.text)
                kl[i].append(token.kl)
                surprise[i].append(token.surprise)
    return tuple(
        Written(float(s), steer.length_ratio(model), tuple(p), tuple(k), _perplexity(u))
        for s, steer, p, k, u in zip(strengths, steers, pieces, kl, surprise, strict=True)
    )


def make(skills: ReadingModel, model: LanguageModel, made: str, *, seeds: Sequence[int] = (0, 1)) -> Examples:
    """Write and measure them: strips of all directions, doses of those whose style has a meter of its own."""
    basis, block = skills.bases()["directions"], skills.blocks_[0]
    strips, doses = [], {}
    for i, (name, e) in enumerate(zip(basis.names, skills.evidence_, strict=True)):
        sigma, direction = float(basis.scale[i]), basis.directions[i]
        for prompt, chat in PROMPTS:
            writing = Writing(tokens=LONGEST, chat=chat)
            strips.append(
                Strip(name, prompt, chat, writing.seed, strip(model, direction, sigma, block, prompt, writing))
            )
        if e.label in ("question", "spanish", "casual") and e.label == name:
            ends = (STRENGTHS[0], STRENGTHS[-1])
            doses[name] = last(
                dose_response(model, direction, sigma, block, strengths=STRENGTHS, seeds=seeds, random=ends)
            )
    return Examples(model.name, block, made, tuple(strips), doses)


def save_examples(found: Examples) -> None:
    """Write them to the file that is shipped, numbers to four places."""
    plain = json.loads(json.dumps(asdict(found)), parse_float=lambda text: round(float(text), 4))
    FILE.write_text(json.dumps(plain, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    examples.cache_clear()


def meter_of(style: str) -> str:
    """The name of the meter that says most about a style; distinct word pairs where it has none."""
    return OF_STYLE.get(style, "distinct")


def _perplexity(surprise: Sequence[float]) -> float:
    return float(np.exp(np.mean(surprise))) if len(surprise) else float("nan")
