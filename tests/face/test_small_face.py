"""The small EDTalk: pairs, losses, stages, resume, storage."""

import numpy as np
import pytest
import torch

from core.errors import InputError
from core.face.head.factors import FACTORS, columns
from core.face.head.render import Renderer
from core.face.head.tuples import VIEWS, tuples
from core.face.small.model import SmallFace
from core.face.small.objective import (
    REACH,
    Motions,
    change,
    draw_batch,
    draw_pictures,
    flow_loss,
    labels,
    pairs,
    picture_loss,
)
from core.face.small.personal import PersonalFace
from core.face.small.rebuild import FileRun
from core.face.small.train import ALL, MOTION, fit
from core.models import family
from core.progress import Run
from core.store import Card, load, save
from tests.face.small_head import small_head

SIDE = 16
TINY = dict(side=SIDE, width=2, latent=16, batch=2, tuples=6, people=3, anchor=3, motion=3, enhance=3)


@pytest.fixture(scope="module")
def shown():
    return tuples(small_head(), 6, 3, size=SIDE, seed=0)


@pytest.fixture(scope="module")
def motions(shown):
    return Motions(Renderer(small_head(), SIDE), shown)


def fresh(shown, run=None, **changes):
    model = SmallFace(device="cpu", **{**TINY, **changes})
    model.reference_, model.shape_ = shown.pictures[0, 0] / np.float32(255), (SIDE, SIDE, 3)
    fit(model, seed=0, run=run or Run(), head=small_head(), tuples=shown)
    return model


@pytest.fixture(scope="module")
def model(shown):
    return fresh(shown)


def weights(model):
    return {n: t.clone() for n, t in model.network_.state_dict().items()}


def test_labels_are_centred_and_reach_two():
    low, high = np.zeros(13), np.ones(13)
    assert np.allclose(labels(high), REACH)
    assert np.allclose(labels(low)[columns("pose")], 0) and np.allclose(labels(low)[columns("mouth")], -REACH)


def test_pairs_change_what_they_say_and_one_way_only(shown):
    for a, b, moved in pairs(ALL):
        differ = {
            bank: (shown.factors[:, a, columns(bank)] != shown.factors[:, b, columns(bank)]).any() for bank in ALL
        }
        assert {bank for bank in ALL if differ[bank]} == set(moved)
    assert {moved for _, _, moved in pairs(MOTION)} == {("mouth",), ("pose",), ("mouth", "pose")}
    assert ("expression",) in {moved for _, _, moved in pairs(ALL)}
    assert (VIEWS.index("mouth"), VIEWS.index("pose"), ("mouth", "pose")) not in pairs(
        ALL
    )  # no one picture drives both


def test_a_batch_holds_the_exact_renders_and_the_labels_of_what_it_shows(motions):
    rng = np.random.default_rng(0)
    batch = draw_batch(motions, np.arange(6).repeat(4), pairs(("mouth",)), rng, own=0.0)
    assert batch.taken[:, 0].all() and not batch.taken[:, 1:].any()
    other = ~torch.isclose(batch.of_source, batch.of_driver).all(1)
    assert other.all()
    # a target shows the source's face with the driver's mouth: its pixels differ from the source's only low down
    differ = (batch.source - batch.target).abs().amax((0, 1, 3))
    assert differ[: SIDE // 4].max() < 1e-6 < differ[SIDE // 2 :].max()
    nothing = draw_batch(motions, np.arange(6), pairs(ALL), rng, own=1.0)
    assert torch.equal(nothing.source, nothing.target) and not nothing.taken.any()


def test_mirrored_pictures_have_mirrored_labels(shown):
    signs = {name: [] for name in ("yaw", "pitch")}
    rows = np.zeros(200, dtype=int)
    known = draw_pictures(shown, rows, np.random.default_rng(0))[1].numpy()
    for name in signs:
        truth = np.abs(labels(shown.factors[0])[:, FACTORS.index(name)])
        found = np.unique(known[:, FACTORS.index(name)])
        assert np.isin(np.abs(found).round(5), truth.round(5)).all()
        signs[name] = len(found)
    assert signs["yaw"] == 2 * signs["pitch"]  # every yaw in both directions, every pitch in its own


def test_a_small_change_counts_as_much_as_a_large_one():
    source = torch.zeros(2, 3, 32, 32)
    target = source.clone()
    target[0, :, 10:14, 10:14] = 1.0
    target[1, :, 4:28, 4:28] = 1.0
    assert torch.allclose(change(source, target).sum((1, 2, 3)), torch.ones(2))
    small, large = picture_loss(source, source, target)
    assert 0.3 < small / large < 3  # the plain mean error differs by a factor of 36
    assert picture_loss(target, source, target).abs().max() == 0


def test_banks_are_orthonormal_before_after_and_back_from_the_disk(shown, model, tmp_path):
    before = SmallFace(device="cpu", **TINY)
    before.start(0)
    save(model, tmp_path / "m", Card.of(model, kind="images"))
    after, _ = load(tmp_path / "m", device="cpu")
    for m in (before, model, after):
        q = np.concatenate([b.directions for b in m.bases().values()])
        assert q.shape == (13, 16) and np.abs(q @ q.T - np.eye(13)).max() < 1e-5
    pictures = shown.pictures[:4, 0] / np.float32(255)
    assert np.allclose(after.encode(pictures), model.encode(pictures), atol=0.02)  # half precision on the disk
    codes = model.encode(pictures)
    assert np.abs(after.animate(pictures, codes) - model.animate(pictures, codes)).max() < 0.02
    assert after.decode(codes).shape == (4, SIDE * SIDE * 3)


def test_each_stage_leaves_alone_what_it_should(shown):
    start = SmallFace(device="cpu", **TINY)
    start.start(0)
    begin = weights(start)

    def moved(**steps):
        end = weights(fresh(shown, ema=0.0, **{"anchor": 0, "motion": 0, "enhance": 0, **steps}))
        return {n for n in end if not torch.equal(end[n], begin[n])}

    anchor, motion, expression = moved(anchor=2), moved(motion=2), moved(enhance=2)
    assert all(n.startswith(("enc.", "fc.", "lip_fc.", "pose_fc.", "exp_fc.")) for n in anchor) and anchor
    assert not any(n.startswith(("direction_exp", "dec.fineadainresblock")) for n in motion)
    assert {"direction_lipnonlip.weight"} < motion and any(n.startswith("dec.") for n in motion)
    assert all(n.startswith(("exp_fc.", "direction_exp", "dec.")) for n in expression)
    assert any("fineadainresblock" in n for n in expression)


class Interrupted(Exception):
    pass


@pytest.mark.parametrize("stop", [2, 4, 8])
def test_a_resumed_training_gives_the_numbers_of_one_that_was_not_interrupted(shown, model, tmp_path, stop):
    class Falling(FileRun):
        def checkpoint(self, state):
            super().checkpoint(state)
            if int(state()["step"]) == stop:
                raise Interrupted

    path = tmp_path / "checkpoint"
    with pytest.raises(Interrupted):
        fresh(shown, Falling(path, every=0))
    again = fresh(shown, FileRun(path, every=0))
    assert all(torch.equal(a, b) for a, b in zip(weights(again).values(), weights(model).values(), strict=True))


def test_a_stopped_training_keeps_a_model_that_works(shown, tmp_path):
    class Stopping(Run):
        asked = 0

        def should_stop(self):
            self.asked += 1
            return self.asked > 4

    stopped = fresh(shown, Stopping())
    assert np.isfinite(stopped.decode(np.zeros((1, 13)))).all()


def test_the_anchor_lowers_the_misreading(shown):
    seen = []

    class Listening(Run):
        def progress(self, step, total, metrics=None, preview=None):
            seen.append(metrics["loss"])

    fresh(shown, Listening(), anchor=80, motion=0, enhance=0, width=4, batch=4, lr=3e-3)
    assert np.mean(seen[-3:]) < 0.8 * seen[0]


def test_it_is_a_family_and_refuses_pictures_of_another_side():
    from core.datasets.dataset import Dataset

    assert family("face.small") is SmallFace
    with pytest.raises(InputError, match="16 x 16"):
        SmallFace(device="cpu", **TINY).fit(Dataset(np.zeros((2, 20, 20, 3)), "images"))


def test_a_personal_model_learns_its_frames_and_leaves_codes_and_start_alone(shown, model):
    from core.datasets.dataset import Dataset

    frames = shown.pictures[0, :5] / np.float32(255)
    before = weights(model)
    own = PersonalFace(device="cpu", steps=60, batch=4, lr=3e-3)
    own.shape_ = (SIDE, SIDE, 3)
    own.go_on_from(model, Dataset(frames, "images"), seed=0, run=Run())

    def error(m):
        return np.abs(m.animate(frames[:1], m.encode(frames)) - frames).mean()

    assert error(own) < 0.9 * error(model)
    assert np.allclose(own.encode(frames), model.encode(frames))
    assert all(torch.equal(before[n], t) for n, t in weights(model).items())
    with pytest.raises(InputError, match="two frames"):
        own.go_on_from(model, Dataset(frames[:1], "images"), seed=0, run=Run())


def test_exact_flows_have_no_error_and_a_mirrored_batch_mirrors_them(motions):
    rows = np.zeros(40, dtype=int)
    batch = draw_batch(motions, rows, pairs(("pose",)), np.random.default_rng(0), own=0.0)
    exact = torch.nn.functional.interpolate(batch.flow, scale_factor=2)
    assert flow_loss(exact, batch).max() < 1e-6 < flow_loss(0 * exact, batch).min()
    known, dx = batch.of_driver[:, FACTORS.index("x")] - batch.of_source[:, FACTORS.index("x")], batch.flow[:, 0]
    seen = (batch.sure[:, 0] == 1).float()
    mean = (dx * seen).sum((1, 2)) / seen.sum((1, 2))
    assert np.corrcoef(known.numpy(), mean.numpy())[0, 1] < -0.3  # what is drawn further right was further left


def test_with_known_factors_the_pictures_teach_the_generator_and_the_factors_the_encoder(motions):
    from core.face.small.train import _motion_loss
    from core.training import Step

    def gradients(known):
        start = SmallFace(device="cpu", **{**TINY, "known": known})
        network = start.start(0)
        network.train()
        _motion_loss(network, motions, start.settings, torch.device("cpu"))(torch.arange(4), Step(0, 0))[0].backward()
        part = {"enc.": [], "dec.": []}
        for name, weight in network.named_parameters():
            if name[:4] in part and weight.grad is not None:
                part[name[:4]].append(weight.grad.flatten())
        return {name: torch.cat(found) for name, found in part.items()}

    one, two, none = gradients(0.1), gradients(0.2), gradients(0.0)
    assert torch.allclose(2 * one["enc."], two["enc."], rtol=1e-3, atol=1e-7)
    assert torch.allclose(one["dec."], two["dec."])
    assert none["enc."].abs().max() > 0  # without factors the pictures are all there is
