"""What stands beside each direction of a fitted model: names, words and texts; and how it is kept in arrays."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

MOST_CHARACTERS = 300
MOST_WORDS = 16


@dataclass(frozen=True)
class Evidence:
    """What is known of one direction, apart from its numbers.

    Attributes:
        label: the label that its texts share most, empty when there is none.
        raised, lowered: next tokens whose probability it raises in its positive and in its negative sense, with the
            ratio of probabilities, largest first (causal names); empty when they were not measured.
        words, opposite: words over-represented in its top texts against its bottom texts, and the other way round.
        share: of the variance of the activations, 0 to 1.
    """

    label: str = ""
    raised: tuple[tuple[str, float], ...] = ()
    lowered: tuple[tuple[str, float], ...] = ()
    words: tuple[str, ...] = ()
    opposite: tuple[str, ...] = ()
    share: float = 0.0

    @property
    def title(self) -> str:
        """The shortest name there is: the label, or the first causal names, or the first words."""
        return self.label or ", ".join(t.strip() for t, _ in self.raised[:3]) or ", ".join(self.words[:3])

    def having(self, **values: Any) -> "Evidence":
        """The same with some entries changed."""
        return replace(self, **values)

    @classmethod
    def of(cls, values: dict[str, Any]) -> "Evidence":
        """Out of plain values, checked.

        Raises:
            ValueError: they are not what `asdict` gave.
        """

        def words(name: str) -> tuple[str, ...]:
            return tuple(str(w)[:MOST_CHARACTERS] for w in list(values.get(name, ()))[:MOST_WORDS])

        def ratios(name: str) -> tuple[tuple[str, float], ...]:
            return tuple((str(t)[:MOST_CHARACTERS], float(r)) for t, r in list(values.get(name, ()))[:MOST_WORDS])

        return cls(
            str(values.get("label", ""))[:MOST_CHARACTERS],
            ratios("raised"),
            ratios("lowered"),
            words("words"),
            words("opposite"),
            float(values.get("share", 0.0)),
        )


def pack(about: dict[str, Any], evidence: Sequence[Evidence]) -> np.ndarray:
    """JSON as an array of bytes, so that a model is still nothing but named arrays."""
    plain = {"about": about, "evidence": [asdict(e) for e in evidence]}
    return np.frombuffer(json.dumps(plain, ensure_ascii=False).encode(), dtype=np.uint8)


def unpack(content: np.ndarray) -> tuple[dict[str, Any], list[Evidence]]:
    """What `pack` put in.

    Raises:
        ValueError: it is something else.
    """
    plain = json.loads(np.asarray(content, dtype=np.uint8).tobytes())
    if not isinstance(plain, dict) or not isinstance(plain.get("about"), dict):
        raise ValueError("the description is not valid")
    try:
        return plain["about"], [Evidence.of(e) for e in plain["evidence"]]
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError("the description is not valid") from error


def pack_texts(texts: Sequence[str], most: int = MOST_CHARACTERS) -> np.ndarray:
    """Texts, each cut to `most` characters, as an array of UTF-8 bytes with a zero byte behind each."""
    joined = "".join(str(t)[:most].replace("\0", " ") + "\0" for t in texts)
    return np.frombuffer(joined.encode("utf-8", "replace"), dtype=np.uint8)


def unpack_texts(content: np.ndarray, n: int) -> list[str]:
    """The n texts of `pack_texts`.

    Raises:
        ValueError: there are not so many.
    """
    texts = np.asarray(content, dtype=np.uint8).tobytes().decode().split("\0")[:-1]
    if len(texts) != n:
        raise ValueError(f"there are {len(texts)} texts, not {n}")
    return texts
