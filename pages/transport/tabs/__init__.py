"""The tabs below the pictures; only the open one runs."""

from functools import partial

from core.ui.history import History
from core.ui.tabs import draw_tabs
from pages.transport.shown import Shown
from pages.transport.tabs import equation, field, gains, how, race, takeaway
from pages.transport.view import TABS, TransportView

_DRAW = (field, gains, equation, race, takeaway, how)


def draw(history: History[TransportView], on: Shown) -> None:
    """The row of tabs, in the order of the view's table."""
    draw_tabs(history, {name: partial(tab.draw, history, on) for name, tab in zip(TABS, _DRAW, strict=True)})
