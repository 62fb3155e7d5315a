"""The tabs below the centre; only the open one runs."""

from functools import partial

from core.ui.history import History
from core.ui.tabs import draw_tabs
from pages.compatible.shown import Shown
from pages.compatible.tabs import convergent, heads, how, maps, reindexing, takeaway, versions
from pages.compatible.view import CompatibleView

_DRAW = {
    "Maps": maps.draw,
    "Re-indexing": reindexing.draw,
    "Versions": versions.draw,
    "Simplex heads": heads.draw,
    "Convergent learning": convergent.draw,
    "Take away": takeaway.draw,
    "How it works": how.draw,
}


def draw(history: History[CompatibleView], on: Shown) -> None:
    """The row of tabs, in the order of the table above."""
    draw_tabs(history, {name: partial(tab, history, on) for name, tab in _DRAW.items()})
