"""Spoken vowels made by a source and three resonators, with speakers that differ."""

import numpy as np
from scipy.signal import lfilter

from core.datasets.dataset import Dataset

# Mean formants in Hz of adult speakers, rounded, after Peterson and Barney 1952.
FORMANTS = {"ee": (300, 2500, 3100), "eh": (570, 1950, 2600), "ah": (780, 1170, 2500), "aw": (580, 880, 2500),
            "oo": (330, 910, 2300)}  # fmt: skip


def vowels(clips: int = 120, seed: int = 0) -> Dataset:
    """Five vowels, 0.25 s at 8 kHz, each clip by a speaker of its own.

    A train of glottal pulses (90 to 240 Hz, falling a little) goes through three resonators in a row (Klatt 1980)
    whose frequencies are those of the vowel times the speaker's vocal tract (0.9 to 1.15) and some spread; noise is
    added. The vowels lie far apart, so that a fixed mel bank hears them well.

    Args:
        clips: of each vowel.
    """
    rng = np.random.default_rng(seed)
    rate, length = 8000, 2000
    samples, labels = [], []
    for name, formants in FORMANTS.items():
        for _ in range(clips):
            pitch = rng.uniform(90, 240) * np.linspace(1.03, 0.97, length)
            pulses = np.diff(np.floor(np.cumsum(pitch) / rate + rng.random()), prepend=0.0).clip(0, 1)
            wave = lfilter([1.0], [1.0, -0.95], pulses - pulses.mean())
            tract = rng.uniform(0.9, 1.15)
            for f, width in zip(formants, (80, 100, 140), strict=True):
                f = min(f * tract * rng.normal(1, 0.03), 3800.0)
                r = np.exp(-np.pi * width / rate)
                a = [1.0, -2 * r * np.cos(2 * np.pi * f / rate), r * r]
                wave = lfilter([sum(a)], a, wave)
            wave = wave / wave.std() + rng.uniform(0.05, 0.4) * rng.standard_normal(length)
            samples.append(0.1 * wave * rng.uniform(0.5, 1.5))
            labels.append(name)
    return Dataset(
        np.stack(samples),
        "audio",
        title="Spoken vowels (synthetic)",
        labels=np.array(labels),
        rate=float(rate),
        axis="time / s",
        source="Five vowels made by the app from pulses and resonators; formants after Peterson and Barney 1952.",
        licence="made by the app",
    )
