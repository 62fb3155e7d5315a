"""Importing this module registers every family of the page *Learned transforms*, in the order of the imports."""

# ruff: noqa: F401, I001
from core.transforms import spectrogram
from core.transforms import wavelet_model
from core.transforms import adafnn
from core.transforms import deeponet
