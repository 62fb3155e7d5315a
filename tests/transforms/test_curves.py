"""AdaFNN and the classical bases for curves."""

import numpy as np
import pytest
import scipy.integrate
from scipy.interpolate import BSpline
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression

from core.datasets.dataset import Dataset
from core.errors import InputError
from core.transforms.adafnn import AdaFNN, span_r2
from core.transforms.curves import BASELINES, b_splines, baseline, case_three, trapezoid


def test_the_trapezoid_rule_equals_scipy():
    t = np.sort(np.random.default_rng(0).random(30))
    f = np.sin(5 * t)
    assert f @ trapezoid(t) == pytest.approx(scipy.integrate.trapezoid(f, t), abs=1e-14)


@pytest.mark.parametrize("count", [4, 7, 12])
def test_b_splines_equal_scipy_and_add_up_to_one(count):
    t = np.linspace(0, 1, 60)
    ours = b_splines(t, count)
    assert ours.shape == (count, 60) and np.allclose(ours.sum(axis=0), 1)
    knots = np.concatenate([np.zeros(3), np.linspace(0, 1, count - 2), np.ones(3)])
    for k in range(count):
        theirs = BSpline(knots, np.eye(count)[k], 3)(t)
        assert np.abs(ours[k] - theirs).max() < 1e-12
    with pytest.raises(InputError, match="at least 4"):
        b_splines(t, 3)


def curves(n=200, seed=0):
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, 40)
    c = rng.standard_normal((n, 3))
    x = c @ np.stack([np.sin(np.pi * t), np.cos(2 * np.pi * t), t]) + 0.05 * rng.standard_normal((n, 40))
    return x, c[:, 1] + 0.1 * rng.standard_normal(n)


def test_baselines_are_scikit_learns():
    x, y = curves()
    a, b = slice(0, 150), slice(150, 200)
    root = np.sqrt(trapezoid(np.linspace(0, 1, 40)))
    pca = PCA(3, random_state=0).fit((x[a] - x[a].mean(0)) * root)
    scores = pca.transform((x - x[a].mean(0)) * root)
    error = np.sqrt(np.mean((LinearRegression().fit(scores[a], y[a]).predict(scores[b]) - y[b]) ** 2))
    assert baseline("FPCA", x[a], y[a], x[b], y[b], 3).rmse == pytest.approx(error, rel=1e-4)
    pls = PLSRegression(2, scale=False).fit(x[a], y[a])
    error = np.sqrt(np.mean((pls.predict(x[b]).ravel() - y[b]) ** 2))
    assert baseline("PLS", x[a], y[a], x[b], y[b], 2).rmse == pytest.approx(error, rel=1e-4)
    splines = baseline("B-spline", x[a], y[a], x[b], y[b], 6)
    coefficients = np.linalg.lstsq(
        splines.functions.T * root[:, None], (x - x[a].mean(0)).T * root[:, None], rcond=None
    )[0].T
    error = np.sqrt(np.mean((LinearRegression().fit(coefficients[a], y[a]).predict(coefficients[b]) - y[b]) ** 2))
    assert splines.rmse == pytest.approx(error, rel=1e-3)
    assert all(baseline(k, x[a], y[a], x[b], y[b], 3).functions.shape == (3, 40) for k in BASELINES)
    with pytest.raises(InputError, match="allow"):
        baseline("FPCA", x[a], y[a], x[b], y[b], 41)
    with pytest.raises(InputError, match="FPCA"):
        baseline("wish", x[a], y[a], x[b], y[b], 2)


def test_adafnn_has_no_spikes_where_the_curves_do_not_vary():
    t = np.linspace(0, 1, 40)
    x = np.random.default_rng(0).standard_normal((40, 3)) @ np.sin(np.pi * np.outer([1, 2, 3], t))
    x[:, [0, -1]] = 0
    found = AdaFNN(k=2, width=16, head=16, steps=5).fit(Dataset(x.astype(np.float32), "curves", labels=x[:, 9]))
    functions = np.abs(found.functions())
    assert functions[:, [0, -1]].max() <= functions[:, 1:-1].max()


def test_adafnn_learns_the_function_that_matters():
    x, y = curves(400)
    model = AdaFNN(k=2, width=16, head=16, steps=100, lr=1e-2).fit(Dataset(x, "curves", labels=y))
    assert model.r2_ > 0.9 and len(model.test_) == 80
    scores = model.encode(x)
    t = np.linspace(0, 1, 40)
    expected = scipy.integrate.trapezoid((x - model.mean_)[:, None] * model.functions()[None], t, axis=2)
    assert np.abs(scores - expected).max() < 1e-4 * np.abs(expected).max() + 1e-5
    assert np.allclose(model.encode(model.decode(scores)), scores, atol=1e-3 * np.abs(scores).max())
    few = [AdaFNN(k=2, width=16, head=16, steps=5).fit(Dataset(x, "curves", labels=y)) for _ in range(2)]
    assert np.array_equal(few[0].functions(), few[1].functions())
    loaded = AdaFNN.from_arrays(model.get_params(), model.arrays(), model.shape_)
    assert np.array_equal(loaded.predict(x), model.predict(x)) and loaded.r2_ == model.r2_
    assert model.bases()["functions"].k == 2


def test_span_and_case_three():
    t = np.linspace(0, 1, 51)
    made, truth = case_three(500)
    assert np.abs(truth - np.sqrt(2) * np.cos(4 * np.pi * t)).max() < 1e-12
    score = (made.samples * trapezoid(t)) @ truth
    assert np.corrcoef(score**2, made.labels)[0, 1] > 0.8
    assert span_r2(np.stack([truth + t, t]), truth) == pytest.approx(1) and span_r2(t[None], np.ones(51)) < 0.8


def test_targets_that_are_no_numbers_are_refused():
    x, y = curves(20)
    for labels in (None, np.array(["a"] * 20), np.ones(20), np.where(y > 0, np.nan, y)):
        with pytest.raises(InputError, match="number"):
            AdaFNN(steps=1).fit(Dataset(x, "curves", labels=labels))
