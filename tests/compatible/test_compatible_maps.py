"""Maps from rigid to free, against SciPy, scikit-learn and their own limits."""

import itertools

import numpy as np
import pytest
import scipy.linalg
from sklearn.linear_model import LinearRegression

from core.compatible.bt2 import basis_transformation
from core.compatible.evaluate import Evaluation, evaluate, evaluate_all, fit_map, split
from core.compatible.export import from_npz, snippet, to_npz
from core.compatible.maps import lambda_orthogonal, least_squares, moments, no_map, procrustes, within
from core.compatible.pairs import pairs, unit_rows
from core.compatible.retrieval import Retrieval
from core.errors import InputError


def two_spaces(n=400, d_new=12, d_old=12, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d_new)) * np.exp(-np.arange(d_new) / 6)
    y = np.tanh(x @ rng.standard_normal((d_new, d_old))) + 0.2 * rng.standard_normal((n, d_old))
    return pairs(x, y)


def test_procrustes_equals_scipy():
    p = two_spaces()
    expected, _ = scipy.linalg.orthogonal_procrustes(p.new.astype(float), p.old.astype(float))
    assert np.abs(procrustes(moments(p)).weight - expected).max() < 1e-10


@pytest.mark.parametrize("d_new, d_old", [(12, 7), (7, 12)])
def test_procrustes_of_other_widths_equals_scipy_on_padded_matrices(d_new, d_old):
    p = two_spaces(d_new=d_new, d_old=d_old)
    width = max(d_new, d_old)
    x, y = (np.pad(a.astype(float), ((0, 0), (0, width - a.shape[1]))) for a in (p.new, p.old))
    expected, _ = scipy.linalg.orthogonal_procrustes(x, y)
    assert np.abs((x @ expected)[:, :d_old] - p.new @ procrustes(moments(p)).weight).max() < 1e-6


def test_procrustes_finds_a_planted_rotation_exactly():
    rng = np.random.default_rng(1)
    x = rng.standard_normal((100, 6))
    q = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    assert np.abs(procrustes(moments(pairs(x, x @ q))).weight - q).max() < 1e-6


def test_affine_equals_scikit_learn():
    p = two_spaces(d_new=9, d_old=5)
    ours = least_squares(moments(p, centre=True))
    theirs = LinearRegression().fit(p.new.astype(float), p.old.astype(float))
    assert np.abs(ours(p.new) - theirs.predict(p.new)).max() < 1e-5


def test_lambda_goes_from_procrustes_to_least_squares_without_the_loss_rising():
    m = moments(two_spaces())
    free = least_squares(m)
    limits = [0.0, 1e-7, 0.05, 0.5, 2.0, 0.9 * free.deviation, free.deviation * 1.001, 1e9]
    maps = lambda_orthogonal(m, limits)
    assert np.array_equal(maps[0].weight, procrustes(m).weight)
    assert np.abs(maps[1].weight - procrustes(m).weight).max() < 1e-6
    assert np.abs(maps[-1].weight - free.weight).max() < 1e-10
    losses = [m.loss(one.weight) for one in maps]
    assert all(b <= a + 1e-12 for a, b in itertools.pairwise(losses))
    assert all(one.deviation <= limit * (1 + 1e-6) + 1e-9 for one, limit in zip(maps, limits, strict=True))


def test_lambda_is_not_beaten_by_a_general_solver():
    from scipy.optimize import minimize

    m = moments(two_spaces(d_new=4, d_old=4))
    limit = 0.6 * least_squares(m).deviation
    ours = lambda_orthogonal(m, [limit], steps=200)[0]

    def excess(w):
        w = w.reshape(4, 4)
        return limit**2 - np.sum((w.T @ w - np.eye(4)) ** 2)

    best = min(
        minimize(
            lambda w: m.loss(w.reshape(4, 4)),
            start.ravel(),
            method="SLSQP",
            constraints={"type": "ineq", "fun": excess},
            options={"maxiter": 500, "ftol": 1e-12},
        ).fun
        for start in (procrustes(m).weight, ours.weight)
    )
    assert m.loss(ours.weight) <= best + 2e-4 * m.yy


def test_the_nearest_matrix_within_a_limit_is_nearest():
    rng = np.random.default_rng(0)
    w = rng.standard_normal((5, 5)) * 2
    z = within(w, 0.7)
    assert np.sqrt(np.sum((z.T @ z - np.eye(5)) ** 2)) <= 0.7 + 1e-9
    for _ in range(200):  # no feasible matrix near by is closer
        other = within(z + 0.01 * rng.standard_normal((5, 5)), 0.7)
        assert np.linalg.norm(other - w) >= np.linalg.norm(z - w) - 1e-9


def test_extra_dimensions_keep_what_the_compatible_block_loses():
    p = two_spaces(d_new=12, d_old=4)
    m = moments(p)
    none, some, all_of_it = (basis_transformation(m, extra) for extra in (0, 4, 12))
    assert np.array_equal(none.weight, procrustes(m).weight)
    assert (
        none.details["left_over_kept"] < some.details["left_over_kept"] <= all_of_it.details["left_over_kept"] + 1e-12
    )
    assert np.allclose(some.weight[:, 4:].T @ some.weight[:, 4:], np.eye(4))
    assert np.linalg.matrix_rank(all_of_it.weight) == 12
    with pytest.raises(InputError, match="0 to 12"):
        basis_transformation(m, 13)


def test_extra_dimensions_bring_new_new_retrieval_back():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(10), 30)
    new = rng.standard_normal((10, 9))[labels] + 0.3 * rng.standard_normal((300, 9))
    fit, test = split(pairs(new, new[:, :2] + 0.1 * rng.standard_normal((300, 2)), labels))
    lost = [e.lost for e in evaluate_all([fit_map(fit, "bt2", extra=k) for k in (0, 8)], test)]
    assert lost[0] > 0.1 and lost[1] < 0.05


def test_evaluation_and_verdict():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(5), 40)
    new = rng.standard_normal((5, 8))[labels] + 0.2 * rng.standard_normal((200, 8))
    q = np.linalg.qr(rng.standard_normal((8, 8)))[0]
    fit, test = split(pairs(new, new @ q, labels), seed=1)
    rigid = evaluate(fit_map(fit, "procrustes"), test, fitted=len(fit))
    assert rigid.lost == 0 and rigid.loss < 1e-6 and rigid.verdict.startswith("Yes")
    assert rigid.judged == 100 and rigid.fitted == 100
    plain = evaluate(no_map(8, 8), test)
    assert plain.verdict.startswith("No") and f"{plain.new_old.recall:.1%}" in plain.verdict
    with pytest.raises(InputError, match="procrustes"):
        fit_map(fit, "magic")


@pytest.mark.parametrize(
    ("old", "crossed", "new", "said"),
    [
        (0.9, 0.8, 0.95, "loses 10.0 points unless the gallery is computed again"),
        (0.9, 0.8, 0.85, "10.0 points, and 5.0 of them stay lost when the gallery is computed again"),
        (0.9, 0.89, 0.88, "costs 1.0 points, and computing the gallery again wins nothing back"),
        (0.0, 0.0, 0.0, "No: by label nothing is found"),
    ],
)
def test_the_verdict_promises_of_a_new_gallery_only_what_it_brings(old, crossed, new, said):
    judged = [Retrieval(r, r, None, 10, 10, 0, "label", True) for r in (old, crossed, old, new)]
    assert said in Evaluation(no_map(2, 2), *judged, loss=0.0, fitted=5, judged=5, same_items=False).verdict


def test_an_exported_map_and_its_snippet_apply_the_same(tmp_path, monkeypatch):
    p = two_spaces(d_new=6, d_old=5)
    for name in ("affine", "bt2"):
        one = fit_map(p, name, extra=2)
        again = from_npz(to_npz(one))
        assert np.allclose(again(p.new), one(p.new), atol=1e-5) and again.width == one.width
        monkeypatch.chdir(tmp_path)
        (tmp_path / "map.npz").write_bytes(to_npz(one))
        np.save(tmp_path / "new.npy", p.new)
        scope: dict = {}
        exec(snippet(one), scope)
        assert np.allclose(scope["mapped"], unit_rows(one(p.new)), atol=1e-5)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 nonsense", to_npz(no_map(3, 3))[:200]])
def test_a_broken_map_file_is_refused(data):
    with pytest.raises(InputError, match="not a map"):
        from_npz(data)


@pytest.mark.parametrize(
    "new, old, labels, words",
    [
        (np.ones((4, 2)), np.ones((5, 2)), None, "same items"),
        (np.ones((4, 2)), np.full((4, 2), np.nan), None, "not finite"),
        (np.ones(4), np.ones((4, 2)), None, "matrix"),
        (np.ones((2, 2)), np.ones((2, 2)), None, "three"),
        (np.ones((4, 2)), np.ones((4, 2)), np.ones(3), "one label"),
        ([["a", "b"]] * 4, np.ones((4, 2)), None, "numbers"),
    ],
)
def test_pairs_refuse_what_does_not_fit(new, old, labels, words):
    with pytest.raises(InputError, match=words):
        pairs(new, old, labels)
