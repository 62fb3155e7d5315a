"""What a steered model would say next, without writing: probabilities and costs on texts that are given."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from core.basis import Basis
from core.steering.language_model import LanguageModel, residual, with_residual
from core.steering.steer import Steer

MOST_TOKENS = 768  # of a batch whose scores of the whole vocabulary are held


Steers = Steer | Sequence[Steer] | None


def listed(steer: Steers) -> tuple[Steer, ...]:
    """The steers that do something, one or several or none, as generation takes them."""
    several = () if steer is None else (steer,) if isinstance(steer, Steer) else tuple(steer)
    return tuple(s for s in several if s.active)


@contextlib.contextmanager
def steered(model: LanguageModel, steer: Steers, lengths: Sequence[int] | None = None) -> Iterator[None]:
    """Within it, the passes of this thread are steered, capped as in generation.

    Args:
        lengths: `(B,)` tokens of each row's prompt, for steers that act on one part only; without it all is prompt.
    """

    def hook_of(one: Steer):
        def hook(module, args, output):
            hidden = residual(output)
            moved = one.apply(hidden)
            if one.where != "both":
                place = torch.arange(hidden.shape[1], device=hidden.device)[None]
                length = torch.tensor(lengths or [hidden.shape[1]] * len(hidden), device=hidden.device)
                written = (place >= length[:, None])[..., None]
                moved = torch.where(written if one.where == "generated" else ~written, moved, hidden)
            return with_residual(output, moved)

        return hook

    hooks = []
    for one in listed(steer):
        one.check(model)
        hooks.append((model.block(one.block), hook_of(one.within(model))))
    with model.hooked(hooks):
        yield


def next_probabilities(model: LanguageModel, texts: Sequence[str], steer: Steers = None) -> np.ndarray:
    """`(N, V)` probabilities of the token that comes after each text."""
    ids, mask = model.pad(model.tokens_of(texts))
    with steered(model, steer):
        logits = model.logits(ids, mask)
    last = logits[torch.arange(len(ids)), mask.sum(1) - 1]
    return last.softmax(-1).cpu().numpy()


def token_codes(
    model: LanguageModel, basis: Basis, block: int, ids: Sequence[int], steer: Steers = None, prompt: int = 0
) -> np.ndarray:
    """`(T, K)` weights, in sigma, of every token of a text along the directions of a basis.

    Args:
        basis: of activations behind `block`; its mean is a text's, so that single tokens spread widely about zero.
        ids: the whole text, its first token included; that one's weights mean nothing and are NaN.
        steer: what was done to the model when it wrote the text.
        prompt: how many of the tokens are the prompt, for a steer that acts on one part only.
    """
    rows, _ = model.pad([list(ids)])
    with steered(model, steer, [prompt or len(ids)]):
        hidden = model.hidden(rows, None, [block])[block][0].cpu().numpy()
    codes = basis.encode(hidden) / basis.scale
    codes[0] = np.nan
    return codes


@dataclass(frozen=True)
class Costs:
    """What a steer costs on one text, token by token.

    Attributes:
        kl: `(T,)` nats, how far the steered model's next-token distribution is from the unsteered one's.
        surprise: `(T,)` nats, -log of the probability that the unsteered model gives each token.
    """

    kl: np.ndarray
    surprise: np.ndarray

    @property
    def kl_per_token(self) -> float:
        """Mean KL; 0 without tokens."""
        return float(self.kl.mean()) if self.kl.size else 0.0

    @property
    def perplexity(self) -> float:
        """Of the text under the unsteered model; NaN without tokens."""
        return float(np.exp(self.surprise.mean())) if self.surprise.size else float("nan")


def costs(
    model: LanguageModel,
    prompts: Sequence[Sequence[int]],
    answers: Sequence[Sequence[int]],
    steers: Sequence[Steers],
) -> list[Costs]:
    """The costs of steered texts, by one unsteered and one steered pass over each.

    Args:
        prompts: token ids of each prompt, its first token included.
        answers: token ids of what was written after it.
        steers: one for each text; None for an unsteered one, whose KL is zero.
    """
    rows = [(i, [*p, *a]) for i, (p, a) in enumerate(zip(prompts, answers, strict=True))]
    out: list[Costs] = [Costs(np.zeros(0), np.zeros(0)) for _ in rows]
    # rows with one steer share its passes
    groups: dict[int, list] = {}
    for i, row in rows:
        if len(answers[i]):
            groups.setdefault(id(steers[i]), []).append((i, row))
    for group in groups.values():
        while group:
            size = max(1, MOST_TOKENS // max(len(r) for _, r in group))
            part, group = group[:size], group[size:]
            _costs([i for i, _ in part], [r for _, r in part], prompts, steers[part[0][0]], model, out)
    return out


def _costs(numbers, rows, prompts, steer, model, out) -> None:
    ids, mask = model.pad(rows)
    plain = model.logits(ids, mask).log_softmax(-1)
    changed = None
    if listed(steer):
        with steered(model, steer, [len(prompts[i]) for i in numbers]):
            changed = model.logits(ids, mask).log_softmax(-1)
    for row, i in enumerate(numbers):
        at = slice(len(prompts[i]) - 1, len(rows[row]) - 1)  # the places from which the answer's tokens are foretold
        told = torch.as_tensor(rows[row][len(prompts[i]) :], device=ids.device)
        surprise = -plain[row, at].gather(-1, told[:, None])[:, 0]
        kl = torch.zeros_like(surprise)
        if changed is not None:
            kl = (changed[row, at].exp() * (changed[row, at] - plain[row, at])).sum(-1).clamp_min(0)
        out[i] = Costs(kl.cpu().numpy(), surprise.cpu().numpy())
