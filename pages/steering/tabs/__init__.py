"""The tabs below the texts; only the open one runs."""

from functools import partial

from core.ui.history import History
from core.ui.tabs import draw_tabs
from pages.steering.opened import Opened, Ready
from pages.steering.tabs import how
from pages.steering.view import TABS, SteeringView

_DRAW = (how,)


def draw(history: History[SteeringView], opened: Opened, ready: Ready | None) -> None:
    """The row of tabs, in the order of the view's table."""
    draw_tabs(history, {name: partial(tab.draw, history, opened, ready) for name, tab in zip(TABS, _DRAW, strict=True)})
