"""Writing: against transformers' own generation, against passes without a cache, and against itself."""

import itertools
import threading

import numpy as np
import pytest
import torch

from core.basis import Basis
from core.errors import InputError
from core.steering.generate import Row, Token, Writing, generate, write
from core.steering.language_model import residual, with_residual
from core.steering.queue import Queue
from core.steering.steer import Steer

GREEDY = Writing(tokens=8, temperature=0.0, chat=False)
PROMPT = "The cat sat on the"


def _steer(model, ratio=0.3, block=None, seed=0, **more):
    block = model.blocks // 2 if block is None else block
    direction = Basis.random(1, model.width, seed=seed).directions[0]
    return Steer(block, [(direction, ratio * model.token_norm(block))], **more)


def test_greedy_writing_is_transformers_own(writer):
    ids = torch.tensor([writer.started(writer.tokenize(PROMPT))])
    wanted = writer.module.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=8, do_sample=False)
    (text,) = write(writer, [Row(PROMPT)], settings=GREEDY)
    assert text.ids == wanted[0, ids.shape[1] :].tolist()
    assert text.text == writer.detokenize(text.ids) and text.kl == [0.0] * len(text.ids)


def test_steered_greedy_writing_is_transformers_with_a_hook(writer):
    steer = _steer(writer)
    vector = torch.tensor(steer.vector(), dtype=torch.float32)
    ids = torch.tensor([writer.started(writer.tokenize(PROMPT))])
    hook = writer.block(steer.block).register_forward_hook(lambda m, a, out: with_residual(out, residual(out) + vector))
    wanted = writer.module.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=8, do_sample=False)
    hook.remove()
    plain, steered = write(writer, [Row(PROMPT), Row(PROMPT, steer)], settings=GREEDY)
    assert steered.ids == wanted[0, ids.shape[1] :].tolist() != plain.ids


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_strength_zero_is_the_unsteered_text_exactly(tiny, writer, dtype):
    model = writer if dtype == "float32" else _in(tiny, torch.bfloat16)
    rows = [Row(PROMPT), Row(PROMPT, _steer(model).scaled(0.0)), Row(PROMPT, _steer(model, seed=5))]
    for step in generate(model, rows, settings=Writing(tokens=6, chat=False, seed=3)):
        plain, zero, _ = step.rows
        assert (plain.id, plain.chance, plain.top) == (zero.id, zero.chance, zero.top)
        assert zero.kl == 0.0 and zero.top == zero.top_unsteered


def _in(model, dtype):
    import copy

    from core.steering.language_model import LanguageModel

    return LanguageModel(copy.deepcopy(model.module).to(dtype), model.tokenizer, name="half")


def test_a_vector_of_no_length_changes_nothing_where_it_is_added(writer):
    """The hook itself, with numbers of zero in it, is the identity: the fast way around it hides no difference."""
    nothing = Steer(writer.blocks // 2, [(np.eye(writer.width)[0], 1e-30)])
    assert nothing.active
    plain, same = write(writer, [Row(PROMPT), Row(PROMPT, nothing)], settings=GREEDY)
    assert plain.ids == same.ids and max(same.kl) < 1e-9


def test_the_steer_acts_on_every_pass(tiny):
    steers = [_steer(tiny, 0.1, block=1), _steer(tiny, 0.1, block=3)]
    for steer, blocks in [(steers[0], 1), (steers, 2)]:
        steps = list(generate(tiny, [Row(PROMPT), Row(PROMPT, steer)], settings=GREEDY))
        assert [s.forwards for s in steps] == [s.number for s in steps] == list(range(1, len(steps) + 1))
        assert all(s.hook_calls == blocks * s.forwards for s in steps)


@pytest.mark.parametrize("where", ["both", "prompt", "generated"])
def test_with_and_without_a_cache_the_same_is_written(tiny, where):
    rows = [Row(PROMPT), Row("A longer beginning of a text, so that rows are filled up", _steer(tiny, where=where))]
    kept, read = (
        list(generate(tiny, rows, settings=GREEDY.of(GREEDY.as_dict() | {"cache": c}))) for c in (True, False)
    )
    for a, b in zip(kept, read, strict=True):
        for x, y in zip(a.rows, b.rows, strict=True):
            assert x.id == y.id and x.chance == pytest.approx(y.chance, abs=1e-4)
            assert x.kl == pytest.approx(y.kl, abs=1e-4)


def test_the_real_model_writes_the_same_with_and_without_a_cache(real):
    rows = [Row("My friend told me that"), Row("My friend told me that", _steer(real))]
    settings = Writing(tokens=6, temperature=0.0, chat=False)
    kept = write(real, rows, settings=settings)
    read = write(real, rows, settings=settings.of(settings.as_dict() | {"cache": False}))
    assert [t.ids for t in kept] == [t.ids for t in read]


def test_divergence_and_surprise_are_those_of_two_separate_passes(writer):
    steer = _steer(writer)
    _, text = write(writer, [Row(PROMPT), Row(PROMPT, steer)], settings=Writing(tokens=8, chat=False, seed=1))
    start = writer.started(writer.tokenize(PROMPT))
    ids = torch.tensor([start + text.ids])
    vector = torch.tensor(steer.vector(), dtype=torch.float32)
    unsteered = writer.logits(ids).log_softmax(-1)[0]
    with writer.hooked([(writer.block(steer.block), lambda m, a, o: with_residual(o, residual(o) + vector))]):
        steered = writer.logits(ids).log_softmax(-1)[0]
    for i, token in enumerate(text.ids):
        p, q = steered[len(start) - 1 + i], unsteered[len(start) - 1 + i]
        assert text.kl[i] == pytest.approx(float((p.exp() * (p - q)).sum()), abs=1e-3)
        assert text.surprise[i] == pytest.approx(-float(q[token]), abs=1e-3)
    assert text.perplexity == pytest.approx(np.exp(np.mean(text.surprise)))


def test_what_is_steered_only_in_the_prompt_or_only_in_the_text(tiny):
    """The first token is decided at the end of the prompt; steering generated tokens cannot change it."""
    settings = Writing(tokens=4, temperature=0.0, chat=False)
    steps = {}
    for where in ("both", "prompt", "generated"):
        rows = [Row(PROMPT, _steer(tiny, 0.4, where=where))]
        steps[where] = [s.rows[0] for s in generate(tiny, rows, settings=settings)]
    assert steps["generated"][0].kl == 0.0 < steps["generated"][1].kl
    assert steps["prompt"][0].kl == pytest.approx(steps["both"][0].kl) and steps["prompt"][0].kl > 0


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_row_does_not_notice_its_neighbours(tiny, dtype):
    model = tiny if dtype == "float32" else _in(tiny, torch.bfloat16)
    settings = Writing(tokens=10, chat=False, seed=9)
    alone = write(model, [Row(PROMPT)], settings=settings)[0]
    # in bfloat16, a row that is filled up on the left is rounded otherwise: rows of one length only
    other = "The moon looked at the cat and at the mat." if dtype == "float32" else PROMPT
    rows = [Row(other), Row(PROMPT), Row(PROMPT, _steer(model))]
    assert write(model, rows, settings=settings)[1].ids == alone.ids


def test_one_seed_gives_one_text_and_another_seed_another(tiny):
    texts = [
        write(tiny, [Row(PROMPT), Row(PROMPT)], settings=Writing(tokens=16, chat=False, seed=s)) for s in (1, 1, 2)
    ]
    assert texts[0][0].ids == texts[0][1].ids == texts[1][0].ids != texts[2][0].ids


def test_going_on_gives_what_one_go_would_have_given(writer):
    def settings(n):
        return Writing(tokens=n, chat=False, seed=4)

    steer = _steer(writer, 0.2)
    whole = write(writer, [Row(PROMPT), Row(PROMPT, steer)], settings=settings(9))
    begun = write(writer, [Row(PROMPT), Row(PROMPT, steer)], settings=settings(5))
    rows = [Row(PROMPT, written=begun[0].ids), Row(PROMPT, steer, written=begun[1].ids)]
    rest = write(writer, rows, settings=settings(4))
    for a, b, c in zip(whole, begun, rest, strict=True):
        assert a.ids == b.ids + c.ids and a.text == b.text + c.text


@pytest.mark.parametrize(("top_k", "top_p"), [(0, 1.0), (5, 1.0), (0, 0.6), (20, 0.8)])
def test_tokens_are_drawn_as_often_as_they_should_be(tiny, top_k, top_p):
    settings = Writing(tokens=1, chat=False, top_k=top_k, top_p=top_p, temperature=1.3)
    from core.steering.generate import _Line

    line = _Line(tiny, Row(PROMPT), settings)
    scores = torch.randn(40, generator=torch.Generator().manual_seed(0)) * 2
    share = torch.softmax(scores / 1.3, -1)
    order = share.argsort(descending=True)
    kept = order[: top_k or 40]
    share = share / share[kept].sum()
    before = share[kept].cumsum(0) - share[kept]
    kept = kept[before < top_p]
    wanted = torch.zeros(40)
    wanted[kept] = share[kept] / share[kept].sum()
    drawn = torch.bincount(torch.tensor([line.draw(scores, settings) for _ in range(4000)]), minlength=40) / 4000
    assert (drawn > 0).sum() <= len(kept)
    assert float((drawn - wanted).abs().max()) < 0.035


def test_the_first_five_are_the_likeliest(tiny):
    step = next(iter(generate(tiny, [Row(PROMPT)], settings=GREEDY)))
    ids = torch.tensor([tiny.started(tiny.tokenize(PROMPT))])
    share = tiny.logits(ids)[0, -1].softmax(-1)
    best = share.topk(5)
    assert [t for t, _ in step.rows[0].top] == tiny.pieces(best.indices.tolist())
    assert [p for _, p in step.rows[0].top] == pytest.approx(best.values.tolist(), abs=1e-5)
    assert step.rows[0].chance == pytest.approx(float(best.values[0]), abs=1e-5)


def test_characters_of_several_tokens_come_whole(tiny):
    """A random byte-level model writes broken characters; what streams out is what decoding all of it gives."""
    (text,) = write(tiny, [Row(PROMPT)], settings=Writing(tokens=120, chat=False, temperature=2.0, top_p=1.0, top_k=0))
    whole = tiny.detokenize(text.ids)
    assert whole.startswith(text.text) and len(whole) - len(text.text) <= 3


def test_a_row_that_has_ended_stays_ended_while_the_other_goes_on(tiny):
    line_ends = tiny.ends
    settings = Writing(tokens=30, chat=False, seed=0, temperature=1.5)
    plain = write(tiny, [Row(PROMPT), Row("user")], settings=settings)
    end = next(i for i in plain[0].ids if i not in plain[1].ids)
    try:
        tiny.ends = (end,)
        steps = list(generate(tiny, [Row(PROMPT), Row("user")], settings=settings))
    finally:
        tiny.ends = line_ends
    at = plain[0].ids.index(end)
    assert steps[at].rows[0].ended and all(s.rows[0] is None for s in steps[at + 1 :])
    assert [s.rows[1].id for s in steps] == plain[1].ids


def test_two_who_write_at_once_each_get_their_own_text_and_stopping_one_leaves_the_other(tiny):
    queue, got, places = Queue(), {}, {}
    settings = Writing(tokens=25, chat=False, seed=1)
    prompts = {"a": PROMPT, "b": "user", "c": "You are"}
    wanted = {n: write(tiny, [Row(p, _steer(tiny))], settings=settings)[0].ids for n, p in prompts.items()}
    begun, release = threading.Event(), threading.Event()

    def follow(name):
        ids, places[name] = [], []
        for step in generate(tiny, [Row(prompts[name], _steer(tiny))], settings=settings, queue=queue):
            places[name].append(step.position)
            ids += [t.id for t in step.rows]
            if name == "a" and len(ids) == 3:
                begun.set()
                release.wait(10)
                if len(places) == 3:
                    break
        got[name] = ids

    threads = [threading.Thread(target=follow, args=(n,)) for n in prompts]
    threads[0].start()
    assert begun.wait(20)
    for t in threads[1:]:
        t.start()
    while len(queue) < 3 or not all(places.get(n) for n in "bc"):
        threading.Event().wait(0.01)
    release.set()
    for t in threads:
        t.join(30)
    assert got["a"] == wanted["a"][:3]  # stopped
    assert got["b"] == wanted["b"] and got["c"] == wanted["c"] and not len(queue)
    assert {places["b"][0], places["c"][0]} == {1, 2} and places["b"][-1] == places["c"][-1] == 0


def test_stopping_keeps_what_there_is_and_leaving_frees_the_turn(tiny):
    queue = Queue()
    said = itertools.count()
    steps = list(generate(tiny, [Row(PROMPT)], settings=GREEDY, stop=lambda: next(said) > 4, queue=queue))
    assert 1 <= len(steps) < 8 and not len(queue)
    left = generate(tiny, [Row(PROMPT)], settings=GREEDY, queue=queue)
    next(left)
    assert len(queue) == 1
    left.close()
    assert not len(queue)


def test_one_who_waits_can_stop_waiting(tiny):
    queue = Queue()
    with queue.enter() as first:
        assert first.wait(0)
        said = itertools.count()
        steps = list(generate(tiny, [Row(PROMPT)], settings=GREEDY, stop=lambda: next(said) > 1, queue=queue))
        assert [s.position for s in steps] and all(not s.rows and s.position == 1 for s in steps)


def test_without_a_shadow_the_text_is_the_same(tiny):
    rows = [Row(PROMPT), Row(PROMPT, _steer(tiny))]
    with_it, without = (write(tiny, rows, settings=GREEDY, compare=c) for c in (True, False))
    assert [t.ids for t in with_it] == [t.ids for t in without] and sum(with_it[1].kl) > 0 == sum(without[1].kl)


def test_a_steer_beyond_the_limit_is_brought_back_to_it(tiny):
    a, b = (write(tiny, [Row(PROMPT, _steer(tiny, r))], settings=GREEDY)[0] for r in (0.5, 50.0))
    assert a.ids == b.ids and a.kl == pytest.approx(b.kl, abs=1e-4)


@pytest.mark.parametrize(
    ("rows", "settings", "says"),
    [
        ([Row("  \n")], GREEDY, "prompt is empty"),
        ([], GREEDY, "One to 16"),
        ([Row("a")] * 17, GREEDY, "One to 16"),
        ([Row("cat " * 600)], GREEDY, r"The prompt has \d+ tokens; with 8 to be written, tiny reads at most 504"),
        ([Row("a", Steer(7, [(np.ones(48), 1.0)]))], GREEDY, "blocks 0 to 3"),
        ([Row("a", Steer(1, [(np.ones(7), 1.0)]))], GREEDY, "7 numbers"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_first_step(tiny, rows, settings, says):
    with pytest.raises(InputError, match=says):
        generate(tiny, rows, settings=settings)


@pytest.mark.parametrize("values", [{"tokens": 0}, {"temperature": -1.0}, {"top_p": 0.0}, {"seed": -1}, {"seeds": 1}])
def test_settings_out_of_range_are_refused(values):
    with pytest.raises(InputError):
        Writing.of(values)


def test_right_to_left_and_cjk_prompts_are_written_on(writer):
    for prompt in ("مرحبا بالعالم", "今日は良い天気", "👩‍🔬🧬"):
        (text,) = write(writer, [Row(prompt)], settings=Writing(tokens=3))
        assert len(text.ids) >= 1 and isinstance(text.text, str)


def test_a_row_can_have_a_system_prompt_of_its_own(writer):
    rows = [Row("Hello there"), Row("Hello there", system="Answer in Spanish.")]
    a, b = (next(iter(generate(writer, [r], settings=Writing(tokens=1)))).rows[0] for r in rows)
    assert isinstance(a, Token) and a.top != b.top
