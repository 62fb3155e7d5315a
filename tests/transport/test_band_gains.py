"""Edits of a signal through its local spectrum."""

import numpy as np
import pytest

from core.errors import InputError
from core.transport.fit import SpectrumSettings, fit_spectrum
from core.transport.gains import PRESETS, Edit, Mixer, bands, edit, preset, resample
from core.transport.readouts import read
from core.transport.samples import photograph
from core.transport.splines import positions


@pytest.fixture(scope="module")
def two():
    """Two waves, 5 and 20 cycles, at right angles."""
    y, x = np.meshgrid(*positions((48, 48)), indexing="ij")
    low, high = 0.2 * np.cos(2 * np.pi * 5 * x), 0.1 * np.cos(2 * np.pi * 20 * y)
    settings = SpectrumSettings(k=2, cells=3, ridge=0.0, smoothness=0.0)
    carriers = np.array([[0.0, 5.0], [20.0, 0.0]])
    spectrum = fit_spectrum(0.5 + (low + high)[None], settings, carriers=carriers).spectrum
    return spectrum, low, high


def test_bands_are_octaves_and_orientations_and_hold_every_carrier_once(two):
    spectrum = two[0]
    groups = bands(spectrum)
    assert sorted(i for b in groups for i in b.carriers) == [0, 1]
    assert [(b.low, b.high, b.angle) for b in groups] == [(4, 8, 0.0), (16, 32, 90.0)]
    rich = fit_spectrum(photograph("brick", 48)[None], SpectrumSettings(k=12, cells=6)).spectrum
    members = sorted(i for b in bands(rich) for i in b.carriers)
    assert members == list(range(12))


def test_a_gain_multiplies_its_own_wave_only(two):
    spectrum, low, high = two
    mixer = Mixer(spectrum)
    name = bands(spectrum)[1].name
    louder = mixer.render([edit(spectrum, {name: 20 * np.log10(2)})])[0]
    assert np.abs(louder - (0.5 + low + 2 * high)).max() < 0.01
    without = mixer.render([edit(spectrum, {name: -60.0})])[0]
    assert np.abs(without - (0.5 + low)).max() < 0.01


def test_a_mask_keeps_the_edit_inside_and_edits_multiply(two):
    spectrum, low, high = two
    mask = np.zeros((48, 48))
    mask[:, 24:] = 1
    step = edit(spectrum, {bands(spectrum)[1].name: -60.0}, mask=mask)
    out = Mixer(spectrum).render([step, Edit(np.array([2.0, 1.0]))])[0]
    expected = 0.5 + 2 * low + high * (1 - mask)
    assert np.abs(out - expected).max() < 0.01
    assert np.allclose(Mixer(spectrum).render(), spectrum.synthesise(), atol=1e-5)


def test_presets_do_what_they_say(two):
    spectrum, low, high = two
    mixer = Mixer(spectrum)
    shown = {
        "low-pass": 0.5 + low,
        "high-pass": 0.5 + high,
        "notch": 0.5 + low,
        "one orientation": 0.5 + low,
    }
    for name, expected in shown.items():
        out = mixer.render([preset(spectrum, name, frequency=20.0 if name == "notch" else 12.0)])[0]
        assert np.abs(out - expected).max() < 0.02, name
    scrambled = mixer.render([preset(spectrum, "phase scramble", seed=3)])
    assert np.abs(scrambled - spectrum.synthesise()).max() > 0.05
    assert np.var(scrambled) == pytest.approx(np.var(spectrum.synthesise()), rel=0.05)
    assert len(PRESETS) == 5


def test_what_the_fit_missed_is_kept_and_resolution_is_free():
    picture = photograph("brick", 48)[None]
    spectrum = fit_spectrum(picture, SpectrumSettings(k=4, cells=6)).spectrum
    mixer = Mixer(spectrum, rest=picture - spectrum.synthesise())
    assert np.allclose(mixer.render(), picture, atol=1e-5)
    double = Mixer(spectrum, 2.0, rest=picture - spectrum.synthesise()).render([preset(spectrum, "low-pass")])
    assert double.shape == (1, 96, 96) and np.isfinite(double).all()


def test_without_room_for_all_parts_the_result_is_the_same(two, monkeypatch):
    spectrum = two[0]
    step = [preset(spectrum, "phase scramble"), edit(spectrum, {bands(spectrum)[0].name: 6.0})]
    kept = Mixer(spectrum).render(step)
    monkeypatch.setattr("core.transport.gains._RESIDENT_BYTES", 0)
    assert np.allclose(Mixer(spectrum).render(step), kept, atol=1e-5)


def test_an_edit_moves_the_frequency_that_is_read(two):
    spectrum = two[0]
    assert np.median(read(spectrum).magnitude) == pytest.approx(5, abs=0.2)
    edited = Mixer(spectrum).render([Edit(np.array([0.1, 1.0]))])
    again = fit_spectrum(edited, SpectrumSettings(k=2, cells=3), carriers=spectrum.carriers).spectrum
    assert np.median(read(again).magnitude) == pytest.approx(20, abs=0.5)


def test_wrong_band_mask_or_preset_is_one_sentence(two):
    spectrum = two[0]
    with pytest.raises(InputError, match="no band"):
        edit(spectrum, {"treble": 3.0})
    with pytest.raises(InputError, match="mask has the shape"):
        edit(spectrum, {}, mask=np.zeros((3, 3)))
    with pytest.raises(InputError, match="no preset"):
        preset(spectrum, "reverb")


def test_resampling_keeps_a_constant_and_a_ramp():
    ramp = np.broadcast_to((np.arange(8) + 0.5) / 8, (1, 8, 8))
    fine = resample(ramp, (16, 16))[0]
    assert np.allclose(fine[:, 1:-1], (np.arange(1, 15) + 0.5) / 16, atol=1e-6)
