"""The tabs of *Basis directions*: every control is used and its effect seen."""

import json
import re

import numpy as np
import pytest
from directions_app import by_key, choose, clean, keys, now, open_at, press, shown, tell

from core.datasets import sample
from core.models import families, family
from pages.directions.view import ORDERS, TABS, DirectionsView


@pytest.fixture(scope="module")
def pca():
    """The same basis by the core alone."""
    data = sample("digits")
    return data, family("directions.pca")().fit(data)


def tab(at):
    """The label of the tab that has something in it."""
    return [t.label for t in at.tabs if t.children]


def test_only_the_open_tab_is_drawn():
    for name in TABS:
        assert tab(clean(open_at(tab=name))) == [name]


# Directions


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_of_the_gallery_is_that_of_the_mixer(order):
    at = clean(choose(open_at(names={"3": "a name"}), "order", order))
    assert now(at).order == order
    gallery = shown(at, "gallery")
    assert gallery["order"] == shown(at, "mixer")["order"] and sorted(gallery["order"]) == list(range(16))
    assert gallery["captions"][0].startswith("used") == (order == "use")
    if order == "name":
        assert gallery["order"][-1] == 3


def test_a_click_in_the_gallery_picks_a_direction():
    at = clean(tell(open_at(), "gallery", index=4))
    assert now(at).direction == 4 and shown(at, "gallery")["selected"] == 4
    at = clean(press(at, "undo"))
    assert now(at).direction == 0
    for odd in (99, -1, "x", None):
        assert now(clean(tell(at, "gallery", index=odd))).direction == 0


# One direction


def test_next_previous_and_the_list(pca):
    at = open_at(tab="One direction")
    at = clean(press(at, "one:Next"))
    assert now(at).direction == 1 and by_key(at, "direction").value == 1
    at = clean(press(press(at, "one:Previous"), "one:Previous"))
    assert now(at).direction == 15
    at = clean(choose(at, "direction", 2))
    assert now(at).direction == 2 and shown(at, "one:portrait")["names"] == ["3"]
    data, model = pca
    codes = model.encode(data.samples)
    energy = (codes[:, 2] ** 2).sum() / ((data.matrix - data.matrix.mean(0)) ** 2).sum()
    assert at.metric[0].label == "Energy" and float(at.metric[0].value.rstrip("%")) == pytest.approx(
        100 * energy, rel=0.01
    )
    assert float(at.metric[2].value) == pytest.approx(codes[:, 2].std(), rel=0.02)


def test_the_text_of_an_option_that_is_gone_changes_nothing():
    """A browser that has not heard of new shares sends the old text along with the next press of another button."""
    at = open_at(tab="One direction", direction=2)
    states = at._tree.get_widget_states()
    (sent,) = [w for w in states.widgets if w.id == by_key(at, "direction").proto.id]
    sent.string_value = "3 (99.9%)"
    at = clean(at._run(states))
    assert now(at).direction == 2 and by_key(at, "direction").value == 2


def test_rename_reaches_mixer_gallery_and_link():
    at = open_at(tab="One direction", direction=3)
    at = clean(choose(at, "one:name", "  left   loop "))
    assert now(at).names == {"3": "left loop"}
    assert shown(at, "mixer")["names"][3] == "left loop" and shown(at, "one:portrait")["names"] == ["left loop"]
    at = clean(choose(at, "one:name", ""))
    assert now(at).names == {} and shown(at, "mixer")["names"][3] == "4"
    at = clean(press(at, "undo"))
    assert now(at).names == {"3": "left loop"} and by_key(at, "one:name").value == "left loop"


def test_a_name_is_text_and_nothing_else():
    name = "<b>*x*</b> $y$ [z](http://x)"
    at = clean(choose(open_at(tab="One direction"), "one:name", name))
    assert shown(at, "mixer")["names"][0] == name
    for other in ("Directions", "One sample", "Map", "Diagnostics", "Take away"):
        clean(open_at(tab=other, names={"0": name}))


def test_samples_at_the_ends_and_a_click_on_one(pca):
    data, model = pca
    weights = model.encode(data.samples)[:, 0]
    at = open_at(tab="One direction", mix={"muted": [0]})
    drawn = shown(at, "one:extremes")
    assert [s["title"] for s in drawn["sections"]] == ["Largest weights", "Smallest weights"]
    largest = int(np.argmax(weights))
    assert drawn["names"][0].endswith(str(data.labels[largest]))
    at = clean(tell(at, "one:extremes", index=0))
    assert (now(at).sample, now(at).mix) == (largest, {}) and by_key(at, "sample").value == largest


def test_the_histogram_on_a_log_scale():
    at = open_at(tab="One direction")
    (toggle,) = [t for t in at.toggle if "log" in t.label]
    axis = lambda page: json.loads(by_key(page, "one:histogram").proto.spec)["layout"]["yaxis"].get("type")  # noqa: E731
    assert axis(at) != "log"
    at = clean(toggle.set_value(True).run())
    assert axis(at) == "log"


def test_directions_like_it_lead_there():
    at = clean(open_at(tab="One direction", family="directions.kmeans", settings={"k": 6}))
    drawn = shown(at, "one:alike")
    assert drawn["sections"][0]["title"] == "Most similar" and drawn["captions"][0].startswith("cosine")
    at = clean(tell(at, "one:alike", index=0))
    assert shown(at, "one:portrait")["names"] == [drawn["names"][0]] and now(at).direction != 0


def test_attribution_of_each_choice_adds_up_to_the_weight(pca):
    data, model = pca
    codes = model.encode(data.samples)
    at = open_at(tab="One direction", sample=9)
    select = by_key(at, "attribution:of")
    wanted = (int(codes[:, 0].argmax()), int(codes[:, 0].argmin()), 9)
    for of, index in zip(select.options, wanted, strict=True):
        at = clean(choose(at, "attribution:of", of))
        (said,) = [c.value for c in at.caption if "add up to" in c.value]
        numbers = re.search(r"add up to (-?[\d.]+\d); its weight is (-?[\d.]+\d)", said).groups()
        total, weight = map(float, numbers)
        assert total == pytest.approx(weight, rel=0.01)
        assert weight == pytest.approx(codes[index, 0], rel=0.01)


# One sample


def test_the_sample_of_the_tab_is_that_of_the_mixer(pca):
    data, model = pca
    at = clean(choose(open_at(tab="One sample", mix={"muted": [1]}), "sample-tab:index", 5))
    assert (now(at).sample, now(at).mix) == (5, {}) and by_key(at, "sample").value == 5
    at = clean(choose(at, "sample", 8))
    assert by_key(at, "sample-tab:index").value == 8
    steps = shown(at, "sample-tab:steps")
    assert steps["names"] == ["1 direction", *(f"{n} directions" for n in (2, 4, 8, 16)), "the sample itself"]
    sample_, code = data.matrix[8], model.encode(data.samples)[8]
    left = ((sample_ - model.decode(code[None])[0]) ** 2).sum() / ((sample_ - data.matrix.mean(0)) ** 2).sum()
    assert float(steps["captions"][4].split()[1].rstrip("%")) == pytest.approx(100 * left, abs=0.1)
    weights = at.dataframe[0].value
    np.testing.assert_allclose(np.sort(weights["weight"]), np.sort(code), atol=1e-4)


def test_samples_with_names_are_chosen_by_name():
    at = clean(open_at(tab="One sample", data="sample:tecator"))
    assert "sample-tab:index" in keys(at)


# Diagnostics


def test_diagnostics_stand_beside_the_control(pca):
    data, model = pca
    at = clean(open_at(tab="Diagnostics"))
    table = at.table[0].value.set_index("measure")
    energy = model.decode(model.encode(data.samples))
    share = 1 - ((data.matrix - energy) ** 2).sum() / ((data.matrix - data.matrix.mean(0)) ** 2).sum()
    assert float(table["this basis"].iloc[0].rstrip("%")) == pytest.approx(100 * share, abs=0.1)
    assert float(table["random"].iloc[0].rstrip("%")) < 60
    assert {"diagnostics:energy", "diagnostics:gram", "diagnostics:privileged", "stability:each"} <= keys(at)
    random = clean(open_at(tab="Diagnostics", family="directions.random"))
    assert "does worse" in random.warning[0].value


def test_stability_over_seeds_or_halves():
    at = open_at(tab="Diagnostics")
    assert at.metric[0].label == "Matched cosine" and float(at.metric[0].value) > 0.999
    at = clean(choose(at, "stability:over", "random halves of the samples"))
    assert 0.5 < float(at.metric[0].value) < 0.999
    at = clean(open_at(tab="Diagnostics", family="directions.nmf", settings={"k": 4}))
    if "stability:go" in keys(at):
        at = clean(press(at, "stability:go"))
    assert at.metric[0].label == "Matched cosine"


# Training, Compare, How it works


def test_training_says_that_nothing_was_trained():
    at = clean(open_at(tab="Training"))
    assert "fitted in one go" in at.info[0].value


def test_compare_families_and_rates():
    at = clean(open_at(tab="Compare"))
    axis = lambda page: json.loads(by_key(page, "compare:plot").proto.spec)["layout"]["xaxis"]["title"]["text"]  # noqa: E731
    names = lambda page: [d["name"] for d in json.loads(by_key(page, "compare:plot").proto.spec)["data"]]  # noqa: E731
    assert names(at) == ["PCA", "Random directions"] and axis(at) == "Directions K"
    at = clean(choose(at, "compare.rate", "numbers in all"))
    assert axis(at).startswith("Numbers stored in all") and now(at).compare["rate"] == "numbers in all"
    at = clean(choose(at, "compare.families", ["directions.pca", "directions.varimax"]))
    assert now(at).compare["families"] == ["directions.pca", "directions.varimax"] and len(names(at)) == 2
    table = at.dataframe[0].value
    pca = table[table["Family"] == "PCA"]
    assert (np.diff(pca.sort_values("K")["Error"]) < 0).all() and (table["Fit / s"] > 0).all()
    at = clean(choose(at, "compare.families", []))
    assert "Choose at least one family" in at.info[0].value


def test_compare_offers_to_train_what_takes_long():
    at = clean(open_at(tab="Compare", compare={"families": ["directions.pca", "directions.sae"]}))
    assert by_key(at, "compare:train").label.startswith("Train the slow ones")


def test_how_it_works_lists_every_family():
    at = clean(open_at(tab="How it works", family="directions.ica"))
    assert at.subheader[0].value == families("directions")["directions.ica"].title
    assert len(at.table[0].value) == len(families("directions"))


def test_an_open_tab_is_no_step_of_undo():
    view = DirectionsView(tab="Diagnostics", settings={"k": 4})
    at = clean(choose(open_at(view), "settings.k", 5))
    at = clean(press(at, "undo"))
    assert now(at) == view
