"""MLP value vectors: what they say, how they are found, and what changing one does."""

import numpy as np
import pytest
import torch

from core.errors import InputError
from core.steering.language_model import LanguageModel
from core.steering.mlp_values import Edit, MLPValues, Unit
from tests.steering.conftest import make_tiny


@pytest.fixture
def values(tiny):
    return MLPValues(tiny)


def test_the_values_are_what_a_hidden_unit_adds(tiny, values):
    layer = tiny.module.model.layers[2].mlp
    one = torch.zeros(layer.down_proj.in_features)
    one[5] = 1
    np.testing.assert_allclose(values.vector(Unit(2, 5)), (layer.down_proj(one)).detach().numpy(), atol=1e-6)
    assert values.units == 96


def test_a_planted_word_is_read_and_found(tiny):
    """The value vector of one unit is set to the unembedding of a word; reading and searching both come upon it."""
    module, tokenizer = make_tiny(seed=3)
    model = LanguageModel(module, tokenizer, name="planted")
    word = model.tokenize("cat")
    assert len(word) >= 1
    with torch.no_grad():
        module.model.layers[1].mlp.down_proj.weight[:, 7] = 3 * module.lm_head.weight[word[0]]
    planted = MLPValues(model)
    assert planted.words(Unit(1, 7), 1)[0][0] == model.pieces(word)[0]
    hit = planted.search(model.pieces(word[:1])[0], 3)[0]
    assert (hit.block, hit.index) == (1, 7)


def test_the_score_of_a_search_is_that_of_reading_all_words(tiny, values):
    hit = values.search("the", 1)[0]
    seen = tiny.module.model.norm(torch.tensor(values.vector(hit))) @ tiny.module.lm_head.weight.T
    seen = ((seen - seen.mean()) / seen.std(correction=0)).detach()
    ids = sorted({tiny.tokenize(t)[0] for t in ("the", " the")})
    assert hit.score == pytest.approx(float(seen[ids].mean()), abs=1e-3)


def test_the_best_score_by_chance_is_reached_about_once(tiny, values):
    draws = np.random.default_rng(0).normal(size=(2000, values.units * tiny.blocks))
    assert (draws > values.chance).sum(1).mean() == pytest.approx(1, abs=0.1)


def test_scaling_a_vector_is_scaling_its_column(tiny, values):
    ids = torch.tensor([tiny.started(tiny.tokenize("The cat sat"))])
    plain = tiny.logits(ids)
    with values.edited(Edit(Unit(1, 4), scale=-3.0)):
        edited = tiny.logits(ids)
    module, tokenizer = make_tiny()
    with torch.no_grad():
        module.model.layers[1].mlp.down_proj.weight[:, 4] *= -3
    by_hand = LanguageModel(module, tokenizer, name="by hand").logits(ids)
    torch.testing.assert_close(edited, by_hand, atol=1e-4, rtol=1e-4)
    assert not torch.allclose(edited, plain) and torch.equal(tiny.logits(ids), plain)


def test_noise_is_the_same_for_one_seed_and_as_long_as_asked(tiny, values):
    ids = torch.tensor([[1, 9, 20]])
    found = []
    for seed in (1, 1, 2):
        with values.edited(Edit(Unit(0, 2), noise=2.0, seed=seed)):
            found.append(tiny.logits(ids))
    assert torch.equal(found[0], found[1]) and not torch.allclose(found[0], found[2])


def test_the_weights_never_change_even_when_something_fails(tiny, values):
    before = values.vector(Unit(1, 4))
    with pytest.raises(ZeroDivisionError), values.edited(Edit(Unit(1, 4), scale=0.0)):
        raise ZeroDivisionError
    np.testing.assert_array_equal(values.vector(Unit(1, 4)), before)
    ids = torch.tensor([[1, 9, 20]])
    assert torch.equal(tiny.logits(ids), tiny.logits(ids))


def test_changes_are_seen_prompt_by_prompt(tiny, values):
    prompts = ["The cat sat on", "user"]
    same = values.changes([Edit(Unit(1, 4))], prompts)
    assert [c.prompt for c in same] == prompts and all(c.kl < 1e-9 and c.before == c.after for c in same)
    other = values.changes([Edit(Unit(1, 4), scale=40.0)], prompts)
    assert all(c.kl > 0 for c in other) and [c.before for c in other] == [c.before for c in same]
    alone = values.changes([Edit(Unit(1, 4), scale=40.0)], prompts[1:])[0]
    assert other[1].kl == pytest.approx(alone.kl, rel=1e-3)


def test_units_and_words_that_are_not_there_are_refused(values):
    for call, says in [
        (lambda: values.vector(Unit(0, 96)), "units 0 to 95, not 96"),
        (lambda: values.vector(Unit(4, 0)), "blocks 0 to 3"),
        (lambda: values.search("  "), "at least one word"),
        (lambda: values.changes([], [" "]), "empty"),
    ]:
        with pytest.raises(InputError, match=says):
            call()


def test_gpt2_has_values_too():
    from transformers import GPT2Config, GPT2LMHeadModel

    _, tokenizer = make_tiny()
    config = GPT2Config(vocab_size=len(tokenizer), n_embd=48, n_layer=2, n_head=4, n_positions=64)
    module = GPT2LMHeadModel(config).eval()
    values = MLPValues(LanguageModel(module, tokenizer, name="gpt2"))
    assert values.units == 192 and len(values.words(Unit(1, 3), 4)) == 4
    np.testing.assert_array_equal(values.vector(Unit(1, 3)), module.transformer.h[1].mlp.c_proj.weight[3].detach())


def test_the_real_model_has_units_for_concepts(real):
    """Found by a word, a unit's strongest tokens are of that concept: the words themselves stand among them."""
    values = MLPValues(real)
    hits = values.search(["Spain", "Spanish"], 5)
    words = " ".join(w for h in hits for w, _ in values.words(h, 10)).lower()
    assert "span" in words or "spain" in words
    assert hits[0].score > values.chance
