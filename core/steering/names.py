"""Names of directions by what they do: the next tokens that they make likelier."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.basis import Basis
from core.steering.corpus import openings
from core.steering.language_model import LanguageModel
from core.steering.probe import next_probabilities
from core.steering.steer import AMBER, Steer

FLOOR, SIGMAS = 1e-4, 4.0


@dataclass(frozen=True)
class CausalNames:
    """Tokens and the ratio of their probabilities, steered over unsteered, largest first.

    Attributes:
        raised, lowered: by the direction, and by its opposite.
    """

    raised: tuple[tuple[str, float], ...]
    lowered: tuple[tuple[str, float], ...]


def causal_names(model: LanguageModel, basis: Basis, block: int, **options) -> list[CausalNames]:
    """`causal_names_one_by_one`, all of them."""
    return list(causal_names_one_by_one(model, basis, block, **options))


def causal_names_one_by_one(
    model: LanguageModel,
    basis: Basis,
    block: int,
    *,
    sigmas: float = SIGMAS,
    prompts: Sequence[str] | None = None,
    most: int = 8,
) -> Iterator[CausalNames]:
    """The causal names of each direction in turn.

    The next-token distribution after neutral openings is taken with and without the direction at +-`sigmas` (less
    where that would be more than r = 0.35); tokens are ranked by the ratio of mean probabilities, both raised by 1e-4
    so that tokens which never occur do not win by noise.

    Args:
        basis: directions `(K, W)`, scale = sigma.
        prompts: openings; the sample corpus's neutral ones when left out.
        most: tokens a side.
    """
    prompts = list(prompts or openings())
    plain = next_probabilities(model, prompts).mean(axis=0) + FLOOR
    most_strength = AMBER * model.token_norm(block)
    for direction, sigma in zip(basis.directions, basis.scale, strict=True):
        strength = min(sigmas * float(sigma), most_strength)
        sides = []
        for sign in (1.0, -1.0):
            with_it = next_probabilities(model, prompts, Steer(block, [(direction, sign * strength)])).mean(axis=0)
            sides.append(_top(model, (with_it + FLOOR) / plain, most))
        yield CausalNames(*sides)


def _top(model: LanguageModel, ratio: np.ndarray, most: int) -> tuple[tuple[str, float], ...]:
    """The tokens with the largest ratios: beginnings of words, figures and marks, not the rests of words.

    Of tokens that differ only in case or spaces the first stands for all.
    """
    found: dict[str, tuple[str, float]] = {}
    for i in np.argsort(-ratio)[: 16 * most]:
        token = model.pieces([int(i)])[0]
        key = token.strip().lower()
        if ratio[i] > 1 and key and "\ufffd" not in token and (token[0].isspace() or not token[0].isalpha()):
            found.setdefault(key, (token.strip(), round(float(ratio[i]), 3)))
        if len(found) == most:
            break
    return tuple(found.values())
