"""How loaders refuse: short sentences that name the file, and one fence around other people's decoders."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from core.datasets.options import ACCEPTED, LIMITS
from core.errors import InputError


def shown(name: object, most: int = 40) -> str:
    """A name from outside, safe inside a sentence: one line, printable, without its folders when a path, short."""
    text = str(name).encode("utf-8", "replace").decode("utf-8")
    text = "".join(c if c.isprintable() else " " for c in text)
    text = re.sub(r"\s+", " ", text).strip()
    return text if len(text) <= most else text[: most - 1] + "…"


def base(name: object) -> str:
    """The last part of a path, of either system's kind, safe to show."""
    return shown(re.split(r"[/\\]", str(name))[-1]) or "file"


def extension(name: str) -> str:
    """The ending of a file name, lower case, without the dot."""
    last = re.split(r"[/\\]", str(name))[-1]
    return last.rsplit(".", 1)[1].lower() if "." in last else ""


def listed(names, most: int = 4) -> str:
    """Some names for a sentence: `a, b, c and 7 more`."""
    names = [shown(n, 24) for n in names]
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def counted(n: int, thing: str, things: str | None = None) -> str:
    """`1 row`, `2,000 rows`."""
    return f"{n:,} {thing if n == 1 else things or thing + 's'}"


def accepted(kind: str | None = None) -> str:
    """The end of a refusal: which endings are taken."""
    if kind is None:
        groups = dict(tables=ACCEPTED["table"], images=ACCEPTED["images"][:9], sound=ACCEPTED["audio"])
        words = [f"{k} ({', '.join(v)})" for k, v in groups.items()]
        return f"accepted are {', '.join(words)} and text (txt, jsonl)"
    endings = ACCEPTED[kind]
    return f"accepted are {', '.join(endings[:-1])} and {endings[-1]}"


def amount(n: int) -> str:
    """A whole number of any size for a sentence."""
    return f"{n:,}" if n < 10**15 else "more than 10^15"


@contextmanager
def decoding(what: str, hint: str = "") -> Iterator[None]:
    """Turn whatever a decoder of somebody else's raises on a bad file into one `InputError`.

    Put only the decoder's own calls inside, so that mistakes of this project stay visible.
    """
    try:
        yield
    except InputError:
        raise
    except MemoryError as error:
        raise InputError(f"{what} needs more memory than there is here; give a smaller file.") from error
    except Exception as error:
        raise InputError(f"{what} is damaged or not what its name says{'; ' + hint if hint else ''}.") from error


def check_size(rows: int, columns: int, what: str, elements: int | None = None) -> None:
    """Refuse a matrix that is too large, before it is read.

    Raises:
        InputError: more samples, features or elements than `LIMITS` allows.
    """
    if rows > LIMITS.samples:
        raise InputError(f"{what} holds {amount(rows)} samples; at most {LIMITS.samples:,} are accepted.")
    if columns > LIMITS.features:
        raise InputError(f"{what} holds {amount(columns)} numbers a sample; at most {LIMITS.features:,} are accepted.")
    total = rows * columns if elements is None else elements
    if total > LIMITS.elements:
        raise InputError(f"{what} holds {amount(total)} numbers; at most {LIMITS.elements:,} are accepted.")


def check_values(samples: np.ndarray, what: str) -> None:
    """Refuse numbers that are not finite or too large to be squared in float32.

    Raises:
        InputError: how many there are.
    """
    if not samples.size:
        return
    top = max(float(samples.max()), -float(samples.min()))
    if top <= LIMITS.magnitude:
        return
    bad = int(samples.size - np.isfinite(samples).sum())
    if bad:
        raise InputError(f"{what} has not-a-number or infinity in {counted(bad, 'place')}; all must be finite.")
    raise InputError(f"{what} has numbers as large as {top:.0e}; at most {LIMITS.magnitude:.0e} is accepted.")
