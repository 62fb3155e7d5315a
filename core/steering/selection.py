"""Which texts to take: ranked along directions, or spread as far apart as they will go, and how well that covers.

Source: Kang et al. 2026, arXiv 2604.17614 (data chosen by projection on skill directions; farthest points in whitened
scores); farthest-point sampling after Gonzalez 1985.
"""

import csv
import io
import json
from collections.abc import Sequence

import numpy as np

from core.errors import InputError


def standard_scores(codes: np.ndarray) -> np.ndarray:
    """Codes `(N, K)` whitened: uncorrelated, mean zero, variance one; directions without variance are left at zero."""
    codes = np.asarray(codes, dtype=np.float64)
    centred = codes - codes.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred / max(len(codes), 1))
    keep = values > 1e-10 * max(values[-1], 1e-300)
    turned = vectors[:, keep] / np.sqrt(values[keep])
    return centred @ turned @ vectors[:, keep].T  # turned back, so that the columns are still the directions


def rank(codes: np.ndarray, weights: Sequence[float]) -> np.ndarray:
    """Numbers of all texts, the largest `codes @ weights` first; equal ones in their own order.

    Args:
        codes: `(N, K)`, usually in units of each direction's sigma.
        weights: K, how much each direction counts; negative for its other side.

    Raises:
        InputError: no weight differs from zero, or not one weight a direction.
    """
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != np.shape(codes)[1:]:
        raise InputError(f"There are {np.shape(codes)[1]} directions, so that many weights are needed.")
    if not np.any(weights):
        raise InputError("Give at least one direction a weight other than zero.")
    return np.argsort(-(np.asarray(codes, dtype=np.float64) @ weights), kind="stable")


def farthest_points(codes: np.ndarray, count: int) -> np.ndarray:
    """Numbers of `count` texts: the one farthest from the mean, then always the one farthest from all chosen.

    Distances are taken in whitened scores, so that every direction counts the same; distances never grow along the
    choice.

    Raises:
        InputError: more texts than there are, or none.
    """
    if not 1 <= count <= len(codes):
        raise InputError(f"There are {len(codes):,} texts; choose 1 to {len(codes):,}.")
    scores = standard_scores(codes)
    chosen = [int(np.square(scores).sum(axis=1).argmax())]
    nearest = np.square(scores - scores[chosen[0]]).sum(axis=1)
    for _ in range(count - 1):
        nearest[chosen[-1]] = -1.0
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, np.square(scores - scores[chosen[-1]]).sum(axis=1))
    return np.array(chosen)


def coverage(codes: np.ndarray, chosen: Sequence[int], counts: Sequence[int] | None = None) -> np.ndarray:
    """How far a text is, on average, from the nearest of the first n chosen ones, for each n.

    Args:
        chosen: numbers of texts in the order of choice.
        counts: the n; 1 .. len(chosen) when left out.

    Returns:
        `(len(counts),)` root mean square distances in whitened scores; smaller covers better.
    """
    scores, chosen = standard_scores(codes), [int(i) for i in chosen]
    wanted = list(range(1, len(chosen) + 1)) if counts is None else [int(n) for n in counts]
    nearest, out = np.full(len(scores), np.inf), {}
    for n, i in enumerate(chosen, start=1):
        nearest = np.minimum(nearest, np.square(scores - scores[i]).sum(axis=1))
        out[n] = float(np.sqrt(nearest.mean()))
    return np.array([out[n] for n in wanted])


def random_choice(n: int, count: int, seed: int = 0) -> np.ndarray:
    """Numbers of `count` of n texts drawn at random, the yardstick for every other choice."""
    return np.random.default_rng(seed).permutation(n)[:count]


def export(texts: Sequence[str], chosen: Sequence[int], form: str = "jsonl", **columns: Sequence) -> bytes:
    """The chosen texts as a file, in the order of choice.

    Args:
        form: `jsonl`, `csv` or `txt` (one text a line; line breaks inside become spaces).
        columns: further values of all texts by name, such as `label` or `score`.

    Raises:
        InputError: another form.
    """
    rows = [{"text": str(texts[i]), **{k: _plain(v[i]) for k, v in columns.items()}} for i in chosen]
    if form == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    if form == "txt":
        return "".join(" ".join(row["text"].split()) + "\n" for row in rows).encode()
    if form == "csv":
        out = io.StringIO()
        writer = csv.DictWriter(out, ["text", *columns])
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue().encode()
    raise InputError(f"Texts can be exported as jsonl, csv or txt, not as {form!r}.")


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value
