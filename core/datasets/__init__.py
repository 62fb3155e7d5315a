"""Datasets: what an upload or a built-in sample becomes.

    data = load([("wine.csv", content)])                      # bytes in, never a path
    data = load(files, "images", LoadOptions(side=64))        # or say what it is, and how to read it
    data = sample("digits")                                   # a built-in sample; `SAMPLES` lists them
    data = standardise(data)                                  # preparations give a new dataset and say what they did
    rate, wave = to_waveform(clip, reconstructed_frames)      # frames of a sound back to sound

Everything a file can do wrong is an `InputError` of one sentence; gaps in a table are its subclass `MissingValues`.
`ACCEPTED` and `LIMITS` say what is taken and how much of it. Importing this package imports only numpy; pandas,
Pillow, soundfile and scikit-learn are imported by the loader that needs them.
"""

from core.datasets.dataset import KINDS, Dataset
from core.datasets.loading import load
from core.datasets.options import ACCEPTED, LIMITS, Limits, LoadOptions
from core.datasets.prepare import fill_missing, grey, limit, patches, resize, standardise, unstandardise
from core.datasets.samples import SAMPLES, SampleInfo, sample
from core.datasets.sound import frames_of, magnitudes, spectrum_to_sound, to_waveform, window_to_sound
from core.datasets.text import vectorise
from core.errors import InputError, MissingValues

__all__ = [
    "ACCEPTED",
    "KINDS",
    "LIMITS",
    "SAMPLES",
    "Dataset",
    "InputError",
    "Limits",
    "LoadOptions",
    "MissingValues",
    "SampleInfo",
    "fill_missing",
    "frames_of",
    "grey",
    "limit",
    "load",
    "magnitudes",
    "patches",
    "resize",
    "sample",
    "spectrum_to_sound",
    "standardise",
    "to_waveform",
    "unstandardise",
    "vectorise",
    "window_to_sound",
]
