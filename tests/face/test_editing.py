"""Codes from other faces, layers, sliders and gains; presets; strips; stages."""

import json

import numpy as np
import pytest

from core.errors import InputError
from core.face.editing import strips
from core.face.editing.actor import Finely, MeshActor, directions_of, tight
from core.face.editing.edits import Edit, Taken, changes, code_of, numbers, preset_json, read_preset, sliders
from core.face.editing.photos import Photo, face_of, marked, read_photo, stage
from core.face.editing.presets import PRESETS
from core.face.editing.samples import SAMPLES, sample_photo
from core.face.photo import networks
from core.face.photo.canonical import mesh_in_box
from core.face.photo.photo import Face


@pytest.fixture(scope="module")
def photo():
    return sample_photo("astronaut")


@pytest.fixture(scope="module")
def actor(photo):
    staged = stage(photo.picture, photo.faces[0], longest=200)
    return MeshActor(staged.picture, staged.face)


def test_the_order_of_edits_worked_out_by_hand(actor):
    directions = directions_of(actor)
    jaw, smile, yaw = (next(d for d in directions if d.name == n) for n in ("jaw open", "smile", "yaw"))
    other = actor.own + 1.0
    edit = Edit(
        taken=[Taken(other, {"mouth": 0.25, "expression": 1.0})],
        layers=[({jaw.key: 2.0, smile.key: 1.0}, 0.5)],
        weights={smile.key: -1.5},
        gains={"mouth": 2.0, "expression": 0.5},
    )
    shown, code = sliders(actor.own, directions, edit), code_of(actor.own, directions, edit)
    assert shown[jaw.index] == pytest.approx(actor.own[jaw.index] + 0.25 + 2 * 0.5 * jaw.scale)
    assert code[jaw.index] == pytest.approx(actor.own[jaw.index] + 2 * (0.25 + jaw.scale))
    assert shown[smile.index] == pytest.approx(-1.5 * smile.scale)
    assert code[smile.index] == pytest.approx((actor.own[smile.index] - 1.5 * smile.scale) / 2)
    assert code[yaw.index] == shown[yaw.index] == actor.own[yaw.index]
    assert changes(actor.own, code, directions)[jaw.key] == pytest.approx(2 * (0.25 / jaw.scale + 1), abs=1e-3)


def test_nothing_chosen_is_the_photograph_bit_by_bit(actor):
    code = code_of(actor.own, directions_of(actor), Edit(gains={"mouth": 2.0, "pose": 0.0}))
    assert np.array_equal(code, actor.own) and np.array_equal(actor.render(code), actor.picture)


def test_a_preset_goes_there_and_back_and_nonsense_is_refused(actor):
    directions = directions_of(actor)
    code = actor.own + 0.5 * np.array([d.scale for d in directions])
    text = preset_json("<b>mine</b>", actor.own, code, directions, actor.title)
    weights, change, foreign = read_preset(text.encode(), directions)
    assert set(change) == {d.key for d in directions} and foreign == []
    assert all(v == pytest.approx(0.5) for v in change.values())
    assert weights["mouth: jaw open"] == pytest.approx(code[0] / directions[0].scale, abs=1e-3)
    whole = json.loads(text)
    whole["banks"]["mouth"]["third lip"] = {"weight": 1, "change": 1}
    assert read_preset(json.dumps(whole).encode(), directions)[2] == ["mouth: third lip"]
    for odd in ("{}", "[1]", "no", text.replace('"format": 1', '"format": 2'), text.replace("0.5", '"x"'), "[" * 9999):
        with pytest.raises(InputError, match="no preset"):
            read_preset(odd.encode(), directions)
    whole["banks"] = {"nose": {"up": {"weight": 1, "change": 1}}}
    with pytest.raises(InputError, match="another model"):
        read_preset(json.dumps(whole).encode(), directions)


def test_numbers_of_a_link_are_held_in_range():
    assert numbers({"a": 7, "b": "x", "c": True, "d": float("nan"), "e": -9}, -3, 3) == {"a": 3, "e": -3}
    assert numbers([1], 0, 1) == {}


def test_every_preset_names_directions_that_are_there(actor):
    known = {d.key for d in directions_of(actor)}
    for name, change in PRESETS.items():
        assert set(change) <= known, name
        code = code_of(
            actor.own,
            directions_of(actor),
            Edit(
                weights={
                    k: actor.own[d.index] / d.scale + change[k] for d in directions_of(actor) if (k := d.key) in change
                }
            ),
        )
        assert (actor.render(code) != actor.picture).any()


def test_strips_show_each_direction_alone(actor):
    small = tight(actor)
    drawn = strips.strips(small)
    k = len(directions_of(actor))
    assert drawn.shape[:2] == (k, 5) and np.array_equal(drawn[3, 2], small.picture)
    code = small.own.copy()
    code[0] += 3 * directions_of(small)[0].scale
    assert np.array_equal(drawn[0, 4], small.render(code))
    moved = strips.reach(drawn)
    assert (moved > 0).all() and moved[0] == max(np.abs(drawn[0, i].astype(float) - drawn[0, 2]).mean() for i in (0, 4))
    ordered = strips.order(small, moved)
    assert sorted(i for indices in ordered.values() for i in indices) == list(range(k))
    assert all(np.all(np.diff(moved[i]) <= 0) for i in ordered.values())
    sheet = strips.sheet(drawn)
    h, w = small.picture.shape[:2]
    assert sheet.shape == (k * h, 5 * w, 3) and np.array_equal(sheet[2 * h : 3 * h, w : 2 * w], drawn[2, 1])
    stopped = strips.strips(small, lambda done, total: done == 1)
    assert np.array_equal(stopped[1:, 0], np.repeat(small.picture[None], k - 1, 0))


def test_how_far_directions_reach_is_larger_for_the_head_than_for_a_lid(actor):
    reach = dict(zip((d.name for d in directions_of(actor)), actor.reach(), strict=True))
    assert reach["yaw"] > reach["jaw open"] > reach["upper lip up"] > 0 and reach["smile"] > reach["blink left"] > 0


@pytest.mark.parametrize("whole", [False, True])
def test_a_stage_shows_the_face_where_it_is(photo, whole):
    face = photo.faces[0]
    staged = stage(photo.picture, face, whole=whole, longest=256)
    assert max(staged.picture.shape) <= 257
    x0, y0, x1, y1 = staged.shown
    left, top, right, bottom = staged.face.box
    assert x0 <= left < right <= x1 and y0 <= top < bottom <= y1
    cut = staged.cut(staged.picture)
    assert cut.shape[:2] == (y1 - y0, x1 - x0)
    assert np.isclose(cut.shape[0], cut.shape[1], atol=1)
    # the colour at the nose is that of the photograph there
    here, there = staged.face.points[4, :2].astype(int), face.points[4, :2].astype(int)
    a = staged.picture[here[1] - 1 : here[1] + 2, here[0] - 1 : here[0] + 2].mean((0, 1))
    b = photo.picture[there[1] - 2 : there[1] + 3, there[0] - 2 : there[0] + 3].mean((0, 1))
    assert np.abs(a - b).max() < 12


def test_a_tiny_face_is_moved_finely_at_its_own_size():
    rng = np.random.default_rng(0)
    small = np.kron(rng.integers(0, 255, (12, 16, 3)), np.ones((5, 5, 1))).astype(np.uint8)
    large = np.kron(small, np.ones((3, 3, 1), dtype=np.uint8))
    actor = MeshActor(large, Face(mesh_in_box((60, 30, 150, 150)), measured=False))
    fine = Finely(small, actor)
    assert np.array_equal(fine.render(actor.own), small)
    code = actor.own.copy()
    code[0] += 0.5
    moved = fine.render(code)
    want = actor.render(code).astype(float).reshape(60, 3, 80, 3, 3).mean((1, 3))
    assert moved.shape == small.shape and np.abs(moved - want).max() <= 0.51 and (moved != small).any()


def test_faces_are_chosen_or_marked(photo):
    assert face_of(photo, 7) is photo.faces[0] and face_of(Photo("x", photo.picture)) is None
    if networks.missing():
        face = face_of(photo, box=(0.34, 0.12, 0.54, 0.36))
        assert not face.measured and face.box == pytest.approx((0.34 * 512, 0.12 * 512, 0.54 * 512, 0.36 * 512))
    with pytest.raises(InputError, match="8 pixels"):
        face_of(photo, box=(0.5, 0.5, 0.5, 0.6))
    picture = marked(photo, [photo.faces[0].box, (10, 10, 60, 60)], 0, longest=256)
    assert picture.shape == (256, 256, 3) and tuple(picture[60, 89]) == (20, 184, 166)


def test_an_upload_without_a_face_says_so():
    import io

    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (64, 48), (90, 120, 150)).save(out, "PNG")
    photo = read_photo("grey.png", out.getvalue())
    assert photo.faces == () and photo.size == (64, 48)
    assert ("python -m core assets get" if networks.missing() else "No face was found") in photo.lacking
    with pytest.raises(InputError):
        read_photo("x.png", b"nothing")


@pytest.mark.skipif(networks.missing() is not None, reason=networks.missing() or "")
def test_the_stored_landmarks_are_what_the_network_measures():
    from core.face.photo.photo import only_face

    for name in SAMPLES:
        photo = sample_photo(name)
        assert np.abs(only_face(photo.picture).points - photo.faces[0].points).max() < 0.5
