"""Simplex heads and the small networks that are trained one after another."""

import numpy as np
import pytest
import torch

from core.compatible.samples import digits
from core.compatible.simplex import SimplexHead, simplex
from core.compatible.versions import VersionSettings, train_versions
from core.errors import InputError
from core.progress import CallbackRun


@pytest.mark.parametrize("classes", [2, 3, 4, 10, 100, 1025])
def test_simplex_corners_are_equally_far_apart(classes):
    corners = simplex(classes)
    gram = corners @ corners.T
    assert corners.shape == (classes, classes - 1)
    assert np.abs(np.diag(gram) - 1).max() < 1e-10
    assert np.abs(gram[~np.eye(classes, dtype=bool)] + 1 / (classes - 1)).max() < 1e-7
    assert np.abs(corners.sum(axis=0)).max() < 1e-9


def test_a_simplex_needs_two_classes_and_trains_nothing():
    with pytest.raises(InputError, match="two classes"):
        simplex(1)
    head = SimplexHead(4, scale=2.0)
    assert not list(head.parameters())
    assert torch.allclose(head(5 * head.weight[1:2]), torch.tensor([[-2 / 3, 2, -2 / 3, -2 / 3]]), atol=1e-6)


@pytest.fixture(scope="module")
def data():
    return digits(0)


def test_classes_added_later_keep_the_places_of_the_first(data):
    old, new = train_versions(*data, (5, 10), VersionSettings(steps=40, hidden=32))
    assert np.array_equal(old.directions, new.directions)
    assert old.classes == (0, 1, 2, 3, 4) and len(new.classes) == 10
    assert old.features.shape == new.features.shape == (len(data[2]), 9)
    assert old.accuracy > 0.9 and new.accuracy > 0.7
    nearest_corner = (new.features @ new.directions.T).argmax(axis=1)
    assert (nearest_corner == data[3]).mean() > 0.7


@pytest.mark.parametrize("align", ["distill", "contrast"])
def test_alignment_brings_the_versions_together_and_seeds_repeat(data, align):
    few = dict(steps=40, hidden=32, room=12)
    free = train_versions(*data, (5, 10), VersionSettings(**few), seed=3)
    held = train_versions(*data, (5, 10), VersionSettings(align=align, weight=5.0, **few), seed=3)
    again = train_versions(*data, (5, 10), VersionSettings(align=align, weight=5.0, **few), seed=3)
    known = data[3] < 5
    together = [np.mean(np.sum(v[0].features * v[1].features, axis=1)[known]) for v in (free, held)]
    assert together[1] > together[0]
    assert np.array_equal(held[1].features, again[1].features)


def test_a_learned_head_moves_and_a_stop_keeps_what_is_complete(data):
    settings = VersionSettings(head="learned", steps=30, hidden=16)
    old, new = train_versions(*data, (5, 10), settings)
    assert not np.allclose(old.directions, new.directions)
    seen = []
    run = CallbackRun(lambda p: seen.append(p) or p.step >= 30)
    kept = train_versions(*data, (5, 10), settings, run=run)
    assert len(kept) == 1 and seen[-1].total == 60


def test_more_classes_than_room_are_refused(data):
    with pytest.raises(InputError, match="room"):
        train_versions(*data, (5, 10), VersionSettings(room=8))
    with pytest.raises(InputError, match="two classes"):
        train_versions(*data, (1, 10))
