"""The split, the path between rigid and free, the plane, the chain of versions, places of classes, chance."""

import itertools

import numpy as np
import pytest
import scipy.linalg

from core.compatible.convergent import match_units, shuffled, units
from core.compatible.loading import Embeddings
from core.compatible.maps import least_squares, procrustes
from core.compatible.places import places
from core.compatible.plane import plane
from core.compatible.reindex import priority
from core.compatible.samples import SAMPLES, digit_embeddings
from core.compatible.study import JUDGE_MOST, POSITIONS, Study, rigid_chain, scores_of
from core.compatible.versions import Version
from core.errors import InputError
from core.progress import CallbackRun


def spaces(n=300, d_new=8, d_old=6, seed=0, classes=5) -> Embeddings:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    x = rng.standard_normal((classes, d_new))[y] + 0.4 * rng.standard_normal((n, d_new))
    old = np.tanh(x @ rng.standard_normal((d_new, d_old))) + 0.1 * rng.standard_normal((n, d_old))
    return Embeddings(old.astype(np.float32), x.astype(np.float32), np.array(list("abcde"))[y])


def test_no_item_is_both_fitted_and_judged_and_the_seed_repeats():
    given = spaces()
    one, again, other = (Study.of(given, share=0.6, seed=s) for s in (1, 1, 2))
    assert not set(one.rows[0]) & set(one.rows[1]) and len(one.fit) == 180 and len(one.test) == 120
    assert np.array_equal(one.rows[0], again.rows[0]) and not np.array_equal(one.rows[0], other.rows[0])
    assert one.test.classes == tuple("abcde") and Study.of(given, by="identity").test.labels is None
    with pytest.raises(InputError, match="too few"):
        Study.of(Embeddings(given.old[:4], given.new[:4]))


def test_a_given_split_is_kept_and_large_data_is_judged_on_a_part():
    given = spaces(n=2 * JUDGE_MOST + 1000)
    mask = np.arange(len(given)) < 500
    study = Study.of(Embeddings(given.old, given.new, given.labels, fitted=mask))
    assert np.array_equal(study.rows[0], np.flatnonzero(mask)) and len(study.test) == JUDGE_MOST
    whole = study.judge_all(given, study.map("procrustes"))
    assert (
        whole.judged == len(given) - 500
        and abs(whole.new_old.recall - study.judge([whole.map])[0].new_old.recall) < 0.1
    )


def test_the_path_goes_from_procrustes_to_least_squares():
    study = Study.of(spaces())
    path = study.path()
    assert list(path) == list(range(POSITIONS + 1))
    assert np.array_equal(path[0].weight, procrustes(study.moments).weight)
    assert np.abs(path[POSITIONS].weight - least_squares(study.moments).weight).max() < 1e-12
    losses = [study.moments.loss(one.weight) for one in path.values()]
    assert all(b <= a + 1e-12 for a, b in itertools.pairwise(losses))
    assert all(path[p].deviation <= study.limits[p] * (1 + 1e-6) + 1e-9 for p in list(path)[:-1])


def test_the_path_reports_and_can_be_stopped_and_equal_spaces_are_no_trouble():
    seen = []
    assert Study.of(spaces()).path(CallbackRun(lambda p: seen.append(p.step) or p.step >= 3)) is None
    assert seen == [1, 2, 3]
    same = spaces()
    study = Study.of(Embeddings(same.new, same.new))
    assert study.judge(list(study.path().values()))[-1].new_old.recall == 1.0


def test_wide_spaces_get_fewer_positions():
    rng = np.random.default_rng(0)
    wide = Study.of(Embeddings(*rng.standard_normal((2, 700, 300)).astype(np.float32)))
    assert list(wide.limits) == [0, 4, 8, 12, 16, 20]


def test_the_plane_holds_the_two_leading_directions():
    study = Study.of(spaces())
    flat = plane(study.test, study.map("procrustes"))
    old = study.test.old - study.test.old.mean(axis=0)
    singular = scipy.linalg.svd(old, compute_uv=False)
    assert abs(flat.explained - np.sum(singular[:2] ** 2) / np.sum(singular**2)) < 1e-5
    assert np.allclose(np.linalg.norm(flat.old, axis=0), singular[:2], rtol=1e-4)
    assert plane(study.test, study.map("bt2", extra=3), most=20).new.shape == (20, 2)


def test_versions_that_are_rotations_agree_after_the_chain():
    given = spaces()
    q = np.linalg.qr(np.random.default_rng(5).standard_normal((8, 8)))[0]
    study = Study.of(given)
    fit, test = study.further([given.new, given.new @ q])
    chained = rigid_chain(fit, test)
    assert np.abs(chained[0] - chained[1]).max() < 1e-4
    before, after = (scores_of(v, study.test.labels, "recall") for v in (test, chained))
    assert after.scores[1, 0] == pytest.approx(after.scores[0, 0]) and before.scores[1, 0] < after.scores[1, 0]


def test_places_are_angles():
    turn = np.radians(30)
    corners = np.eye(3)
    moved = np.array([[np.cos(turn), np.sin(turn), 0], [-np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    y = np.repeat([0, 1, 2], 4)
    old = Version((0, 1), corners[[0, 1, 0]][y], corners[y], 1.0, corners, None)
    new = Version((0, 1, 2), moved[y], moved[y], 1.0, moved, None)
    found = places(old, new, y)
    assert found.directions == pytest.approx(30) and found.means == pytest.approx(30)
    assert found.before == pytest.approx(90) and found.after == pytest.approx(0, abs=1e-6)


def test_class_distance_works_where_a_class_is_missing():
    rng = np.random.default_rng(0)
    old = rng.standard_normal((20, 4)).astype(np.float32)
    order = priority("class distance", old, old, np.repeat([0, 3], 10))
    assert sorted(order) == list(range(20))


def test_chance_is_what_shuffled_items_give_and_units_are_not_normalised():
    given = spaces()
    both = units(given)
    assert np.array_equal(both.new, given.new) and len(units(given, most=50)) == 50
    assert match_units(shuffled(both)).pair_value.mean() < 0.5 * match_units(both).pair_value.mean()


def test_the_samples_are_trained_the_same_each_time(monkeypatch):
    monkeypatch.setattr("core.compatible.samples.STEPS", 15)
    one, again = (digit_embeddings("digits-learned", seed=1) for _ in range(2))
    assert one.fingerprint == again.fingerprint and one.old.shape == (1797, 9)
    assert one.units["last hidden layer"][0].shape == (1797, 128)
    assert one.fitted.sum() == 1078 and set(SAMPLES) == {"digits-learned", "digits-simplex", "digits-twins"}
    assert digit_embeddings("digits-twins", run=CallbackRun(lambda p: True)) is None
