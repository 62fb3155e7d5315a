"""What stands beside learned transforms: energy curves, baselines on the same split, POD with a linear operator."""

import contextlib
import io

import numpy as np
import pytest
import torch

from core.datasets.dataset import Dataset
from core.errors import InputError
from core.transforms.adafnn import AdaFNN
from core.transforms.beside import curve_baselines, pod_beside, trunk_errors, unit_functions
from core.transforms.deeponet import DeepONet
from core.transforms.filters import FilterPair, high_pass, known
from core.transforms.look import bank_of, continued, held, look, max_levels, preset_angles, presets, random_angles
from core.transforms.operators import operator_pairs
from core.transforms.samples import SAMPLES, sample
from core.transforms.takeaway import model_snippet, wavelet_snippet
from core.transforms.vowels import vowels
from core.transforms.wavelet_model import WaveletModel
from core.transforms.wavelets import classical, left_over, shape


def run(code: str) -> str:
    """What a snippet prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, "snippet", "exec"), {})
    return said.getvalue()


def test_energy_lost_is_that_of_the_rebuilt_samples():
    x = np.cumsum(np.random.default_rng(0).standard_normal((3, 100)), axis=1)
    for bank in (
        classical("db3"),
        FilterPair(torch.stack([torch.as_tensor(known("db3")) + 0.05, high_pass(torch.as_tensor(known("db3")))])),
    ):
        seen = look(x, 1, bank, 3, 20)
        inside = continued(x, 3)
        assert inside.shape == (3, 104) and (inside[:, 100:] == inside[:, 99:100]).all()
        for n, lost in zip(seen.counts, seen.lost, strict=True):
            assert lost == pytest.approx(float(left_over(inside, bank, 3, int(n)).mean()), abs=1e-10)
        assert seen.at == pytest.approx(float(left_over(inside, bank, 3, 20).mean()), abs=1e-10)
        one = float(left_over(inside[1:2], bank, 3, 20))
        padded = np.sum((seen.rebuilt - x[1]) ** 2) / float(inside[1].square().sum())
        assert seen.rebuilt.shape == (100,) and padded <= one + 1e-12
    with pytest.raises(InputError, match="at most 6"):
        look(x, 0, classical("db3"), 7, 20)
    assert max_levels((100, 9)) == 3


def test_presets_and_held_angles():
    assert list(presets(2)) == ["db1"] and list(presets(6)) == ["db3", "sym3", "coif1"]
    for name in presets(12):
        assert np.abs(shape(bank_of(preset_angles(name))).low - known(name)).max() < 1e-9
    angles = held(random_angles(4, 3))
    assert np.sin(angles.sum() - np.pi / 4) == pytest.approx(0, abs=1e-12) and (np.abs(angles) <= np.pi).all()
    assert np.array_equal(random_angles(4, 3), random_angles(4, 3))


def test_learning_goes_on_from_given_angles():
    data = Dataset(np.cumsum(np.random.default_rng(0).standard_normal((4, 64)), axis=1), "curves")
    start = preset_angles("db2")
    still = WaveletModel(taps=4, levels=3, keep=8, steps=0).fit_from(start, data)
    assert np.abs(shape(still.module_.bank()).low - known("db2")).max() < 1e-9
    moved = WaveletModel(taps=4, levels=3, keep=8, steps=40).fit_from(start, data)
    assert moved.loss_ < still.loss_ == moved.start_


def test_curve_baselines_use_the_split_of_adafnn():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((60, 3)) @ rng.standard_normal((3, 20))
    data = Dataset(x, "curves", labels=x[:, 4])
    model = AdaFNN(k=2, width=8, steps=1).fit(data, seed=3)
    found = curve_baselines(data, 3, share=0.2, seed=3)
    for one in found.values():
        assert len(one.predicted) == len(model.test_) == 12
        assert one.rmse == pytest.approx(np.sqrt(np.mean((one.predicted - x[model.test_, 4]) ** 2)), rel=1e-3)
    assert found["PLS"].rmse < 1e-2 * x[:, 4].std()


def test_pod_with_a_linear_operator_solves_a_linear_problem():
    rng = np.random.default_rng(0)
    u = rng.standard_normal((80, 6)).astype(np.float32)
    data = Dataset(u @ rng.standard_normal((6, 15)) + 1, "curves", extra={"inputs": u})
    found = pod_beside(data, 10, train_count=50, seed=0)
    assert found.linear[-1] < 1e-4 and found.projection[-1] < 1e-4 and found.linear[0] > 0.1
    fit = np.setdiff1d(np.arange(80), found.test)
    centred = data.samples[fit] - data.samples[fit].mean(axis=0)
    assert np.allclose(found.singular_values, np.linalg.svd(centred, compute_uv=False), rtol=1e-4, atol=1e-4)
    assert found.error(u[found.test], data.samples[found.test]) == pytest.approx(found.linear[-1], rel=1e-6)
    assert (np.diff(found.projection) <= 1e-9).all()


def test_all_trunk_functions_together_are_the_model():
    pairs = operator_pairs("heat", 60, sensors=12, points=14)
    model = DeepONet(k=5, width=8, train_count=40, steps=30).fit(pairs, seed=2)
    found = pod_beside(pairs, 5, train_count=40, seed=2)
    errors = trunk_errors(model, pairs, np.array([1, 5]), found.test)
    assert errors[1] == pytest.approx(model.error_, rel=1e-3) and errors[0] != errors[1]
    unit = unit_functions(model.functions())
    assert np.allclose((unit**2).mean(axis=1), 1) and (unit.max(axis=1) >= -unit.min(axis=1)).all()


def test_vowels_have_their_formants():
    made = vowels(12, seed=1)
    assert made.samples.shape == (60, 2000) and sorted(set(made.labels)) == ["ah", "aw", "ee", "eh", "oo"]
    power = np.abs(np.fft.rfft(made.samples)) ** 2
    hertz = np.fft.rfftfreq(2000, 1 / 8000)

    def share(name, low, high):
        """Of the energy of a vowel that lies in a band."""
        here = power[made.labels == name]
        return here[:, (hertz >= low) & (hertz < high)].sum() / here.sum()

    assert share("ee", 2000, 3000) > 2 * share("oo", 2000, 3000)
    assert share("ah", 700, 1400) > 2 * share("ee", 700, 1400)
    assert np.array_equal(vowels(2, seed=1).samples, vowels(2, seed=1).samples)


@pytest.mark.parametrize(("part", "name"), [(p, n) for p in SAMPLES for n in SAMPLES[p]])
def test_every_sample_says_where_it_comes_from(part, name):
    made = sample(part, name)
    assert len(made) and made.title and made.source and made.licence
    if part == "curves":
        AdaFNN.target(made.labels)


def test_snippets_run():
    low = known("sym4")
    said = run(wavelet_snippet(low, high_pass(low), 3))
    assert float(said.split("largest error")[1]) < 1e-10
    model = WaveletModel(steps=1, levels=2).fit(sample("wavelets", "ecg"), seed=4)
    said = run(model_snippet("wavelets", "ecg", model, "print(model.loss_)\n"))
    assert float(said) == model.loss_


def test_a_snippet_of_an_upload_reads_it_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pairs = operator_pairs("heat", 30, sensors=8, points=9)
    np.savez(tmp_path / "p.npz", inputs=pairs.extra["inputs"], outputs=pairs.samples)
    model = DeepONet(k=3, width=8, train_count=20, steps=2).fit(pairs)
    said = run(model_snippet("operators", (["p.npz"], {}), model, "print(model.error_)\n"))
    assert float(said) == pytest.approx(model.error_, rel=1e-5)
