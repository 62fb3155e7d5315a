"""The leak meter against faces whose motion is known, and arrows."""

import numpy as np
import pytest

from core.face.editing import leak
from core.face.editing.actor import MeshActor
from core.face.editing.photos import stage
from core.face.editing.samples import sample_photo
from core.face.photo.canonical import shape, turn
from core.figures.faces import arrows


@pytest.fixture(scope="module")
def found():
    photo = sample_photo("astronaut")
    staged = stage(photo.picture, photo.faces[0], longest=160)
    return leak.on_mesh(MeshActor(staged.picture, staged.face))


def placed(points, yaw=0.0, pitch=0.0, roll=0.0, scale=40.0):
    return scale * points @ turn(yaw, pitch, roll).T + [200, 150, 30]


def test_measures_of_a_face_whose_motion_is_known():
    rest = leak.measured(placed(shape()))
    moved = shape()
    moved[14, 1] += 0.08  # a lower lip 8 mm further down
    moved[[61, 291], 1] -= 0.05
    moved[[52, 282], 1] -= 0.03
    moved[[145, 374], 1] -= 0.02
    change = leak.measured(placed(moved)) - rest
    assert change == pytest.approx([8, 0, 0, 0, 3, -2, 5], abs=1e-6)


def test_a_turn_of_the_head_changes_its_angles_alone_and_size_nothing():
    rest = leak.measured(placed(shape()))
    change = leak.measured(placed(shape(), 18, -9, 5, scale=73)) - rest
    assert change == pytest.approx([0, 18, -9, 5, 0, 0, 0], abs=1e-6)


def test_own_sliders_move_their_measures_most(found):
    assert found.share.shape == found.ideal.shape == found.change.shape == (19, 7)
    row = {k.partition(": ")[2]: i for i, k in enumerate(found.keys)}
    for measure, owners in leak.OWNERS.items():
        j, owners = leak.MEASURES.index(measure), [o for o in owners if o in row]
        assert max(np.abs(found.share[row[o], j]) for o in owners) == pytest.approx(1.0)
        assert all(found.ideal[row[o], j] == 1 for o in owners)
    assert found.change[row["jaw open"], 0] > 5 and found.change[row["yaw"], 1] == pytest.approx(16, abs=1)
    assert found.change[row["blink left"], 5] < -2
    mean, largest, what = found.foreign()
    assert 0 < mean < 0.1 and mean < largest < 1 and " moves " in what
    by_bank = found.by_bank()
    assert by_bank.shape == (3, 7) and by_bank[0, 1:4].max() < 0.1 and by_bank[2, 1:4].max() < 0.1


def test_a_leak_that_is_put_in_is_found():
    share = np.zeros((2, 7))
    share[0, 0], share[1, 1], share[0, 1] = 1, 1, -0.4
    ideal = np.zeros((2, 7))
    ideal[0, 0] = ideal[1, 1] = 1
    ideal[0, 4] = np.nan
    made = leak.Leak(("mouth: a", "pose: b"), ("mouth", "pose"), share, share, ideal)
    mean, largest, what = made.foreign()
    assert largest == pytest.approx(0.4) and what == "mouth: a moves yaw" and mean == pytest.approx(0.4 / 11)


def test_pictures_are_measured_by_what_finds_landmarks():
    photo = sample_photo("astronaut")
    staged = stage(photo.picture, photo.faces[0], longest=120)
    actor = MeshActor(staged.picture, staged.face)
    seen = []

    def landmarks_of(picture):
        seen.append(picture)
        return placed(shape())

    found = leak.on_pictures(actor, landmarks_of)
    assert len(seen) == 20 and np.array_equal(seen[0], staged.picture) and not found.change.any()


def test_arrows_are_drawn_where_something_moves():
    picture = np.full((50, 100, 3), 200, np.uint8)
    drawn = arrows(picture, np.array([[20.0, 25.0], [80.0, 25.0]]), np.array([[10.0, 0.0], [0.0, 0.0]]), side=200)
    assert drawn.shape == (100, 200, 3)
    red = (drawn[..., 0].astype(int) - drawn[..., 2] > 100).any(0)
    assert red[42:58].all() and not red[:38].any() and not red[70:].any()
