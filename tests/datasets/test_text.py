"""Texts, and their TF-IDF table."""

import json

import numpy as np
import pytest

from core.datasets import InputError, LoadOptions, load, vectorise


def test_paragraphs_and_lines():
    text = b"First one,\nstill first.\n\nSecond.\n\n\nThird.\n"
    made = load([("a.txt", text)])
    assert made.kind == "text"
    assert made.samples.tolist() == ["First one, still first.", "Second.", "Third."]
    lines = load([("a.txt", text)], options=LoadOptions(split="lines"))
    assert lines.samples.tolist() == ["First one,", "still first.", "Second.", "Third."]
    assert load([("a.txt", b"pear\nplum\n")]).samples.tolist() == ["pear", "plum"]


def test_a_column_of_a_csv():
    rows = [f'"The dish number {i} was good, and cheap",{"yes" if i % 2 else "no"}' for i in range(12)]
    data = ("text,liked\n" + "\n".join(rows)).encode()
    made = load([("a.csv", data)])
    assert made.kind == "text"
    assert made.samples[3] == "The dish number 3 was good, and cheap"
    assert made.labels[:2].tolist() == ["no", "yes"]
    other = load([("a.csv", data)], options=LoadOptions(text_column="liked", label_column="-"))
    assert other.samples[1] == "yes"
    with pytest.raises(InputError, match="no column nowhere"):
        load([("a.csv", data)], "text", LoadOptions(text_column="nowhere"))


def test_a_table_of_reviews_and_scores_is_text_and_one_of_measures_is_not():
    reviews = "text,label\n" + "\n".join(f"the film number {i} was a long one,{i % 2}" for i in range(12))
    made = load([("a.csv", reviews.encode())])
    assert made.kind == "text"
    assert made.labels[:2].tolist() == ["0", "1"]
    measures = "remark,weight\n" + "\n".join(f"the pear number {i} was a good one,{i * 1.7}" for i in range(12))
    assert load([("a.csv", measures.encode())]).kind == "table"


def test_json_lines():
    rows = [{"text": f"passage 1{i}", "label": i % 2, "n": i} for i in range(5)] + [{"other": 1}, {"text": ""}]
    made = load([("a.jsonl", "\n".join(map(json.dumps, rows)).encode() + b"\n{broken\n")])
    assert made.samples.tolist() == [f"passage 1{i}" for i in range(5)]
    assert made.labels.tolist() == ["0", "1", "0", "1", "0"]
    assert any("1 line" in n for n in made.notes)
    assert load([("a.jsonl", b'"one text"\n"two texts"\n')]).samples.tolist() == ["one text", "two texts"]


def test_broken_letters_do_no_harm():
    made = load([("a.jsonl", b'{"text": "half a pair \\ud800 here"}\n{"text": "second"}\n')])
    assert len(made.fingerprint) == 64


def test_word_weights_agree_with_the_formula():
    made = vectorise(load([("a.txt", b"red apple\nred pear pear\nblue sky\n")], options=LoadOptions(label_column="-")))
    assert made.kind == "table"
    assert made.features == ("apple", "blue", "pear", "red", "sky")
    idf = {w: np.log(4 / (1 + n)) + 1 for w, n in dict(apple=1, red=2, pear=1, blue=1, sky=1).items()}
    row = np.array([0, 0, 2 * idf["pear"], idf["red"], 0])
    assert np.allclose(made.samples[1], row / np.linalg.norm(row), atol=1e-6)
    assert made.names == ("red apple", "red pear pear", "blue sky")
    with pytest.raises(InputError, match="words"):
        vectorise(load([("a.txt", b"1\n2\n!\n")]))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"only one line", "one passage"),
        (b"the\nand\nof\n", "no words that count"),
        (b"1\n2\n!\n", "no words that count"),
        (b"a cat\nthe cat and the cat\n", "hold the same words"),
    ],
)
def test_texts_that_no_basis_can_tell_apart_are_refused(text, said):
    with pytest.raises(InputError, match=said):
        load([("a.txt", text)])
    assert len(load([("a.txt", text + b"\na dog\n")])) > 1
