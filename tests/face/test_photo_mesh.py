"""The mesh of landmarks: topology, average face, rotations, banks, and their transfer from the parametric head."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from core.face.photo import canonical, codes, directions, mesh


def test_the_triangles_leave_holes_for_eyes_and_mouth_only():
    edges = {(int(t[i]), int(t[(i + 1) % 3])) for t in mesh.triangles() for i in range(3)}
    border = {frozenset(e) for e in edges if e[::-1] not in edges}
    rings = [mesh.OUTLINE, *(u + low[-2:0:-1] for u, low in (*mesh.lids(), (mesh.UPPER_LIP, mesh.LOWER_LIP)))]
    assert border == {frozenset((r[i - 1], r[i])) for r in rings for i in range(len(r))}
    closed = [mesh.strip(u, low) for u, low in (*mesh.lids(), (mesh.UPPER_LIP, mesh.LOWER_LIP))]
    faces, corners = len(mesh.triangles()) + sum(map(len, closed)), mesh.POINTS
    assert corners - (3 * faces + len(mesh.OUTLINE)) // 2 + faces == 1  # Euler: a disc without holes


def test_the_mirror_goes_back_and_pairs_the_eyes():
    twin = canonical.mirror()
    assert (twin[twin] == np.arange(mesh.POINTS)).all()
    assert twin[33] == 263 and twin[61] == 291 and twin[1] == 1
    assert np.abs(canonical.shape()[twin] * [-1, 1, 1] - canonical.shape()).max() < 1e-6


@pytest.mark.parametrize("angles", [(20, 0, 0), (0, -15, 0), (0, 0, 30), (25, 10, -12)])
def test_turns_are_rotations_and_are_read_back(angles):
    turn = canonical.turn(*angles)
    assert np.abs(turn @ turn.T - np.eye(3)).max() < 1e-12 and np.linalg.det(turn) == pytest.approx(1)
    # the picture's y points down and z away: a turn to the right of the picture is one by -yaw about y
    other = Rotation.from_euler("YXZ", [-angles[0], angles[1], angles[2]], degrees=True).as_matrix()
    assert np.abs(turn - other).max() < 1e-12
    assert np.allclose(canonical.turned(turn), angles)


def test_a_positive_yaw_moves_the_nose_to_the_right_and_a_positive_pitch_down():
    nose = canonical.shape()[1] - canonical.shape().mean(0)
    assert (canonical.turn(10, 0, 0) @ nose)[0] > nose[0] and (canonical.turn(0, 10, 0) @ nose)[1] > nose[1]


def test_a_placed_face_is_found_again():
    placed = canonical.Placed(canonical.turn(12, -5, 8), 70.0, np.array([200.0, 150.0, 3.0]))
    found = canonical.fitted(placed.apply(canonical.shape()))
    assert np.allclose(found.rotation, placed.rotation) and found.scale == pytest.approx(70)
    assert np.allclose(found.undo(placed.apply(canonical.shape())), canonical.shape())


def test_the_banks_are_orthonormal_together():
    rows = np.concatenate([b.directions for b in directions.bases().values()]).astype(np.float64)
    assert np.abs(rows @ rows.T - np.eye(len(rows))).max() < 1e-5
    assert list(directions.bases()) == ["mouth", "pose", "expression"]


def test_directions_are_near_what_they_are_named_after():
    arrays = mesh.stored()
    made = directions.wanted(dict(zip(arrays["names"], arrays["moves"], strict=True)), arrays["shape"])
    for bank, basis in directions.bases().items():
        length = np.linalg.norm(made[bank], axis=1)
        cosine = (made[bank] / length[:, None] * basis.directions).sum(1)
        assert np.allclose(cosine, arrays[f"purity.{bank}"], atol=1e-4) and (cosine > 0.6).all()


def test_weighted_orthogonalisation_is_the_polar_factor_and_the_best_of_all():
    rng = np.random.default_rng(0)
    rows = {bank: rng.standard_normal((len(directions.names(bank)), 60)) for bank in directions.BANKS}
    found = np.concatenate(list(directions.orthonormal(rows).values()))
    unit = np.concatenate(list(rows.values()))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    names = [n for bank in directions.BANKS for n in directions.names(bank)]
    weight = np.array([directions._WEIGHTS.get(n, directions._LESS) for n in names])

    def loss(q):
        return (weight * ((q - unit) ** 2).sum(1)).sum()

    assert np.allclose(found @ found.T, np.eye(len(found)))
    for seed in range(5):  # any small rotation inside the span is worse
        skew = np.random.default_rng(seed).standard_normal((len(found),) * 2) * 0.02
        assert loss(_exponential(skew - skew.T) @ found) > loss(found)


def _exponential(skew):
    from scipy.linalg import expm

    return expm(skew)


def test_jaw_opens_the_lower_lip_and_a_blink_closes_its_own_eye():
    arrays = mesh.stored()
    move = dict(zip(arrays["names"], arrays["moves"], strict=True))
    assert move["jawOpen"][14, 1] > 0.25 and abs(move["jawOpen"][13, 1]) < 0.02  # decimetres, down
    right, left = move["eyeBlinkRight"], move["eyeBlinkLeft"]
    assert right[159, 1] > 0.08 and abs(right[386, 1]) < 0.01
    assert left[386, 1] > 0.08 and abs(left[159, 1]) < 0.01


def test_codes_do_not_depend_on_where_a_face_is_or_how_large():
    rng = np.random.default_rng(0)
    points = canonical.shape() + rng.normal(0, 0.02, (mesh.POINTS, 3))
    placed = [canonical.Placed(np.eye(3), s, np.array(t)) for s, t in ((80.0, [100.0, 90, 0]), (500.0, [-300.0, 2, 7]))]
    one, two = (codes.measure(p.apply(points)) for p in placed)
    assert np.allclose(one, two, atol=1e-6)


def test_a_picture_turned_in_its_plane_changes_the_roll_and_little_else():
    def code(roll):
        turn = canonical.turn(0, 0, roll)
        return codes.measure(canonical.Placed(turn, 80.0, np.zeros(3)).apply(canonical.shape()))

    change = (code(10.0) - code(0.0)) / codes.scales()
    roll = codes.rows("pose").start + 2
    assert change[roll] * directions.ANGLE == pytest.approx(10, abs=2)
    assert np.abs(np.delete(change, roll)).max() < 0.5


def test_ridge_regression_equals_the_closed_form_and_finds_a_planted_map(monkeypatch):
    from sklearn.linear_model import Ridge

    from core.face.photo import build_reader

    rng = np.random.default_rng(0)
    x, slope = rng.standard_normal((200, 12)) * np.linspace(1, 3, 12), rng.standard_normal((12, 4))
    y = x @ slope + [1, 2, 3, 4]
    monkeypatch.setattr(build_reader, "RIDGE", 1e-9)
    assert np.allclose(build_reader.ridge(x, y), np.concatenate([slope, [[1, 2, 3, 4]]]), atol=1e-6)
    monkeypatch.setattr(build_reader, "RIDGE", 0.3)
    strength = 0.3 * (np.linalg.svd(x - x.mean(0))[1] ** 2).mean()
    its = Ridge(alpha=strength).fit(x, y)
    assert np.allclose(build_reader.ridge(x, y), np.concatenate([its.coef_.T, its.intercept_[None]]))


def test_the_transfer_gives_the_displacements_of_the_head_itself():
    from core.face.assets import HEAD

    if sentence := HEAD.missing():
        pytest.skip(sentence)
    from core.face.head.mesh import load_head

    head, arrays = load_head(), mesh.stored()
    vertex, weight = arrays["vertex"].astype(int), arrays["weight"].astype(np.float64)
    assert np.allclose(weight.sum(1), 1, atol=1e-6) and (weight > -1e-4).all()
    flip, twin = np.array([1, -1, -1]), canonical.mirror()
    for name, other in (("jawOpen", "jawOpen"), ("mouthSmileLeft", "mouthSmileRight")):
        mine, its = (np.einsum("nk,nkc->nc", weight, head.targets[n][vertex]) * flip for n in (name, other))
        even = (mine + its[twin] * [-1, 1, 1]) / 2
        assert np.abs(even - arrays["moves"][list(arrays["names"]).index(name)]).max() < 1e-5
