"""What the drawn graph and the drawable curve are given, and what they may give back."""

import json
import struct

import numpy as np
import pytest

from core.ui.components.curve import MOST_POINTS, checked
from core.ui.components.graph import Geometry, Panel

DOMAIN, LIMITS = (0.0, 2.0), (-0.5, 1.5)


def test_points_that_draw_a_curve_are_taken_and_kept_within_the_limits():
    assert checked([[0, 1], [0.5, 9], [2, -9]], DOMAIN, LIMITS) == [[0.0, 1.0], [0.5, 1.5], [2.0, -0.5]]


@pytest.mark.parametrize(
    "bad",
    [
        None, "points", {}, [], [[0, 1]], [[0, 1], [2]], [[0, 1], ["2", 0]], [[0, 1], [True, 0]], [[0, 1], [1, 0]],
        [[0, 1], [1, 1], [1, 0], [2, 0]], [[2, 1], [0, 0]], [[0, float("nan")], [2, 0]], [[0, 1], [2, float("inf")]],
        [[2 * i / MOST_POINTS, 0] for i in range(MOST_POINTS + 1)],
    ],
)  # fmt: skip
def test_other_points_are_refused(bad):
    assert checked(bad, DOMAIN, LIMITS) is None


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 3], (0, 3, False)),
        ([-2, 1], (-2, 2, True)),
        ([-3, -1], (-3, 3, True)),
        ([-0.001, 5], (-0.001, 5, False)),  # rounding below zero is no sign
        ([4, 4], (4, 4, False)),
    ],
)
def test_a_scale_is_symmetric_where_values_have_a_sign(values, expected):
    assert Panel("", np.array(values, dtype=float)).scale() == expected


def test_places_keep_their_precision_far_from_zero():
    places = np.array([[1e7, 5e6], [1e7 + 0.25, 5e6 + 0.5]])
    blob = Geometry(places, np.array([[0, 1]]), ["é", "b"]).blob
    (length,) = struct.unpack_from("<I", blob)
    head = json.loads(blob[4 : 4 + length])
    assert (
        head["dims"] == 2
        and head["names"] == ["é", "b"]
        and head["arrays"] == [["places", "f4", 4], ["edges", "f4", 2]]
    )
    got = np.frombuffer(blob, "<f4", 4, 4 + length).reshape(2, 2)
    assert np.array_equal(got[1] - got[0], [0.25, 0.5])
