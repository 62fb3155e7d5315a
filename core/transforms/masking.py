"""What a sound classifier listens to: its accuracy when one band of frequencies is taken from the held-out clips."""

import itertools
from dataclasses import dataclass

import numpy as np

from core.datasets.dataset import Dataset
from core.progress import Run
from core.transforms.spectrogram import TrainableSpectrogram

WAYS = {"exchange": "Taken from another clip", "silence": "Silenced"}
MOST_CLIPS = 400


@dataclass(frozen=True, eq=False)
class Masked:
    """The masked-bin experiment of one model.

    Attributes:
        edges: `(B + 1,)` bounds of the bands in hertz.
        accuracy: `(B,)` with that band masked, on the held-out clips that were used.
        whole: with nothing masked, on the same clips.
        clips: how many.
    """

    edges: np.ndarray
    accuracy: np.ndarray
    whole: float
    clips: int

    @property
    def centres(self) -> np.ndarray:
        """`(B,)` in hertz."""
        return (self.edges[1:] + self.edges[:-1]) / 2

    @property
    def most(self) -> int:
        """The band whose loss costs most."""
        return int(self.accuracy.argmin())


def mask_band(clips: np.ndarray, rate: float, low: float, high: float, way: str, seed: int = 0) -> np.ndarray:
    """Clips `(N, T)` without their frequencies in `[low, high)` hertz.

    Args:
        way: `silence` takes the band away; `exchange` puts the same band of another clip there, so that the band
            sounds as usual and says nothing of the label (permutation importance, Breiman 2001, of a band).
        seed: of who gets whose band.
    """
    spectrum = np.fft.rfft(clips, axis=1)
    frequency = np.fft.rfftfreq(clips.shape[1], 1 / rate)
    band = (frequency >= low) & (frequency < high)
    if way == "silence":
        spectrum[:, band] = 0
    else:
        giver = np.random.default_rng(seed).permutation(len(clips))
        spectrum[:, band] = spectrum[giver][:, band]
    return np.fft.irfft(spectrum, clips.shape[1], axis=1).astype(np.float32)


def masked_accuracy(
    model: TrainableSpectrogram, dataset: Dataset, *, bands: int = 16, way: str = "exchange", run: Run | None = None
) -> Masked | None:
    """Accuracy on held-out clips with each of some equally wide bands masked; None when it was stopped.

    Bins of trained kernels no longer belong to one frequency, so the band is masked in the sound itself: fixed and
    trained spectrograms hear the same masked clips.
    """
    run = run or Run()
    y, _, test = model.held_out(dataset)
    if len(test) > MOST_CLIPS:
        test = np.sort(np.random.default_rng(0).choice(test, MOST_CLIPS, replace=False))
    clips, truth = dataset.samples[test], y[test]
    edges = np.linspace(0, model.rate_ / 2, bands + 1)
    found = []
    for i, (low, high) in enumerate(itertools.pairwise(edges)):
        if run.should_stop():
            return None
        top = np.inf if i == bands - 1 else high  # the last band holds the highest frequency too
        masked = mask_band(clips, model.rate_, low, top, way, seed=i)
        found.append(float((model.predict(masked) == truth).mean()))
        run.progress(i + 1, bands)
    return Masked(edges, np.array(found), float((model.predict(clips) == truth).mean()), len(test))
