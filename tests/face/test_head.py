"""Factors, people, pictures and counterfactuals of the parametric head."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.ndimage import map_coordinates
from scipy.spatial.transform import Rotation

from core.errors import InputError
from core.face.assets import HEAD
from core.face.head import factors as known
from core.face.head.mesh import load_head
from core.face.head.motion import flow
from core.face.head.people import average, draw_person
from core.face.head.render import CENTRE, DISTANCE, HALF, Renderer
from core.face.head.tuples import VIEWS, on_disk, plan, tuples
from tests.face.small_head import small_head

HEAD_IS_HERE = pytest.mark.skipif(
    HEAD.missing() is not None, reason="the parametric head is not fetched: python -m core assets get head"
)


@pytest.fixture(scope="module")
def head():
    return small_head()


@pytest.fixture(scope="module")
def renderer(head):
    return Renderer(head, 32)


def only(**values):
    out = known.neutral()
    for name, value in values.items():
        out[known.FACTORS.index(name.replace("_", " "))] = value
    return out


def test_there_are_13_factors_in_three_banks():
    assert len(known.FACTORS) == 13 and len(set(known.FACTORS)) == 13
    assert [known.FACTORS[known.columns(b)] for b in known.BANKS] == list(known.BANKS.values())


def test_factors_are_drawn_uniformly_and_pairs_that_oppose_each_other_share_their_strength():
    drawn = known.draw(np.random.default_rng(0), 20000)
    pose = drawn[:, known.columns("pose")]
    assert np.abs(pose.mean(0)).max() < 0.02 and np.abs(pose.std(0) - 1 / np.sqrt(3)).max() < 0.02
    i, j = known.FACTORS.index("mouth round"), known.FACTORS.index("mouth wide")
    assert (drawn[:, i] + drawn[:, j]).max() <= 1 + 1e-6
    assert np.abs(drawn[:, [i, j]].mean(0) - 1 / 3).max() < 0.01  # the centroid of the triangle
    assert abs(drawn[:, known.FACTORS.index("eye close")].mean() - 1 / 3) < 0.01  # the mean of a square


def test_a_swap_takes_the_bank_and_nothing_else():
    a, b = known.draw(np.random.default_rng(1), 2)
    mixed = known.swapped(a, b, "pose")
    assert np.array_equal(mixed[known.columns("pose")], b[known.columns("pose")])
    for bank in ("mouth", "expression"):
        assert np.array_equal(mixed[known.columns(bank)], a[known.columns(bank)])
    assert np.array_equal(known.swapped(a, b, *known.BANKS), b)


def test_the_rotation_is_that_of_scipy():
    f = only(yaw=0.4, pitch=-0.7, roll=0.9)
    angles = [0.4 * known.YAW, -0.7 * known.PITCH, 0.9 * known.ROLL]
    assert np.allclose(known.rotation(f), Rotation.from_euler("YXZ", angles).as_matrix(), atol=1e-6)


def test_the_middle_of_the_eyes_is_drawn_where_the_camera_has_it(renderer):
    at = renderer.project(np.zeros((1, 3), dtype=np.float32), known.neutral())[0]
    assert at[:2] == pytest.approx([16 * (1 - CENTRE[0] / HALF), 16 * (1 + CENTRE[1] / HALF)])
    nearer = renderer.project(np.array([[0.5, 0, 1.0]], dtype=np.float32), known.neutral())[0]
    assert nearer[0] == pytest.approx(16 * (1 + 0.5 * DISTANCE / (DISTANCE - 1) / HALF))
    moved = renderer.project(np.zeros((1, 3), dtype=np.float32), only(x=1, y=1))[0]
    assert (moved - at)[:2] == pytest.approx([32 * known.SHIFT, -32 * known.SHIFT])
    larger = renderer.project(np.array([[0.5, 0, 0]], dtype=np.float32), only(scale=1))[0]
    same = renderer.project(np.array([[0.5, 0, 0]], dtype=np.float32), known.neutral())[0]
    assert larger[0] - 16 == pytest.approx(1.1 * (same[0] - 16))


def test_positive_yaw_turns_the_nose_to_the_persons_left_and_positive_pitch_down(head, renderer):
    person, nose = average(head), np.argmax(head.vertices[:, 2])
    start = renderer.vertices(person, known.neutral())[nose]
    assert renderer.vertices(person, only(yaw=1))[nose, 0] > start[0] + 0.3
    assert renderer.vertices(person, only(pitch=1))[nose, 1] < start[1] - 0.2


def test_an_open_jaw_lowers_the_lower_lip_and_leaves_the_brows(head, renderer):
    person = average(head)
    moved = renderer.vertices(person, only(mouth_open=1)) - renderer.vertices(person, known.neutral())
    lip = head.masks["lips"] > 0.5
    assert moved[lip, 1].max() < 0 and moved[lip, 1].min() < -0.1
    assert np.abs(moved[head.vertices[:, 1] > 0.1]).max() < 1e-3


def test_same_seed_same_person_and_picture_other_seed_another(head, renderer):
    f = known.draw(np.random.default_rng(3), 1)[0]
    one, same, other = (Renderer(head, 32).render(draw_person(head, s), f) for s in (5, 5, 6))
    assert np.array_equal(one, same) and np.abs(one.astype(int) - other).mean() > 5


def test_more_samples_give_the_picture_that_fewer_estimate(head):
    person, f = draw_person(head, 1), only(yaw=0.5)
    pictures = [Renderer(head, 24, samples=n).render(person, f).astype(float) for n in (1, 2, 6)]
    assert np.abs(pictures[1] - pictures[2]).mean() < np.abs(pictures[0] - pictures[2]).mean()


def test_every_view_of_a_tuple_is_its_direct_render(head, renderer):
    shown = tuples(head, 3, 3, size=32, seed=7)
    for i, v in ((0, 0), (1, VIEWS.index("mouth")), (2, VIEWS.index("other"))):
        person = draw_person(head, int(shown.people[i, int(VIEWS[v] == "other")]))
        assert np.array_equal(shown.pictures[i, v], renderer.render(person, shown.factors[i, v]))
    a, b = shown.factors[:, 0], shown.factors[:, VIEWS.index("other")]
    assert np.array_equal(shown.factors[:, VIEWS.index("expression")], known.swapped(a, b, "expression"))
    assert (shown.people[:, 0] != shown.people[:, 1]).all()


def test_the_flow_of_a_shift_is_the_shift(head, renderer):
    person, still, moved = average(head), known.neutral(), only(x=1, y=-0.5)
    surfaces = [renderer.look(person, f)[1] for f in (still, moved)]
    found, sure = flow(renderer, person, still, moved, *surfaces)
    inside = sure == 1
    assert inside.sum() > 40
    assert np.allclose(found[inside], [-32 * known.SHIFT, -0.5 * 32 * known.SHIFT], atol=0.05)
    assert not found[sure == np.float32(0.3)].any()  # the background stays


def test_a_picture_read_along_the_flow_is_the_other_picture(head):
    renderer, rng = Renderer(head, 64), np.random.default_rng(0)
    person = replace(draw_person(head, 2), ambient=1.4, light=np.array([0, 0, 1.0]))  # nearly no shading
    first, second = 0.7 * known.draw(rng, 2)
    pictures, surfaces = zip(*(renderer.look(person, f) for f in (first, second)), strict=True)
    found, sure = flow(renderer, person, first, second, *surfaces)
    rows, columns = np.nonzero(sure == 1)
    old, new = (p.astype(float).mean(-1) for p in pictures)
    here = np.stack([2 * rows + 0.75, 2 * columns + 0.75])  # the places, counted from the first pixel's centre

    def along(x):
        return map_coordinates(x, here + found[rows, columns].T[::-1], order=1, mode="nearest")

    truth = map_coordinates(new, here, order=1)
    assert np.abs(along(old) - truth).mean() < 0.4 * np.abs(map_coordinates(old, here, order=1) - truth).mean()


def test_tuples_on_disk_go_on_where_they_were_interrupted(head, tmp_path):
    told = []

    class Stop(Exception):
        pass

    def stop(done, n):
        told.append(done)
        raise Stop

    with pytest.raises(Stop):
        on_disk(head, tmp_path, 5, 3, size=16, seed=2, block=2, progress=stop)
    again = on_disk(head, tmp_path, 5, 3, size=16, seed=2, block=2, progress=lambda done, n: told.append(done))
    assert told == [2, 4, 5]
    whole = tuples(head, 5, 3, size=16, seed=2)
    assert np.array_equal(again.pictures, whole.pictures) and np.array_equal(again.surfaces, whole.surfaces)


def test_one_person_makes_no_tuple():
    with pytest.raises(InputError, match="two people"):
        plan(4, 1, seed=0)


@HEAD_IS_HERE
def test_the_real_head_has_its_movements_and_they_go_where_their_names_say():
    head = load_head()
    assert len(head.targets) == 52 and len(head.people) == 36 and len(head.shapes) > 300
    right, left = (head.vertices[e].mean(0) for e in head.eyes)
    assert left[0] > 0.2 and np.allclose(left * [-1, 1, 1], right, atol=1e-4) and abs(left[1]) < 0.01
    lips = head.masks["lips"] > 0.5
    jaw = head.targets["jawOpen"]
    assert jaw[lips, 1].min() < -0.2 and np.abs(jaw[head.vertices[:, 1] > 0.3]).max() < 0.01
    lid = head.targets["eyeBlinkLeft"]
    assert lid[:, 1].min() < -0.05 and head.vertices[np.argmin(lid[:, 1]), 0] > 0.1
    assert head.moved({"jawOpen": 0.5})[lips] == pytest.approx(head.vertices[lips] + 0.5 * jaw[lips])


@HEAD_IS_HERE
def test_the_real_head_looks_different_under_every_factor():
    head = load_head()
    renderer, person = Renderer(head, 64), draw_person(head, 0)
    rest = renderer.render(person, known.neutral()).astype(int)
    for name in known.FACTORS:
        differ = np.abs(renderer.render(person, only(**{name.replace(" ", "_"): 1})) - rest).max(-1) > 12
        assert differ.sum() > 20, name
