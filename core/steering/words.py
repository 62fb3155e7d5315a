"""Words that set some texts apart from others."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[?!=(){}\[\]+*/<>]|\d+", re.UNICODE)
_LITTLE = """
    the a an and or of to in on it its is are was were be that this with for we they as at by from has have had but
""".split()  # noqa: SIM905
_PRIOR = 0.1  # of all words are mixed into each side


def words_of(text: str) -> list[str]:
    """Words in small letters, and the marks that are telling (question marks, brackets, signs of code and sums)."""
    return _WORD.findall(text.lower())


def contrast_words(ours: Sequence[str], theirs: Sequence[str], most: int = 8) -> tuple[str, ...]:
    """Words over-represented in some texts against others, the most certain first.

    Log-odds with a prior of the words of both, divided by their standard error; only words with 1.28 or more (one
    in ten by chance) and in at least two texts. A few little words of English, which say nothing to a reader, are
    left out.

    Source: Monroe, Colaresi and Quinn 2008, eq. 16 and 22.
    """
    a = Counter(w for t in ours for w in words_of(t))
    b = Counter(w for t in theirs for w in words_of(t))
    texts = Counter(w for t in ours for w in set(words_of(t)))
    both, na, nb = a + b, sum(a.values()), sum(b.values())
    if not na or not nb:
        return ()
    found, mixed = [], _PRIOR * (na + nb)
    for word, count in both.items():
        prior = _PRIOR * count
        x, y = a[word] + prior, b[word] + prior
        odds = np.log(x / (na + mixed - x)) - np.log(y / (nb + mixed - y))
        z = odds / np.sqrt(1 / x + 1 / y)
        if word not in _LITTLE and z >= 1.28 and texts[word] >= 2:
            found.append((-z, word))
    return tuple(word for _, word in sorted(found)[:most])


def extremes(codes: np.ndarray, n: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the top and of the bottom texts by one direction's weights `(N,)`, the most extreme first.

    Args:
        n: how many; a tenth, at least 5 and at most half of the texts, when left out.
    """
    order = np.argsort(codes, kind="stable")
    n = max(1, min(len(codes) // 2, max(5, len(codes) // 10))) if n is None else min(n, len(codes))
    return order[::-1][:n], order[:n]


def direction_words(texts: Sequence[str], codes: np.ndarray) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Contrast words of the top against the bottom texts of one direction, and the other way round."""
    top, bottom = extremes(np.asarray(codes))
    ours, theirs = [texts[i] for i in top], [texts[i] for i in bottom]
    return contrast_words(ours, theirs), contrast_words(theirs, ours)
