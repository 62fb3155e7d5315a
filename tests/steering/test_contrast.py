"""Directions between two sets, against closed forms, scikit-learn and shuffled labels."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.metrics import roc_auc_score

from core.datasets.dataset import Dataset
from core.errors import InputError
from core.steering.contrast import Contrast, auc, between, concept_texts, separation, two_labels, two_sets
from core.steering.words import contrast_words, direction_words
from core.store import Card, load, save

RNG = np.random.default_rng(3)


def planted(n=120, d=40, apart=2.0):
    direction = RNG.standard_normal(d)
    direction /= np.linalg.norm(direction)
    ours = np.arange(n) % 3 == 0
    return RNG.standard_normal((n, d)) + apart * ours[:, None] * direction, ours, direction


def test_auc_is_scikit_learns_with_ties():
    ours, theirs = RNG.integers(0, 6, 40), RNG.integers(1, 8, 25)
    wanted = roc_auc_score(np.r_[np.ones(40), np.zeros(25)], np.r_[ours, theirs])
    assert auc(ours, theirs) == pytest.approx(wanted)


def test_difference_of_means_and_pca_of_differences_are_what_they_say():
    x, ours, direction = planted(300, 10, 4.0)
    mean = x[ours].mean(0) - x[~ours].mean(0)
    assert np.allclose(between(x, ours), mean / np.linalg.norm(mean))
    pairs = np.r_[x[ours], x[~ours][: ours.sum()]]
    sides = np.arange(len(pairs)) < ours.sum()
    signs = np.where(np.arange(ours.sum()) % 2, -1, 1)[:, None]
    wanted = PCA(1).fit((pairs[sides] - pairs[~sides]) * signs).components_[0]
    found = between(pairs, sides, "pairs")
    assert abs(found @ wanted) == pytest.approx(1) and found @ direction > 0.9
    assert np.allclose(between(pairs, ~sides, "pairs"), -found)


@pytest.mark.parametrize("way", ["means", "pairs"])
def test_held_out_texts_are_separated_where_the_sets_differ_and_only_there(way):
    x, ours, _ = planted(apart=5.0)
    found = separation(x, ours, way, shuffles=60)
    assert found.auc > 0.95 and found.p == 1 / 61 and 0.5 < found.chance < 0.75
    nothing = separation(RNG.standard_normal(x.shape), ours, way, shuffles=60)
    assert abs(nothing.auc - 0.5) < 0.2 and nothing.p > 0.02


def test_what_does_not_fit_is_one_sentence():
    with pytest.raises(InputError, match="do not differ"):
        between(np.ones((10, 3)), np.arange(10) < 5)
    with pytest.raises(InputError, match="at least 5"):
        two_sets(["a"] * 4, ["b"] * 9)
    with pytest.raises(InputError, match="different names"):
        two_sets(["a"] * 5, ["b"] * 5, ("x", "x"))
    three = Dataset(np.array(list("abc"), object), "text", labels=np.array(list("abc")))
    with pytest.raises(InputError, match="these have 3"):
        two_labels(three)
    with pytest.raises(InputError, match="not to 'z'"):
        two_labels(two_sets(["a"] * 5, ["b"] * 5), "z")
    with pytest.raises(InputError, match="at least one word"):
        concept_texts([" "])


def test_a_direction_is_fitted_saved_and_points_the_right_way(tiny, tmp_path):
    tiny.module.save_pretrained(tmp_path / "tiny")
    tiny.tokenizer.save_pretrained(tmp_path / "tiny")
    polite = [f"would you please sit on mat {i}?" for i in range(12)]
    rude = [f"you cat {i}! look at me!" for i in range(15)]
    data = two_sets(polite, rude, ("polite", "rude"))
    steps = []
    model = Contrast(source=str(tmp_path / "tiny"), block=1, shuffles=40).fit(data, on_progress=steps.append)
    codes = model.codes_[:, 0]
    assert codes[:12].min() > codes[12:].max() and model.auc_.auc > 0.95 and model.auc_.p < 0.05
    assert steps[-1].step == steps[-1].total and steps[-1].metrics["auc"] == model.auc_.auc
    basis = model.bases()["directions"]
    assert basis.names == ("polite",) and {"please", "would"} <= set(model.evidence_[0].words)
    save(model, tmp_path / "a", Card.of(model, data))
    back, _ = load(tmp_path / "a")
    assert back.auc_ == model.auc_ and back.about_["away"] == "rude"
    turned = Contrast(source=str(tmp_path / "tiny"), block=1, shuffles=20, towards="rude").fit(data)
    assert np.allclose(turned.bases()["directions"].directions, -basis.directions, atol=1e-6)


def test_concept_texts_differ_in_the_word_alone():
    data = concept_texts(["ocean", "tide"])
    ours = data.samples[data.labels == "ocean"]
    assert len(ours) == 16 and all("ocean" in t or "tide" in t for t in ours)
    assert {t.replace("ocean", "something") for t in ours[:8]} <= set(data.samples[data.labels == "neutral"])


def test_contrast_words_are_the_over_represented_ones():
    ours = [f"the ministry said on tuesday that {w} rose" for w in "abcdefgh"]
    theirs = [f"the cat said that {w} slept" for w in "abcdefgh"]
    assert set(contrast_words(ours, theirs)) == {"ministry", "tuesday", "rose"}
    assert contrast_words(ours, ours) == () and contrast_words([], theirs) == ()
    up, down = direction_words([*ours, *theirs], np.r_[np.ones(8), np.zeros(8)])
    assert "ministry" in up and "cat" in down
