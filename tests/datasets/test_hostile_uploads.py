"""Every broken or hostile upload ends in one sentence, or in a dataset that says what was done."""

import resource
import tracemalloc

import hostile
import numpy as np
import pytest

from core.datasets import InputError, load

BOMBS = [n for n in hostile.HOSTILE if "bomb" in n or "billion" in n or "lies" in n or "tall" in n or "million" in n]


def check_sentence(text):
    assert text.endswith("."), text
    assert len(text) < 300, text
    assert "\n" not in text
    assert not any(w in text for w in ("Traceback", "Error", "Exception", "0x", "object at", "site-packages")), text


@pytest.mark.parametrize("name", hostile.HOSTILE)
def test_one_sentence_or_a_note(name):
    files, kind, expected = hostile.HOSTILE[name]()
    try:
        made = load(files, kind)
    except InputError as error:
        assert expected == "error", f"{name} was refused: {error}"
        check_sentence(str(error))
        return
    assert expected == "note", f"{name} was read: {made.notes}"
    assert made.notes
    for note in made.notes:
        check_sentence(note)
    assert np.isfinite(made.samples).all()


def test_there_are_enough():
    assert len(hostile.HOSTILE) >= 60
    assert len(BOMBS) >= 7


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_cost_no_memory(name):
    files, kind, _ = hostile.HOSTILE[name]()
    size = sum(len(d) for _, d in files)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    with pytest.raises(InputError):
        load(files, kind)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6 + 3 * size
    # what is allocated outside Python shows in the process (kilobytes; its peak never falls again)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150_000 + 3 * size / 1024
