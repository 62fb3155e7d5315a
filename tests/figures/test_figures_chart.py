import numpy as np
import plotly.graph_objects as go
import pytest

from core.figures import chart


def test_histogram_counts_as_numpy_does_and_scales_the_control():
    random = np.random.default_rng(0)
    values, control = random.standard_normal(500), random.standard_normal(250)
    fig = chart.histogram(values, x="weight", control=control, bins=20)
    edges = np.histogram_bin_edges(np.concatenate([values, control]), 20)
    assert np.array_equal(fig.data[0].y, np.histogram(values, edges)[0])
    assert np.allclose(fig.data[1].y, 2 * np.histogram(control, edges)[0])
    assert fig.layout.yaxis.type == "linear" and chart.histogram(values, x="w", log_y=True).layout.yaxis.type == "log"


def test_bars_keep_order_and_show_signs():
    fig = chart.bars(["a", "b <i>"], np.array([2.0, -1.0]), value="v / m", signed=True, horizontal=True)
    assert list(fig.data[0].x) == [2, -1] and len(set(fig.data[0].marker.color)) == 2
    assert fig.layout.xaxis.title.text == "v / m" and fig.layout.yaxis.autorange == "reversed"
    assert "<i>" not in "".join(fig.layout.yaxis.ticktext)


def test_heatmap_is_centred_at_zero_with_its_first_row_on_top():
    fig = chart.heatmap(np.array([[1.0, -2.0], [0.5, 0.0]]), x="x", y="y", value="cosine")
    assert fig.data[0].zmin == -2 and fig.data[0].zmax == 2 and fig.layout.yaxis.autorange == "reversed"


@pytest.mark.parametrize(
    "fig",
    [
        chart.lines({"a": (np.arange(3), np.arange(3))}, x="m / 1", y="e / %"),
        chart.histogram(np.arange(9.0), x="m / 1", y="e / %"),
        chart.bars(["a"], np.ones(1), name="m / 1", value="e / %"),
        chart.heatmap(np.eye(2), x="m / 1", y="e / %", value="v"),
    ],
)
def test_every_figure_names_its_axes_and_has_no_background(fig):
    assert isinstance(fig, go.Figure) and fig.layout.paper_bgcolor == "rgba(0,0,0,0)"
    assert fig.layout.xaxis.title.text == "m / 1" and fig.layout.yaxis.title.text == "e / %"


def test_long_and_hostile_names_are_cut_and_harmless():
    assert chart.short("x" * 50) == "x" * 27 + "…" and chart.short("<b>&") == "&lt;b>&amp;"
