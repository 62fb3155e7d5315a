"""Two uploaded matrices, labels, and everything that can be wrong with them."""

import io
import sys

import numpy as np
import pytest

from core.compatible.loading import load_embeddings, load_version, read_labels
from core.errors import InputError
from tests.browser import ROOT

sys.path.insert(0, str(ROOT / "tests" / "datasets"))
from hostile import HOSTILE

RNG = np.random.default_rng(0)
OLD, NEW = RNG.standard_normal((8, 3)).astype(np.float32), RNG.standard_normal((8, 5)).astype(np.float32)
WORDS = np.array(list("aabbccdd"))


def npy(x) -> bytes:
    out = io.BytesIO()
    np.save(out, x)
    return out.getvalue()


def npz(**arrays) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def csv(x, labels=None) -> bytes:
    head = [f"c{i}" for i in range(x.shape[1])] + (["label"] if labels is not None else [])
    rows = [[*map(repr, map(float, r)), *([labels[i]] if labels is not None else [])] for i, r in enumerate(x)]
    return "\n".join(",".join(r) for r in [head, *rows]).encode()


def test_two_files_one_npz_and_a_csv_give_the_same_numbers():
    pairs = [
        load_embeddings([("old.npy", npy(OLD)), ("new.npy", npy(NEW))]),
        load_embeddings([("both.npz", npz(old=OLD, new=NEW, labels=WORDS))]),
        load_embeddings([("old.csv", csv(OLD, WORDS)), ("new.csv", csv(NEW))]),
    ]
    for one in pairs:
        assert np.allclose(one.old, OLD, atol=1e-6) and np.allclose(one.new, NEW, atol=1e-6)
    assert pairs[0].labels is None
    assert list(pairs[1].labels) == list(pairs[2].labels) == list(WORDS)
    assert pairs[0].fingerprint != pairs[1].fingerprint and pairs[0].title == "old.npy and new.npy"


@pytest.mark.parametrize(
    "name, data, expected",
    [
        ("y.npy", npy(np.arange(8) // 2), [str(i // 2) for i in range(8)]),
        ("y.txt", "\n".join(WORDS).encode(), list(WORDS)),
        ("y.csv", b"item,label\n" + b"\n".join(f"i{i},{w}".encode() for i, w in enumerate(WORDS)), list(WORDS)),
    ],
)
def test_labels_are_read_from_arrays_and_text(name, data, expected):
    assert list(read_labels(name, data)) == expected
    made = load_embeddings([("old.npy", npy(OLD)), ("new.npy", npy(NEW))], (name, data))
    assert list(made.labels) == expected


def test_labels_in_both_files_may_differ_in_words_but_not_in_groups():
    coded = np.array(list("11334422"))
    made = load_embeddings([("old.csv", csv(OLD, WORDS)), ("new.csv", csv(NEW, coded))])
    assert list(made.labels) == list(WORDS)
    moved = [("old.csv", csv(OLD, WORDS)), ("new.csv", csv(NEW, np.roll(WORDS, 1)))]
    with pytest.raises(InputError, match="do not agree row by row"):
        load_embeddings(moved)
    assert list(load_embeddings(moved, ("y.txt", "\n".join(WORDS).encode())).labels) == list(WORDS)


def test_labels_that_cannot_tell_items_apart_are_left_out_and_a_heading_is_no_label():
    files = [("a.npy", npy(OLD)), ("b.npy", npy(NEW))]
    for useless in ([f"item {i}" for i in range(len(OLD))], ["same"] * len(OLD)):
        made = load_embeddings(files, ("y.txt", "\n".join(useless).encode()))
        assert made.labels is None and "identity" in made.notes[-1]
    made = load_embeddings(files, ("y.csv", "\n".join(["kind", *WORDS]).encode()))
    assert list(made.labels) == list(WORDS) and "kind" in made.notes[-1]
    with pytest.raises(InputError, match="9 labels"):
        load_embeddings(files, ("y.csv", "\n".join([WORDS[3], *WORDS]).encode()))


BAD = {
    "nothing": ([], None, "embeddings of the old and of the new"),
    "one matrix": ([("a.npy", npy(OLD))], None, "two files"),
    "other rows": ([("a.npy", npy(OLD)), ("b.npy", npy(NEW[:7]))], None, "has 7;"),
    "too few": ([("a.npy", npy(OLD[:4])), ("b.npy", npy(NEW[:4]))], None, "at least six"),
    "objects": ([("a.npy", npy(np.array([{}] * 8))), ("b.npy", npy(NEW))], None, "Python objects"),
    "gaps": ([("a.npy", npy(np.where(OLD > 1, np.nan, OLD))), ("b.npy", npy(NEW))], None, "must be complete"),
    "no such arrays": ([("a.npz", npz(x=OLD, y=NEW))], None, "old and new are needed"),
    "arrays of infinity": ([("a.npz", npz(old=OLD, new=NEW * np.inf))], None, "not finite"),
    "a vector": ([("a.npz", npz(old=OLD[:, 0], new=NEW))], None, "must be a matrix"),
    "few labels": ([("a.npy", npy(OLD)), ("b.npy", npy(NEW))], ("y.npy", npy(np.arange(5))), "5 labels"),
    "labels of two axes": ([("a.npy", npy(OLD)), ("b.npy", npy(NEW))], ("y.npy", npy(OLD)), "one number or word"),
    "a picture": ([("a.png", b"\x89PNG\r\n\x1a\n" + b"0" * 99), ("b.npy", npy(NEW))], None, "png"),
    "junk": ([("a.npy", b"\x93NUMPY" + b"\xff" * 40), ("b.npy", npy(NEW))], None, "npy"),
    "three files": ([("a.npy", npy(OLD))] * 3, None, "two files"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_used_is_refused_in_one_sentence(name):
    files, labels, said = BAD[name]
    with pytest.raises(InputError, match=said) as refused:
        load_embeddings(files, labels)
    assert str(refused.value).count("\n") == 0 and str(refused.value).endswith(".")


def test_a_further_version_must_hold_the_same_items():
    assert load_version(("v3.npy", npy(NEW)), 8).shape == (8, 5)
    with pytest.raises(InputError, match="other versions hold 9"):
        load_version(("v3.npy", npy(NEW)), 9)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_in_place_of_embeddings_or_labels_are_refused(name):
    files, _, _ = HOSTILE[name]()
    for place in ("old", "labels"):
        try:
            if place == "old":
                made = load_embeddings([*files[:1], ("new.npy", npy(NEW))])
            else:
                made = load_embeddings([("old.npy", npy(OLD)), ("new.npy", npy(NEW))], files[0] if files else None)
        except InputError as refused:
            assert str(refused).endswith(".") and "\n" not in str(refused) and len(str(refused)) < 400
        else:  # a sound file with as many rows
            assert np.isfinite(made.old).all() and len(made) == 8
