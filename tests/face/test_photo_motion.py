"""Mesh motion on pictures whose right answer is known."""

import numpy as np
import pytest
from skimage.transform import AffineTransform, warp

from core.errors import InputError
from core.face.photo import canonical, codes, interior, lids, mesh
from core.face.photo.directions import bases, names
from core.face.photo.motion import MeshMotion
from core.face.photo.photo import Face
from core.face.photo.raster import sample, trace

SIDE = 240


def smooth_picture(side=SIDE):
    y, x = np.mgrid[:side, :side] / side
    waves = [127 + 90 * np.sin(5 * x + a) * np.cos(4 * y + 2 * a) for a in range(3)]
    return np.rint(np.stack(waves, -1)).astype(np.uint8)


def average_face(side=SIDE):
    return Face(canonical.mesh_in_box((0.3 * side, 0.25 * side, 0.7 * side, 0.75 * side)), measured=False)


@pytest.fixture(scope="module")
def motion():
    return MeshMotion(smooth_picture(), average_face())


def moved(motion, **by):
    code = motion.codes()
    for bank in ("mouth", "pose", "expression"):
        for i, name in enumerate(names(bank)):
            if name.replace(" ", "_") in by:
                code[codes.rows(bank)][i] += by[name.replace(" ", "_")] * bases()[bank].scale[i]
    return code


def test_the_own_code_gives_the_photograph_back(motion):
    assert np.array_equal(motion.render(motion.codes()), motion.picture)
    assert np.array_equal(motion.render({}), motion.picture)
    as_text = np.array([float(f"{c:.7g}") for c in motion.codes()])
    assert np.array_equal(motion.render(as_text), motion.picture)
    assert not motion.flow(motion.codes()).any()


def test_an_affine_motion_of_the_mesh_is_the_affine_warp():
    picture, points = smooth_picture(), average_face().points
    map_ = AffineTransform(scale=(1.1, 0.95), rotation=0.1, shear=0.05, translation=(-12, 7))
    target = np.column_stack([map_(points[:, :2]), points[:, 2]])
    place, which = trace(target, points[:, :2], mesh.triangles().astype(np.int32), 0, 0, SIDE, SIDE)
    out = np.zeros((SIDE, SIDE, 3), np.float32)
    sample(picture, place, out)
    # skimage counts from the middle of a pixel
    back = np.linalg.inv(map_.params)
    shift = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    its = warp(picture / 255.0, np.linalg.inv(shift) @ back @ shift, order=3)
    inside = which >= 0
    assert inside.sum() > 5000
    assert np.abs(out[inside] - 255 * its[inside]).max() < 1.5


def test_sampling_is_exact_at_pixels_and_for_parabolas():
    y, x = np.mgrid[:20, :20].astype(np.float64)
    parabola = 3 + 0.2 * x**2 - 0.1 * y**2 + 0.3 * x * y
    picture = np.repeat(parabola[..., None], 3, 2)
    j, i = np.mgrid[:6, :7]
    place = np.stack([4.3 + 0.9 * i + 0.3 * j, 4.1 + 1.1 * j - 0.2 * i + 2], -1).astype(np.float32)
    out = np.zeros((6, 7, 3), np.float32)
    sample(picture, place, out)
    u, v = place[..., 0] - 0.5, place[..., 1] - 0.5
    assert np.abs(out[..., 0] - (3 + 0.2 * u**2 - 0.1 * v**2 + 0.3 * u * v)).max() < 1e-3  # Keys: exact to degree 2
    place = np.stack([x + 0.5, y + 0.5], -1).astype(np.float32)
    out = np.zeros((20, 20, 3), np.float32)
    sample(picture, place, out)
    assert np.allclose(out, np.clip(picture, 0, 255), atol=1e-4)


def test_what_is_pressed_together_is_averaged():
    stripes = np.repeat((np.arange(80) % 2 * 200)[None, :, None], 20, 0).repeat(3, 2).astype(np.uint8)
    j, i = np.mgrid[:5, :15]
    place = np.stack([4.5 + 4.0 * i, 4.5 + j], -1).astype(np.float32)  # every fourth pixel: all of one colour
    out = np.zeros((5, 15, 3), np.float32)
    sample(stripes, place, out)
    assert np.abs(out - 100).max() < 25


def test_of_two_triangles_the_nearer_is_seen():
    target = np.array([[0, 0, 5], [10, 0, 5], [0, 10, 5], [0, 0, 1], [10, 0, 1], [0, 10, 1]], float)
    place, which = trace(target, target[:, :2] + [[100, 0]], np.array([[0, 1, 2], [3, 5, 4]], np.int32), 0, 0, 10, 10)
    assert set(np.unique(which)) == {-1, 1} and np.isnan(place[9, 9]).all()
    assert np.allclose(place[2, 3], [103.5, 2.5])


@pytest.mark.parametrize("turn", [{"yaw": 2.5}, {"yaw": -2.5}, {"pitch": 1.8}, {"pitch": -1.8}])
def test_a_turn_by_twenty_degrees_does_not_fold_the_sheet(motion, turn):
    after = motion.moved(moved(motion, **turn))
    corners = motion._sheet.triangles

    def areas(points):
        a, b, c = (points[corners[:, i], :2] for i in range(3))
        return (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])

    before, now = areas(motion._sheet.points), areas(after)
    large = np.abs(before) > 2
    assert (np.sign(before[large]) == np.sign(now[large])).mean() > 0.99


def test_a_turned_head_moves_as_a_turned_solid_seen_by_a_camera(motion):
    step = motion.flow(moved(motion, yaw=1.0))
    nose, outline = step[1], step[list(mesh.OUTLINE)]
    assert nose[0] > 5 and abs(nose[1]) < 1.5
    assert np.abs(outline[:, 0]).max() < nose[0]  # what is nearer moves further
    up = motion.flow(moved(motion, pitch=-1.0))
    assert up[1, 1] < -3
    level = motion.moved(moved(motion, roll=1.0))[:468, :2]
    eyes = level[263] - level[33]
    assert np.degrees(np.arctan2(eyes[1], eyes[0])) == pytest.approx(8.0, abs=0.5)


def test_beyond_the_rings_nothing_changes():
    big = np.zeros((700, 700, 3), np.uint8) + np.arange(700, dtype=np.uint8)[:, None, None]
    big_motion = MeshMotion(big, Face(average_face().points + np.array([230, 230, 0]), measured=False))
    out = big_motion.render(moved(big_motion, yaw=2.0, jaw_open=2.0))
    changed = np.nonzero((out != big).any(-1))
    reach = big_motion.moved(big_motion.codes())[:, :2]
    assert changed[1].min() >= reach[:, 0].min() and changed[0].max() <= reach[:, 1].max()
    assert changed[0].min() > 100 and changed[0].max() < 699


def test_each_blink_closes_its_own_eye_with_skin():
    points = average_face().points
    picture = np.full((SIDE, SIDE, 3), (200, 150, 130), np.uint8)
    for upper, lower in mesh.lids():
        eye = interior.opening(points[list(upper), :2], points[list(lower), :2], (0, 0, SIDE, SIDE)) > 0.99
        picture[eye] = (10, 20, 250)  # blue eyes in plain skin
    motion = MeshMotion(picture, average_face())
    for name, side in (("blink_right", slice(0, SIDE // 2)), ("blink_left", slice(SIDE // 2, SIDE))):
        out = motion.render(moved(motion, **{name: 3.0}))
        assert (out[:, side, 2] < 200).all()  # no blue is left
        other = slice(SIDE // 2, SIDE) if side.start == 0 else slice(0, SIDE // 2)
        assert np.array_equal(out[:, other], picture[:, other])
    half = motion.render(moved(motion, blink_right=1.2, blink_left=1.2))
    left, there = (half[..., 2] > 200).sum(), (picture[..., 2] > 200).sum()
    assert 0.2 * there < left < 0.8 * there


def test_a_half_closed_eye_is_covered_not_squashed():
    rng = np.random.default_rng(1)
    points = average_face().points
    picture = rng.integers(90, 160, (SIDE, SIDE, 3)).astype(np.uint8)
    lid = lids.Lid(points, 0, *mesh.lids()[0])
    out = picture.copy()
    lid.close(picture, out, 0.5)
    inside = interior.opening(
        points[list(mesh.RIGHT_UPPER_LID), :2], points[list(mesh.RIGHT_LOWER_LID), :2], (0, 0, SIDE, SIDE)
    )
    rows, columns = np.nonzero(inside == 1)
    middle = np.abs(columns - columns.mean()) < 2
    low = middle & (rows > rows[middle].mean() + 1)
    high = middle & (rows < rows[middle].mean() - 1)
    assert low.any() and high.any()
    assert np.array_equal(out[rows[low], columns[low]], picture[rows[low], columns[low]])
    assert (out[rows[high], columns[high]] != picture[rows[high], columns[high]]).any(-1).all()


def test_an_opened_mouth_is_dark_inside_and_keeps_its_teeth():
    points = average_face().points.copy()
    low = list(mesh.LOWER_LIP[1:-1])
    points[low, 1] += 12  # an open mouth that shows teeth
    face = Face(points, measured=False)
    picture = np.full((SIDE, SIDE, 3), (200, 150, 130), np.uint8)
    upper, lower = interior.lips(points)
    teeth = interior.opening(upper, lower, (0, 0, SIDE, SIDE)) == 1
    picture[teeth] = 250
    motion = MeshMotion(picture, face)
    out = motion.render(moved(motion, jaw_open=2.0))
    x, top = int(points[13, 0]), int(points[13, 1])
    column = out[top : int(motion.moved(moved(motion, jaw_open=2.0))[14, 1]), x].astype(int)
    white = column.min(1) > 200
    assert 7 <= white.sum() <= 13  # as many as in the photograph: the teeth did not stretch with the jaw
    assert (column[-6:-1].max(1) < 150).all() and (column[-6:-1].max(1) < 150).any()


def test_lips_and_lids_never_cross(motion):
    for code in (
        moved(motion, jaw_open=-3.0),
        moved(motion, pucker=3.0, jaw_open=-2.0),
        moved(motion, lips_pressed=3.0),
    ):
        after = motion.moved(code)
        for upper, lower in (*mesh.lids(), (mesh.UPPER_LIP, mesh.LOWER_LIP)):
            assert (after[list(lower[1:-1]), 1] - after[list(upper[1:-1]), 1] > -0.05).all()


def test_left_and_right_are_the_persons(motion):
    step = motion.flow(moved(motion, blink_left=2.0))
    assert step[386, 1] > 1 and abs(step[159, 1]) < 0.2  # 386 lies on the right half of the picture
    assert motion.face.points[386, 0] > SIDE / 2


def test_reach_is_largest_for_a_turn_and_small_for_a_blink(motion):
    reach = dict(zip([n for b in ("mouth", "pose", "expression") for n in names(b)], motion.reach(), strict=True))
    assert max(reach, key=reach.get) in ("yaw", "pitch", "roll") and reach["blink left"] < reach["jaw open"] / 2
    step = motion.flow(moved(motion, smile=1.0))
    assert reach["smile"] == pytest.approx(np.hypot(*step.T).mean())


@pytest.mark.parametrize("code", [np.zeros(3), np.full(codes.size(), np.nan), {"brow": np.zeros(2)}])
def test_codes_of_another_kind_are_refused(motion, code):
    with pytest.raises(InputError):
        motion.render(code)


def test_wild_codes_and_faces_at_the_border_do_no_harm(motion):
    assert motion.render(motion.codes() + 40 * codes.scales()).shape == motion.picture.shape
    face = Face(average_face().points - [100, 90, 0], measured=False)
    half = MeshMotion(motion.picture, face)
    assert half.render(moved(half, yaw=2, jaw_open=3, blink_left=3)).shape == motion.picture.shape
    gone = MeshMotion(motion.picture, Face(average_face().points + np.array([2000, 0, 0]), measured=False))
    assert np.array_equal(gone.render(moved(gone, yaw=1, smile=1)), motion.picture)
