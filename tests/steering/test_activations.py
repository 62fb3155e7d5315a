"""Reading texts with a language model: pooling, notes, memory, stop and resume."""

import numpy as np
import pytest
import torch

from core.datasets.dataset import Dataset
from core.errors import InputError
from core.progress import Run
from core.steering import activations as module
from core.steering.activations import activations
from core.steering.corpus import corpus, held_out, openings, styles

TEXTS = ["The cat sat on the mat.", "no", "a rather longer text about the moon, the mat and the cat", "¿qué?", "x y z"]


def by_hand(model, text, block, pooling="mean"):
    """Of one text alone, out of transformers' own hidden states."""
    ids = torch.tensor([model.started(model.tokenize(text))])
    with torch.inference_mode():
        states = model.module(input_ids=ids, output_hidden_states=True).hidden_states[block + 1][0]
    return (states[1:].mean(0) if pooling == "mean" else states[-1]).float().numpy()


@pytest.mark.parametrize("pooling", ["mean", "last"])
@pytest.mark.parametrize("batch_tokens", [1, 40, 10_000])
def test_it_is_what_transformers_gives_without_the_first_token(writer, pooling, batch_tokens):
    read = activations(writer, TEXTS, blocks=[0, 2], pooling=pooling, batch_tokens=batch_tokens)
    assert read.kind == "activations" and read.samples.shape == (len(TEXTS), 2, writer.width)
    for i, text in enumerate(TEXTS):
        for j, block in enumerate((0, 2)):
            wanted = by_hand(writer, text, block, pooling)
            assert np.abs(read.samples[i, j] - wanted).max() < 1e-4 * max(1, np.abs(wanted).max())


def test_one_block_is_a_plain_vector_and_names_and_labels_are_kept(tiny):
    texts = Dataset(np.array([*TEXTS, " "], object), "text", labels=np.arange(6), names=list("abcdef"))
    read = activations(tiny, texts, blocks=1)
    assert read.shape == (tiny.width,) and read.names == tuple("abcde") and read.labels.tolist() == [0, 1, 2, 3, 4]
    assert np.array_equal(read.samples, activations(tiny, iter(TEXTS), blocks=[1]).samples[:, 0])
    assert read.notes == ("Left out 1 text without a word in it.",)


def test_texts_are_streamed(tiny, monkeypatch):
    monkeypatch.setattr(module, "WINDOW", 4)
    taken = []

    def source():
        for i in range(20):
            taken.append(i)
            yield f"text {i}"

    ahead = []
    read = activations(tiny, source(), blocks=0, on_progress=lambda p: ahead.append(len(taken) - p.step))
    assert len(read) == 20 and max(ahead) <= 4


def test_odd_texts_have_a_vector_and_empty_or_binary_ones_a_note(tiny):
    odd = ["שלום עולם", "你好,世界", "<|im_end|><|im_start|>system", "🙂", "\u200f", "a"]
    assert np.isfinite(activations(tiny, odd, blocks=0).samples).all()
    read = activations(tiny, ["", " \n", "good", "\0\1\2PNG\x7f\0\0", "\ufffd" * 9], blocks=0)
    assert read.extra["text"].tolist() == [2]
    assert read.notes == (
        "Left out 2 texts without a word in them.",
        "Left out 2 texts that are binary data, not writing.",
    )
    with pytest.raises(InputError, match="None of these texts"):
        activations(tiny, ["", "  "], blocks=0)


def test_a_very_long_text_is_cut_with_a_note(tiny):
    long = "moon " * 100_000
    read = activations(tiny, ["the mat", long], blocks=0, longest=64)
    assert read.notes == ("Read only the first 64 tokens of 1 text.",)
    ids = tiny.tokenize(long[:2000])[:64]
    alone = activations(tiny, [tiny.detokenize(ids)], blocks=0)
    assert np.abs(read.samples[1] - alone.samples[0]).max() < 1e-3


@pytest.mark.parametrize(
    ("values", "word"),
    [
        (dict(blocks=4), "blocks 0 to 3"),
        (dict(blocks=[]), "at least one"),
        (dict(blocks=0, pooling="max"), "one of mean"),
    ],
)
def test_bad_settings_are_one_sentence(tiny, values, word):
    with pytest.raises(InputError, match=word):
        activations(tiny, TEXTS, **values)


def test_more_numbers_than_are_held_are_refused(tiny, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 1000)
    with pytest.raises(InputError, match="fewer blocks or fewer texts"):
        activations(tiny, TEXTS * 4, blocks=[0, 1])


class Breaking(Run):
    """A run that is interrupted after some checkpoints, and keeps the last one."""

    def __init__(self, after: int, state=None):
        self.left, self.state = after, state

    def checkpoint(self, state):
        self.state, self.left = dict(state()), self.left - 1
        if not self.left:
            raise KeyboardInterrupt

    def restore(self):
        return self.state


def test_an_interrupted_run_goes_on_where_it_was(tiny, monkeypatch):
    monkeypatch.setattr(module, "WINDOW", 3)
    texts = [f"the {'very ' * (i % 5)}moon number {i}" if i != 4 else " " for i in range(14)]
    whole = activations(tiny, texts, blocks=[1, 2])
    broken = Breaking(2)
    with pytest.raises(KeyboardInterrupt):
        activations(tiny, iter(texts), blocks=[1, 2], run=broken)
    steps = []
    resumed = Breaking(99, broken.state)
    resumed.progress = lambda step, total, metrics=None, preview=None: steps.append(step)
    read = activations(tiny, iter(texts), blocks=[1, 2], run=resumed)
    assert np.array_equal(read.samples, whole.samples) and read.notes == whole.notes
    assert min(steps) > 6 and steps == sorted(steps) and steps[-1] == 14
    with pytest.raises(InputError, match="other texts"):
        activations(tiny, ["other", *texts[1:]], blocks=[1, 2], run=Breaking(99, broken.state))
    with pytest.raises(InputError, match="other texts or settings"):
        activations(tiny, texts, blocks=1, run=Breaking(99, broken.state))


def test_a_stopped_reading_keeps_what_it_has(tiny):
    read = activations(tiny, TEXTS, blocks=0, batch_tokens=1, on_progress=lambda p: p.step >= 2)
    assert len(read) == 2 and np.abs(read.samples[0] - by_hand(tiny, TEXTS[int(read.names[0])], 0)).max() < 1e-4


def test_the_corpus_has_varied_frames_and_holds_texts_out():
    data, out = corpus(), held_out()
    assert len(data) == 360 == len(set(data.samples)) and len(styles()) == 12 and len(out) == 96
    assert np.unique(data.labels, return_counts=True)[1].tolist() == [30] * 12
    assert not set(data.extra["topic"]) & set(out.extra["topic"]) and not set(data.samples) & set(out.samples)
    assert not any("<noun>" in t or "<part>" in t or "<act>" in t for t in [*data.samples, *out.samples])
    # Two texts of one style share their first word in less than half of the pairs: there is no single template.
    for style in styles():
        first = np.array([t.split()[0] for t in data.samples[data.labels == style]])
        assert (first[:, None] == first).mean() < 0.5
    assert len(openings()) >= 16 and len(openings(chat=True)) >= 8
