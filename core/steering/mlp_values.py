"""The value vectors of a model's MLPs, read as words, found by words, and changed one at a time.

A column of an MLP's second matrix is what one hidden unit adds to the residual stream when it is on. Read through the
unembedding, it often raises words of one concept (Geva et al. 2022; ConceptVectors, Hong et al. 2024).
"""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from scipy.stats import norm
from torch import nn

from core.errors import InputError
from core.steering.language_model import Hook, LanguageModel

_SECOND = ("down_proj", "c_proj", "dense_4h_to_h", "fc2", "wo", "w2")  # what the second matrix is called


@dataclass(frozen=True)
class Unit:
    """One hidden unit of one MLP.

    Attributes:
        block, index: where it is.
        score: how far its value vector raises the words searched for, in standard deviations of its scores over the
            vocabulary; NaN when nothing was searched for.
    """

    block: int
    index: int
    score: float = float("nan")


@dataclass(frozen=True)
class Edit:
    """A change of one value vector while text is read or written.

    Attributes:
        unit: whose.
        scale: the vector times this; 0 takes it out, 1 leaves it.
        noise: added normal noise, as a multiple of the vector's own length.
        seed: of the noise.
    """

    unit: Unit
    scale: float = 1.0
    noise: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class Change:
    """The next token after one prompt, before and after an edit.

    Attributes:
        prompt: the text.
        before, after: the likeliest tokens as (text, probability).
        kl: divergence of after from before, in nats.
    """

    prompt: str
    before: tuple[tuple[str, float], ...]
    after: tuple[tuple[str, float], ...]
    kl: float


class MLPValues:
    """The value vectors of a language model.

    Args:
        model: whose MLPs end in one linear map, as those of Llama, Qwen, Gemma, Phi and GPT-2 do.

    Raises:
        InputError: they do not.
    """

    def __init__(self, model: LanguageModel):
        self.model = model
        self.units = self._weights(0).shape[0]

    @property
    def chance(self) -> float:
        """The score that the best of all units would reach about once if scores were normal and met no word."""
        return float(norm.isf(1 / (self.units * self.model.blocks)))

    def vector(self, unit: Unit) -> np.ndarray:
        """The value vector `(W,)` of a unit, in units of the residual stream."""
        return self._weights(unit.block)[self._index(unit)].float().cpu().numpy()

    def words(self, unit: Unit, n: int = 12) -> list[tuple[str, float]]:
        """The tokens that a value vector raises most, with scores in standard deviations over the vocabulary."""
        scores = self._read(self._weights(unit.block)[self._index(unit)][None])[0] @ self._words.T
        scores = (scores - scores.mean()) / scores.std().clamp_min(1e-12)
        best = scores.topk(n)
        return list(zip(self.model.pieces(best.indices.tolist()), best.values.tolist(), strict=True))

    def search(self, words: str | Sequence[str], n: int = 20) -> list[Unit]:
        """The units whose value vectors raise some words most, over all blocks.

        Args:
            words: read as the first token of each, with and without a space before it. Several are averaged.

        Raises:
            InputError: no word.
        """
        words = [w for w in ([words] if isinstance(words, str) else words) if w.strip()]
        if not words:
            raise InputError("Give at least one word to search for.")
        targets = torch.stack([self._target(w.strip()) for w in words]).mean(0)  # (W,)
        found: list[Unit] = []
        for block in range(self.model.blocks):
            seen = self._read(self._weights(block))  # (M, W)
            # mean and spread of a vector's scores over all V words, from the words' mean and covariance alone
            spread = ((seen @ self._covariance) * seen).sum(-1).clamp_min(1e-12).sqrt()
            scores = (seen @ (targets - self._mean)) / spread
            best = scores.topk(min(n, len(scores)))
            found += [Unit(block, i, s) for i, s in zip(best.indices.tolist(), best.values.tolist(), strict=True)]
        return sorted(found, key=lambda u: -u.score)[:n]

    def hooks(self, edit: Edit) -> list[Hook]:
        """The edit as hooks of a forward pass; the weights themselves never change."""
        unit, index = edit.unit, self._index(edit.unit)
        vector = self._weights(unit.block)[index]
        random = torch.Generator().manual_seed(edit.seed)
        noise = torch.randn(vector.numel(), generator=random).to(vector.device)
        noise = edit.noise * vector.float().norm() * noise / noise.norm()
        delta = ((edit.scale - 1) * vector.float() + noise).to(vector.dtype)

        def hook(module, args, output):
            return output + args[0][..., index, None] * delta

        return [(self._second(unit.block), hook)]

    @contextlib.contextmanager
    def edited(self, *edits: Edit) -> Iterator[None]:
        """Within it, whatever this thread reads or writes with the model is done with the edits; others see nothing."""
        with self.model.hooked([hook for edit in edits for hook in self.hooks(edit)]):
            yield

    def changes(self, edits: Sequence[Edit], prompts: Sequence[str], n: int = 5) -> list[Change]:
        """What edits do to the next token after each prompt: related ones should change, unrelated ones not.

        Raises:
            InputError: an empty prompt.
        """
        rows = self.model.tokens_of(prompts)
        before = self._next(rows)
        with self.edited(*edits):
            after = self._next(rows)
        kl = (after.exp() * (after - before)).sum(-1).clamp_min(0)
        return [
            Change(p, self._top(b, n), self._top(a, n), float(k))
            for p, b, a, k in zip(prompts, before, after, kl, strict=True)
        ]

    def _next(self, rows: list[list[int]]) -> torch.Tensor:
        ids, mask = self.model.pad(rows, left=True)
        places = (mask.cumsum(-1) - 1).clamp_min(0)
        out = self.model.forward(
            input_ids=ids, attention_mask=mask, position_ids=places, use_cache=False, logits_to_keep=1
        )
        return torch.log_softmax(out.logits[:, -1].float(), -1)

    def _top(self, log: torch.Tensor, n: int) -> tuple[tuple[str, float], ...]:
        best = log.topk(n)
        return tuple(zip(self.model.pieces(best.indices.tolist()), best.values.exp().tolist(), strict=True))

    def _second(self, block: int) -> nn.Module:
        width = self.model.width
        for name, module in self.model.block(block).named_modules():
            weight = getattr(module, "weight", None)
            # an attention's output map is called the same in some models, but takes no more than it gives
            named = name.rpartition(".")[2] in _SECOND and weight is not None
            if named and min(weight.shape) == width < max(weight.shape):
                return module
        raise InputError(f"The MLPs of {self.model.name} are of a form whose value vectors are not known here.")

    def _weights(self, block: int) -> torch.Tensor:
        weight = self._second(block).weight.detach()
        return weight.T if weight.shape[0] == self.model.width else weight  # (M, W), M > W

    def _index(self, unit: Unit) -> int:
        self.model.check_block(unit.block)
        if not 0 <= unit.index < self.units:
            raise InputError(f"A block of {self.model.name} has the units 0 to {self.units - 1}, not {unit.index}.")
        return unit.index

    def _read(self, vectors: torch.Tensor) -> torch.Tensor:
        """Vectors `(M, W)` as the unembedding sees them: after the final norm, in float32."""
        with torch.inference_mode():
            return self._norm(vectors).float()

    def _target(self, word: str) -> torch.Tensor:
        ids = {self.model.tokenize(text)[0] for text in (word, f" {word}")}
        return self._words[sorted(ids)].mean(0)

    @cached_property
    def _words(self) -> torch.Tensor:
        return self.model.module.get_output_embeddings().weight.detach().float()  # (V, W)

    @cached_property
    def _mean(self) -> torch.Tensor:
        return self._words.mean(0)

    @cached_property
    def _covariance(self) -> torch.Tensor:
        return self._words.T @ self._words / len(self._words) - torch.outer(self._mean, self._mean)

    @cached_property
    def _norm(self) -> nn.Module:
        stack = self.model.block(0)
        for module in self.model.module.modules():
            for name in ("norm", "ln_f", "final_layer_norm", "final_layernorm"):
                found = getattr(module, name, None)
                inside = any(found is m for m in stack.modules())
                if isinstance(found, nn.Module) and not inside and isinstance(found.weight, nn.Parameter):
                    return found
        return nn.Identity()
