"""How data of each kind is made ready for a basis: settings of the pages, and what they do."""

from dataclasses import dataclass, replace

from core.datasets import prepare as steps
from core.datasets.dataset import Dataset
from core.datasets.sound import frames_of, is_spectra, to_waveform
from core.datasets.text import vectorise
from core.settings import Settings, setting


@dataclass(frozen=True)
class TablePreparation(Settings):
    standardise: bool = setting(True, "Give every column zero mean and unit variance, so that no unit dominates.")


@dataclass(frozen=True)
class ActivationsPreparation(Settings):
    standardise: bool = setting(False, "Give every unit zero mean and unit variance.")


@dataclass(frozen=True)
class ImagesPreparation(Settings):
    cut: str = setting("whole", "Use whole pictures, or small patches cut at random.", choices=("whole", "patches"))
    side: int = setting(32, "Largest side of a whole picture in pixels; larger ones are reduced.", low=8, high=128)
    patch: int = setting(12, "Side of a patch in pixels.", low=4, high=32)
    count: int = setting(5000, "How many patches to cut.", low=100, high=50_000, step=1000)
    grey: bool = setting(True, "Leave out colour.")
    contrast: str = setting(
        "none",
        "What is taken out of each patch: nothing, its mean (centre), or its mean and its contrast (unit).",
        choices=("none", "centre", "unit"),
        more=True,
    )
    seed: int = setting(0, "Seed of the places of patches.", low=0, high=2**31 - 1, more=True)


@dataclass(frozen=True)
class CurvesPreparation(Settings):
    centre: bool = setting(False, "Take each curve's own mean away, so that only its form counts.")


@dataclass(frozen=True)
class AudioPreparation(Settings):
    frames: str = setting(
        "spectra",
        "Each moment is its magnitude spectrum, or a window of the wave itself.",
        choices=("spectra", "waves"),
    )


@dataclass(frozen=True)
class TextPreparation(Settings):
    words: int = setting(500, "How many of the most frequent words count (TF-IDF).", low=10, high=5000)


PREPARATIONS: dict[str, type[Settings]] = {
    "table": TablePreparation,
    "activations": ActivationsPreparation,
    "images": ImagesPreparation,
    "curves": CurvesPreparation,
    "audio": AudioPreparation,
    "text": TextPreparation,
}


def prepare(raw: Dataset, settings: Settings) -> Dataset:
    """The data ready for a basis.

    Args:
        raw: as a loader or `sample` gave it.
        settings: of the class that `PREPARATIONS` has for its kind.

    Raises:
        InputError: the settings do not suit the data (patches larger than the images).
    """
    return _PREPARE[raw.kind](raw, settings)


def _table(raw: Dataset, settings: TablePreparation | ActivationsPreparation) -> Dataset:
    return steps.standardise(raw) if settings.standardise else raw


def _images(raw: Dataset, settings: ImagesPreparation) -> Dataset:
    images = steps.grey(raw) if settings.grey else raw
    if settings.cut == "patches":
        return steps.patches(images, settings.patch, settings.count, settings.seed, contrast=settings.contrast)
    if max(images.shape[:2]) > settings.side:
        images = steps.resize(images, settings.side)
    return images


def _curves(raw: Dataset, settings: CurvesPreparation) -> Dataset:
    if not settings.centre:
        return raw
    means = raw.samples.mean(axis=-1, keepdims=True)
    return raw.noted("Each curve's own mean was taken away.", samples=raw.samples - means)


def _audio(raw: Dataset, settings: AudioPreparation) -> Dataset:
    if is_spectra(raw) == (settings.frames == "spectra"):
        return raw
    rate, wave = to_waveform(raw)
    window = int(raw.extra["window"][0])
    made = frames_of(wave, rate, form=settings.frames, window=window, title=raw.title)
    return replace(made, source=raw.source, licence=raw.licence, notes=raw.notes + made.notes)


def _text(raw: Dataset, settings: TextPreparation) -> Dataset:
    return vectorise(raw, max_features=settings.words)


_PREPARE = {
    "table": _table,
    "activations": _table,
    "images": _images,
    "curves": _curves,
    "audio": _audio,
    "text": _text,
}
