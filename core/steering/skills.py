"""Skills: a compact basis of a language model's own activations."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.basis import Basis
from core.diagnostics import matched_cosine
from core.errors import InputError
from core.linear import numbers
from core.models import register, setting
from core.steering.evidence import Evidence
from core.steering.methods import METHODS, find
from core.steering.names import causal_names
from core.steering.reading import ReadingModel, ReadingSettings
from core.steering.words import direction_words


@dataclass(frozen=True)
class SkillsSettings(ReadingSettings):
    """Settings of `Skills`."""

    k: int = setting(12, "How many directions.", low=1, high=64, title="Directions")
    method: str = setting("varimax", "How the directions are found.", choices=tuple(METHODS))
    causal: bool = setting(True, "Name each direction by the next tokens that it makes likelier.", more=True)


@register
class Skills(ReadingModel):
    """A basis of the activations of texts, named by what its directions do.

    The data is texts, or the activations that `activations` gave. The method `paper` joins all blocks but the first and
    the last; the others read one block.
    """

    family = "steering.skills"
    title = "Skills"
    summary = "A compact basis of a language model's activations: directions that it can be steered along."
    source = "Kang et al. 2026, arXiv 2604.17614 (model-native skills)"
    Settings = SkillsSettings
    smallest = 3

    def _fit(self, dataset, *, seed, run):
        s = self.settings
        read = self.reads(dataset, self._blocks(dataset), run)
        directions, mean = find(numbers(read), s.k, s.method, seed=seed)
        self.keep(Basis(directions, mean), read)
        self.describe(self._evidence(dataset))
        run.progress(len(read) + 1, len(read) + 1, {"share of variance": float(sum(e.share for e in self.evidence_))})

    def _blocks(self, dataset) -> list[int]:
        s = self.settings
        if s.method != "paper" or dataset.kind != "text":
            return [s.block]
        blocks = self.reader().blocks
        if blocks < 3:
            raise InputError("The recipe of the paper leaves out the first and the last block; this model has too few.")
        return list(range(1, blocks - 1))

    def _evidence(self, dataset) -> list[Evidence]:
        codes = self.codes_ / self.basis_.scale
        labels = [""] * self.basis_.k if self.labels_ is None else labels_of(codes, self.labels_)
        found = []
        for i, e in enumerate(self.evidence_):
            words, opposite = direction_words(self.texts_, codes[:, i]) if self.texts_ else ((), ())
            found.append(e.having(words=words, opposite=opposite, label=labels[i]))
        if self.settings.causal and dataset.kind == "text" and len(self.blocks_) == 1:
            named = causal_names(self.reader(), self.basis_, self.blocks_[0])
            found = [e.having(raised=n.raised, lowered=n.lowered) for e, n in zip(found, named, strict=True)]
        return found


def labels_of(codes: np.ndarray, labels: Sequence[str], least: float = 1.0) -> list[str]:
    """For each direction the label that it stands for, empty where it stands for none.

    A direction is named by the label whose samples lie farthest up it, by `least` sigma or more on average, unless
    they lie even farther up another direction.

    Args:
        codes: `(N, K)` in sigma.
    """
    known = list(dict.fromkeys(labels))
    if len(known) < 2:
        return [""] * codes.shape[1]
    means = np.stack([codes[np.asarray(labels) == v].mean(axis=0) for v in known])
    best = means.argmax(axis=0)
    return [known[b] if means[b, i] >= least and means[b].argmax() == i else "" for i, b in enumerate(best)]


def presets(model: ReadingModel, least: float = 0.75) -> dict[str, np.ndarray]:
    """For each label of the texts, the weights `(K,)` in sigma at which its texts lie on average; small ones are zero.

    Labels that no direction tells from the rest have no preset. A direction that does so perfectly puts the texts of a
    label with share p at sqrt((1 - p) / p); one must reach half of it.
    """
    if model.labels_ is None:
        return {}
    labels, codes = np.asarray(model.labels_), model.codes_ / model.basis_.scale
    found = {}
    for label in dict.fromkeys(model.labels_):
        its = labels == label
        mean, share = codes[its].mean(axis=0), its.mean()
        clear = share < 1 and np.abs(mean).max() >= 0.5 * np.sqrt((1 - share) / share)
        mean[np.abs(mean) < least] = 0.0
        if clear and mean.any():
            found[label] = mean
    return found


@dataclass(frozen=True)
class Distractor:
    """What became of a loud feature that means nothing and was planted in some of the activations.

    Attributes:
        loudness: its standard deviation over that of the strongest direction.
        cosine: |cosine| of the planted direction with the found one that is nearest to it.
        direction: the number of that one.
        captured: the share of the planted direction that lies in the span of all found ones, 0 to 1; when it is large
            and `cosine` is not, the feature was mixed into several directions.
        kept: how many of the K directions found without it are still there (|cosine| over 0.9).
    """

    loudness: float
    cosine: float
    direction: int
    captured: float
    kept: int

    @property
    def wins(self) -> bool:
        """Whether it took a direction of its own."""
        return self.cosine > 0.7


def distractor_check(
    samples: np.ndarray,
    k: int,
    method: str = "varimax",
    *,
    loudness: Sequence[float] = (0.25, 0.5, 1.0, 2.0, 4.0),
    share: float = 0.1,
    seed: int = 0,
) -> list[Distractor]:
    """Plant a random direction, outside the span of the basis, in some texts, and see whether it wins a place in it.

    Args:
        samples: `(N, W)` activations.
        share: of the texts that have the feature.
    """
    x = np.asarray(samples, dtype=np.float64).reshape(len(samples), -1)
    rng = np.random.default_rng(seed)
    before, mean = find(x, k, method, seed=seed)
    planted, span = rng.standard_normal(x.shape[1]), np.linalg.qr(before.T)[0]
    planted -= span @ (span.T @ planted)
    planted /= np.linalg.norm(planted)
    present = (rng.permutation(len(x)) < max(1, round(share * len(x)))).astype(float)
    size = float(((x - mean) @ before[0]).std()) / present.std()
    found = []
    for loud in loudness:
        after, _ = find(x + loud * size * present[:, None] * planted, k, method, seed=seed)
        cosines = np.abs(after @ planted)
        captured = float(np.square(np.linalg.qr(after.T)[0].T @ planted).sum())
        kept = int((np.abs(matched_cosine(before, after).values) > 0.9).sum())
        found.append(Distractor(float(loud), float(cosines.max()), int(cosines.argmax()), captured, kept))
    return found
