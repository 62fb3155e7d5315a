"""Trainable spectrograms and labelled clips."""

import io
import zipfile

import numpy as np
import pytest
import scipy.signal
import soundfile
import torch

from core.datasets.dataset import Dataset
from core.errors import InputError
from core.transforms.clips import narrow_bands, read_clips
from core.transforms.masking import WAYS, mask_band, masked_accuracy
from core.transforms.mel import fourier_kernels, from_mel, mel_filters, to_mel
from core.transforms.spectrogram import Spectrogram, SpectrogramSettings, TrainableSpectrogram

SMALL = dict(steps=120, n_fft=256, hop=256, mels=8, lr=0.03, batch=32)


def test_the_fixed_start_is_scipys_spectrogram():
    x = np.random.default_rng(0).standard_normal(1000).astype(np.float32)
    module = Spectrogram(SpectrogramSettings(n_fft=128, hop=64), 8000, 2)
    ours = module.power(torch.as_tensor(x)[None])[0].detach().numpy()
    frames = np.lib.stride_tricks.sliding_window_view(x, 128)[::64] * scipy.signal.get_window("hann", 128)
    assert np.allclose(ours, np.abs(np.fft.rfft(frames)) ** 2, rtol=1e-3, atol=1e-3)
    assert fourier_kernels(16).shape == (2, 9, 16)


def test_mel_filters_are_triangles_even_in_mel():
    filters = mel_filters(10, 512, 16_000)
    peaks = to_mel(filters.argmax(axis=1) * 16_000 / 512)
    assert np.allclose(np.diff(peaks), np.diff(peaks).mean(), rtol=0.35) and (filters.max(axis=1) > 0.5).all()
    assert np.allclose(filters.sum(axis=0)[10:180], 1, atol=1e-9)
    assert (mel_filters(100, 64, 8000).sum(axis=1) > 0).all()
    assert from_mel(to_mel(440.0)) == pytest.approx(440)


@pytest.fixture(scope="module")
def bands():
    return narrow_bands(40)


@pytest.fixture(scope="module")
def trained(bands):
    return TrainableSpectrogram(trained="mel", **SMALL).fit(bands)


def test_training_the_filters_beats_the_fixed_ones(bands, trained):
    fixed = TrainableSpectrogram(trained="none", **SMALL).fit(bands)
    assert trained.accuracy_ > fixed.accuracy_ + 0.1
    assert np.array_equal(fixed.filters(), fixed.start()[0].astype(np.float32))
    assert not np.allclose(trained.filters(), fixed.filters()) and np.allclose(trained.kernels(), fixed.kernels())
    assert trained.confusion_.sum() == 60 and np.trace(trained.confusion_) == round(60 * trained.accuracy_)
    assert trained.importance_.shape == (8,) and (trained.filters() >= 0).all()
    loaded = TrainableSpectrogram.from_arrays(trained.get_params(), trained.arrays(), trained.shape_)
    assert np.array_equal(loaded.predict(bands.samples), trained.predict(bands.samples))
    assert loaded.accuracy_ == trained.accuracy_ and list(loaded.classes_) == list(trained.classes_)


def test_masking_the_band_of_the_labels_costs_most(bands, trained):
    model = trained
    y, fit, test = model.held_out(bands)
    assert set(fit) | set(test) == set(range(len(y))) and not set(fit) & set(test)
    assert model.judge(bands)[0] == model.accuracy_
    for way in WAYS:
        found = masked_accuracy(model, bands, bands=5, way=way)  # 800 Hz each; the labels differ in 2200 to 2380 Hz
        assert found.most == 2 and found.accuracy[2] < 0.45 and found.whole == model.accuracy_
        assert found.clips == len(test) and np.allclose(found.edges, 800 * np.arange(6))
    quiet = mask_band(bands.samples[:3], 8000, 1600, 2400, "silence")
    power, frequency = np.abs(np.fft.rfft(quiet)), np.fft.rfftfreq(quiet.shape[1], 1 / 8000)
    inside = (frequency >= 1600) & (frequency < 2400)
    assert power[:, inside].max() < 1e-4 < np.abs(np.fft.rfft(bands.samples[:3]))[:, inside].min()
    other = Dataset(bands.samples, "audio", labels=np.array(["x", "y"] * 100), rate=8000.0)
    with pytest.raises(InputError, match="other labels"):
        model.judge(other)


def test_kernels_can_be_trained_too(bands):
    model, again = (TrainableSpectrogram(trained="kernels", **{**SMALL, "steps": 10}).fit(bands) for _ in range(2))
    assert np.array_equal(again.kernels(), model.kernels())
    assert not np.allclose(model.kernels(), model.start()[1]) and np.allclose(model.filters(), model.start()[0])
    assert set(model.bases()) == {"filters", "cosine kernels"}


def test_a_filter_is_heard_where_it_listens_and_a_code_comes_back(bands):
    model = TrainableSpectrogram(trained="none", **{**SMALL, "steps": 2}).fit(bands)
    wave = model.filter_sound(5)
    spectrum = np.abs(np.fft.rfft(wave)) ** 2
    heard = np.average(np.linspace(0, 4000, len(spectrum)), weights=spectrum)
    centre = np.average(np.linspace(0, 4000, 129), weights=model.responses()[5])
    assert abs(heard - centre) < 100 and np.abs(wave).max() == pytest.approx(0.5) and len(wave) == 8000
    code = model.encode(bands.samples[:3])
    back = model.encode(model.decode(code))
    assert np.abs(back - code).mean() < 0.6 < np.abs(code - code.mean()).mean()


def zipped(files) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, (wave, rate) in files.items():
            sound = io.BytesIO()
            soundfile.write(sound, wave, rate, format="WAV")
            archive.writestr(name, sound.getvalue())
    return buffer.getvalue()


def test_a_zip_of_folders_becomes_labelled_clips():
    rng = np.random.default_rng(0)
    wave = rng.standard_normal(4000) * 0.1
    data = zipped(
        {"a/1.wav": (wave, 8000), "a/2.wav": (wave[:1000], 8000), "x/b/3.wav": (np.stack([wave] * 2, 1), 8000)}
    )
    made = read_clips("set.zip", data, seconds=0.25)
    assert made.samples.shape == (3, 2000) and made.labels.tolist() == ["a", "a", "b"] and made.rate == 8000
    assert any("silence" in n for n in made.notes) and not made.samples[1, 1000:].any()


@pytest.mark.parametrize(
    "data, words",
    [
        (b"no zip", "damaged"),
        (zipped({"a/1.txt.wav": (np.zeros(100), 8000)}), "one folder"),
        (zipped({"a/1.wav": (np.zeros(100), 8000), "b/1.wav": (np.zeros(100), 4000)}), "rates"),
        (zipped({}), "no sounds"),
    ],
)
def test_zips_that_do_not_suit_are_refused(data, words):
    with pytest.raises(InputError, match=words):
        read_clips("set.zip", data)
    with pytest.raises(InputError, match="one wav file"):
        read_clips("a.wav", data)


def test_clips_that_do_not_suit_are_refused():
    x = np.random.default_rng(0).standard_normal((10, 300)).astype(np.float32)
    for labels, settings, words in (
        (None, SMALL, "label"),
        (np.zeros(10), SMALL, "labels"),
        (np.arange(10) % 2, {**SMALL, "n_fft": 512}, "shorter"),
    ):
        with pytest.raises(InputError, match=words):
            TrainableSpectrogram(**settings).fit(Dataset(x, "audio", labels=labels, rate=8000.0))
