"""Skills: what the methods find, how directions are named, saved and refused."""

import numpy as np
import pytest
import torch
from scipy.stats import skew
from sklearn.decomposition import PCA

from core.datasets.dataset import Dataset
from core.diagnostics import matched_cosine
from core.errors import InputError
from core.models import family
from core.runs.execute import execute
from core.runs.folder_run import FolderRun
from core.runs.new import new_run
from core.steering.generate import Row, Writing, write
from core.steering.methods import METHODS, find
from core.steering.skills import Skills, distractor_check, labels_of, presets
from core.store import Card, export_file, import_file, load, save

RNG = np.random.default_rng(0)
TEXTS = [f"{a} {b}" for a in ("the cat", "why is it?", "12 + 7 = 19", "¿qué pasa?") for b in "abcdefgh"]
DATA = Dataset(np.array(TEXTS, object), "text", labels=np.repeat(["cat", "why", "sum", "qué"], 8), title="lines")


DATA_VECTORS = RNG.standard_normal((9, 48))


def planted(n=600, d=30, k=4):
    """Samples of few out of k orthonormal directions each, of about equal size, with some noise."""
    rng = np.random.default_rng(7)
    directions = np.linalg.qr(rng.standard_normal((d, k)))[0].T
    codes = (rng.random((n, k)) < 0.25) * rng.exponential(1.0, (n, k))
    codes *= np.linspace(5, 4.9, k) / codes.std(axis=0)  # nearly equal variances, so that PCA cannot tell them apart
    return codes @ directions + 0.05 * rng.standard_normal((n, d)) + rng.standard_normal(d), directions


@pytest.mark.parametrize("method", METHODS)
def test_directions_are_orthonormal_with_fixed_signs_and_order(method):
    x, _ = planted()
    directions, mean = find(x, 4, method)
    codes = (x - mean) @ directions.T
    assert (skew(codes) > 0).all() and (np.diff(codes.var(axis=0)) <= 0).all()
    error = np.abs(directions @ directions.T - np.eye(4))
    assert error.max() < 1e-10
    again, _ = find(x[RNG.permutation(len(x))], 4, method)
    assert np.abs(again - directions).max() < 2e-3


@pytest.mark.parametrize(("method", "least"), [("varimax", 0.99), ("ica", 0.99), ("sparse", 0.99)])
def test_planted_skills_are_found_where_pca_mixes_them(method, least):
    x, directions = planted()
    found = matched_cosine(find(x, 4, method)[0], directions)
    assert np.abs(found.values).min() > least
    assert np.abs(matched_cosine(find(x, 4, "pca")[0], directions).values).min() < 0.95


def test_pca_and_the_paper_are_scikit_learns():
    x, _ = planted()
    wanted = PCA(4).fit(x)
    for method in ("pca", "paper"):
        directions, mean = find(x, 4, method)
        assert np.allclose(mean, wanted.mean_) and np.allclose(np.abs(directions @ wanted.components_.T), np.eye(4))


def test_more_directions_than_there_are_is_one_sentence():
    with pytest.raises(InputError, match="at most 3 directions"):
        find(RNG.standard_normal((4, 9)), 4, "pca")
    with pytest.raises(InputError, match="text"):
        family("directions.pca")(k=2).fit(DATA)


@pytest.fixture(scope="session")
def folder(tiny, tmp_path_factory):
    """The tiny model as a folder that `shared` loads."""
    place = tmp_path_factory.mktemp("models") / "tiny"
    tiny.module.save_pretrained(place)
    tiny.tokenizer.save_pretrained(place)
    return str(place)


@pytest.fixture(scope="session")
def fitted(folder):
    return Skills(source=folder, block=2, k=3).fit(DATA)


def test_a_basis_is_fitted_to_texts_read_by_a_model(fitted):
    basis = fitted.bases()["directions"]
    assert basis.orthonormal and basis.d == 48 and fitted.shape_ == (48,) and fitted.blocks_ == [2]
    assert np.allclose(fitted.encode(np.array(TEXTS[:5], object)), fitted.codes_[:5], atol=1e-3)
    assert np.allclose(fitted.codes_.std(axis=0), basis.scale, rtol=1e-4)
    shares = [e.share for e in fitted.evidence_]
    assert shares == sorted(shares, reverse=True) and 0 < sum(shares) <= 1 + 1e-6
    assert all(e.raised and e.lowered for e in fitted.evidence_) and len(set(basis.names)) == 3


def test_weights_become_a_steer_that_moves_them(fitted, tiny):
    basis = fitted.bases()["directions"]
    (steer,) = fitted.steers([1.0, 0.0, -2.0])
    moved = basis.encode(basis.mean + steer.vector()) / basis.scale
    assert steer.block == 2 and np.allclose(moved, [1, 0, -2], atol=1e-4)
    (cap,) = fitted.steers([3.0, 0, 0], method="cap")
    x = torch.tensor(DATA_VECTORS, dtype=torch.float32) + torch.tensor(basis.mean)
    assert (basis.encode(cap.apply(x).numpy())[:, 0] / basis.scale[0] > 3 - 1e-3).all()


def test_it_comes_back_from_the_store_as_it_was(fitted, tmp_path):
    card = Card.of(fitted, DATA)
    assert card.kind == "activations" and card.shape == (48,) and card.fingerprint == DATA.fingerprint
    save(fitted, tmp_path / "a", card)
    back, _ = load(tmp_path / "a")
    assert back.evidence_ == fitted.evidence_ and back.texts_ == TEXTS and back.labels_ == DATA.labels.tolist()
    assert back.bases()["directions"].names == fitted.bases()["directions"].names and back.about_ == fitted.about_
    assert np.array_equal(back.codes_, fitted.codes_) and back.blocks_ == [2]
    import_file(export_file(tmp_path / "a"), tmp_path / "b")  # needs no language model
    for broken in (
        dict(codes=fitted.codes_[:, :2]),
        dict(about=np.zeros(9, np.uint8)),
        dict(texts=np.zeros(3, np.uint8)),
    ):
        with pytest.raises(InputError, match="do not make a model"):
            Skills.from_arrays(card.settings, fitted.arrays() | broken, (48,))


def test_directions_of_another_model_are_refused(fitted, folder, tiny):
    from core.steering.language_model import LanguageModel
    from tests.steering.conftest import make_tiny

    with pytest.raises(InputError, match="fit them anew"):
        fitted.check(LanguageModel(*make_tiny(seed=1), name="other", fingerprint="f" * 64))
    with pytest.raises(InputError, match="4 blocks of 32"):
        fitted.check(LanguageModel(*make_tiny(width=32), name="thin"))
    with pytest.raises(InputError, match="without a word"):
        fitted.encode(np.array(["good", " "], object))


def test_the_recipe_of_the_paper_joins_the_middle_blocks_and_steers_each(folder, tiny):
    model = Skills(source=folder, method="paper", k=2).fit(DATA)
    assert model.blocks_ == [1, 2] and model.shape_ == (2, 48)
    slices = model.slices(0)
    assert np.allclose(np.concatenate([slices[1], slices[2]]), model.bases()["directions"].directions[0])
    steers = model.steers([2.0, 0.0])
    for steer in steers:
        assert np.allclose(steer.vector(), 2 * model.bases()["directions"].scale[0] * slices[steer.block], atol=1e-5)
    writing = Writing(tokens=8, chat=False)
    plain, steered = write(tiny, [Row("the cat"), Row("the cat", steers)], settings=writing)
    assert max(steered.kl) > 0 and max(plain.kl) == 0


def test_labels_name_the_directions_on_which_they_lie_and_make_presets():
    labels = ["a"] * 10 + ["b"] * 20
    codes = np.c_[np.r_[np.full(10, 1.9), np.full(20, -0.9)], np.r_[np.full(10, 2.1), np.full(20, 1.2)]]
    assert labels_of(codes, labels) == ["", "a"] and labels_of(codes[:, :1], labels) == ["a"]
    assert labels_of(0.1 * codes, labels) == ["", ""] == labels_of(codes, ["a"] * 30)
    codes = np.r_[np.eye(4), np.zeros((2, 4))].repeat(50, 0) * [9, 8, 7, 6]
    x = codes @ np.linalg.qr(RNG.standard_normal((30, 4)))[0].T + RNG.standard_normal((300, 30))
    data = Dataset(x, "activations", labels=np.array(list("abcdee")).repeat(50))
    model = Skills(k=4).fit(data)
    names = model.bases()["directions"].names
    assert sorted(names) == list("abcd")
    for i, name in enumerate(names):
        assert presets(model)[name].argmax() == i and (presets(model)[name] > 1).sum() == 1


@pytest.mark.parametrize("method", ["varimax", "pca"])
def test_a_loud_planted_feature_wins_a_direction_and_a_quiet_one_does_not(method):
    x, _ = planted()
    quiet, loud = distractor_check(x, 4, method, loudness=(0.05, 4.0))
    assert not quiet.wins and quiet.kept == 4 and quiet.captured < 0.2
    assert loud.wins and loud.cosine > 0.98 and loud.captured > 0.99 and loud.kept < 4


def test_causal_names_are_the_tokens_that_a_direction_raises(tiny):
    from core.basis import Basis
    from core.steering.names import causal_names

    # Behind the last block a direction along a token's own row of the unembedding raises that very token.
    token = tiny.tokenize(" the")[0]
    row = tiny.module.get_output_embeddings().weight[token]
    direction = (row * tiny.module.model.norm.weight).detach().numpy()
    strong = torch.tensor(direction).norm().item()
    basis = Basis(direction[None] / strong, scale=[tiny.token_norm(3)])
    (names,) = causal_names(tiny, basis, 3, prompts=["cat", "you are", "a mat"], most=4)
    assert names.raised[0][0] == tiny.pieces([token])[0].strip() and names.raised[0][1] > 1
    assert names.raised[0][0] not in [t for t, _ in names.lowered]


def test_a_run_that_was_interrupted_while_reading_ends_as_one_that_was_not(folder, monkeypatch):
    monkeypatch.setattr("core.steering.activations.WINDOW", 4)
    settings = Skills.Settings(source=folder, block=2, k=3).as_dict()
    whole, broken = (new_run(Skills, DATA, settings, name="lines") for _ in range(2))
    assert execute(FolderRun(whole), DATA) == "done"
    run = FolderRun(broken)
    tell = run.progress
    run.progress = lambda step, *more: (tell(step, *more), run.leave.set() if step >= 10 else None)
    assert execute(run, DATA) == "interrupted"
    assert 10 <= broken.checkpoint_about()["step"] < len(DATA)
    steps = []
    again = FolderRun(broken)
    tell_again = again.progress
    again.progress = lambda step, *more: (steps.append(step), tell_again(step, *more))
    assert execute(again, DATA) == "done" and min(steps) > 10
    first, second = (load(f.model_path) for f in (whole, broken))
    assert first[1].kind == "activations" and first[1].metrics == second[1].metrics
    for name, array in first[0].arrays().items():
        assert np.array_equal(array, second[0].arrays()[name])
