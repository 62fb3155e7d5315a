"""The tabs One direction, One sample, Map and Diagnostics, driven without a browser."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core import diagnostics
from core.datasets import sample
from core.figures.text import percent
from core.models import family
from pages.directions.view import DirectionsView

APP = str(Path(__file__).parents[2] / "pages/directions/page.py")
WINE = dict(data="sample:wine", settings={"k": 4})


def opened(tab, **view):
    at = AppTest.from_file(APP, default_timeout=60)
    at.query_params["v"] = DirectionsView(tab=tab, **{**WINE, **view}).link()
    at.run()
    assert not at.exception
    return at


def view_of(at) -> DirectionsView:
    (link,) = at.query_params["v"] if isinstance(at.query_params["v"], list) else [at.query_params["v"]]
    return DirectionsView.from_link(link)


def texts(at) -> str:
    kinds = (at.caption, at.markdown, at.subheader, at.warning, at.success, at.info)
    return "\n".join(str(e.value) for kind in kinds for e in kind)


@pytest.fixture(scope="module")
def wine():
    data = sample("wine")
    x = (data.matrix - data.matrix.mean(axis=0)) / data.matrix.std(axis=0)
    model = family("directions.pca")(k=4).fit(data.noted(samples=x.reshape(data.samples.shape)))
    return data, x, model


def test_one_direction_shows_its_energy_beside_the_random_control(wine):
    _, x, model = wine
    at = opened("One direction")
    metrics = {m.label: m for m in at.metric}
    energy = diagnostics.explained_energy(model.basis_, model.encode(x), x)
    assert metrics["Energy"].value == percent(energy[0]) and metrics["Energy"].delta.startswith("random ")
    assert "add up to" in texts(at) and len(at.dataframe) >= 3


def test_a_direction_can_be_renamed_and_the_name_is_in_the_link():
    at = opened("One direction")
    at.text_input(key="directions:one:name").set_value("acid  wines").run()
    assert not at.exception and view_of(at).names == {"0": "acid wines"}
    at.text_input(key="directions:one:name").set_value("").run()
    assert view_of(at).names == {}


def test_next_and_previous_walk_through_the_order_of_the_gallery():
    at = opened("One direction")
    at.button(key="directions:one:Next").click().run()
    assert view_of(at).direction == 1
    at.button(key="directions:one:Previous").click().run()
    at.button(key="directions:one:Previous").click().run()
    assert view_of(at).direction == 3


@pytest.mark.parametrize("of", ["the sample with the smallest weight", "the sample in the mixer"])
def test_attribution_can_be_asked_for_other_samples(of):
    at = opened("One direction")
    at.selectbox(key="directions:attribution:of").select(of).run()
    assert not at.exception and "add up to" in texts(at)


def test_one_sample_follows_the_mixer_and_leads_it():
    at = opened("One sample", sample=7)
    assert at.number_input(key="directions:sample-tab:index").value == 7
    at.number_input(key="directions:sample-tab:index").set_value(9).run()
    assert not at.exception and view_of(at).sample == 9 and at.number_input(key="directions:sample").value == 9


def test_a_basis_that_loses_to_random_directions_is_told_so():
    at = opened("One sample", family="directions.kmeans", settings={"k": 13})
    assert any("random directions of equal number" in w.value for w in at.warning)
    at = opened("Diagnostics", family="directions.kmeans", settings={"k": 13})
    assert any("PCA with as many directions explains" in w.value for w in at.warning)


def test_diagnostics_table_has_the_numbers_of_the_core(wine):
    _, x, model = wine
    at = opened("Diagnostics")
    table = at.table[0].value.set_index("measure")
    assert len(table) == 10 and (table["formula"] != "").all()
    share = diagnostics.explained_energy(model.basis_, model.encode(x), x).sum()
    assert table.loc["Explained energy", "this basis"] == percent(share) == table.loc["Explained energy", "PCA"]
    assert table.loc["Explained energy", "random"] != percent(share)


def test_stability_over_halves_of_the_samples_is_not_perfect():
    at = opened("Diagnostics")
    assert {m.label: m.value for m in at.metric}["Matched cosine"] == "1.000"
    at.segmented_control(key="directions:stability:over").set_value("random halves of the samples").run()
    assert 0.5 < float({m.label: m.value for m in at.metric}["Matched cosine"]) < 1


def test_stability_over_halves_says_when_half_of_the_samples_is_too_few():
    at = opened("Diagnostics", data="sample:faces", settings={"k": 80})
    at.segmented_control(key="directions:stability:over").set_value("random halves of the samples").run()
    assert any("at most 50 directions" in i.value for i in at.info)


def test_map_selects_by_label_and_by_weight(wine):
    data, _, _ = wine
    at = opened("Map")
    assert "All 178 points" in texts(at)
    at.multiselect[0].select("grower 2").run()
    assert not at.exception and f"{(data.labels == 'grower 2').sum()} selected" in texts(at)
    table = at.dataframe(key="directions:map:table").value
    assert set(table["label"]) == {"grower 2"}
    at.selectbox(key="directions:map.colour-of").select("weight:0").run()
    at.slider[-1].set_range(90, 100).run()
    assert not at.exception and "18 selected" in texts(at)
    table = at.dataframe(key="directions:map:table").value
    assert len(table) == 18 and table["weight of direction 1"].min() > 0
    assert view_of(at).map["colour-of"] == "weight:0"


def test_map_of_few_directions_says_why_there_is_none():
    at = opened("Map", settings={"k": 3}, map={"what": "directions"})
    assert any("at least 4 points" in i.value for i in at.info)
    at = opened("Map", settings={"k": 5}, map={"what": "directions"})
    assert "All 5 points" in texts(at)


def test_a_slow_map_can_be_cancelled_and_started_again():
    at = opened("Map", map={"how": "t-SNE"}, seed=int(np.random.default_rng().integers(2**31)))
    assert "Trustworthiness" in texts(at)
    at.button(key="directions:map:cancel").click().run()
    assert "t-SNE was cancelled" in texts(at) and not at.exception
    at.button(key="directions:map:again").click().run()
    assert not at.exception and at.button(key="directions:map:cancel")
    at.button(key="directions:map:cancel").click().run()


@pytest.mark.parametrize("tab", ["One direction", "One sample", "Map", "Diagnostics"])
@pytest.mark.parametrize("view", [
    dict(data="sample:digits", settings={"k": 3}, direction=99, sample=10**6, map={"how": "x", "colour-of": "y"}),
    dict(data="sample:tecator", family="directions.varimax"),
    dict(family="directions.nmf", settings={"k": 2}, preparation={"standardise": False}),
])  # fmt: skip
def test_every_tab_opens_for_every_form_and_for_links_that_point_nowhere(tab, view):
    opened(tab, **view)
