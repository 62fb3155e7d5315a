"""The tabs below the graph; only the open one runs."""

from functools import partial

from core.ui.history import History
from core.ui.tabs import draw_tabs
from pages.graphs.shown import Shown
from pages.graphs.tabs import bases, classes, how, orthogonality, recurrence, signals, takeaway
from pages.graphs.view import TABS, GraphsView

_DRAW = (bases, signals, recurrence, orthogonality, classes, takeaway, how)


def draw(history: History[GraphsView], on: Shown) -> None:
    """The row of tabs, in the order of the view's table."""
    draw_tabs(history, {name: partial(tab.draw, history, on) for name, tab in zip(TABS, _DRAW, strict=True)})
