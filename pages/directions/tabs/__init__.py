"""The tabs below the mixer; only the open one runs."""

from functools import partial

from core.ui.history import History
from core.ui.tabs import draw_tabs
from pages.directions.shown import Fitted
from pages.directions.tabs import (
    compare,
    diagnostics,
    gallery,
    how,
    map,
    one_direction,
    one_sample,
    takeaway,
    training,
)
from pages.directions.view import DirectionsView

_DRAW = {
    "Directions": gallery.draw,
    "One direction": one_direction.draw,
    "One sample": one_sample.draw,
    "Map": map.draw,
    "Diagnostics": diagnostics.draw,
    "Training": training.draw,
    "Compare": compare.draw,
    "Take away": takeaway.draw,
    "How it works": how.draw,
}


def draw(history: History[DirectionsView], fitted: Fitted) -> None:
    """The row of tabs, in the order of the table above."""
    draw_tabs(history, {name: partial(tab, history, fitted) for name, tab in _DRAW.items()})
