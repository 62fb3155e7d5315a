"""Signals, drawings, targets and files of the page *Graph spectra*."""

import io

import numpy as np
import pytest
import scipy.linalg

from core.errors import InputError
from core.graphs import takeaway
from core.graphs.drawing import MOST_EDGES, MOST_NODES, drawing
from core.graphs.filters import TARGETS
from core.graphs.graph import graph
from core.graphs.orthogonality import drifts
from core.graphs.polynomials import KINDS, optimal
from core.graphs.regression import RegressionSettings, favard_slopes, regress
from core.graphs.samples import image_grid, sample
from core.graphs.signals import choices, noisy, signal
from core.graphs.study import DRAWN, GRID, filter_of, most_degree, spectrum, task
from core.graphs.verdict import steps_to_floor, why


@pytest.fixture(scope="module")
def path():
    """Nine nodes in a row."""
    kinds = np.array(["a", "b", "a", "b", "a", "b", "a", "", "b"])
    values = np.array([1.0, 2, np.nan, 4, 5, 6, 7, 8, 9.5])
    known = {"kind": kinds, "value": values, "year": np.array([1, 1, 1, 2, 2, 2, 3, 3, 3])}
    return graph(np.arange(8), np.arange(1, 9), attributes=known)


def test_signals_of_every_sort(path):
    assert list(choices(path)) == [
        "values:value", "values:year", "class:kind:a", "class:kind:b", "class:year:1", "class:year:2", "class:year:3",
        "impulse", "noise",
    ]  # fmt: skip
    assert signal(path, "values:value")[2] == np.nanmean(path.attributes["value"])
    assert signal(path, "class:kind:b").tolist() == [-1, 1, -1, 1, -1, 1, -1, 0, 1]
    assert signal(path, "impulse", node=3).tolist() == [0, 0, 0, 1, 0, 0, 0, 0, 0]
    assert signal(path, "impulse", node=99)[-1] == 1
    assert np.array_equal(signal(path, "noise", seed=4), signal(path, "noise", seed=4))
    assert not np.array_equal(signal(path, "noise", seed=4), signal(path, "noise", seed=5))
    for bad in ("values:kind", "values:nothing", "class:kind:c", "else"):
        with pytest.raises(InputError):
            signal(path, bad)


def test_noise_has_the_strength_that_was_asked_for():
    x = np.sin(np.arange(20_000))
    assert (noisy(x, 0.5, 1) - x).std() == pytest.approx(0.5 * x.std(), rel=0.02)
    assert noisy(x, 0.0) is x


def test_fingerprints_follow_everything_that_is_known(path):
    rows, columns = np.arange(8), np.arange(1, 9)
    known = dict(path.attributes)
    same = graph(columns, rows, attributes=known)
    assert same.fingerprint == path.fingerprint
    others = [
        graph(rows, columns, np.full(8, 2.0), attributes=known),
        graph(rows, columns, attributes={**known, "value": known["value"] + 1}),
        graph(rows, columns, attributes={"x" + k: v for k, v in known.items()}),
        graph(rows, columns, attributes=known, names=tuple("abcdefghi")),
        graph(rows, columns, attributes=known, coordinates=np.zeros((9, 2))),
    ]
    assert len({g.fingerprint for g in [path, *others]}) == 6


def test_large_graphs_are_drawn_in_part():
    n = 3 * MOST_NODES
    made = graph(np.arange(n - 1), np.arange(1, n), coordinates=np.random.default_rng(0).random((n, 2)))
    d = drawing(made)
    assert len(d.nodes) == MOST_NODES and len(d.edges) == MOST_EDGES and d.partial and d.total == (n, n - 1)
    ends = np.sort(d.nodes[d.edges], axis=1)
    assert (np.diff(ends, axis=1) == 1).all()  # they are edges of the graph
    assert np.array_equal(d.places, made.coordinates[d.nodes]) and d.names[0] == str(d.nodes[0] + 1)


def test_pixels_are_drawn_as_squares_and_nothing_else():
    picture = drawing(image_grid(np.eye(9)))
    assert picture.cell == 1 and not picture.computed and not picture.partial
    karate = drawing(sample("karate"))
    assert karate.cell == 0 and karate.computed and karate.places.shape == (34, 2)
    assert drawing(sample("bunny")).places.shape == (2503, 3)


def test_targets_are_filters_or_values(path):
    p = path.propagation()
    value, vector = scipy.linalg.eigh(p.toarray())
    g = filter_of("band-pass", [])
    made = task(path, p, "impulse", node=4, target=g)
    assert np.abs(made.y - vector @ (g(1 - value) * (vector.T @ made.x))).max() < 1e-10
    assert np.array_equal(made.gain, TARGETS["band-pass"](GRID)) and made.how == ""
    denoise = task(path, p, "values:value", noise=1.0, seed=2, goal="values:value")
    assert np.array_equal(denoise.y, signal(path, "values:value")) and not np.array_equal(denoise.x, denoise.y)
    image = image_grid(np.random.default_rng(0).random((30, 30)))
    assert "off by" in task(image, image.propagation(), "values:grey", target=filter_of("comb", [])).how


def test_the_spectrum_of_a_signal_is_its_energy_by_eigenvalue(path):
    p = path.propagation()
    x = signal(path, "impulse", node=2)
    value, vector = scipy.linalg.eigh(p.toarray())
    energy = (vector.T @ x) ** 2
    there = energy > 1e-12
    at, share = spectrum(optimal(p, x, 8))
    assert np.abs(at - np.sort(1 - value[there])).max() < 1e-8
    assert np.abs(share - energy[there][::-1]).max() < 1e-8 and share.sum() == pytest.approx(1)


def test_favards_slopes_equal_finite_differences():
    rng = np.random.default_rng(0)
    t = rng.standard_normal((6, 6))
    t, y = t + t.T, rng.standard_normal(6)
    at = [0.1 * rng.standard_normal(5), 0.5 + rng.random(6), rng.standard_normal(6)]
    _, slopes = favard_slopes(t, y, *at)
    for i, slope in enumerate(slopes):
        for j in range(len(slope)):
            up, down = ([v.copy() for v in at] for _ in range(2))
            up[i][j] += 1e-6
            down[i][j] -= 1e-6
            numeric = (favard_slopes(t, y, *up)[0] - favard_slopes(t, y, *down)[0]) / 2e-6
            assert slope[j] == pytest.approx(numeric, rel=1e-4, abs=1e-6)


@pytest.fixture(scope="module")
def fitted():
    made = image_grid(np.random.default_rng(0).random((12, 11)))
    p = made.propagation()
    given = task(made, p, "values:grey", target=filter_of("comb", []))
    return made, given, regress(p, given.x, given.y, RegressionSettings(degree=6, steps=40))


@pytest.mark.parametrize("kind", KINDS)
def test_descended_weights_give_the_error_at_the_end_of_the_curve(fitted, kind):
    _, given, found = fitted
    fit = found.fits[kind]
    assert np.mean((found.signal(kind, fit.descended) - given.y) ** 2) == pytest.approx(fit.curve[-1], rel=1e-6)
    assert np.mean((found.signal(kind, fit.coefficients) - given.y) ** 2) == pytest.approx(found.floor, rel=1e-6)
    assert found.light().krylov.columns.size == 0 and found.krylov.columns.size


def test_the_sentence_tells_who_is_slow(fitted):
    _, _, found = fitted
    assert steps_to_floor(found, "optimal") == 1 and steps_to_floor(found, "monomial") is None
    text = why(found)
    assert "one error" in text and "1 for OptBasis, which is there after 1 step" in text
    adam = regress(
        fitted[0].propagation(), fitted[1].x, fitted[1].y, RegressionSettings(degree=3, steps=10, method="adam")
    )
    assert "does not win" in why(adam) or "OptBasis" in why(adam)


def test_drift_shows_only_without_reorthogonalisation(fitted):
    made, given, _ = fitted
    found = drifts(made.propagation(), given.x, given.y, 100)
    assert found[False].loss[-1] > 1e-3 > 1e-10 > found[True].loss[-1]
    assert found[True].left[-1] < found[False].left[-1]
    plain = optimal(made.propagation(), given.x, 5)
    rest = given.y - plain.columns @ (plain.columns.T @ given.y)
    assert found[True].left[5] == pytest.approx(np.linalg.norm(rest) / np.linalg.norm(given.y))


def test_degrees_stay_within_memory():
    assert most_degree(100) == 100 and most_degree(1_000_000) == 39 and most_degree(2_000_000) >= 2


def test_files_hold_what_was_computed(fitted):
    made, given, found = fitted
    answer = found.signal("optimal", found.fits["optimal"].descended)
    lines = takeaway.filtered_csv(made, given, answer).decode().splitlines()
    assert lines[0] == "node,signal,target,fitted,x,y" and len(lines) == 133
    assert float(lines[5].split(",")[3]) == pytest.approx(answer[4])
    gains = takeaway.response_csv(given, found).decode().splitlines()
    assert gains[0].startswith("eigenvalue,target,least squares,monomial") and len(gains) == 402
    with np.load(io.BytesIO(takeaway.coefficients_npz(found)), allow_pickle=False) as file:
        assert np.array_equal(file["chebyshev_descended"], found.fits["chebyshev"].descended)
        assert file["recurrence_alpha"].shape == (7,) and file["favard_root_beta"].shape == (7,)


@pytest.mark.parametrize("way", ["sample", "file"])
def test_the_snippet_runs_and_gives_the_same(way, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.csv").write_text("a,b\nb,c\nc,d\nd,a\na,c\n")
    (tmp_path / "it's nodes.csv").write_text("node,v\na,1\nb,2\nc,5\nd,-1\n")
    sampled = way == "sample"
    points = [[0.0, 1.0], [0.8, 0.2], [2.0, 0.0]]
    code = takeaway.snippet(
        sample="karate" if sampled else None, files=("edges.csv", "it's nodes.csv"),
        source="impulse" if sampled else "values:v", node=2 if sampled else 0, noise=0.0 if sampled else 0.5, seed=3,
        goal="" if sampled else "values:v", filter_name=DRAWN, points=points,
        settings=RegressionSettings(degree=3, steps=20).as_dict(), basis="chebyshev", exact=False,
    )  # fmt: skip
    space: dict = {}
    exec(code, space)
    g, p = space["graph"], space["P"]
    if sampled:
        given = task(g, p, "impulse", node=2, target=filter_of(DRAWN, points))
    else:
        given = task(g, p, "values:v", noise=0.5, seed=3, goal="values:v")
    found = regress(p, given.x, given.y, RegressionSettings(degree=3, steps=20), kinds=["chebyshev"])
    assert np.array_equal(space["fitted"], found.signal("chebyshev", found.fits["chebyshev"].descended))
