"""How data of each kind is made ready for a basis: settings of the pages, and what they do."""

from dataclasses import dataclass

from core.datasets import prepare as steps
from core.datasets.dataset import Dataset
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
        "none", "What is taken out of each picture or patch.", choices=("none", "mean", "mean and contrast"), more=True
    )


@dataclass(frozen=True)
class CurvesPreparation(Settings):
    centre: bool = setting(False, "Take each curve's own mean away, so that only its form counts.")


@dataclass(frozen=True)
class AudioPreparation(Settings):
    frames: str = setting(
        "spectrum", "Describe each moment by its spectrum or by the wave itself.", choices=("spectrum", "wave")
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
