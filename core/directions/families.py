"""Importing this module registers every family of the page *Basis directions*, in the order of the imports."""

# ruff: noqa: F401, I001
from core.directions import pca
from core.directions import varimax
from core.directions import ica
from core.directions import nmf
from core.directions import factor_analysis
from core.directions import kmeans
from core.directions import random_basis
from core.directions import sparse_coding
from core.directions import psd
from core.directions import sae
from core.directions import autoencoder
from core.directions import quantised
