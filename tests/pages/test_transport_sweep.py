"""*Frequency transport*: every sample, every tab, nothing raised."""

import pytest
from transport_app import clean, metrics, now, open_at

from pages.transport.data import SAMPLES
from pages.transport.view import TABS, TransportView


@pytest.mark.parametrize("name", SAMPLES)
def test_each_sample_opens(name):
    at = clean(open_at(data=f"sample:{name}", size=64))
    said = metrics(at)
    assert float(said.get("PSNR", said.get("SNR")).split()[0]) > (10 if "PSNR" in said else 5)


def test_a_large_picture_is_drawn_coarse_first_and_then_fine():
    at = clean(open_at(data="sample:brick", size=512))
    assert metrics(at)["Stored numbers"] == "9,009" and not any("coarse fit first" in c.value for c in at.caption)


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize(
    "data", ["sample:warped fringe", "sample:astronaut", "sample:glide", "sample:star", "sample:torus"]
)
def test_every_tab(tab, data):
    at = clean(open_at(data=data, size=64, colour=True, tab=tab))
    assert now(at).tab == tab


def test_a_link_with_nonsense_opens_the_page():
    view = TransportView(
        data="sample:none",
        size=-4,
        seed=-1,
        settings={"k": 9999, "cells": "many", "wish": 1},
        field={"readout": "tea", "row": 1e9, "column": True, "layer": 3},
        gains={"no band": 7, "x": "y"},
        edit={"preset": 4, "rows": [9, 1], "where": "drawn", "mask": "no mask", "pitch": "up"},
        window={"start": "now", "seconds": -1},
        joint={"weight": "heavy"},
        network={"kind": "transport.none", "numbers": -3},
        kept=[{"gains": 3}, 7, {}],
        path={"row_a": -5, "shape": "knot"},
        law={"field": "none"},
        race={"budget": 0, "names": [1]},
    )
    said = open_at(view.having(model="model:own/none")).error[0].value
    assert "no such model" in said
    for tab in TABS:
        assert clean(open_at(view.having(tab=tab))).title[0].value == "Frequency transport"
