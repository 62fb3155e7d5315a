"""Datasets: what an upload or a built-in sample becomes."""

from core.datasets.dataset import KINDS, Dataset

__all__ = ["KINDS", "Dataset"]
