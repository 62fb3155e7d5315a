"""A direction from two sets of texts, and how well it tells held-out texts apart."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from core.basis import Basis
from core.datasets.dataset import Dataset
from core.errors import InputError
from core.linear import numbers
from core.models import register, setting
from core.progress import Run
from core.steering.evidence import Evidence
from core.steering.reading import ReadingModel, ReadingSettings
from core.steering.words import direction_words

WAYS = {
    "means": "difference of the two means",
    "pairs": "first principal component of the differences of pairs (as repeng has it)",
}
FOLDS, FEWEST = 5, 5
_CARRIERS = (
    "I have been thinking about <word> all day.",
    "This text is about <word>.",
    "Tell me more about <word>, please.",
    "Everything here reminds me of <word>.",
    "The next chapter deals with <word>.",
    "They spoke of <word> for an hour.",
    "We could not stop talking about <word>.",
    "It all comes down to <word> in the end.",
)
_NEUTRAL = ("something", "a thing", "this and that", "the other one", "the usual", "nothing in particular")


@dataclass(frozen=True)
class ContrastSettings(ReadingSettings):
    """Settings of `Contrast`."""

    way: str = setting("means", "How the direction is found.", choices=tuple(WAYS))
    towards: str = setting("", "The label that the direction points to; the first one when left out.")
    shuffles: int = setting(200, "Shuffled labels in the test of the held-out AUC.", low=20, high=10_000, more=True)


@register
class Contrast(ReadingModel):
    """One direction, from texts with one label to texts with another; sigma is that of all of them together.

    Attributes:
        auc_: `Separation` of held-out texts.
    """

    family = "steering.contrast"
    title = "Direction between two sets"
    summary = "One direction in a language model, from one set of texts to another."
    source = "Rimsky et al. 2024 (difference of means, CAA); Zou et al. 2023 (PCA of differences)"
    Settings = ContrastSettings
    smallest = 2 * FEWEST

    def _fit(self, dataset, *, seed, run):
        s = self.settings
        towards, away = two_labels(dataset, s.towards)
        read = self.reads(dataset, [s.block], run)
        x, ours = numbers(read), np.asarray(read.labels).astype(str) == towards
        if min(ours.sum(), (~ours).sum()) < FEWEST:
            raise InputError(f"Each of the two sets needs at least {FEWEST} texts with words in them.")
        self.keep(Basis(between(x, ours, s.way, seed=seed)[None], x.mean(axis=0)), read)
        self.auc_ = separation(x, ours, s.way, shuffles=s.shuffles, seed=seed, run=run)
        self.about_ |= {"towards": towards, "away": away, **self.auc_.as_dict()}
        words, opposite = direction_words(self.texts_, self.codes_[:, 0]) if self.texts_ else ((), ())
        self.describe([Evidence(label=towards, words=words, opposite=opposite, share=self.evidence_[0].share)])
        run.progress(len(read) + 1, len(read) + 1, self.auc_.as_dict())

    def _load(self, arrays):
        super()._load(arrays)
        self.auc_ = Separation(*(float(self.about_.get(n, np.nan)) for n in ("auc", "chance", "p")))


@dataclass(frozen=True)
class Separation:
    """How well a direction separates texts that it was not found from.

    Attributes:
        auc: the chance that a held-out text of the one set lies farther along it than one of the other; 1 is perfect.
        chance: the AUC that 95 of 100 random labellings stay below.
        p: the share of random labellings that do as well (the true one counted in).
    """

    auc: float
    chance: float
    p: float

    def as_dict(self) -> dict[str, float]:
        """The three numbers by name."""
        return {"auc": self.auc, "chance": self.chance, "p": self.p}


def two_labels(dataset: Dataset, towards: str = "") -> tuple[str, str]:
    """The label that the direction points to, and the other one.

    Raises:
        InputError: not exactly two labels, or `towards` is none of them.
    """
    labels = list(dict.fromkeys(str(v) for v in dataset.labels)) if dataset.labels is not None else []
    if len(labels) != 2:
        raise InputError(f"A direction between two sets needs texts with two labels; these have {len(labels)}.")
    if towards and towards not in labels:
        raise InputError(f"The direction can point to {labels[0]!r} or {labels[1]!r}, not to {towards!r}.")
    return (towards, next(v for v in labels if v != towards)) if towards else (labels[0], labels[1])


def two_sets(ours: list[str], theirs: list[str], names: tuple[str, str] = ("one", "other")) -> Dataset:
    """A dataset of two sets of texts, to which a `Contrast` is fitted.

    Raises:
        InputError: a set of fewer than five texts with words in them.
    """
    sets = [[t for t in texts if t.strip()] for texts in (ours, theirs)]
    for name, texts in zip(names, sets, strict=True):
        if len(texts) < FEWEST:
            raise InputError(f"The set {name!r} has {len(texts)} texts; at least {FEWEST} are needed, one a line.")
    if names[0] == names[1]:
        raise InputError("The two sets need different names.")
    samples = np.empty(len(sets[0]) + len(sets[1]), dtype=object)
    samples[:] = sets[0] + sets[1]
    labels = np.array([names[0]] * len(sets[0]) + [names[1]] * len(sets[1]))
    return Dataset(samples, "text", title=f"{names[0]} and {names[1]}", labels=labels)


def concept_texts(words: list[str]) -> Dataset:
    """Short carrier sentences with a concept's words, and the same ones with words that mean nothing in particular.

    Raises:
        InputError: no word was given.
    """
    words = [w.strip() for w in words if w.strip()]
    if not words:
        raise InputError("Give at least one word for the concept, such as: ocean, wave, tide.")
    ours = [carrier.replace("<word>", word) for word in words[:20] for carrier in _CARRIERS]
    theirs = [carrier.replace("<word>", word) for word in _NEUTRAL for carrier in _CARRIERS]
    return two_sets(ours, theirs, (words[0], "neutral" if words[0] != "neutral" else "plain"))


def between(x: np.ndarray, ours: np.ndarray, way: str = "means", *, seed: int = 0) -> np.ndarray:
    """The unit direction `(D,)` towards some of the samples.

    Args:
        x: `(N, D)`.
        ours: `(N,)` booleans.
        way: one of `WAYS`. `pairs` takes texts of both sets in their order as pairs (in random order where the sets
            are not of equal size), and the sign by which most pairs rise.

    Raises:
        InputError: the two sets do not differ.
    """
    a, b = x[ours], x[~ours]
    if way == "means":
        direction = a.mean(axis=0) - b.mean(axis=0)
    else:
        rng, n = np.random.default_rng(seed), min(len(a), len(b))
        if len(a) != len(b):
            a, b = a[rng.permutation(len(a))[:n]], b[rng.permutation(len(b))[:n]]
        # half of the differences are turned round, so that centring does not take away what they have in common
        difference = (a - b) * np.where(np.arange(n) % 2, -1.0, 1.0)[:, None]
        difference = difference - difference.mean(axis=0)
        _, vectors = np.linalg.eigh(difference @ difference.T)
        direction = vectors[:, -1] @ difference
        direction = direction * (1.0 if ((a - b) @ direction > 0).mean() >= 0.5 else -1.0)
    length = float(np.linalg.norm(direction))
    if not length > 1e-9 * float(np.abs(x).max()):
        raise InputError("The two sets of texts do not differ; give sets that do.")
    return direction / length


def auc(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The chance that a number of the first set is larger than one of the second, ties counted half (Mann-Whitney)."""
    ranks = rankdata(np.concatenate([ours, theirs]))[: len(ours)]
    return float((ranks.sum() - len(ours) * (len(ours) + 1) / 2) / (len(ours) * len(theirs)))


def separation(
    x: np.ndarray, ours: np.ndarray, way: str = "means", *, shuffles: int = 200, seed: int = 0, run: Run | None = None
) -> Separation:
    """The AUC of held-out samples in five folds, with a null of shuffled labels.

    Args:
        x: `(N, D)`.
        ours: `(N,)` booleans.
        run: asked to stop; the null then has fewer shuffles.
    """
    # projections need the samples only within their own span, which is at most N - 1 wide
    centred = x - x.mean(axis=0)
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    small = u[:, s > 1e-9 * s[0]] * s[s > 1e-9 * s[0]]
    rng = np.random.default_rng(seed)
    true = _held_out(small, ours, way, rng)
    null = []
    for _ in range(shuffles):
        if run is not None and run.should_stop():
            break
        null.append(_held_out(small, rng.permutation(ours), way, rng))
    chance = float(np.quantile(null, 0.95)) if null else 1.0
    return Separation(true, chance, (1 + sum(v >= true for v in null)) / (1 + len(null)))


def _held_out(x: np.ndarray, ours: np.ndarray, way: str, rng: np.random.Generator) -> float:
    """The mean AUC over folds, each with its share of both sets; samples keep their order within a set."""
    fold = np.empty(len(x), dtype=int)
    for side in (ours, ~ours):
        fold[side] = rng.permutation(np.arange(side.sum()) % FOLDS)
    values = []
    for f in range(FOLDS):
        out = fold == f
        direction = between(x[~out], ours[~out], way)
        scores = x[out] @ direction
        values.append(auc(scores[ours[out]], scores[~ours[out]]))
    return float(np.mean(values))
