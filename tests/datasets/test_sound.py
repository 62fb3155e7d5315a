"""Sound to frames and back."""

import io

import hostile
import numpy as np
import pytest
import soundfile

from core.datasets import (
    InputError,
    LoadOptions,
    frames_of,
    load,
    sample,
    spectrum_to_sound,
    to_waveform,
    window_to_sound,
)

RNG = np.random.default_rng(5)
WAVE = (0.2 * RNG.standard_normal(5003)).astype(np.float32)


@pytest.mark.parametrize("form", ["spectra", "waves"])
@pytest.mark.parametrize("scale", ["linear", "sqrt", "log"])
@pytest.mark.parametrize("window", [64, 301, 512])
def test_a_clip_comes_back(form, scale, window):
    made = frames_of(WAVE, 8000, form=form, window=window, scale=scale)
    rate, wave = to_waveform(made)
    assert rate == 8000
    assert wave.shape == WAVE.shape
    assert np.abs(wave - WAVE).max() < 2e-5


def test_spectra_are_those_of_a_plain_fourier_transform():
    made = frames_of(WAVE, 8000, window=128, scale="linear")
    frame = 20
    middles = [round(float(n.split()[0]) * 8000) for n in made.names]
    start = middles[frame] - 64
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(128) / 128)
    expected = np.abs(np.fft.rfft(WAVE[start : start + 128] * hann)) / hann.sum()
    assert np.allclose(made.samples[frame], expected, atol=1e-6)
    assert made.features[1] == "62.5"


def test_some_frames_alone_still_sound_alike():
    made = frames_of(np.sin(2 * np.pi * 440 * np.arange(8000) / 8000), 8000, window=256)
    rate, wave = to_waveform(made, made.samples[30:60])
    peak = np.fft.rfftfreq(len(wave), 1 / rate)[np.abs(np.fft.rfft(wave)).argmax()]
    assert peak == pytest.approx(440, abs=10)
    part = made.take(np.arange(30, 60))
    assert np.allclose(to_waveform(part)[1], wave)


def test_an_edit_of_the_spectra_changes_the_sound():
    made = frames_of(WAVE, 8000, scale="linear")
    _, wave = to_waveform(made, made.samples * 0.5)
    assert np.allclose(wave, WAVE / 2, atol=1e-5)


def test_one_spectrum_as_a_steady_sound():
    magnitude = np.zeros(257)
    magnitude[32] = 1  # 1000 Hz at 16 kHz
    rate, wave = spectrum_to_sound(magnitude, 16000, 0.5)
    assert len(wave) == 8000
    assert np.abs(wave).max() == pytest.approx(0.9)
    assert np.fft.rfftfreq(8000, 1 / rate)[np.abs(np.fft.rfft(wave)).argmax()] == pytest.approx(1000, abs=40)
    assert np.array_equal(wave, spectrum_to_sound(magnitude, 16000, 0.5)[1])
    assert not spectrum_to_sound(np.zeros(257), 16000)[1].any()


def test_one_window_as_a_steady_sound():
    window = np.sin(2 * np.pi * 8 * np.arange(256) / 256)
    rate, wave = window_to_sound(window, 8000, 0.25)
    assert len(wave) == 2000
    assert np.fft.rfftfreq(2000, 1 / rate)[np.abs(np.fft.rfft(wave)).argmax()] == pytest.approx(250, abs=5)


@pytest.mark.parametrize("kind", ["WAV", "FLAC", "OGG", "MP3"])
def test_files_of_every_kind(kind):
    tone = 0.5 * np.sin(2 * np.pi * 1000 * np.arange(44100) / 44100)
    out = io.BytesIO()
    soundfile.write(out, np.column_stack([tone, tone]), 44100, format=kind)
    made = load([(f"a.{kind.lower()}", out.getvalue())])
    assert made.kind == "audio"
    assert made.rate == 16000
    assert any("resampled" in n for n in made.notes)
    assert any("2 channels" in n for n in made.notes)
    middle = made.samples[len(made) // 2]
    assert float(made.features[middle.argmax()]) == pytest.approx(1000, abs=32)


def test_resampling_agrees_with_the_wave_itself():
    t = np.arange(32000) / 32000
    made = load(
        [("a.wav", hostile.wav(np.float32(0.4 * np.sin(2 * np.pi * 700 * t)), rate=32000))],
        options=LoadOptions(frames="waves"),
    )
    _, wave = to_waveform(made)
    expected = 0.4 * np.sin(2 * np.pi * 700 * np.arange(16000) / 16000)
    assert np.abs(wave - expected)[200:-200].max() < 2e-3


def test_long_sounds_are_cut():
    data = hostile.wav((RNG.standard_normal(61 * 8000) * 1000).astype(np.int16))
    made = load([("a.wav", data)])
    assert made.extra["length"][0] == 60 * 8000
    assert any("60 seconds" in n for n in made.notes)


def test_only_sound_becomes_sound():
    with pytest.raises(InputError, match="frames of a sound"):
        to_waveform(sample("wine"))


def test_the_speech_sample_comes_back():
    made = sample("speech")
    rate, wave = to_waveform(made)
    from core.datasets.samples import ASSETS

    original, original_rate = soundfile.read(ASSETS / "speech.flac", dtype="float32")
    assert rate == original_rate == 16000
    assert np.abs(wave - original).max() < 1e-5
