"""Views travel through links and recipes, and bad ones are refused in one sentence."""

import base64
import json
import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from core.errors import InputError
from pages.directions.view import DirectionsView

names = some.dictionaries(some.integers(0, 99).map(str), some.text(max_size=20), max_size=5)


@settings(suppress_health_check=[HealthCheck.too_slow])  # a busy machine draws slowly
@given(some.text(max_size=30), some.integers(0, 2**31), names)
def test_a_view_comes_back_from_its_link(data, sample, renamed):
    view = DirectionsView(data=data, sample=sample, names=renamed)
    assert DirectionsView.from_link(view.link()) == view


def test_a_fresh_view_needs_no_link_text():
    assert DirectionsView().changed() == {}


def _link(value) -> str:
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(value).encode())).decode()


@pytest.mark.parametrize(
    "link",
    [
        "",
        "x",
        "%%%",
        "ünï",
        _link([1]),
        _link({"nonsense": 1}),
        _link({"sample": "three"}),
        _link({"sample": True}),
        _link({"mix": [1, 2]}),
        _link({"weights": {"a": [float("nan")]}}),
        _link("a" * 10)[:-6],
        _link({"title": "x" * 2_000_000}),
        "A" * 20_000,
    ],
)
def test_a_bad_link_is_one_sentence(link):
    with pytest.raises(InputError) as caught:
        DirectionsView.from_link(link)
    assert str(caught.value).endswith(".") and len(str(caught.value)) < 200
