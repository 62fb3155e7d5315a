"""Finding faces, cutting them out, pasting back, following a clip."""

import io

import numpy as np
import pytest
from PIL import Image
from skimage.data import astronaut

from core.errors import InputError
from core.face.photo import canonical, codes, crop, detector, driving, landmarks, networks, photo
from core.face.photo.photo import Face

needs = pytest.mark.skipif(networks.missing() is not None, reason=networks.missing() or "")


def average_face(left=60.0, top=50.0, right=140.0, bottom=150.0):
    return Face(canonical.mesh_in_box((left, top, right, bottom)), measured=False)


# -- without the networks ----------------------------------------------------------------------------------------------


def test_the_detector_is_decoded_around_its_cell():
    raw, logits = np.zeros((2304, 16)), np.full((2304, 1), -9.0)
    cell = 10 * 48 + 20  # row 10, column 20
    raw[cell] = [4, -2, 48, 24, -8, 0, 8, 0, *np.zeros(8)]
    logits[cell] = 3.0
    places, scores = detector.decode(raw, logits)
    middle = np.array([20.5 / 48 * 192 + 4, 10.5 / 48 * 192 - 2])
    assert places.shape == (1, 8, 2) and scores == pytest.approx([1 / (1 + np.exp(-3))])
    half = np.array([24, 12])
    assert np.allclose(places[0, 0] * 192, middle - half) and np.allclose(places[0, 1] * 192, middle + half)
    assert np.allclose(places[0, 2] * 192, [20.5 * 4 - 8, 10.5 * 4])


def test_overlapping_boxes_become_one_face_at_their_weighted_mean():
    def place(x, y, side):
        return np.array([[x, y], [x + side, y + side], *[[x, y]] * 6], float)

    places = np.stack([place(0, 0, 10), place(2, 0, 10), place(50, 50, 10), place(52, 52, 4)])
    found = detector.merge(places, np.array([0.6, 0.9, 0.8, 0.7]))
    assert [round(s, 1) for _, s in found] == [0.9, 0.8]
    assert np.allclose(found[0][0][0], [2 * 0.9 / 1.5, 0])


def test_a_crop_of_a_ramp_is_where_the_square_says():
    y, x = np.mgrid[:200, :300]
    picture = np.stack([x * 0.5, y, 0 * x], -1).astype(np.uint8)
    square = landmarks.Square(150, 90, 60, 0.4)
    cut = landmarks.crop(picture, square, 30)
    to = square.corners()
    v, u = (np.mgrid[:30, :30] + 0.5) / 30
    assert np.abs(255 * cut[..., 1] - (to[1, 0] * u + to[1, 1] * v + to[1, 2] - 0.5)).max() < 1.0
    small = landmarks.crop(picture, landmarks.Square(150, 100, 160, 0.0), 40)  # averages over four by four
    assert np.abs(255 * small[20, :, 1] - (100 - 80 + 20.5 * 4 - 0.5)).max() < 1.0


def test_an_aligned_crop_is_upright_with_the_face_in_its_place():
    points = canonical.Placed(canonical.turn(0, 0, 25), 50.0, np.array([200.0, 180.0, 0.0])).apply(canonical.shape())
    square = crop.aligned(points, crop.OURS)
    assert np.degrees(square.angle) == pytest.approx(25) and square.side == pytest.approx(3.0 * 50)
    back = np.linalg.inv(square.corners()[:, :2])
    eyes = back @ ([200.0, 180.0] - square.corners()[:, 2])
    assert eyes == pytest.approx(crop.OURS.middle)


def test_an_unchanged_crop_leaves_the_photograph_bit_by_bit():
    picture = np.random.default_rng(0).integers(0, 256, (220, 200, 3)).astype(np.uint8)
    square = crop.aligned(average_face().points)
    cut = crop.cut(picture, square, 96)
    assert np.array_equal(crop.pasted(picture, square, cut, cut), picture)


def test_a_changed_crop_changes_the_square_by_as_much_and_nothing_outside():
    picture = np.full((220, 200, 3), 90, np.uint8)
    square = landmarks.Square(100, 110, 80, 0.3)
    before = crop.cut(picture, square, 64)
    out = crop.pasted(picture, square, before, before + np.uint8(40))
    assert (out[100:120, 90:110] == 130).all()
    distance = np.hypot(*(np.mgrid[:220, :200] + 0.5 - np.array([110, 100])[:, None, None]))
    assert (out[distance > 80 * 0.71] == 90).all()
    assert len(np.unique(out)) > 5  # it fades


def test_a_box_by_hand_holds_an_average_face(monkeypatch):
    monkeypatch.setattr(networks, "missing", lambda: "not there")
    picture = np.zeros((200, 200, 3), np.uint8)
    face = photo.face_in_box(picture, (50, 40, 150, 160))
    assert np.allclose(face.box, (50, 40, 150, 160)) and not face.measured and face.notes
    for box in ((50, 40, 52, 160), (-5, 0, 50, 50), (100, 100, 300, 150), (90, 90, 80, 80)):
        with pytest.raises(InputError, match="box"):
            photo.face_in_box(picture, box)


def test_without_the_networks_one_sentence_says_how_to_get_them(monkeypatch, tmp_path):
    monkeypatch.setenv("BASIS_CACHE", str(tmp_path))
    with pytest.raises(InputError, match="assets get face-mesh"):
        photo.faces(np.zeros((64, 64, 3), np.uint8))


def test_a_small_face_is_enlarged_and_says_so():
    face = average_face(10, 10, 50, 60)
    picture, larger = photo.enlarged(np.zeros((80, 70, 3), np.uint8), face)
    assert picture.shape == (240, 210, 3) and larger.width == pytest.approx(120) and "40 pixels" in larger.notes[-1]
    assert photo.enlarged(np.zeros((80, 70, 3), np.uint8), average_face(0, 0, 120, 150))[1].notes == ()


def test_a_preview_has_the_same_code():
    points = canonical.Placed(canonical.turn(5, 3, -4), 300.0, np.array([700.0, 600.0, 0.0])).apply(canonical.shape())
    picture, small = photo.reduced(np.zeros((1200, 1600, 3), np.uint8), Face(points), 400)
    assert picture.shape == (300, 400, 3)
    assert np.abs((codes.measure(small.points) - codes.measure(points)) / codes.scales()).max() < 1e-3
    assert photo.reduced(picture, small, 800)[0] is picture


@pytest.mark.parametrize("mode", ["CMYK", "RGBA", "I;16", "P", "L"])
def test_pictures_of_all_kinds_become_colour(mode):
    small = Image.fromarray(astronaut()[:64, :64])
    image = small.convert("L").convert("I;16") if mode == "I;16" else small.convert(mode)
    file = io.BytesIO()
    image.save(file, "JPEG" if mode == "CMYK" else "PNG")
    picture, _ = photo.read_picture("a.jpg" if mode == "CMYK" else "a.png", file.getvalue())
    assert picture.shape == (64, 64, 3) and picture.dtype == np.uint8


def test_a_photograph_that_the_camera_turned_is_upright():
    exif = Image.Exif()
    exif[0x0112] = 6
    file = io.BytesIO()
    Image.fromarray(astronaut()[:64, :48]).save(file, "JPEG", exif=exif)
    picture, notes = photo.read_picture("a.jpg", file.getvalue())
    assert picture.shape == (48, 64, 3) and notes == ("Turned upright as the camera noted.",)
    with pytest.raises(InputError):
        photo.read_picture("a.jpg", file.getvalue()[:100])


def test_a_clip_holds_the_last_code_where_no_face_is_seen(monkeypatch):
    yaw = [10.0, 20.0, None, None, -5.0]

    def face(i):
        if yaw[i] is None:
            return None
        return canonical.Placed(canonical.turn(yaw[i], 0, 0), 60.0, np.array([90.0, 90.0, 0])).apply(canonical.shape())

    def network(frame, square):
        points = face(int(frame[0, 0, 0]))
        return (np.zeros((468, 3)), 0.0) if points is None else (points, 1.0)

    def measure(points):
        code = codes.blank()
        code[codes.rows("pose")] = canonical.turned(canonical.fitted(points).rotation)
        return code

    monkeypatch.setattr(driving, "measure", measure)
    monkeypatch.setattr(driving, "landmarks", network)
    monkeypatch.setattr(driving, "faces", lambda f: [Face(face(f[0, 0, 0]))] if face(f[0, 0, 0]) is not None else [])
    frames = [np.full((8, 8, 3), i, np.uint8) for i in range(5)]
    track = driving.follow(frames)
    assert track.seen.tolist() == [True, True, False, False, True]
    assert np.allclose(codes.split(track.codes)["pose"][:, 0], [10, 20, 20, 20, -5], atol=0.1)
    late = driving.follow(frames[2:])
    assert late.seen.tolist() == [False, False, True] and np.allclose(late.codes[0], late.codes[2])
    assert len(driving.follow(frames, told=lambda n: n == 2).codes) == 2
    with pytest.raises(InputError, match="No face"):
        driving.follow(frames[2:4])
    with pytest.raises(InputError, match="no frames"):
        driving.follow([])


def test_driving_relative_starts_at_the_own_code_and_gains_act_by_bank():
    rng = np.random.default_rng(0)
    own, other = rng.standard_normal(codes.size()), rng.standard_normal((6, codes.size()))
    out = driving.driven(own, other, gains={"pose": 0.0, "mouth": 2.0})
    assert np.allclose(out[0], own)
    mouth, pose, expression = (codes.rows(b) for b in ("mouth", "pose", "expression"))
    assert np.allclose(out[:, pose], own[pose])
    assert np.allclose(out[3, mouth] - own[mouth], 2 * (other[3] - other[0])[mouth])
    assert np.allclose(driving.driven(own, other, relative=False), other)
    both = driving.taken(own, other[0], ["mouth"])
    assert np.allclose(both[mouth], other[0, mouth]) and np.allclose(both[expression], own[expression])


def test_smoothing_keeps_the_mean_and_removes_jitter():
    rng = np.random.default_rng(0)
    noisy = rng.standard_normal((400, 3))
    calm = driving.smoothed(noisy, 2.0)
    assert np.allclose(calm.mean(0), noisy.mean(0), atol=0.02)
    assert calm.std() == pytest.approx((2 * 2.0 * np.sqrt(np.pi)) ** -0.5, rel=0.1)  # of a Gaussian of white noise
    assert np.array_equal(driving.smoothed(noisy, 0), noisy)


# -- with the networks -------------------------------------------------------------------------------------------------


@needs
def test_the_landmarks_of_the_astronaut_are_where_they_are():
    face = photo.only_face(astronaut())
    points = face.points[:, :2]
    # measured by hand on the picture: the pupils (she looks at the camera), corners of the mouth, tip of the chin
    right = points[[33, 133, 159, 145]].mean(0)
    left = points[[263, 362, 386, 374]].mean(0)
    assert np.abs(right - [202.5, 101.0]).max() < 2.5 and np.abs(left - [246.9, 103.6]).max() < 2.5
    assert np.abs(points[61] - [203.5, 140]).max() < 4 and np.abs(points[291] - [246, 142]).max() < 4
    assert abs(points[152, 1] - 177) < 4
    yaw, _, roll = canonical.turned(canonical.fitted(face.points).rotation)
    assert abs(yaw) < 8 and 1 < roll < 6 and face.notes == ()


@needs
def test_two_faces_are_listed_and_one_must_be_chosen():
    small = Image.fromarray(astronaut()[:, :380]).resize((190, 256))
    picture = np.concatenate([astronaut()[:256, 60:380], np.asarray(small)], 1)
    there = photo.faces(picture)
    assert len(there) == 2 and there[0].width > there[1].width
    with pytest.raises(InputError, match="2 faces"):
        photo.only_face(picture)
    assert photo.only_face(picture, 1).width == there[1].width
    with pytest.raises(InputError, match="no face 3"):
        photo.only_face(picture, 2)


@needs
def test_a_forty_pixel_face_in_a_large_picture_is_found():
    picture = np.full((900, 1400, 3), 120, np.uint8)
    picture[600:816, 1100:1316] = np.asarray(Image.fromarray(astronaut()).resize((216, 216), Image.Resampling.BOX))
    face = photo.only_face(picture)
    assert 35 < face.width < 45 and abs(face.box[0] - (1100 + 178 * 216 / 512)) < 4
    assert "enlarged" in photo.enlarged(picture, face)[1].notes[-1]


@needs
def test_a_face_cut_by_the_border_says_so_and_none_is_an_error():
    cut = photo.faces(astronaut()[:130])
    assert cut and "border" in cut[0].notes[0]
    with pytest.raises(InputError, match="No face"):
        photo.only_face(np.full((100, 100, 3), 200, np.uint8))


@needs
def test_a_mirrored_face_has_a_mirrored_code():
    face, other = (photo.only_face(p) for p in (astronaut(), astronaut()[:, ::-1].copy()))
    one, two = codes.split(codes.measure(face.points)), codes.split(codes.measure(other.points))
    assert abs(codes.angles(one["pose"])[2] + codes.angles(two["pose"])[2]) < 1.5  # roll
    scale = codes.split(codes.scales())
    assert abs((one["mouth"] - two["mouth"])[0] / scale["mouth"][0]) < 0.4  # jaw


@needs
def test_codes_of_people_never_seen_are_read_off_their_pictures():
    from core.face.assets import HEAD

    if sentence := HEAD.missing():
        pytest.skip(sentence)
    from core.face.head.mesh import load_head
    from core.face.photo import build_reader, directions, mesh

    arrays = mesh.stored()
    moves = dict(zip(arrays["names"], arrays["moves"].astype(float), strict=True))
    banks = {b: arrays[f"directions.{b}"] for b in directions.BANKS}
    read, drawn = [], []
    for picture, code in build_reader.drawn(load_head(), moves, banks, 12, 90_000):
        for face in photo.faces(picture)[:1]:
            read.append(codes.measure(face.points))
            drawn.append(code)
    read, drawn = codes.split(np.array(read)), codes.split(np.array(drawn))
    assert len(read["pose"]) >= 10
    angles = np.array([codes.angles(p) for p in read["pose"]])
    assert (np.abs(angles - drawn["pose"]).mean(0) < [4, 5, 3]).all()
    assert np.corrcoef(read["mouth"][:, 0], drawn["mouth"][:, 0])[0, 1] > 0.7  # jaw
    blink = directions.names("expression").index("blink left")
    assert np.corrcoef(read["expression"][:, blink], drawn["expression"][:, blink])[0, 1] > 0.4
