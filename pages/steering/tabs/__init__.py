"""The tabs below the texts; only the open one runs."""

from functools import partial

from core.ui.history import History
from core.ui.tabs import draw_tabs
from pages.steering.opened import Opened, Ready
from pages.steering.tabs import build, direction, dose, how, selection, strip, takeaway, texts, time, values
from pages.steering.view import TABS, SteeringView

_DRAW = (direction, strip, texts, time, dose, build, values, selection, takeaway, how)


def draw(history: History[SteeringView], opened: Opened, ready: Ready | None) -> None:
    """The row of tabs, in the order of the view's table."""
    draw_tabs(history, {name: partial(tab.draw, history, opened, ready) for name, tab in zip(TABS, _DRAW, strict=True)})
