"""A photograph moved by a face network, and the leak of a network whose directions have no names."""

import numpy as np
import pytest
import torch

from core.face.editing import leak, strips
from core.face.editing.actor import directions_of
from core.face.editing.network_actor import Cropped, NetworkActor, released, small
from core.face.editing.samples import sample_photo
from core.face.network.lia import LIA
from core.face.network.network import FaceNetwork
from core.face.network.sizes import Sizes
from core.face.photo.crop import EDTALK, aligned, cut
from core.face.small.model import SmallFace
from core.training import seeded

BANKS = (("mouth", 3), ("pose", 3), ("expression", 2))


def network(kind=FaceNetwork, banks=BANKS, **more):
    sizes = Sizes(side=32, channels=(8, 8, 6, 4), latent=24, banks=banks, shared=1, own=1, enhancer_width=8, **more)
    with seeded(0):
        made = kind(sizes, device="cpu").eval()
    with torch.no_grad():  # drawn weights hardly move a picture
        for layer in made.dec.to_flows:
            layer.conv.weight.mul_(20)
    return released(made, "Tiny")


@pytest.fixture(scope="module")
def photo():
    return sample_photo("astronaut")


@pytest.fixture(scope="module")
def actor(photo):
    return NetworkActor(photo.picture, photo.faces[0], network())


def test_untouched_it_is_the_photograph_bit_by_bit_and_moved_only_near_the_face(actor, photo):
    assert np.array_equal(actor.render(actor.own), photo.picture)
    code = actor.own.copy()
    code[0] += 3
    moved = actor.render(code)
    changed = (moved != photo.picture).any(-1)
    rows, columns = np.nonzero(changed)
    square = actor.square
    reach = square.side * 0.71 + 1
    assert changed.any()
    assert np.abs(columns - square.x).max() < reach and np.abs(rows - square.y).max() < reach


def test_own_codes_are_those_of_the_aligned_crop(actor, photo):
    crop = cut(photo.picture, aligned(photo.faces[0].points, EDTALK), 32)
    x = torch.from_numpy(crop.astype(np.float32).transpose(2, 0, 1)[None] / 127.5 - 1)
    want = actor.network.network.encode(x).codes[0].numpy()
    assert actor.own == pytest.approx(want, abs=1e-6)
    assert actor.codes_of(photo.picture, photo.faces[0]) == pytest.approx(want, abs=1e-6)
    assert [d.key for d in directions_of(actor)][:4] == [
        "mouth: mouth 1",
        "mouth: mouth 2",
        "mouth: mouth 3",
        "pose: pose 1",
    ]
    assert directions_of(actor)[7].scale == 2.0  # released expression codes reach further


def test_strips_and_reach_of_a_network(actor):
    cropped = Cropped(actor)
    drawn = strips.strips(cropped)
    assert drawn.shape == (8, 5, 32, 32, 3) and np.array_equal(drawn[0, 2], cropped.picture)
    assert cropped.reach() == pytest.approx(actor.reach()) and (actor.reach() >= 0).all()


def test_the_small_model_moves_a_photograph_with_names_and_scales_of_its_own(photo):
    model = SmallFace(side=24, latent=16, width=2, mouth=3, pose=6, expression=4)
    model.start(0).eval()
    model.scale_ = np.linspace(0.5, 2, 13).astype(np.float32)
    made = NetworkActor(photo.picture, photo.faces[0], small(model))
    assert [d.name for d in directions_of(made)][:4] == ["mouth open", "mouth round", "mouth wide", "yaw"]
    assert directions_of(made)[12].scale == pytest.approx(2.0)
    assert np.array_equal(made.render(made.own), photo.picture)


def test_one_bank_of_lia(photo):
    made = NetworkActor(photo.picture, photo.faces[0], network(LIA, (("motion", 5),), enhanced=False))
    assert list(made.banks) == ["motion"] and len(made.own) == 5


def test_leaks_of_directions_without_names_are_counted_in_their_bank(actor):
    def landmarks_of(picture):
        from core.face.photo.canonical import shape

        points = 40 * shape() + [200, 150, 30]
        points[14, 1] += picture.mean()  # whatever changes the picture opens the mouth
        return points

    found = leak.on_pictures(actor, landmarks_of)
    assert np.abs(found.share[:3, 0]).max() == pytest.approx(1.0) and np.isnan(found.ideal[:3, 0]).all()
    assert (found.ideal[3:, 0] == 0).all() and found.foreign()[1] > 0
