"""A causal language model: text to tokens, activations of its blocks, and forward passes with hooks.

Source of the model that comes by default: SmolLM2 (Allal et al. 2025), SmolLM2-135M-Instruct, Apache-2.0.
"""

import contextlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import nn

from core.assets import cache
from core.device import fast_format, pick
from core.errors import InputError
from core.steering.loading import DEFAULT, load_model
from core.store.disk import private, write_json

MOST_TOKENS_OF_TEXT = 100_000
# Plain sentences on which the usual length of a token is measured
NEUTRAL = (
    "The meeting starts at nine and the room is on the second floor.",
    "She walked to the station because the weather was mild.",
    "A table, two chairs and a lamp stood near the window.",
    "The report describes how the water level changed over the year.",
    "He opened the book and read a few pages before lunch.",
    "Most of the shops in this street close at six in the evening.",
    "The train passes three small towns and a long bridge.",
    "They painted the wall white and put the shelves back.",
)
Hook = tuple[nn.Module, Callable]


class LanguageModel:
    """A transformers model and its tokenizer, shared by all who use it.

    Any number of threads may call it: one forward pass runs at a time, and hooks act on the caller's passes only.

    Attributes:
        name: for people.
        source: what `load` was given.
        module: the transformers model, in evaluation mode.
        tokenizer: the transformers tokenizer.
        device, dtype: where and in what number format it computes.
        fingerprint: SHA-256 of its weights as they were on disk; the same in every number format.
        blocks: number of transformer blocks L; they are numbered 0 to L - 1.
        width: W, the size of the residual stream.
        context: how many tokens it can attend to.
        first: the id of the token that every text should start with (the one all others attend to; its activations
            are a hundred times longer than the others', so means leave it out), or None where the model has none.
        ends: ids of the tokens that end a text.
    """

    def __init__(self, module: nn.Module, tokenizer: Any, *, name: str, source: str = "", fingerprint: str = ""):
        config = module.config.get_text_config()
        self.module, self.tokenizer = module.eval().requires_grad_(False), tokenizer
        self.name, self.source, self.fingerprint = name, source or name, fingerprint
        self.device, self.dtype = module.device, module.dtype
        self.blocks, self.width = int(config.num_hidden_layers), int(config.hidden_size)
        self.context = int(getattr(config, "max_position_embeddings", None) or 2**20)
        self.first = _first(tokenizer, config)
        self.ends = _ends(tokenizer, module)
        self.used = time.monotonic()
        self._lock, self._own = threading.RLock(), threading.local()
        self._pieces: dict[int, str] = {}

    @classmethod
    def load(cls, source: str = DEFAULT, device: str | None = None, dtype: torch.dtype | None = None) -> Self:
        """
        Args:
            source: `smollm2`, a Hugging Face id, a folder, or the path of a GGUF file.
            device: the best there is when left out.
            dtype: bfloat16 where the processor computes with it, else float32, when left out.

        Raises:
            InputError: it cannot be had (one sentence).
        """
        device = pick(device)
        dtype = dtype or fast_format(device)
        module, tokenizer, name, fingerprint = load_model(source.strip(), dtype)
        return cls(module.to(device), tokenizer, name=name, source=source, fingerprint=fingerprint)

    @property
    def architecture(self) -> str:
        """The model family as transformers and control-vector files call it, such as `llama`."""
        return str(self.module.config.get_text_config().model_type)

    @property
    def has_chat(self) -> bool:
        """Whether it has a chat template."""
        return bool(getattr(self.tokenizer, "chat_template", None))

    # ---- text and tokens

    def tokenize(self, text: str, chat: bool = False, system: str | None = None) -> list[int]:
        """Token ids of a text.

        Args:
            text: read as it stands: what looks like a control token (`<|im_end|>`) stays plain text.
            chat: as a user's turn with the model's chat template, up to where its answer begins; otherwise only the
                text itself, without the first token (`first`).
            system: the system prompt of a chat; the template's own when left out.

        Raises:
            InputError: a chat with a model that has no template, or whose template takes no system prompt.
        """
        if not chat:
            return self._plain(text)
        if not self.has_chat:
            raise InputError(f"{self.name} has no chat template; write with it in completion mode.")
        turns = [{"role": "system", "content": system}] if system else []
        turns.append({"role": "user", "content": text})
        controls = self.control_tokens(f"{text}\n{system or ''}")
        if not controls:
            return self._encode(self._chat(turns))
        # every text that holds a control token is kept out of the template, and put in as plain text afterwards
        marks = {f"\u27e6{i}\u27e7": turn["content"] for i, turn in enumerate(turns)}
        frame = self._chat([{**t, "content": m} for t, m in zip(turns, marks, strict=True)])
        ids: list[int] = []
        for mark, content in marks.items():
            before, _, frame = frame.partition(mark)
            ids += self._encode(before) + self._plain(content)
        return ids + self._encode(frame)

    def detokenize(self, ids: Sequence[int]) -> str:
        """The text of token ids, without control tokens."""
        return self.tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False)

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """Each token as text by itself, control tokens by their names."""
        for i in ids:
            if i not in self._pieces:
                self._pieces[i] = self.tokenizer.decode([int(i)], clean_up_tokenization_spaces=False)
        return [self._pieces[i] for i in ids]

    def control_tokens(self, text: str) -> list[str]:
        """The control tokens that stand in a text; `tokenize` reads them as plain text, and a page can say so."""
        return [name for name in self._controls if name in text]

    def tokens_of(self, texts: Sequence[str], *, chat: bool = False, most: int | None = None) -> list[list[int]]:
        """Token ids of several texts, each beginning with the first token, cut to `most` tokens (or the context).

        Raises:
            InputError: a text without anything in it.
        """
        most = min(most or self.context, self.context)
        found = []
        for n, text in enumerate(texts, 1):
            ids = self.tokenize(text, chat=chat) if text.strip() else []
            if not ids:
                where = f"Text {n} of {len(texts)} is" if len(texts) > 1 else "The text is"
                raise InputError(f"{where} empty; every text needs at least one word.")
            found.append(self.started(ids)[:most])
        return found

    def started(self, ids: list[int]) -> list[int]:
        """The ids with the first token before them, unless they begin with it."""
        return ids if self.first is None or ids[:1] == [self.first] else [self.first, *ids]

    def pad(self, rows: Sequence[Sequence[int]], *, left: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
        """Rows of ids as `(B, T)` with a mask `(B, T)` that is 1 on tokens; filled up on the right, or left."""
        t = max(len(r) for r in rows)
        ids = torch.full((len(rows), t), self.ends[0] if self.ends else 0, dtype=torch.long)
        mask = torch.zeros((len(rows), t), dtype=torch.long)
        for i, row in enumerate(rows):
            at = slice(t - len(row), t) if left else slice(0, len(row))
            ids[i, at], mask[i, at] = torch.as_tensor(row), 1
        return ids.to(self.device), mask.to(self.device)

    # ---- forward passes

    def block(self, number: int) -> nn.Module:
        """The module whose output is the residual stream after block `number`."""
        return self._stack[self.check_block(number)]

    def check_block(self, number: int) -> int:
        """The number, if there is such a block.

        Raises:
            InputError: there is none.
        """
        if not 0 <= number < self.blocks:
            raise InputError(f"{self.name} has the blocks 0 to {self.blocks - 1}, not {number}.")
        return int(number)

    def forward(self, *, hooks: Sequence[Hook] = (), **inputs: Any) -> Any:
        """One pass of the transformers model with forward hooks that act on this pass only.

        Args:
            hooks: pairs of a module and what `register_forward_hook` takes.
            inputs: of the transformers model.
        """
        self.used = time.monotonic()
        with self._lock, torch.inference_mode(), contextlib.ExitStack() as stack:
            for module, hook in (*getattr(self._own, "hooks", ()), *hooks):
                stack.callback(module.register_forward_hook(hook).remove)
            return self.module(**inputs)

    @contextlib.contextmanager
    def hooked(self, hooks: Sequence[Hook]) -> Iterator[None]:
        """Within it, every pass that this thread makes has these hooks; other threads notice nothing."""
        before = getattr(self._own, "hooks", ())
        self._own.hooks = (*before, *hooks)
        try:
            yield
        finally:
            self._own.hooks = before

    def logits(self, ids: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Scores of the next token `(B, T, V)` in float32 after every token of ids `(B, T)`, padded on the right."""
        return self.forward(input_ids=ids, attention_mask=mask, use_cache=False).logits.float()

    def hidden(
        self, ids: torch.Tensor, mask: torch.Tensor | None = None, blocks: Sequence[int] = ()
    ) -> dict[int, torch.Tensor]:
        """The residual stream after some blocks.

        Args:
            ids, mask: `(B, T)` as `pad` gives them, filled up on the right.
            blocks: numbers of blocks; nothing after the last of them is computed.

        Returns:
            Per block `(B, T, W)` in float32. What stands at masked places means nothing.
        """
        found: dict[int, torch.Tensor] = {}
        last = max(self.check_block(b) for b in blocks)

        def keep(number: int) -> Callable:
            def hook(module, args, output):
                found[number] = residual(output).float()
                if number == last:
                    raise _Enough

            return hook

        with contextlib.suppress(_Enough):
            hooks = [(self.block(b), keep(b)) for b in sorted(set(blocks))]
            self.forward(hooks=hooks, input_ids=ids, attention_mask=mask, use_cache=False)
        return found

    def token_norm(self, block: int) -> float:
        """The mean length of a token's activations after a block on neutral text, the first token left out."""
        return float(self.token_norms[self.check_block(block)])

    @cached_property
    def token_norms(self) -> np.ndarray:
        """`token_norm` of every block, `(L,)`; kept on disk, so that it is measured once for a model."""
        kept = known_token_norms(self.fingerprint)
        if kept is not None and kept.shape == (self.blocks,):
            return kept
        ids, mask = self.pad(self.tokens_of(NEUTRAL))
        at = mask.bool()
        at[:, 0] = False
        hidden = self.hidden(ids, mask, range(self.blocks))
        norms = [float(hidden[b][at].norm(dim=-1).mean()) for b in range(self.blocks)]
        if self.fingerprint:
            write_json(_norms_path(self.fingerprint), [round(n, 4) for n in norms], sync=False)
        return np.asarray(norms)

    # ---- inside

    @cached_property
    def _stack(self) -> nn.ModuleList:
        lists = (m for m in self.module.modules() if isinstance(m, nn.ModuleList) and len(m) == self.blocks)
        found = next(lists, None)
        if found is None:
            raise InputError(f"The blocks of {self.name} cannot be told from its other parts; take another model.")
        return found

    @cached_property
    def _controls(self) -> list[str]:
        return sorted({t.content for t in self.tokenizer.added_tokens_decoder.values() if t.special})

    def _encode(self, text: str) -> list[int]:
        with self._lock:  # the tokenizer keeps this very choice as a state
            return self.tokenizer(text, add_special_tokens=False, split_special_tokens=False)["input_ids"]

    def _plain(self, text: str) -> list[int]:
        with self._lock:
            return self.tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]

    def _chat(self, turns: list[dict[str, str]]) -> str:
        try:
            return self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        except Exception as error:  # a template is a small program of the model's maker
            raise InputError(
                f"The chat template of {self.name} refuses this conversation; leave the system prompt out or write in "
                "completion mode."
            ) from error


def known_token_norms(fingerprint: str) -> np.ndarray | None:
    """`LanguageModel.token_norms` of the weights with that fingerprint, if this machine has measured them before: for
    who does not want to wait until the model is loaded."""
    with contextlib.suppress(OSError, ValueError):
        kept = np.asarray(json.loads(_norms_path(fingerprint).read_bytes()), dtype=np.float64)
        if fingerprint and kept.ndim == 1 and kept.size and np.isfinite(kept).all() and kept.min() > 0:
            return kept
    return None


def _norms_path(fingerprint: str) -> Path:
    return private(cache() / "token-norms") / f"{re.sub('[^0-9a-zA-Z]', '', fingerprint)}.json"


class _Enough(Exception):
    """Thrown out of a forward pass when all that was asked for is there."""


def residual(output: Any) -> torch.Tensor:
    """The residual stream `(B, T, W)` out of what a block returns, which is a tuple in some models."""
    return output[0] if isinstance(output, tuple) else output


def with_residual(output: Any, hidden: torch.Tensor) -> Any:
    """What a block returned, with another residual stream in it."""
    return (hidden, *output[1:]) if isinstance(output, tuple) else hidden


def _first(tokenizer: Any, config: Any) -> int | None:
    for found in (tokenizer.bos_token_id, getattr(config, "bos_token_id", None)):
        if found is not None:
            return int(found[0] if isinstance(found, (list, tuple)) else found)
    return None


def _ends(tokenizer: Any, module: nn.Module) -> tuple[int, ...]:
    ends: list[int] = []
    for found in (tokenizer.eos_token_id, getattr(module.generation_config, "eos_token_id", None)):
        ends += found if isinstance(found, (list, tuple)) else [] if found is None else [found]
    return tuple(dict.fromkeys(int(e) for e in ends))
