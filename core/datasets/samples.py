"""Built-in samples: real data that needs no network, each with its source and licence."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from core.datasets.dataset import Dataset
from core.datasets.pixels import luma
from core.errors import InputError

ASSETS = Path(__file__).parents[2] / "assets" / "samples"
_UCI = "CC BY 4.0 (UCI Machine Learning Repository), shipped in scikit-learn (BSD-3-Clause)."


@dataclass(frozen=True)
class SampleInfo:
    """A built-in sample before it is loaded.

    Attributes:
        title, sentence: what a person reads in the list.
        kind: the kind of its dataset.
        source, licence: shown beside the data.
        load: makes the dataset; takes the options that `sample` passes on.
    """

    title: str
    kind: str
    sentence: str
    source: str
    licence: str
    load: Callable[..., Dataset]


SAMPLES: dict[str, SampleInfo] = {}


def sample(name: str, **options) -> Dataset:
    """A built-in sample by name, such as `digits`.

    Args:
        options: of that sample: patches take `size`, `count`, `seed`, `contrast`; `speech` takes `frames`,
            `window`, `scale`; the others take none.

    Raises:
        InputError: no sample of that name.
    """
    if name not in SAMPLES:
        raise InputError(f"There is no sample {name!r}; there are {', '.join(SAMPLES)}.")
    info = SAMPLES[name]
    made = info.load(**options)
    return replace(made, title=info.title, source=info.source, licence=info.licence)


def _listed(name: str, **facts):
    def wrap(load):
        SAMPLES[name] = SampleInfo(load=load, **facts)
        return load

    return wrap


@_listed(
    "digits",
    title="Handwritten digits",
    kind="images",
    sentence="1,797 digits of 13 writers, 8 x 8 pixels.",
    source="Alpaydin and Kaynak 1998, Optical Recognition of Handwritten Digits (test set), UCI; via scikit-learn.",
    licence=_UCI,
)
def _digits() -> Dataset:
    from sklearn.datasets import load_digits

    data = load_digits()
    return Dataset(data.images / 16, "images", labels=data.target)


@_listed(
    "faces",
    title="Faces",
    kind="images",
    sentence="100 small grey faces, 25 x 25 pixels.",
    source="Labeled Faces in the Wild: Huang, Mattar, Lee and Learned-Miller 2012; the subset `lfw_subset` of "
    "scikit-image.",
    licence="News photographs gathered from the web for research; rights stay with their owners. The subset is "
    "shipped in scikit-image (BSD-3-Clause).",
)
def _faces() -> Dataset:
    from skimage.data import lfw_subset

    note = "Only the 100 faces are used; the subset's other 100 images show no faces."
    return Dataset(lfw_subset()[:100], "images", notes=(note,))


def _cut(pictures: dict[str, np.ndarray], size: int, count: int, seed: int, contrast: str, least: float) -> Dataset:
    from core.datasets.cutting import cut_patches
    from core.datasets.prepare import patched

    arrays = list(pictures.values())
    samples, where, few = cut_patches(arrays, size, count, seed, least=least)
    # names and labels come from a stand-in of one pixel a picture, as the pictures differ in size
    whole = Dataset(np.zeros((len(arrays), 1, 1)), "images", names=list(pictures), labels=np.array(list(pictures)))
    return patched(whole, samples, where, few, contrast)


@_listed(
    "photo-patches",
    title="Patches of two photographs",
    kind="images",
    sentence="Grey 12 x 12 patches of a photograph of a Chinese temple and of a flower.",
    source="`china.jpg` by danielbuechele and `flower.jpg` by vultilion on Flickr; via scikit-learn.",
    licence="CC BY 2.0, both photographs.",
)
def _photos(
    size: int = 12, count: int = 5000, seed: int = 0, contrast: str = "none", least: float = 0.02, colour: bool = False
) -> Dataset:
    from sklearn.datasets import load_sample_image

    pictures = {n: load_sample_image(f"{n}.jpg").astype(np.float32) / 255 for n in ("china", "flower")}
    if not colour:
        pictures = {n: luma(p) for n, p in pictures.items()}
    return _cut(pictures, size, count, seed, contrast, least)


@_listed(
    "skimage-patches",
    title="Patches of six photographs",
    kind="images",
    sentence="Grey 12 x 12 patches of a camera man, a brick wall, grass, gravel, a cat and a cup of coffee.",
    source="scikit-image: `camera` (Lav Varshney), `brick` and `gravel` (CC0Textures), `grass` (linolafett), "
    "`chelsea` (Stéfan van der Walt), `coffee` (Rachel Michetti).",
    licence="CC0 1.0, all six photographs.",
)
def _textures(size: int = 12, count: int = 6000, seed: int = 0, contrast: str = "none", least: float = 0.02) -> Dataset:
    from skimage import data

    pictures = {}
    for name in ("camera", "brick", "grass", "gravel", "chelsea", "coffee"):
        picture = getattr(data, name)().astype(np.float32) / 255
        pictures[name] = picture if picture.ndim == 2 else luma(picture)
    return _cut(pictures, size, count, seed, contrast, least)


@_listed(
    "breast-cancer",
    title="Breast cancer cells",
    kind="table",
    sentence="30 measures of cell nuclei of 569 tumours, malignant or benign.",
    source="Wolberg, Street and Mangasarian 1995, Breast Cancer Wisconsin (Diagnostic), UCI; via scikit-learn.",
    licence=_UCI,
)
def _cancer() -> Dataset:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    return Dataset(data.data, "table", labels=data.target_names[data.target], features=data.feature_names.tolist())


@_listed(
    "wine",
    title="Wine",
    kind="table",
    sentence="13 chemical measures of 178 Italian wines of three growers.",
    source="Forina and others 1988 (PARVUS), Wine, UCI; via scikit-learn.",
    licence=_UCI,
)
def _wine() -> Dataset:
    from sklearn.datasets import load_wine

    data = load_wine()
    growers = np.array([f"grower {i + 1}" for i in range(3)])
    heads = [f.replace("_", " ") for f in data.feature_names]
    return Dataset(data.data, "table", labels=growers[data.target], features=heads)


@_listed(
    "tecator",
    title="Near-infrared spectra of meat",
    kind="curves",
    sentence="Absorbance of 215 samples of minced meat at 100 wavelengths, labelled with their fat content in percent.",
    source="Tecator Infratec Food and Feed Analyzer (Tecator AB); Borggaard and Thodberg 1992, Analytical Chemistry "
    "64; StatLib, via sktime.",
    licence="Public domain by Tecator's note, which must go along: see `assets/README.md`.",
)
def _tecator() -> Dataset:
    with np.load(ASSETS / "tecator.npz", allow_pickle=False) as arrays:
        spectra, fat = arrays["spectra"], arrays["fat"]
    heads = [f"{w:.0f}" for w in np.linspace(850, 1050, 100)]
    return Dataset(spectra, "curves", labels=fat, features=heads, axis="wavelength / nm")


@_listed(
    "ecg",
    title="Heart beats",
    kind="curves",
    sentence="Five minutes of one electrocardiogram cut into single beats, aligned at their R peaks.",
    source="MIT-BIH Arrhythmia Database, record 208, lead MLII: Moody and Mark 2001; Goldberger and others 2000, "
    "PhysioNet; the excerpt of SciPy.",
    licence="ODC-By 1.0 (PhysioNet).",
)
def _ecg() -> Dataset:
    with np.load(ASSETS / "ecg.npz", allow_pickle=False) as arrays:
        signal = (arrays["counts"].astype(np.float64) - 1024) / 200  # mV
    peaks = r_peaks(signal, 360)
    before, after = 90, 162
    peaks = peaks[(peaks >= before) & (peaks < len(signal) - after)]
    beats = np.stack([signal[p - before : p + after] for p in peaks])
    heads = [f"{1000 * i / 360:.0f}" for i in range(-before, after)]
    names = [f"{p / 360:.2f} s" for p in peaks]
    note = f"{len(beats)} beats from 250 ms before to 450 ms after each R peak, in millivolt."
    return Dataset(beats, "curves", names=names, features=heads, axis="time / ms", notes=(note,))


def r_peaks(signal: np.ndarray, rate: float) -> np.ndarray:
    """Where the R peaks of an electrocardiogram stand, as sample numbers.

    The energy of the 5 to 20 Hz band, smoothed over 0.12 s, has one bump a beat (after Pan and Tompkins 1985); the
    largest excursion from the baseline within 0.1 s of a bump is its peak.
    """
    from scipy.signal import butter, find_peaks, sosfiltfilt

    band = sosfiltfilt(butter(2, [5, 20], "bandpass", fs=rate, output="sos"), signal)
    width = round(0.12 * rate)
    energy = np.convolve(band**2, np.ones(width) / width, "same")
    floor = 0.25 * np.median([c.max() for c in np.array_split(energy, max(1, len(signal) // round(2 * rate)))])
    bumps, _ = find_peaks(energy, height=floor, distance=round(0.3 * rate))
    reach, peaks = round(0.1 * rate), []
    for b in bumps:
        start = max(0, b - reach)
        peaks.append(start + int(np.argmax(np.abs(band[start : b + reach + 1]))))
    return np.unique(peaks)


@_listed(
    "speech",
    title="A spoken sentence",
    kind="audio",
    sentence="Four seconds of a Scottish speaker: “And you always want to see it in the superlative degree.”",
    source="CMU ARCTIC, speaker awb, utterance a0007: Kominek and Black 2004, Carnegie Mellon University; via pysptk.",
    licence="Free for any use with its notice (Carnegie Mellon University 2003): see `assets/README.md`.",
)
def _speech(frames: str = "spectra", window: int = 512, scale: str = "sqrt") -> Dataset:
    from core.datasets.audio import load_audio
    from core.datasets.options import LoadOptions

    options = LoadOptions(frames=frames, window=window, scale=scale)
    return load_audio("speech.flac", (ASSETS / "speech.flac").read_bytes(), options)
