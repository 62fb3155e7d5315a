"""The built-in samples: real, finite, described, and the same each time."""

import numpy as np
import pytest

from core.datasets import SAMPLES, InputError, sample

SHAPES = {
    "digits": (1797, 8, 8),
    "faces": (100, 25, 25),
    "photo-patches": (5000, 12, 12),
    "skimage-patches": (6000, 12, 12),
    "breast-cancer": (569, 30),
    "wine": (178, 13),
    "tecator": (215, 100),
    "ecg": (494, 252),
    "speech": (503, 257),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample(name, monkeypatch):
    import socket

    monkeypatch.setattr(socket.socket, "connect", None)  # any use of the network fails
    info, made = SAMPLES[name], sample(name)
    assert made.samples.shape == SHAPES[name]
    assert made.kind == info.kind
    assert np.isfinite(made.samples).all()
    assert made.source == info.source and made.source.endswith(".")
    assert made.licence == info.licence and made.licence.endswith(".")
    assert info.sentence.rstrip("”").endswith(".")
    assert made.fingerprint == sample(name).fingerprint
    if made.kind == "images":
        assert made.samples.min() >= 0
        assert made.samples.max() <= 1
    if made.kind in ("table", "curves"):
        assert len(set(made.features)) == made.d


def test_numbers_known_from_elsewhere():
    assert sample("wine").features[0] == "alcohol"
    cancer = sample("breast-cancer")
    assert (cancer.labels == "malignant").sum() == 212
    assert sorted(set(sample("digits").labels.tolist())) == list(range(10))
    tecator = sample("tecator")
    assert (tecator.features[0], tecator.features[-1], tecator.axis) == ("850", "1050", "wavelength / nm")
    assert tecator.labels[0] == 22.5
    assert tecator.samples[0, 0] == pytest.approx(2.61776)


def test_heart_beats_are_aligned_at_their_peaks():
    made = sample("ecg")
    times = [float(n.split()[0]) for n in made.names]
    beats_a_minute = 60 / np.median(np.diff(times))
    assert 60 < beats_a_minute < 130
    assert min(np.diff(times)) >= 0.25
    mean = np.abs(made.samples.mean(0) - np.median(made.samples))
    assert abs(int(mean.argmax()) - made.features.index("0")) <= 3


def test_a_synthetic_heart_is_found_exactly():
    from core.datasets.samples import r_peaks

    t = np.arange(20 * 360) / 360
    peaks = np.arange(0.5, 19.5, 0.8)
    beat = sum(np.exp(-0.5 * ((t - p) / 0.012) ** 2) + 0.2 * np.exp(-0.5 * ((t - p - 0.25) / 0.05) ** 2) for p in peaks)
    found = r_peaks(beat + 0.3 * np.sin(2 * np.pi * 0.2 * t), 360)
    assert np.abs(found - np.round(peaks * 360)).max() <= 2


def test_an_unknown_sample():
    with pytest.raises(InputError, match="there are digits"):
        sample("nothing")
