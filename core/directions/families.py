"""Importing this module registers every family of the page *Basis directions*."""

from core.directions import pca  # noqa: F401
