"""The mixer on the page: which sample, what is changed, and undo that reaches it."""

import numpy as np
from directions_app import by_key, choose, clean, keys, now, open_at, press, shown, tell

from pages.directions.view import DirectionsView


def test_another_sample_by_number_starts_its_mix_afresh():
    at = open_at(mix={"muted": [1]})
    before = shown(at, "mixer")
    at = clean(choose(at, "sample", 12))
    after = shown(at, "mixer")
    assert (now(at).sample, now(at).mix) == (12, {})
    assert after["code"] != before["code"] and after["original"] != before["original"] and after["state"] == {}


def test_another_sample_by_chance():
    at = open_at(mix={"muted": [1]})
    drawn = set()
    for _ in range(5):
        at = clean(press(at, "another"))
        drawn.add(now(at).sample)
        assert by_key(at, "sample").value == now(at).sample < 1797
    assert len(drawn) > 1 and now(at).mix == {}


def test_a_release_reaches_the_address_and_undo_and_redo_follow():
    at = open_at()
    state = {"weights": {"0": 1.5}, "muted": [2], "flipped": [3], "solo": [0, 3]}
    at = clean(tell(at, "mixer", kind="change", state=state))
    assert now(at).mix == state and shown(at, "mixer")["state"] == state and shown(at, "mixer")["undo"]
    at = clean(tell(at, "mixer", kind="undo"))
    assert now(at).mix == {} and shown(at, "mixer")["redo"] and not shown(at, "mixer")["undo"]
    at = clean(tell(at, "mixer", kind="redo"))
    assert now(at).mix == state
    at = clean(press(at, "undo"))
    assert shown(at, "mixer")["state"] == {}


def test_undo_in_the_mixer_takes_the_whole_page_back_where_more_was_changed():
    at = choose(choose(open_at(), "settings.k", 5), "sample", 3)
    at = clean(tell(at, "mixer", kind="undo"))
    assert now(at).sample == 0 and by_key(at, "sample").value == 0
    at = clean(tell(at, "mixer", kind="undo"))
    assert now(at) == DirectionsView() and len(shown(at, "mixer")["code"]) == 16
    assert by_key(at, "settings.k").value == 16
    at = clean(tell(at, "mixer", kind="redo"))
    assert len(shown(at, "mixer")["code"]) == 5


def test_what_a_browser_should_never_send_changes_nothing():
    at = open_at()
    for odd in (
        dict(kind="change", state={"weights": {"99": 1}}),
        dict(kind="change", state={"weights": {"0": "much"}}),
        dict(kind="change", state=None),
        dict(kind="change"),
        dict(kind="explode"),
        dict(),
    ):
        at = clean(tell(at, "mixer", **odd))
        assert now(at) == DirectionsView()


def test_the_mixer_follows_the_order_and_the_names():
    at = open_at(order="name", names={"5": "loop"})
    data = shown(at, "mixer")
    assert data["names"][5] == "loop" and data["order"] == [*(i for i in range(16) if i != 5), 5]
    assert data["captions"][0].endswith("%")


def test_a_clip_is_heard_whole_and_follows_the_mixer():
    at = clean(open_at(data="sample:speech"))
    assert len(at.get("audio")) == 3
    before = [a.proto.url for a in at.get("audio")]
    at = clean(tell(at, "mixer", kind="change", state={"muted": [0]}))
    after = [a.proto.url for a in at.get("audio")]
    assert after[:2] == before[:2] and after[2] != before[2]


def test_a_code_without_negative_weights_says_so():
    at = clean(open_at(family="directions.nmf", settings={"k": 4}))
    assert shown(at, "mixer")["nonnegative"] is True
    assert min(shown(at, "mixer")["code"]) >= 0
    assert not shown(open_at(), "mixer")["nonnegative"]
    assert np.isfinite(shown(at, "mixer")["code"]).all() and "mixer" in keys(at)
