"""What a language model makes of texts: one vector a text, pooled over its tokens."""

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import torch

from core.datasets.dataset import Dataset
from core.device import release_memory
from core.errors import InputError
from core.progress import CallbackRun, Progress, Run
from core.steering.language_model import LanguageModel

POOLINGS = ("mean", "last")
LONGEST = 1024  # tokens of a text that are read
MOST_BYTES = 2**30  # of pooled activations that are held
WINDOW = 256  # texts that are looked at together, so that a batch holds texts of like length
BATCH_TOKENS = 2048
_BINARY = re.compile("[\0-\x08\x0e-\x1f\ufffd]")
_CHARACTERS_A_TOKEN = 24  # a text is cut to so many characters for each token that is read, before it is tokenised


@dataclass
class Notes:
    """What happened to the texts: how many were left out or cut, and which were kept (their numbers)."""

    empty: int = 0
    binary: int = 0
    cut: int = 0
    kept: list[int] = field(default_factory=list)

    def sentences(self, longest: int = LONGEST) -> tuple[str, ...]:
        """One sentence for each thing that happened."""
        found = []
        if self.empty:
            found.append(f"Left out {_texts(self.empty)} without a word in {_it(self.empty)}.")
        if self.binary:
            found.append(f"Left out {_texts(self.binary)} that {_is(self.binary)} binary data, not writing.")
        if self.cut:
            found.append(f"Read only the first {longest:,} tokens of {_texts(self.cut)}.")
        return tuple(found)


def activations(
    model: LanguageModel,
    texts: Dataset | Iterable[str],
    *,
    blocks: int | Sequence[int],
    pooling: str = "mean",
    chat: bool = False,
    run: Run | None = None,
    on_progress: Callable[[Progress], Any] | None = None,
    batch_tokens: int = BATCH_TOKENS,
    longest: int = LONGEST,
    title: str = "",
) -> Dataset:
    """The residual stream behind one or several blocks for each text, pooled over its tokens.

    The model's first token is put before each text and left out of the pooling: in these models the first position is
    an attention sink a hundred times longer than all others, and a mean that includes it measures nothing else.

    Args:
        model: the language model.
        texts: a dataset of the kind `text` (its names and labels are kept), or any iterable of strings, which is read
            piece by piece and never held.
        blocks: number of a block, or several; several give samples `(len(blocks), W)`.
        pooling: `mean` over the tokens, or the `last` token.
        chat: whether each text is put to the model as a message of a person.
        run, on_progress: told of texts read; asked to stop (what was read so far is kept); given checkpoints, so that
            a run that was interrupted goes on where it was.
        batch_tokens: tokens in a batch, padding included; bounds the memory.
        longest: tokens of a text that are read; the rest is cut, with a note.

    Returns:
        A dataset of the kind `activations`: samples `(N, W)` or `(N, B, W)` float32; `extra["text"]` is the number of
        each text among those given (some may have been left out), `extra["blocks"]` are the blocks.

    Raises:
        InputError: no text is left, a block that the model does not have, or more numbers than are held.
    """
    if pooling not in POOLINGS:
        raise InputError(f"Pooling is one of {', '.join(POOLINGS)}, not {pooling!r}.")
    several = not isinstance(blocks, (int, np.integer))
    wanted = [int(b) for b in (blocks if several else [blocks])]
    for b in wanted:
        model.check_block(b)
    if not wanted or len(set(wanted)) < len(wanted):
        raise InputError("Name at least one block, and each only once.")
    given = texts if isinstance(texts, Dataset) else None
    if given is not None and given.kind != "text":
        raise InputError(f"Only texts can be read by a language model; this data is of the kind {given.kind}.")
    total = len(texts) if hasattr(texts, "__len__") else 0
    run = run or (CallbackRun(on_progress) if on_progress else Run())
    reader = _Reader(model, wanted, pooling, chat, batch_tokens, longest)
    source: Iterator[str] = map(str, given.samples) if given is not None else iter(texts)
    _read(reader, source, total, run)
    if not reader.parts:
        raise InputError("None of these texts has a word in it; accepted are texts of at least one word.")
    samples = np.concatenate(reader.parts)
    kept = np.array(reader.notes.kept)
    return Dataset(
        samples if several else samples[:, 0],
        "activations",
        title=title or (given.title if given is not None else "texts"),
        names=[given.names[i] for i in kept] if given is not None else [str(i) for i in kept],
        labels=None if given is None or given.labels is None else given.labels[kept],
        axis="",
        source=given.source if given is not None else "",
        licence=given.licence if given is not None else "",
        notes=(given.notes if given is not None else ()) + reader.notes.sentences(longest),
        extra={"text": kept, "blocks": np.array([wanted])},
    )


def _read(reader: "_Reader", source: Iterator[str], total: int, run: Run) -> None:
    """All texts, window by window; goes on from a checkpoint where the run has one."""
    state = run.restore()
    if state:
        reader.load(state, source)
    began, before = time.monotonic(), reader.tokens
    while window := list(islice(source, WINDOW)):
        for _ in reader.read(window):
            seconds = max(time.monotonic() - began, 1e-9)
            run.progress(
                min(reader.seen, total or reader.seen),
                total or reader.seen + 1,
                {"tokens a second": (reader.tokens - before) / seconds},
            )
            if run.should_stop():
                reader.keep_window()
                return
        reader.keep_window()
        run.checkpoint(reader.save)


class _Reader:
    """Reads texts in batches of like length and keeps the pooled vectors of each window in the order of the texts."""

    def __init__(
        self, model: LanguageModel, blocks: list[int], pooling: str, chat: bool, batch_tokens: int, longest: int
    ):
        self.model, self.blocks, self.pooling, self.chat = model, blocks, pooling, chat
        self.batch_tokens, self.longest = batch_tokens, longest
        self.notes, self.parts = Notes(), []
        self.digest = hashlib.sha256()
        self.seen = self.tokens = self.rows = self._before = 0
        self._window: dict[int, np.ndarray] = {}

    def read(self, window: list[str]) -> Iterator[None]:
        """Read one window of texts; yields after every batch."""
        found = []
        self._before = self.seen
        for text in window:
            number = self.seen
            self.seen += 1
            self.digest.update(text.encode("utf-8", "replace") + b"\0")
            ids = self._ids(text)
            if ids is not None:
                found.append((len(ids), number, ids))
        found.sort(key=lambda item: item[:2])
        last, self.seen = self.seen, self.seen - len(window)
        while found:
            size = max(1, self.batch_tokens // found[0][0])
            while size > 1 and size * found[min(size, len(found)) - 1][0] > self.batch_tokens:
                size -= 1
            batch, found = found[:size], found[size:]
            vectors = self._pooled([ids for _, _, ids in batch])
            self._window.update({number: v for (_, number, _), v in zip(batch, vectors, strict=True)})
            self.seen = last - len(found)
            yield
        self.seen = last

    def keep_window(self) -> None:
        """The vectors of the window, in the order of its texts, are kept."""
        if self._window:
            order = sorted(self._window)
            self.notes.kept += order
            self.parts.append(np.stack([self._window[i] for i in order]))
            self.rows += len(order)
            self._window = {}
            release_memory()
            if self.rows * len(self.blocks) * self.model.width * 4 > MOST_BYTES:
                raise InputError(
                    f"Reading {len(self.blocks)} blocks of so many texts needs more than {MOST_BYTES / 2**30:g} GB; "
                    "take fewer blocks or fewer texts."
                )

    def save(self) -> dict[str, Any]:
        """The state after a window, flat."""
        n = self.notes
        return {
            "step": self.seen,
            "digest": self.digest.hexdigest(),
            "vectors": np.concatenate(self.parts) if self.parts else np.zeros((0, 1, 1), np.float32),
            "kept": np.array(n.kept, dtype=np.int64),
            "counts": np.array([n.empty, n.binary, n.cut, self.tokens], dtype=np.int64),
        }

    def load(self, state: dict[str, Any], source: Iterator[str]) -> None:
        """Go on after a checkpoint: the texts that were read are taken from the source again, and must be the same."""
        other = InputError("The checkpoint belongs to other texts or settings; start the run anew.")
        try:
            seen, digest = int(state["step"]), str(state["digest"])
            vectors, kept = np.asarray(state["vectors"], np.float32), np.asarray(state["kept"]).tolist()
            counts = [int(c) for c in np.asarray(state["counts"])]
        except (KeyError, TypeError, ValueError):
            raise other from None
        for text in islice(source, seen):
            self.digest.update(text.encode("utf-8", "replace") + b"\0")
        fits = not kept or vectors.shape == (len(kept), len(self.blocks), self.model.width)
        if self.digest.hexdigest() != digest or not fits:
            raise other
        self.seen, self.rows = seen, len(kept)
        self.parts = [vectors] if kept else []
        self.notes = Notes(*counts[:3], kept=kept)
        self.tokens = counts[3]

    def _ids(self, text: str) -> list[int] | None:
        """The tokens of a text with the fixed first one before them, or None when it is left out."""
        short = text[: self.longest * _CHARACTERS_A_TOKEN]
        if not short.strip():
            self.notes.empty += 1
            return None
        if len(_BINARY.findall(short)) > 0.02 * len(short):
            self.notes.binary += 1
            return None
        ids = self.model.started(self.model.tokenize(short, chat=self.chat))
        if len(ids) < 1 + (self.model.first is not None):
            self.notes.empty += 1
            return None
        if len(ids) > self.longest + 1 or len(short) < len(text):
            self.notes.cut += 1
        return ids[: self.longest + 1]

    def _pooled(self, batch: list[list[int]]) -> np.ndarray:
        """`(n, B, W)` vectors of texts given as tokens; the first token is left out."""
        ids, mask = self.model.pad(batch)
        self.tokens += int(mask.sum())
        hidden = self.model.hidden(ids, mask, self.blocks)
        weights, last = mask.float(), mask.sum(1) - 1
        if self.pooling == "last":
            weights = torch.zeros_like(weights).scatter_(1, last[:, None], 1.0)
        else:
            weights[last > 0, 0] = 0  # a text of a single token has no other
        weights = weights / weights.sum(1, keepdim=True)
        pooled = [torch.einsum("nt,ntw->nw", weights, hidden[b]) for b in self.blocks]
        return torch.stack(pooled, dim=1).cpu().numpy()


def _texts(n: int) -> str:
    return f"{n:,} text{'s' if n != 1 else ''}"


def _it(n: int) -> str:
    return "it" if n == 1 else "them"


def _is(n: int) -> str:
    return "is" if n == 1 else "are"
