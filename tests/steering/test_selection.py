"""Ranking, farthest points and coverage, against plain loops."""

import csv
import io
import json

import numpy as np
import pytest

from core.errors import InputError
from core.steering import selection

RNG = np.random.default_rng(0)
CODES = RNG.standard_normal((60, 4)) @ RNG.standard_normal((4, 4)) + 3


def test_standard_scores_are_white_and_keep_the_directions_apart():
    scores = selection.standard_scores(CODES)
    assert np.allclose(np.cov(scores.T, bias=True), np.eye(4), atol=1e-9) and np.allclose(scores.mean(0), 0, atol=1e-9)
    assert all(np.corrcoef(scores[:, i], CODES[:, i])[0, 1] > 0.5 for i in range(4))
    dead = selection.standard_scores(np.c_[CODES, np.ones(60)])
    assert np.allclose(dead[:, 4], 0)


def test_rank_is_by_the_weighted_sum():
    order = selection.rank(CODES, [1, 0, -2, 0])
    assert order.tolist() == sorted(range(60), key=lambda i: -(CODES[i, 0] - 2 * CODES[i, 2]))
    for weights in ([0, 0, 0, 0], [1, 2]):
        with pytest.raises(InputError):
            selection.rank(CODES, weights)


def test_farthest_points_are_those_of_a_plain_search():
    scores = selection.standard_scores(CODES)
    chosen = [int(np.linalg.norm(scores, axis=1).argmax())]
    while len(chosen) < 12:
        rest = [i for i in range(60) if i not in chosen]
        chosen.append(max(rest, key=lambda i: min(np.linalg.norm(scores[i] - scores[j]) for j in chosen)))
    assert selection.farthest_points(CODES, 12).tolist() == chosen
    assert sorted(selection.farthest_points(CODES, 60)) == list(range(60))
    assert len(set(selection.farthest_points(np.ones((5, 2)), 5))) == 5
    with pytest.raises(InputError, match="choose 1 to 60"):
        selection.farthest_points(CODES, 61)


def test_coverage_falls_to_zero_and_farthest_points_cover_clusters_better_than_chance():
    centres = 10 * RNG.standard_normal((8, 5))
    # One crowded cluster and seven small ones: a random choice mostly draws from the crowd.
    codes = centres[np.r_[np.zeros(200, int), np.repeat(np.arange(1, 8), 4)]] + 0.1 * RNG.standard_normal((228, 5))
    far = selection.coverage(codes, selection.farthest_points(codes, 228), range(1, 229))
    assert (np.diff(far) <= 1e-12).all() and far[-1] == 0
    chance = [selection.coverage(codes, selection.random_choice(228, 8, s), [8])[0] for s in range(20)]
    assert far[7] < 0.5 * min(chance)


def test_export_keeps_order_and_text():
    texts = ["plain", 'with "quotes", and\na line', "señal"]
    chosen, scores = [2, 1], np.array([0.5, 1.5, 2.5])
    rows = [json.loads(line) for line in selection.export(texts, chosen, score=scores).splitlines()]
    assert rows == [{"text": texts[2], "score": 2.5}, {"text": texts[1], "score": 1.5}]
    read = list(csv.DictReader(io.StringIO(selection.export(texts, chosen, "csv", score=scores).decode(), newline="")))
    assert [r["text"] for r in read] == [texts[2], texts[1]] and read[0]["score"] == "2.5"
    assert selection.export(texts, chosen, "txt").decode() == 'señal\nwith "quotes", and a line\n'
    with pytest.raises(InputError, match="jsonl, csv or txt"):
        selection.export(texts, chosen, "docx")
