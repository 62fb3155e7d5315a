"""Writing, steered and unsteered side by side: one batch, one seed, token by token.

Every row draws from a random generator of its own with the same seed, so that two rows differ by their steer alone. A
steered row has a shadow in the batch: the same tokens without the steer. It tells, at every token, what the unsteered
model would have thought there, and costs little, since a step of writing mostly reads the weights from memory.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from core.errors import InputError
from core.settings import Settings, setting
from core.steering.language_model import Hook, LanguageModel, residual, with_residual
from core.steering.queue import QUEUE, Queue, Ticket
from core.steering.steer import Steer

MOST_ROWS = 16
TOP = 5
WAIT_SECONDS = 0.5  # between two reports of the place in the queue


@dataclass(frozen=True)
class Writing(Settings):
    """How text is written."""

    tokens: int = setting(60, "How many tokens are written at most.", low=1, high=1024)
    temperature: float = setting(
        0.7, "How boldly tokens are drawn; 0 always takes the likeliest.", low=0.0, high=2.0, step=0.05
    )
    top_p: float = setting(
        0.95, "Tokens are drawn among the likeliest that make up this share.", low=0.05, high=1.0, step=0.05
    )
    top_k: int = setting(64, "And among at most so many; 0 for no limit.", low=0, high=100_000, more=True)
    seed: int = setting(15, "Of the random numbers, the same for every row.", low=0, high=2**31 - 1)
    chat: bool = setting(True, "The prompt is a person's turn in a chat; otherwise a text to go on with.")
    system: str = setting("", "What the model is told before a chat; its own when empty.", more=True)
    cache: bool = setting(True, "Keep the keys and values of earlier tokens; without, every step reads all.", more=True)


@dataclass(frozen=True, eq=False)
class Row:
    """One column of text to be written.

    Attributes:
        prompt: a person's turn in a chat, or the beginning of a text.
        steer: what is done to the model in this row; several for several blocks; None for nothing.
        written: ids of tokens that were written before, to go on from: with the same seed and settings, the text
            becomes what it would have been in one go in fp32; in bf16 reading them at once rounds differently from
            writing them, and a draw may fall out otherwise.
        system: of this row; the one of the settings when left out.
    """

    prompt: str
    steer: Steer | Sequence[Steer] | None = None
    written: Sequence[int] = ()
    system: str | None = None


@dataclass(frozen=True)
class Token:
    """What one step added to a row.

    Attributes:
        id: of the token.
        text: that became readable with it; empty while a character is not complete.
        chance: its probability by the model as it is in this row, before temperature and cuts.
        surprise: minus the log of its probability by the unsteered model in the same place, in nats; the exponential
            of the mean over a text is its perplexity.
        kl: Kullback-Leibler divergence of the next token, steered from unsteered, in the same place, in nats.
        top, top_unsteered: the five likeliest tokens there, as (text, probability), in this row and without steer.
        ended: whether the model ended its text here.
    """

    id: int
    text: str
    chance: float
    surprise: float
    kl: float
    top: tuple[tuple[str, float], ...]
    top_unsteered: tuple[tuple[str, float], ...]
    ended: bool = False


@dataclass(frozen=True)
class Step:
    """One step of writing, or a report from the queue.

    Attributes:
        rows: one `Token` for each row, None where a row has ended; empty while waiting.
        position: how many others are before this one in the queue; 0 while it writes.
        number: of the step, from 1.
        forwards: passes of the model so far.
        hook_calls: how often the steers were applied so far: once a pass and steered block, else something is wrong.
    """

    rows: tuple[Token | None, ...] = ()
    position: int = 0
    number: int = 0
    forwards: int = 0
    hook_calls: int = 0


@dataclass
class Text:
    """All that was written in one row, as `write` collects it.

    Attributes:
        text: without the prompt.
        ids: `(T,)` of its tokens.
        kl, surprise: `(T,)`, see `Token`.
        ended: whether the model ended it by itself.
    """

    text: str = ""
    ids: list[int] = field(default_factory=list)
    kl: list[float] = field(default_factory=list)
    surprise: list[float] = field(default_factory=list)
    ended: bool = False

    def add(self, token: Token) -> None:
        """One more token."""
        self.text += token.text
        self.ids.append(token.id)
        self.kl.append(token.kl)
        self.surprise.append(token.surprise)
        self.ended = token.ended

    @property
    def perplexity(self) -> float:
        """Of the text under the unsteered model; NaN for an empty one."""
        return float(np.exp(np.mean(self.surprise))) if self.surprise else float("nan")


def generate(
    model: LanguageModel,
    rows: Sequence[Row],
    *,
    settings: Writing | None = None,
    stop: Callable[[], bool] | None = None,
    queue: Queue = QUEUE,
    compare: bool = True,
) -> Iterator[Step]:
    """Write all rows in one batch, a token each at every step.

    Closing the iterator, or leaving it, gives the turn to the next in the queue.

    Args:
        rows: at most 16.
        settings: the defaults when left out.
        stop: asked before every step; True ends the writing and keeps what there is.
        queue: where to stand in line; reports come every half second while others are before.
        compare: with a shadow for every steered row; without, `surprise`, `kl` and `top_unsteered` of steered rows
            are those of the row itself (and 0).

    Raises:
        InputError: an empty or too long prompt, too many rows, a steer that does not fit the model. Raised here, not
            at the first step.
    """
    settings = settings or Writing()
    if not 1 <= len(rows) <= MOST_ROWS:
        raise InputError(f"One to {MOST_ROWS} texts are written at once, not {len(rows)}.")
    lines = [_Line(model, row, settings) for row in rows]
    return _steps(model, lines, settings, stop or (lambda: False), queue, compare)


def write(model: LanguageModel, rows: Sequence[Row], **more) -> list[Text]:
    """What `generate` writes, whole. Takes its arguments, and raises what it raises."""
    texts = [Text() for _ in rows]
    for step in generate(model, rows, **more):
        for text, token in zip(texts, step.rows, strict=False):
            if token is not None:
                text.add(token)
    return texts


def prompt_ids(model: LanguageModel, row: Row, settings: Writing) -> list[int]:
    """The tokens that a row goes on from, without what was written before.

    Raises:
        InputError: the prompt is empty, or the model has no chat template for a chat.
    """
    if not row.prompt.strip():
        raise InputError("The prompt is empty; write at least one word.")
    system = settings.system if row.system is None else row.system
    ids = model.tokenize(row.prompt, settings.chat, system or None)
    return ids if settings.chat else model.started(ids)


class _Line:
    """A row while it is written."""

    def __init__(self, model: LanguageModel, row: Row, settings: Writing):
        self.model, self.written, self.over = model, list(row.written), False
        self.prompt = prompt_ids(model, row, settings)
        room = model.context - settings.tokens - len(self.written)
        if len(self.prompt) > room:
            raise InputError(
                f"The prompt has {len(self.prompt)} tokens; with {settings.tokens} to be written, {model.name} reads "
                f"at most {max(room, 0)}."
            )
        steers = () if row.steer is None else (row.steer,) if isinstance(row.steer, Steer) else tuple(row.steer)
        for steer in steers:
            steer.check(model)
        self.steers = [s.within(model) for s in steers if s.active]
        self.generator = torch.Generator().manual_seed(settings.seed)
        for _ in self.written:  # go on in the random numbers where the last step left off
            self._chance()
        self._told = model.detokenize(self.written)

    def draw(self, scores: torch.Tensor, settings: Writing) -> int:
        """The next token by its scores `(V,)`."""
        chance = self._chance()
        if settings.temperature == 0:
            return int(scores.argmax())
        size = min(settings.top_k or scores.numel(), scores.numel())
        best, ids = scores.topk(size)
        share = torch.softmax(best.double() / settings.temperature, -1).cumsum(-1).cpu().numpy()
        kept = min(int(np.searchsorted(share, settings.top_p)) + 1, size)  # the first that reaches the share is in
        return int(ids[min(int(np.searchsorted(share[:kept], chance * share[kept - 1], side="right")), kept - 1)])

    def _chance(self) -> float:
        return float(torch.rand((), generator=self.generator, dtype=torch.float64))

    def add(self, token: int) -> str:
        """Take a token in; the text that became readable."""
        self.over = token in self.model.ends
        self.written.append(token)
        whole = self.model.detokenize(self.written)
        if whole.endswith("\ufffd") and not self.over:  # half a character: the rest comes with the next token
            return ""
        new, self._told = whole[len(self._told) :], whole
        return new


def _steps(
    model: LanguageModel,
    lines: list[_Line],
    settings: Writing,
    stop: Callable[[], bool],
    queue: Queue,
    compare: bool,
) -> Iterator[Step]:
    batch = _Batch(model, lines, compare)
    with queue.enter() as ticket:
        for number in range(1, settings.tokens + 1):
            yield from _turn(ticket, stop)
            if stop():
                return
            scores = batch.forward(settings.cache)
            log = torch.log_softmax(scores, -1)
            tops = log.topk(min(TOP, log.shape[-1]))
            pairs = zip(tops.indices.tolist(), tops.values.exp().tolist(), strict=True)
            tops = [tuple(zip(model.pieces(ids), chances, strict=True)) for ids, chances in pairs]
            found: list[Token | None] = []
            for i, line in enumerate(lines):
                if line.over:
                    found.append(None)
                    continue
                token, shadow = line.draw(scores[i], settings), batch.shadow[i]
                apart = 0.0 if shadow == i else float((log[i].exp() * (log[i] - log[shadow])).sum().clamp_min(0))
                own, other = log[[i, shadow], token].tolist()
                text = line.add(token)
                found.append(Token(token, text, float(np.exp(own)), -other, apart, tops[i], tops[shadow], line.over))
            yield Step(tuple(found), 0, number, batch.forwards, batch.hook_calls)
            if all(line.over for line in lines):
                return


def _turn(ticket: Ticket, stop: Callable[[], bool]) -> Iterator[Step]:
    while not stop() and not ticket.wait(WAIT_SECONDS):
        yield Step(position=ticket.position())


def _size(model: LanguageModel, rows: int) -> int:
    """How many rows a batch is filled up to. Measured on a CPU: two or three rows of float32 take longer than four; one
    of bfloat16 is rounded otherwise than two or more, so that its text would depend on its neighbours.
    """
    if model.device.type != "cpu":
        return rows
    return max(rows, 2) if model.dtype == torch.bfloat16 else 4 if rows in (2, 3) else rows


class _Batch:
    """The rows, their shadows, and what the model keeps of earlier tokens."""

    def __init__(self, model: LanguageModel, lines: list[_Line], compare: bool):
        self.model, self.lines = model, lines
        self.forwards = self.hook_calls = 0
        self.shadow = list(range(len(lines)))  # which row of the batch is the unsteered one of each line
        self._of = list(range(len(lines)))  # which line each row of the batch follows
        for i, line in enumerate(lines):
            if line.steers and compare:
                self.shadow[i] = len(self._of)
                self._of.append(i)
        self._of += [0] * (_size(model, len(self._of)) - len(self._of))
        self._cache, self._mask, self._places = None, None, None
        blocks = sorted({s.block for line in lines for s in line.steers})
        self._hooks: list[Hook] = [(model.block(b), self._hook(b)) for b in blocks]

    def forward(self, cache: bool) -> torch.Tensor:
        """Scores of the next token `(B, V)`, float32, on the CPU."""
        model = self.model
        if self._cache is None:
            rows = [self.lines[i].prompt + self.lines[i].written for i in self._of]
            ids, self._mask = model.pad(rows, left=True)
            at = (self._mask.cumsum(-1) - 1).clamp_min(0)
            starts = torch.tensor([len(self.lines[i].prompt) for i in self._of], device=model.device)
            self._places = (at, at >= starts[:, None])
        else:
            ids = torch.tensor([[self.lines[i].written[-1]] for i in self._of], device=model.device)
            self._mask = torch.cat([self._mask, self._mask.new_ones((len(self._of), 1))], -1)
            at = self._places[0][:, -1:] + 1
            self._places = (at, torch.ones_like(at, dtype=torch.bool))
        padded = None if bool(self._mask.all()) else self._mask
        out = model.forward(
            hooks=self._hooks,
            input_ids=ids,
            attention_mask=padded,
            position_ids=self._places[0],
            cache=self._cache,
            use_cache=cache,
            logits_to_keep=1,
        )
        self._cache = out.cache if cache else None
        self.forwards += 1
        return out.logits[:, -1].float().cpu()

    def _hook(self, block: int) -> Callable:
        def hook(module, args, output):
            self.hook_calls += 1
            hidden = residual(output).clone()
            for i, line in enumerate(self.lines):
                for steer in line.steers:
                    if steer.block != block:
                        continue
                    moved = steer.apply(hidden[i])
                    if steer.where != "both":
                        written = self._places[1][i]
                        there = written if steer.where == "generated" else ~written
                        moved = torch.where(there[:, None], moved, hidden[i])
                    hidden[i] = moved
            return with_residual(output, hidden)

        return hook
