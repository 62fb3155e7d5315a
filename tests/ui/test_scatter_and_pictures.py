import json
import struct

import numpy as np
import pytest

from core.datasets.sound import frames_of
from core.ui.components.form import Form
from core.ui.components.pictures import pictures
from core.ui.components.scatter import Points, Thumbs, _is_index, pack


def unpack(blob):
    (length,) = struct.unpack_from("<I", blob)
    head = json.loads(blob[4 : 4 + length])
    at, arrays = 4 + length, {}
    for name, kind, count in head["arrays"]:
        arrays[name] = np.frombuffer(blob, f"<{kind}", count, at)
        at += -(-arrays[name].nbytes // 4) * 4
    assert at == len(blob) and (4 + length) % 4 == 0
    return head, arrays


def test_points_reach_the_browser_whole():
    xy = np.random.default_rng(0).standard_normal((5, 2)).astype(np.float32)
    classes = (("a", "#000000", "circle"), ("b", "#ffffff", "square"), ("c", "#ff0000", "diamond"))
    blob = Points(xy, list("vwxyz"), ["t"] * 5, np.array([0, 1, 1, 0, 1]), classes).blob
    head, arrays = unpack(blob)
    assert np.array_equal(arrays["xy"].reshape(5, 2), xy) and arrays["colour"].tolist() == [0, 1, 1, 0, 1]
    assert head["names"] == list("vwxyz") and head["counts"] == [2, 3, 0] and blob[15:79].decode() == head["digest"]


def test_the_layout_is_known_by_its_places_and_the_points_by_all_they_hold():
    xy = np.zeros((2, 2))
    one, two, moved = (
        unpack(Points(p, ["a", "b"], ["", ""], np.array(c), (("x", "#000000", "circle"),)).blob)[0]
        for p, c in ((xy, [0, 0]), (xy, [0, 0.5]), (xy + 1, [0, 0]))
    )
    assert one["layout"] == two["layout"] != moved["layout"] and one["digest"] != two["digest"]


@pytest.mark.parametrize("directions", [False, True])
def test_thumbnails_are_within_half_a_step(directions):
    values = np.random.default_rng(1).standard_normal((7, 9)).astype(np.float32)
    head, arrays = unpack(Thumbs(values, Form("image", (3, 3)), directions).blob)
    step = (head["high"] - head["low"]) / 255
    assert np.abs(head["low"] + step * arrays["values"].reshape(7, 9) - values).max() <= step / 2 + 1e-6
    if directions:
        assert head["low"] == -head["high"]


def test_arrays_start_on_multiples_of_four():
    head, arrays = unpack(pack({"x": 1}, {"a": np.arange(5, dtype="u1"), "b": np.ones(2, "f4")}))
    assert arrays["b"].tolist() == [1, 1] and head["x"] == 1


@pytest.mark.parametrize("value, good", [(0, True), (4, True), (5, False), (-1, False), (True, False), ("1", False)])
def test_only_indices_count_as_indices(value, good):
    assert _is_index(value, 5) is good


def test_sections_must_hold_all_pictures():
    with pytest.raises(ValueError, match="sections"):
        pictures("k", np.ones((3, 4)), Form("curve", (4,)), names=list("abc"), sections=[("a", "", 2)])


@pytest.mark.parametrize(("scale", "level"), [("linear", "amplitude"), ("sqrt", "root"), ("log", "log1p")])
def test_a_sound_is_played_from_the_scale_of_its_frames(scale, level):
    wave = np.sin(np.arange(4000) / 3).astype(np.float32)
    assert Form.of(frames_of(wave, 8000, window=128, scale=scale)).level == level
