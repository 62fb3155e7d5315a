"""Learned transforms as files, and as snippets that compute them again."""

import io
from collections.abc import Mapping

import numpy as np

from core.models import Model
from core.tables import to_csv

_READ = {
    "wavelets": ("read_signals", "read_signals({0!r}, Path({0!r}).read_bytes())"),
    "spectrogram": ("read_clips", "read_clips({0!r}, Path({0!r}).read_bytes(), seconds={seconds!r})"),
    "curves": ("read_curves", "read_curves({0!r}, Path({0!r}).read_bytes(), target={target!r})"),
    "operators": ("read_pairs", "read_pairs([(name, Path(name).read_bytes()) for name in {names!r}])"),
}


def npz(**arrays: np.ndarray) -> bytes:
    """Named arrays as one file without pickle."""
    out = io.BytesIO()
    np.savez_compressed(out, **{k: np.asarray(v) for k, v in arrays.items()})
    return out.getvalue()


def columns(named: Mapping[str, np.ndarray]) -> bytes:
    """Named columns of equal length as csv."""
    return to_csv(list(named), zip(*(np.asarray(v).tolist() for v in named.values()), strict=True))


def data_lines(part: str, source: str | tuple[list[str], dict]) -> str:
    """Lines that make the variable `data`.

    Args:
        source: the name of a sample, or names of files and options of the reader.
    """
    if isinstance(source, str):
        return f"from core.transforms.samples import sample\n\ndata = sample({part!r}, {source!r})\n"
    names, options = source
    reader, call = _READ[part]
    module = "clips" if part == "spectrogram" else "uploads"
    read = call.format(*names, names=list(names), **options)
    return f"from pathlib import Path\n\nfrom core.transforms.{module} import {reader}\n\ndata = {read}\n"


def model_snippet(part: str, source: str | tuple[list[str], dict], model: Model, last: str) -> str:
    """Python that trains the model again; `last` are lines that show something of it."""
    imports, _, read = data_lines(part, source).rpartition("\n\n")
    return (
        f"{imports}\nfrom core.models import family\n\n{read}"
        f"model = family({model.family!r})(**{model.get_params()!r})\n"
        f"model.fit(data, seed={model.seed_})\n{last}"
    )


def wavelet_snippet(low: np.ndarray, high: np.ndarray, level: int) -> str:
    """Python that applies an orthogonal filter pair with PyWavelets alone."""
    taps = ", ".join(f"{v:.17g}" for v in low)
    fine = ", ".join(f"{v:.17g}" for v in high)
    return f"""import numpy as np
import pywt

low = np.array([{taps}])
high = np.array([{fine}])
# PyWavelets wants analysis filters backwards
wavelet = pywt.Wavelet("learned", [low[::-1], high[::-1], low, high])
wavelet.orthogonal = True
x = np.random.default_rng(0).standard_normal({2 ** (level + 4)})  # put your own series here
parts = pywt.wavedec(x, wavelet, mode="periodization", level={level})
again = pywt.waverec(parts, wavelet, mode="periodization")
print([len(p) for p in parts], "largest error", np.abs(again - x).max())
"""
