"""The built-in samples of the page *Learned transforms*, by part and name."""

from collections.abc import Callable

import numpy as np

from core.datasets import sample as general
from core.datasets.dataset import Dataset
from core.errors import InputError
from core.transforms.clips import narrow_bands
from core.transforms.curves import case_three
from core.transforms.operators import OPERATORS, operator_pairs
from core.transforms.vowels import vowels

_PYWT = "Shipped in PyWavelets (MIT licence)."


def _ecg() -> Dataset:
    import pywt.data

    wave = pywt.data.ecg().astype(np.float32)
    return Dataset(
        wave[None], "curves", title="ECG", axis="sample", source="The electrocardiogram of PyWavelets.", licence=_PYWT
    )


def _demo(name: str) -> Dataset:
    import pywt.data

    wave = pywt.data.demo_signal(name, 1024).astype(np.float32)
    source = f"Test signal {name} of Donoho and Johnstone 1994, Biometrika 81, made by PyWavelets."
    return Dataset(wave[None], "curves", title=name, axis="sample", source=source, licence=_PYWT)


def _camera() -> Dataset:
    from skimage import data

    image = data.camera().astype(np.float32)[::2, ::2] / 255
    source = "Photograph by Lav Varshney, shipped in scikit-image, every second pixel."
    return Dataset(image[None], "images", title="Camera man", source=source, licence="CC0 1.0")


SAMPLES: dict[str, dict[str, tuple[str, Callable[[], Dataset]]]] = {
    "wavelets": {
        "ecg": ("ECG", _ecg),
        "beats": ("Heart beats", lambda: general("ecg")),
        "doppler": ("Doppler (synthetic)", lambda: _demo("Doppler")),
        "blocks": ("Blocks (synthetic)", lambda: _demo("Blocks")),
        "camera": ("Camera man", _camera),
    },
    "spectrogram": {
        "narrow": ("Narrow bands (synthetic)", narrow_bands),
        "vowels": ("Spoken vowels (synthetic)", vowels),
    },
    "curves": {
        "tecator": ("Near-infrared spectra of meat", lambda: general("tecator")),
        "case-three": ("Squared score (synthetic)", lambda: case_three(1500)[0]),
    },
    "operators": {n: (n.capitalize(), lambda n=n: operator_pairs(n)) for n in OPERATORS},
}


def sample(part: str, name: str) -> Dataset:
    """A sample.

    Raises:
        InputError: no such part or sample.
    """
    if name not in SAMPLES.get(part, {}):
        raise InputError(f"There is no sample {name!r} of {part!r}; there are {', '.join(SAMPLES.get(part, SAMPLES))}.")
    return SAMPLES[part][name][1]()
