"""Preparations, each against a formula of its own."""

import numpy as np
import pytest

from core.datasets import (
    Dataset,
    InputError,
    fill_missing,
    grey,
    limit,
    patches,
    resize,
    sample,
    standardise,
    unstandardise,
)
from core.datasets.cutting import cut_patches, normalise_contrast


def test_standardising_and_back():
    from sklearn.preprocessing import StandardScaler

    wine = sample("wine")
    made = standardise(wine)
    assert np.allclose(made.samples, StandardScaler().fit_transform(wine.samples.astype(np.float64)), atol=1e-5)
    assert np.allclose(unstandardise(made, made.samples), wine.samples, rtol=1e-5, atol=1e-4)
    assert made.labels is not None
    assert len(made.notes) == len(wine.notes) + 1


def test_constant_columns_stay_finite():
    x = np.column_stack([np.arange(9.0), np.full(9, 123456.7), np.zeros(9)])
    made = standardise(Dataset(x, "table"))
    assert np.isfinite(made.samples).all()
    assert not made.samples[:, 1:].any()
    assert any("2 columns" in n for n in made.notes)


def test_resize_and_grey():
    x = np.random.default_rng(0).random((4, 20, 30, 3))
    colour = Dataset(x, "images")
    assert resize(colour, 10).shape == (10, 10, 3)
    assert np.allclose(grey(colour).samples, x @ [0.299, 0.587, 0.114], atol=1e-5)
    with pytest.raises(InputError, match="Only images"):
        resize(sample("wine"), 8)


def test_patches_are_where_they_say():
    x = np.random.default_rng(0).random((3, 15, 18)).astype(np.float32)
    made = patches(Dataset(x, "images", names=["p", "q", "r"]), 5, 60, seed=2)
    for patch, (i, y, c), label in zip(made.samples, made.extra["place"], made.labels, strict=True):
        assert np.array_equal(patch, x[i, y : y + 5, c : c + 5])
        assert label == "pqr"[i]
    again = patches(Dataset(x, "images", names=["p", "q", "r"]), 5, 60, seed=2)
    assert made.fingerprint == again.fingerprint


def test_all_places_are_drawn_alike():
    found = [tuple(p) for p in cut_patches([np.random.rand(4, 4), np.random.rand(5, 4)], 2, 999, 0)[1].tolist()]
    assert len(set(found)) == len(found) == 9 + 12


def test_contrast_and_flat_patches():
    x = np.zeros((2, 20, 20), np.float32)
    x[:, 10:] = np.random.default_rng(0).random((2, 10, 20))
    made = patches(Dataset(x, "images"), 4, 30, least=0.05, contrast="centre")
    assert np.abs(made.samples.mean((1, 2))).max() < 1e-6
    assert made.samples.std((1, 2)).min() >= 0.05
    unit = normalise_contrast(np.random.default_rng(0).random((5, 8, 8)), "unit", floor=0)
    assert np.allclose(unit.std((1, 2)), 1)


def test_gaps_of_a_dataset_made_in_code():
    x = np.array([[1.0, 2], [np.nan, 4], [3, np.inf]])
    made = fill_missing(Dataset(x, "table"), "fill mean")
    assert made.samples.tolist() == [[1, 2], [2, 4], [3, 3]]
    assert fill_missing(Dataset(x, "table"), "drop rows").samples.tolist() == [[1, 2]]


def test_a_random_part():
    digits = sample("digits")
    part = limit(digits, 50, seed=1)
    assert len(part) == 50
    assert part.fingerprint == limit(digits, 50, seed=1).fingerprint
    assert part.fingerprint != limit(digits, 50, seed=2).fingerprint
    where = [int(n) for n in part.names]
    assert np.array_equal(part.samples, digits.samples[where])
    assert limit(digits, 5000) is digits
