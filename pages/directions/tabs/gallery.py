"""Tab *Directions*: all directions, drawn in the data's own form."""

import streamlit as st

from core.ui.components import gallery
from core.ui.history import History
from pages.directions.shown import Fitted, names_of
from pages.directions.view import ORDERS, DirectionsView


def draw(history: History[DirectionsView], fitted: Fitted) -> None:
    """The gallery, sorted; a click picks the direction that *One direction* looks at."""
    names = names_of(fitted, history.now.names)
    history.bind("order", st.segmented_control, "Sort by", ORDERS, required=True)
    order = fitted.order(history.now.order, names)
    captions = [f"{fitted.energy[i]:.1%} energy, used {fitted.use[i]:.0%}" for i in order]
    picked = gallery(
        "directions:gallery",
        payload=fitted.payload,
        order=order,
        names=[names[i] for i in order],
        captions=captions,
        selected=history.now.direction,
    )
    if picked is not None and picked != history.now.direction:
        history.change(direction=picked)
        st.rerun()
