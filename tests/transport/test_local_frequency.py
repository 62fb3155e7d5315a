"""Read-outs and scores against fields whose frequency is known."""

import numpy as np
import pytest

from core.transport.fit import SpectrumSettings, fit_spectrum
from core.transport.readouts import KINDS, FrequencyField, local_residual, read
from core.transport.samples import crossed, linear_chirp, photograph, warped_fringe, zone_plate
from core.transport.score import agreement, score, shifted, turned
from core.transport.splines import positions
from core.transport.yardsticks import structure_tensor, windowed_fft, windowed_spectrum


def test_score_of_a_field_made_by_hand():
    true = np.zeros((2, 50, 50))
    true[1] = np.linspace(10, 20, 50)
    exact = score(FrequencyField(-true, np.ones((50, 50))), true)
    assert exact.correlation == pytest.approx(1) and exact.error == 0 and exact.within == 1 and exact.angle < 1e-4
    angle = np.radians(12)
    other = 1.2 * np.stack([true[1] * np.sin(angle), true[1] * np.cos(angle)])
    got = score(FrequencyField(other, np.ones((50, 50))), true)
    assert got.error == pytest.approx(0.2) and got.angle == pytest.approx(12) and got.within == 0
    assert got.octaves == pytest.approx(np.log2(1.2)) and got.correlation == pytest.approx(1)
    half = np.zeros((50, 50))
    half[:, :25] = 1
    mixed = np.where(np.arange(50) < 25, true, 3 * true)
    assert score(FrequencyField(mixed, half), true, half).error == 0
    assert score(FrequencyField(mixed, half), true).within == pytest.approx(0.5)


@pytest.mark.parametrize("kind", KINDS)
def test_every_read_out_finds_the_frequency_of_a_pure_wave(kind):
    y, x = np.meshgrid(*positions((40, 40)), indexing="ij")
    signal = 0.5 + 0.4 * np.cos(2 * np.pi * (9 * x - 5 * y))
    spectrum = fit_spectrum(signal[None], SpectrumSettings(k=1, cells=4), carriers=np.array([[-5.0, 9.0]])).spectrum
    field = read(spectrum, kind)
    got = score(field, np.broadcast_to(np.array([-5.0, 9.0])[:, None, None], (2, 40, 40)))
    assert got.error < 0.01 and got.angle < 0.5 and field.energy.mean() == pytest.approx(0.16, rel=0.05)
    assert np.median(field.angle) == pytest.approx(np.degrees(np.arctan2(-5, 9)) % 180, abs=0.5)


def test_gradient_of_the_phase_matches_finite_differences():
    spectrum = fit_spectrum(warped_fringe(48)[0][None], SpectrumSettings(k=3, cells=6)).spectrum
    field = read(spectrum, "analytic")
    for place in ((20, 30), (11, 7), (40, 40)):
        point = np.array([(p + 0.5) / 48 for p in place])
        for axis in range(2):
            move = np.eye(2)[axis] * 1e-4

            def phase(at):
                wave = np.exp(2j * np.pi * spectrum.carriers @ at)
                return np.angle((spectrum.at(at)[0] * wave).sum())

            slope = np.angle(np.exp(1j * (phase(point + move) - phase(point - move)))) / (2e-4 * 2 * np.pi)
            assert field.frequency[axis][place] == pytest.approx(slope, rel=2e-2, abs=0.1)


@pytest.mark.slow
def test_warped_fringe_and_zone_plate_are_read_right():
    for make, kinds, least in ((warped_fringe, ("reassigned", "analytic"), 0.98), (zone_plate, ("reassigned",), 0.95)):
        signal, truth = make()
        spectrum = fit_spectrum(signal[None].astype(np.float32), SpectrumSettings()).spectrum
        assert spectrum.stored < 9100
        for kind in kinds:
            got = score(read(spectrum, kind), truth.frequency, truth.amplitude)
            assert got.correlation >= least
            if make is warped_fringe:
                assert got.error <= 0.03 and got.angle <= 1.0


def test_the_stronger_of_two_crossed_waves_is_followed():
    signal, truth = crossed(96)
    spectrum = fit_spectrum(signal[None].astype(np.float32), SpectrumSettings(k=6, cells=12)).spectrum
    got = score(read(spectrum, "reassigned"), truth.frequency)
    assert got.correlation > 0.95 and got.angle < 1


def test_yardsticks_read_a_chirp():
    signal, truth = linear_chirp(96, 4, 24)
    fft = score(windowed_fft(signal), truth.frequency)
    tensor = score(structure_tensor(signal), truth.frequency)
    assert fft.correlation > 0.99 and fft.error < 0.05 and fft.angle < 1
    assert tensor.correlation > 0.9 and tensor.angle < 1


def test_windowed_spectrum_peaks_at_the_wave_and_is_symmetric():
    y, x = np.meshgrid(*positions((64, 64)), indexing="ij")
    freqs, power = windowed_spectrum(np.cos(2 * np.pi * (12 * x + 6 * y)), (32, 32))
    at = np.unravel_index(power.argmax(), power.shape)
    assert sorted(abs(freqs[list(at)])) == pytest.approx([6, 12], abs=1.0)
    inner = power[1:, 1:]
    assert np.allclose(inner, inner[::-1, ::-1], rtol=1e-3, atol=1e-5 * power.max())
    line_freqs, line = windowed_spectrum(np.cos(2 * np.pi * 20 * x[0]), (30,))
    assert abs(line_freqs[line.argmax()]) == pytest.approx(20, abs=1.5)


def test_a_turned_or_shifted_picture_has_the_turned_or_shifted_field():
    picture = warped_fringe(64)[0]
    here = windowed_fft(picture)
    there = turned(windowed_fft(np.ascontiguousarray(np.rot90(picture))))
    assert score(there, here.frequency).angle < 1 and score(there, here.frequency).error < 0.02
    rolled = shifted(windowed_fft(np.roll(picture, 4, axis=1)), 4, 1)
    assert score(rolled, here.frequency, border=0.3).error < 0.01


def test_agreement_on_a_photograph_is_finite_and_residual_is_low_where_the_fit_is_good():
    picture = photograph("brick", 64)
    spectrum = fit_spectrum(picture[None], SpectrumSettings(k=8, cells=12)).spectrum
    got = agreement(read(spectrum), windowed_fft(picture))
    assert np.isfinite(got.octaves) and got.octaves < 1
    rest = local_residual(picture[None], spectrum.synthesise())
    worse = local_residual(picture[None], np.full((1, 64, 64), picture.mean()))
    assert rest.mean() < 0.5 * worse.mean() and rest.min() >= 0 and worse.max() <= 1


def test_unknown_read_out():
    spectrum = fit_spectrum(np.zeros((1, 8, 8)), SpectrumSettings(k=1, cells=2)).spectrum
    with pytest.raises(ValueError, match="read-out"):
        read(spectrum, "loudest")
