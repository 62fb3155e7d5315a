"""The way from sound to mouth codes: mel bands, windows, the network, smoothing."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from scipy.ndimage import gaussian_filter1d
from transformers.audio_utils import mel_filter_bank, spectrogram, window_function

from core.errors import InputError
from core.face.network import SpeechNetwork, as_speech, mel_windows, smooth
from core.face.network.mel import BANDS, FRAMES, HOP, RATE, WINDOW, filters, from_mel, mel_spectrogram, to_mel


def sound(seconds=1.0, seed=0):
    t = np.arange(int(seconds * RATE)) / RATE
    rng = np.random.default_rng(seed)
    return 0.3 * np.sin(2 * np.pi * (200 * t + 400 * t**2)) + 0.05 * rng.standard_normal(len(t))


def slaney(**values):
    return mel_filter_bank(
        num_frequency_bins=401,
        num_mel_filters=80,
        min_frequency=55,
        max_frequency=7600,
        sampling_rate=RATE,
        norm="slaney",
        mel_scale="slaney",
        **values,
    )


def test_bands_equal_those_of_transformers():
    assert np.allclose(filters(), slaney().T, atol=1e-12)
    hertz = np.array([0.0, 55, 999, 1000, 1001, 7600])
    assert np.allclose(from_mel(to_mel(hertz)), hertz) and np.isclose(to_mel(1000), 15) and np.isclose(to_mel(6400), 42)


def test_spectrogram_equals_that_of_transformers():
    wave = sound()
    emphasised = wave - 0.97 * np.concatenate([[0], wave[:-1]])
    by_peer = spectrogram(
        emphasised,
        window_function(WINDOW, "hann", periodic=True),
        frame_length=WINDOW,
        hop_length=HOP,
        fft_length=WINDOW,
        power=1.0,
        center=True,
        pad_mode="reflect",
        mel_filters=slaney(),
        mel_floor=1e-5,
        log_mel="log10",
    )
    wanted = np.clip(8 * (20 * by_peer - 20 + 100) / 100 - 4, -4, 4)
    ours = mel_spectrogram(wave)
    assert ours.shape == wanted.shape == (80, 81)
    assert np.abs(ours - wanted).max() < 1e-4


def test_a_tone_has_the_level_that_can_be_worked_out():
    # A sine of amplitude a on a bin centre has the windowed magnitude a * 800 / 4; pre-emphasis scales it
    frequency = 2000.0
    wave = 0.5 * np.sin(2 * np.pi * frequency * np.arange(RATE) / RATE)
    gain = abs(1 - 0.97 * np.exp(-2j * np.pi * frequency / RATE))
    lines = np.zeros(401)
    lines[99:102] = 0.5 * gain * WINDOW / 4 * np.array([0.5, 1, 0.5])  # the Hann window spreads to both neighbours
    wanted = 8 * (20 * np.log10(np.maximum(filters() @ lines, 1e-5)) + 80) / 100 - 4
    band = wanted.argmax()
    assert abs(mel_spectrogram(wave)[band, 40] - wanted[band]) < 0.01


def test_windows_start_two_frames_early_and_repeat_the_ends():
    wave = sound(1.0)
    spectrum, windows = mel_spectrogram(wave), mel_windows(wave)
    assert windows.shape == (25, 1, BANDS, FRAMES) and windows.dtype == np.float32
    for frame, start in ((0, -6), (1, -3), (2, 0), (3, 3), (4, 6), (10, 25), (24, 70)):  # 3.2 spectra a video frame
        index = np.clip(np.arange(start, start + 16), 0, 80)
        assert np.array_equal(windows[frame, 0], spectrum[:, index]), frame
    assert len(mel_windows(wave, fps=30)) == 30 and len(mel_windows(wave, frames=40)) == 40
    assert len(mel_windows(sound(0.04))) == 1  # shorter than one analysis window


def test_sound_of_other_rates():
    wave = sound(0.5)
    stereo = np.stack([wave, wave], axis=1)
    assert np.array_equal(as_speech(stereo, RATE), wave)
    t = np.arange(48_000) / 96_000
    tone = as_speech(np.sin(2 * np.pi * 440 * t), 96_000)
    assert len(tone) == 8000
    assert np.abs(tone - np.sin(2 * np.pi * 440 * np.arange(8000) / RATE))[100:-100].max() < 1e-3
    assert mel_spectrogram(np.zeros(RATE)).max() == -4  # silence
    for samples, rate in (
        (np.zeros(0), RATE),
        (np.array([np.nan]), RATE),
        (np.zeros(9), 0),
        (np.zeros((2, 2, 2)), RATE),
    ):
        with pytest.raises(InputError):
            as_speech(samples, rate)
    with pytest.raises(InputError, match="shorter than one video frame"):
        mel_windows(np.zeros(100))


def test_smoothing_is_a_gaussian_of_one_frame():
    codes = np.random.default_rng(0).standard_normal((9, 3)).astype(np.float32)
    assert np.allclose(smooth(codes), gaussian_filter1d(codes, 1.0, axis=0, radius=1, mode="nearest"), atol=1e-6)
    assert np.allclose(smooth(np.eye(3)[:, :1] * 0 + 1), 1)
    impulse = smooth(np.array([[0.0], [0], [1], [0], [0]]))[:, 0]
    assert np.allclose(impulse, [0, 0.274, 0.452, 0.274, 0], atol=5e-4)


def test_the_network_equals_one_written_out_by_hand():
    torch.manual_seed(3)
    net = SpeechNetwork(codes=5, width=0.125, device="cpu")
    state = net.state_dict()
    for name, value in state.items():
        if "running_mean" in name or "bias" in name:
            value.normal_()
        elif "running_var" in name:
            value.uniform_(0.5, 2)
    x = windows = torch.randn(4, 1, 80, 16)
    strides = {3: (3, 1), 6: (3, 3), 9: (3, 2)}
    for i in range(13):
        w, b = (state[f"audio_encoder.{i}.conv_block.0.{n}"] for n in ("weight", "bias"))
        g, h, m, v = (
            state[f"audio_encoder.{i}.conv_block.1.{n}"][:, None, None]
            for n in ("weight", "bias", "running_mean", "running_var")
        )
        y = F.conv2d(x, w, b, stride=strides.get(i, 1), padding=0 if i >= 11 else 1)
        y = g * (y - m) / torch.sqrt(v + 1e-5) + h
        x = (y + x if i in (1, 2, 4, 5, 7, 8, 10) else y).clamp(min=0)
    assert x.shape[2:] == (1, 1)
    wanted = x.flatten(1) @ state["mapping.weight"].T + state["mapping.bias"]
    assert torch.allclose(net(windows), wanted, atol=1e-4, rtol=1e-4)
    assert not net(windows).requires_grad and net.train()(windows).requires_grad
    with pytest.raises(InputError, match="80 bands"):
        net(windows[:, :, :40])
