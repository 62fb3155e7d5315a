"""Costs, meters, dose-response and layer sweep."""

import contextlib
import time

import numpy as np
import pytest
import torch

from core.basis import Basis
from core.errors import InputError
from core.steering import meters
from core.steering.dose import across_blocks, dose_response, last, layer_sweep, strength_of
from core.steering.generate import Row, Writing, write
from core.steering.meters import METERS, pattern_meter, word_meter
from core.steering.probe import costs, next_probabilities, token_codes
from core.steering.steer import Steer

RNG = np.random.default_rng(0)
SHORT = Writing(tokens=6, chat=False)
PROMPTS = ["the cat", "look at the moon", "you"]


@pytest.fixture
def direction(tiny):
    return RNG.standard_normal(tiny.width)


def test_without_a_steer_costs_are_plain_cross_entropy(tiny):
    prompt, answer = tiny.started(tiny.tokenize("the cat")), tiny.tokenize(" sat on the moon")
    (found,) = costs(tiny, [prompt], [answer], [None])
    with torch.inference_mode():
        logits = tiny.module(input_ids=torch.tensor([prompt + answer])).logits[0, len(prompt) - 1 : -1]
    wanted = torch.nn.functional.cross_entropy(logits, torch.tensor(answer), reduction="none")
    assert np.allclose(found.surprise, wanted.numpy(), atol=1e-4) and not found.kl.any()
    assert found.perplexity == pytest.approx(float(wanted.mean().exp()), rel=1e-4)


@pytest.mark.parametrize("where", ["both", "prompt", "generated"])
def test_costs_of_what_was_written_are_those_told_while_writing(tiny, direction, where):
    length = 0.3 * tiny.token_norm(1)
    steers = [Steer(1, [(direction, length)], where=where), None, Steer(2, [(direction, -length)], method="keep_norm")]
    texts = write(tiny, [Row(p, s) for p, s in zip(PROMPTS, steers, strict=True)], settings=SHORT)
    prompts = [tiny.started(tiny.tokenize(p)) for p in PROMPTS]
    found = costs(tiny, prompts, [t.ids for t in texts], steers)
    for text, cost in zip(texts, found, strict=True):
        assert np.allclose(cost.kl, text.kl, atol=1e-4) and np.allclose(cost.surprise, text.surprise, atol=1e-3)
    assert found[0].kl_per_token > 1e-4 and found[1].kl_per_token == 0


def test_next_probabilities_do_not_depend_on_the_company(tiny, direction):
    steer = Steer(1, [(direction, 1.0)])
    together, alone = next_probabilities(tiny, PROMPTS, steer), next_probabilities(tiny, PROMPTS[:1], steer)
    assert np.allclose(together.sum(1), 1, atol=1e-5) and np.allclose(together[0], alone[0], atol=1e-5)
    assert np.array_equal(next_probabilities(tiny, PROMPTS), next_probabilities(tiny, PROMPTS, steer.scaled(0)))


def test_weights_of_tokens_are_projections_of_their_own_activations(tiny, direction):
    basis = Basis(np.linalg.qr(RNG.standard_normal((tiny.width, 2)))[0].T, mean=direction, scale=[2.0, 0.5])
    ids = tiny.started(tiny.tokenize("look at the moon"))
    codes = token_codes(tiny, basis, 2, ids)
    with torch.inference_mode():
        states = tiny.module(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states[3][0].numpy()
    assert np.isnan(codes[0]).all()
    assert np.allclose(codes[1:], ((states - direction) @ basis.directions.T / [2.0, 0.5])[1:], atol=1e-3)
    moved = token_codes(tiny, basis, 2, ids, Steer(2, [(basis.directions[0], 3.0)], where="generated"), prompt=3)
    assert np.allclose(moved[1:3], codes[1:3], atol=1e-4)
    assert np.allclose(moved[3:] - codes[3:], [[1.5, 0]], atol=1e-3)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("questions", "Is it? It is. Why?", 200 / 3),
        ("questions", "", 0),
        ("casual", "hey it's gonna rain today", 60),
        ("spanish", "el gato de la casa come pan", 300 / 7),
        ("spanish", "no one has to go on", 0),
        ("formal", "we hereby request approval", 50),
        ("past", "she walked and saw a red bed", 200 / 7),
        ("first_person", "I'm sure we know my dog", 50),
        ("digits", "12 ab", 50),
        ("code", "f(x) = 1", 50),
        ("word_length", "a bbb", 2),
        ("distinct", "a b a b a b", 40),
        ("distinct", "one", 100),
    ],
)
def test_meters_count_what_they_say(name, text, value):
    assert METERS[name].read(text) == pytest.approx(value)


def test_meters_know_the_styles_of_the_corpus():
    from core.steering.corpus import corpus

    data = corpus()
    for style, name in meters.OF_STYLE.items():
        values = {s: np.mean([METERS[name].read(t) for t in data.samples[data.labels == s]]) for s in set(data.labels)}
        assert values[style] > 2 * np.median(list(values.values())), (style, values)


def test_own_meters():
    assert word_meter("Sea, wave\ntide").read("the SEA and the tide") == 40
    assert pattern_meter(r"\bw\w+").read("we went to work at home") == 50
    for bad, word in [("", "1 to 500"), ("1 2 3", "1 to 500")]:
        with pytest.raises(InputError, match=word):
            word_meter(bad)
    for bad, word in [
        ("(", "not a regular expression"),
        ("x*", "match something"),
        (" ", "1 to 300"),
        ("a" * 301, "300"),
    ]:
        with pytest.raises(InputError, match=word):
            pattern_meter(bad)


def test_a_pattern_that_never_ends_is_ended():
    with pytest.raises(InputError, match="too long"):
        pattern_meter(r"(.*a){12}b").read("a" * 20_000)
    for pattern in (r"(a+)+$", r"(a|aa)+c", r"(\w+\s?)*=", "(a{900}){900}", "(" * 140 + ")" * 140):
        began = time.thread_time()
        with contextlib.suppress(InputError):
            pattern_meter(pattern).read("a" * 20_000 + "!")
        assert time.thread_time() - began < 2


def test_dose_response_measures_each_strength_beside_a_random_direction(tiny, direction):
    sigma = strength_of(tiny, 1, 1.0, 0.1)  # r is 0.1 at one sigma
    options = dict(strengths=(-1, 0, 2), seeds=(0, 1), prompts=PROMPTS, writing=SHORT)
    tables = list(dose_response(tiny, direction, sigma, 1, **options))
    table = tables[-1]
    assert [t.done for t in tables] == sorted(t.done for t in tables) and table.done == table.total == 2 * 5 * 3
    assert table.strengths() == [-1, 0, 2] == table.strengths("random")
    for dose in table.doses:
        assert dose.ratio == pytest.approx(0.1 * abs(dose.strength)) and set(dose.meters) == set(METERS)
        assert (dose.kl == 0) == (dose.strength == 0) and dose.perplexity > 1
    again = last(dose_response(tiny, direction, sigma, 1, **options))
    assert again == table
    strengths, means, _ = table.curve("word_length")
    wanted = [np.mean([d.meters["word_length"] for d in table.doses if d.strength == s and d.kind == "direction"])
              for s in strengths]  # fmt: skip
    assert np.allclose(means, wanted)
    moved = np.mean([d.meters["distinct"] for d in table.doses if d.kind == "random" and d.strength == 2])
    start = np.mean([d.meters["distinct"] for d in table.doses if d.strength == 0])
    own = np.mean([d.meters["distinct"] for d in table.doses if d.kind == "direction" and d.strength == 2])
    assert table.control_share("distinct", 2) == pytest.approx(abs(moved - start) / max(abs(own - start), 1e-9))
    # The written text is that of a plain call with the same seed and steer.
    text = write(
        tiny, [Row(PROMPTS[0], Steer(1, [(direction, 2 * sigma)]))], settings=Writing(tokens=6, chat=False, seed=0)
    )
    assert ("direction", 2.0, 1, PROMPTS[0] + text[0].text) in table.examples


def test_a_dose_that_nobody_waits_for_ends(tiny, direction):
    tables = dose_response(tiny, direction, 1.0, 1, prompts=PROMPTS, writing=SHORT)
    assert next(tables).done == 3
    tables.close()
    with pytest.raises(InputError, match="at least one strength"):
        next(dose_response(tiny, direction, 1.0, 1, strengths=()))
    with pytest.raises(InputError, match="48"):
        next(dose_response(tiny, direction[:9], 1.0, 1, strengths=(1,), prompts=PROMPTS))


def test_a_layer_sweep_steers_each_block_with_equal_r(tiny):
    samples, label = RNG.standard_normal((20, 4, tiny.width)), np.arange(20) % 2
    found = across_blocks(samples, label)
    means = samples[label == 1].mean(0) - samples[label == 0].mean(0)
    assert np.allclose(found, means / np.linalg.norm(means, axis=1, keepdims=True))
    with pytest.raises(InputError, match="do not vary"):
        across_blocks(samples, np.ones(20))
    table = last(layer_sweep(tiny, {0: found[0], 2: found[2]}, ratio=0.3, prompts=PROMPTS, writing=SHORT))
    assert [(d.block, d.strength) for d in table.doses] == [(0, 0.0), (0, 0.3), (2, 0.3)]
    assert [d.ratio for d in table.doses] == pytest.approx([0, 0.3, 0.3])
    assert table.doses[1].kl > 0 and table.doses[2].kl > 0
