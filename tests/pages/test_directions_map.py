"""Tab *Map*: what is shown, how it is coloured, selections as a table, and maps that take long."""

import io
import time

import numpy as np
import pandas as pd
import pytest
from directions_app import by_key, choose, clean, keys, now, open_at, press, shown, tell
from test_directions_takeaway import downloads  # noqa: F401  a fixture

from core.datasets import sample
from core.models import family
from pages.directions.map.layout import DIRECTIONS, SAMPLES


@pytest.fixture(scope="module")
def codes():
    data = sample("digits")
    return data, family("directions.pca")().fit(data).encode(data.samples)


def selector(at):
    """The control that selects by value: a list of classes, or a range of percentiles."""
    found = [w for w in [*at.multiselect, *at.slider] if w.label.startswith("Select by")]
    return found[0] if found else None


def test_samples_or_directions():
    at = clean(open_at(tab="Map"))
    first = shown(at, "map:points")
    assert first["label"] == f"Map of the {SAMPLES}"
    at = clean(choose(at, "map.what", DIRECTIONS))
    second = shown(at, "map:points")
    assert now(at).map["what"] == DIRECTIONS and second["label"] == f"Map of the {DIRECTIONS}"
    assert second["points"]["digest"] != first["points"]["digest"]
    assert len(at.dataframe[0].value) == 16
    at = clean(tell(at, "map:points", kind="pick", index=3))
    assert (now(at).direction, now(at).tab) == (3, "One direction")


def test_a_click_on_a_point_puts_the_sample_into_the_mixer():
    at = clean(tell(open_at(tab="Map", mix={"muted": [0]}), "map:points", kind="pick", index=40))
    assert (now(at).sample, now(at).mix, by_key(at, "sample").value) == (40, {}, 40)


def test_every_colour(codes):
    at = open_at(tab="Map")
    select = by_key(at, "map.colour-of")
    assert select.options[:2] == ["label", "weight of direction 1"] and select.options[-1] == "nothing"
    digests = {shown(at, "map:points")["points"]["digest"]}
    for i in (1, 2, len(select.options) - 1):
        at = clean(by_key(at, "map.colour-of").select_index(i).run())
        digests.add(shown(at, "map:points")["points"]["digest"])
        assert (selector(at) is None) == (i == len(select.options) - 1)
    assert len(digests) == 4
    at = choose(at, "map.what", DIRECTIONS)
    for i in (1, 2, 0):
        at = clean(by_key(at, "map.colour-directions").select_index(i).run())
        assert now(at).map["colour-directions"] == ("energy", "use", "nothing")[i]


def test_selections_by_label_by_weight_and_by_lasso(codes, downloads):  # noqa: F811
    data, weights = codes
    at = clean(selector(open_at(tab="Map")).set_value(["3", "5"]).run())
    wanted = np.flatnonzero(np.isin(data.labels.astype(str), ["3", "5"]))
    assert shown(at, "map:points")["selected"] == wanted.tolist()
    assert any(m.value == f"**{len(wanted):,} selected**" for m in at.markdown)
    table = pd.read_csv(_file(downloads["selection.csv"]))
    assert table["sample"].tolist() == wanted.tolist() and set(table["label"]) == {3, 5}
    np.testing.assert_allclose(table.iloc[:, -16:].to_numpy(), weights[wanted], atol=1e-4)

    at = clean(by_key(at, "map.colour-of").select_index(1).run())
    at = clean(selector(at).set_value((90, 100)).run())
    chosen = shown(at, "map:points")["selected"]
    assert len(chosen) == pytest.approx(180, abs=2)
    assert weights[chosen, 0].min() >= np.delete(weights[:, 0], chosen).max()

    at = clean(tell(at, "map:points", kind="select", indices=[7, 3, 5, 99999, -1, "x"]))
    assert shown(at, "map:points")["selected"] == [3, 5, 7] and len(at.dataframe[0].value) == 3
    at = clean(tell(at, "map:points", kind="select", indices=[]))
    assert len(at.dataframe[0].value) == 1797


def _file(make):
    return io.BytesIO(make())


def _wait(at, seconds=60):
    """Rerun until the slow map is there."""
    until = time.monotonic() + seconds
    while "map:cancel" in keys(at):
        assert time.monotonic() < until
        time.sleep(0.3)
        at = at.run()
    return at


def test_a_map_that_takes_long_is_shown_when_it_is_there_and_can_be_cancelled():
    """t-SNE of 178 wines: PCA is on the screen meanwhile."""
    at = open_at(tab="Map", data="sample:wine", seed=3)
    flat = shown(at, "map:points")["points"]["digest"]
    at = clean(choose(at, "map.how", "t-SNE"))
    assert now(at).map["how"] == "t-SNE" and "map:cancel" in keys(at)
    assert shown(at, "map:points")["points"]["digest"] == flat
    at = clean(press(at, "map:cancel"))
    at = clean(at.run())
    assert "map:again" in keys(at) and "map:cancel" not in keys(at)
    at = _wait(press(at, "map:again").run())
    assert shown(clean(at), "map:points")["points"]["digest"] != flat
    assert any(c.value.startswith("Trustworthiness") and "PCA" in c.value for c in at.caption)
    other = clean(open_at(tab="Map", data="sample:wine", seed=3, map={"how": "t-SNE"}))
    assert "map:cancel" not in keys(other), "a map that is there is shared"


def test_a_map_of_one_direction_says_that_it_needs_more():
    at = clean(open_at(tab="Map", settings={"k": 1}))
    assert "map:points" in keys(at)
    at = clean(choose(at, "map.what", DIRECTIONS))
    assert "map:points" not in keys(at) and at.info[0].value.endswith("\\.")
