"""Simple measures of how a text is written, and meters that a person makes."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

import regex

from core.errors import InputError

REGEX_SECONDS = 0.25
MOST_WORDS, MOST_PATTERN, MOST_TEXT = 500, 300, 20_000
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SENTENCE = re.compile(r"[^.!?…]+[.!?…]*")


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_CASUAL = _set(
    "hey hi yeah yep nope ok okay cool awesome stuff guys guy gonna wanna gotta kinda sorta lol omg totally super "
    "pretty basically literally honestly dude wow haha like just really thing things fun crazy bit "
    "it's that's what's let's there's"
)
_FORMAL = _set(
    "furthermore moreover therefore hereby thus pursuant regarding concerning accordingly consequently nevertheless "
    "sincerely respectfully request requested requests kindly enclosed shall provide provided ensure submit submitted "
    "committee appreciate undersigned herewith attached forward advise dear sir madam"
)
_SPANISH = _set(
    "el la los las un una unos unas de del y que en es por con para se su sus como más pero muy este esta "
    "estos estas está están fue hay mis tu nos le les si cuando donde porque sobre entre hasta desde"
)
_FIRST = _set("i me my mine myself we us our ours ourselves i'm i've i'd i'll we're we've we'd we'll")
_PAST = _set(
    "was were had did went said came saw took made got gave found knew thought told became left felt began kept held "
    "stood heard ran sat spoke lay rose fell grew drew flew wrote brought bought lost met led read slept sang"
)
_NOT_PAST = {"need", "needed", "red", "bed", "seed", "feed", "speed", "indeed", "shed", "led", "wed", "bred", "sped"}


@dataclass(frozen=True)
class Meter:
    """One number read off a text.

    Attributes:
        name: short, for recipes.
        title: for people.
        unit: `%`, or another.
        read: the number of a text.
    """

    name: str
    title: str
    unit: str
    read: Callable[[str], float]


def words(text: str) -> list[str]:
    """The words of a text in small letters, contractions whole."""
    return [w.lower().replace("’", "'") for w in _WORD.findall(text)]


def share_of_words(text: str, wanted: Callable[[str], bool]) -> float:
    """Percent of the words for which `wanted` holds; 0 where there are no words."""
    found = words(text)
    return 100.0 * sum(map(wanted, found)) / len(found) if found else 0.0


def questions(text: str) -> float:
    """Percent of sentences that end in a question mark."""
    found = [s.strip() for s in _SENTENCE.findall(text) if _WORD.search(s)]
    return 100.0 * sum(s.endswith("?") for s in found) / len(found) if found else 0.0


def word_length(text: str) -> float:
    """Mean letters a word."""
    found = words(text)
    return sum(map(len, found)) / len(found) if found else 0.0


def share_of_characters(text: str, wanted: Callable[[str], bool]) -> float:
    """Percent of the characters other than spaces for which `wanted` holds."""
    found = [c for c in text if not c.isspace()]
    return 100.0 * sum(map(wanted, found)) / len(found) if found else 0.0


def distinct_bigrams(text: str) -> float:
    """Percent of neighbouring pairs of words that are different; low where a text repeats itself. 100 for one pair."""
    found = words(text)
    pairs = list(pairwise(found))
    return 100.0 * len(set(pairs)) / len(pairs) if pairs else 100.0


def _contraction(word: str) -> bool:
    return "'" in word and not word.endswith("'s")


def _of(listed: frozenset[str]) -> Callable[[str], float]:
    return lambda text: share_of_words(text, listed.__contains__)


def _casual(text: str) -> float:
    return share_of_words(text, lambda w: w in _CASUAL or _contraction(w))


def _past(text: str) -> float:
    return share_of_words(text, lambda w: w in _PAST or (w.endswith("ed") and len(w) > 3 and w not in _NOT_PAST))


METERS = {
    m.name: m
    for m in (
        Meter("questions", "sentences that ask", "%", questions),
        Meter("casual", "casual words", "%", _casual),
        Meter("spanish", "Spanish function words", "%", _of(_SPANISH)),
        Meter("formal", "formal words", "%", _of(_FORMAL)),
        Meter("past", "past forms", "%", _past),
        Meter("first_person", "first person", "%", _of(_FIRST)),
        Meter("digits", "digits", "%", lambda text: share_of_characters(text, str.isdigit)),
        Meter(
            "code", "characters of code", "%", lambda t: share_of_characters(t, set("(){}[]=<>_*/+;\\#|&").__contains__)
        ),
        Meter("word_length", "letters a word", "letters", word_length),
        Meter("distinct", "distinct word pairs", "%", distinct_bigrams),
    )
}
# The meter that says most about each style of the sample corpus; praise and complaint have none that is clean.
OF_STYLE = {
    "question": "questions",
    "casual": "casual",
    "spanish": "spanish",
    "formal": "formal",
    "story": "past",
    "news": "past",
    "code": "code",
    "maths": "digits",
}


def word_meter(text: str, title: str = "my words") -> Meter:
    """A meter of a person's own words: the percent of words that are in the list.

    Args:
        text: words separated by commas, spaces or lines; case does not matter.

    Raises:
        InputError: no words, or too many.
    """
    listed = set(words(text))
    if not listed or len(listed) > MOST_WORDS:
        raise InputError(f"A meter of words takes 1 to {MOST_WORDS} words, separated by commas or spaces.")
    return Meter("own", title, "%", lambda t: share_of_words(t, listed.__contains__))


def pattern_meter(pattern: str, title: str = "my pattern") -> Meter:
    """A meter of a person's own regular expression: how often it occurs in 100 words.

    A search that takes more than a quarter of a second ends in an `InputError`, so that no pattern can hold the
    server up.

    Raises:
        InputError: the pattern is not a regular expression, matches nothing at all everywhere, or is too long.
    """
    if not pattern.strip() or len(pattern) > MOST_PATTERN:
        raise InputError(f"A regular expression has 1 to {MOST_PATTERN} characters.")
    try:
        compiled = regex.compile(pattern, regex.IGNORECASE)
        empty = compiled.search("", timeout=REGEX_SECONDS)
    except (regex.error, OverflowError, RecursionError, MemoryError) as error:
        raise InputError(f"This is not a regular expression ({error}).") from None
    except TimeoutError:
        raise InputError(_SLOW) from None
    if empty is not None:
        raise InputError("This regular expression matches where nothing is written; make it match something.")

    def read(text: str) -> float:
        try:
            found = sum(1 for _ in compiled.finditer(text[:MOST_TEXT], timeout=REGEX_SECONDS))
        except TimeoutError:
            raise InputError(_SLOW) from None
        return 100.0 * found / max(1, len(words(text)))

    return Meter("own", title, "in 100 words", read)


_SLOW = "This regular expression takes too long to search; make it simpler (no repeats inside repeats)."


def read_all(text: str, meters: Iterable[Meter] | None = None) -> dict[str, float]:
    """All meters of a text by name."""
    return {m.name: m.read(text) for m in (METERS.values() if meters is None else meters)}
