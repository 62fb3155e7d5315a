"""Every sample, every family and every tab opens without an exception and without a complaint."""

import pytest
from directions_app import clean, keys, open_at

from core.datasets import SAMPLES
from core.models import families
from pages.directions.view import TABS

KINDS = ("table", "images", "curves", "audio", "text", "activations")
QUICK = [name for name, cls in families("directions").items() if not cls.iterative]


@pytest.mark.parametrize("name", [n for n, info in SAMPLES.items() if info.kind in KINDS])
def test_every_sample(name):
    at = clean(open_at(data=f"sample:{name}"))
    assert {"mixer", "gallery"} <= keys(at)


@pytest.mark.parametrize("name", families("directions"))
def test_every_family(name):
    at = clean(open_at(family=name))
    if "train" in keys(at):
        assert families("directions")[name].iterative and "mixer" not in keys(at)
    else:
        assert {"mixer", "gallery"} <= keys(at)
    assert ("mixer" in keys(at)) == (name in QUICK) or not families("directions")[name].iterative


@pytest.mark.parametrize("data", ["digits", "tecator", "wine", "speech"])
@pytest.mark.parametrize("tab", TABS)
def test_every_tab_of_every_form(tab, data):
    clean(open_at(data=f"sample:{data}", tab=tab, settings={"k": 6}))


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("family", ["directions.nmf", "directions.kmeans", "directions.random"])
def test_every_tab_of_other_families(tab, family):
    clean(open_at(data="sample:tecator", family=family, tab=tab, settings={"k": 3}))


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_of_a_basis_of_one_direction(tab):
    clean(open_at(data="sample:wine", tab=tab, settings={"k": 1}))
