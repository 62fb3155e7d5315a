"""Tab *Directions*: all directions, drawn in the data's own form."""

import streamlit as st

from core.figures.text import percent
from core.ui.components import gallery
from core.ui.history import History
from pages.directions.shown import Fitted, names_of
from pages.directions.view import ORDERS, DirectionsView


def draw(history: History[DirectionsView], fitted: Fitted) -> None:
    """The gallery, sorted; a click picks the direction that *One direction* looks at."""
    names = names_of(fitted, history.now.names)
    history.bind("order", st.segmented_control, "Sort by", ORDERS, required=True)
    if history.now.order == "use":
        captions = [f"used {u:.0%}" for u in fitted.use]
    else:
        captions = [percent(e) for e in fitted.energy]
    gallery(
        "directions:gallery",
        payload=fitted.payload,
        order=fitted.order(history.now.order, names),
        names=names,
        captions=captions,
        selected=history.now.direction,
        on_pick=lambda index: history.change(direction=index),
    )
    st.caption(
        "Below each direction stands the share of the data's energy that it explains, or of the samples that use it. "
        "Click one, then open *One direction* to see what it does."
    )
