"""Two clouds and corners: every item is drawn once a side, in its class's sign."""

import numpy as np

from core.compatible.simplex import simplex
from core.figures.spaces import around_corners, two_clouds

RNG = np.random.default_rng(0)


def test_every_item_is_drawn_once_on_each_side_and_classes_are_named():
    label = np.arange(300) % 11
    old, new = RNG.standard_normal((2, 300, 2))
    fig = two_clouds(old, new, label, [f"c<{i}" for i in range(11)])
    for name in ("old", "mapped new"):
        mine = [t for t in fig.data if t.name == name]
        assert sum(len(t.x) for t in mine) == 300 and len(mine) == 2  # more than eight classes take a second symbol
        assert sum(bool(t.showlegend) for t in mine) == 1
        assert all(t.marker.symbol.endswith("-open") == (name == "old") for t in mine)
    assert len(fig.layout.annotations) == 11 and "&lt;" in fig.layout.annotations[0].text


def test_without_labels_or_with_very_many_classes_two_colours_are_left():
    old, new = RNG.standard_normal((2, 40, 2))
    for label, classes in ((None, ()), (np.arange(40), [str(i) for i in range(40)])):
        fig = two_clouds(old, new, label, classes)
        assert len(fig.data) == 3 and not fig.layout.annotations


def test_corners_of_classes_to_come_are_hollow():
    features = RNG.standard_normal((20, 3))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    fig = around_corners(features, np.arange(20) % 4, simplex(4), list("abcd"), 3)
    spokes = [t for t in fig.data if t.mode == "lines+markers+text"]
    assert [t.marker.symbol for t in spokes] == ["diamond"] * 3 + ["diamond-open"]
    assert sum(len(t.x) for t in fig.data if t.mode == "markers") == 20
