"""The page *Steer generations*: sliders over the directions of a language model's own activations while it writes."""

import streamlit as st

from core.ui.frame import device_line, header, steps
from core.ui.history import History
from core.ui.owner import remember_owner
from pages.steering import centre, opened, saved, side, sliders, tabs
from pages.steering.view import SteeringView

history = History("steering", SteeringView)

header(
    "Steer generations",
    "Move a language model along directions of its own activations while it writes, and see what that costs.",
    "Kang et al. 2026 · Zou et al. 2023 · Rimsky et al. 2024",
)
with st.sidebar:
    steps(history)
    directions = opened.choose(history)
    if directions is not None:
        opened.about(directions)

lacking = opened.missing(directions.source) if directions is not None else None
ready = None
if lacking:
    st.warning(lacking, icon=":material/download:")
elif directions is not None:
    ready = opened.ready(directions)

with st.sidebar:
    if ready is not None:
        side.writing(history)
        side.steering(history, ready)
    device_line()
    remember_owner()

if ready is not None:
    left, right = st.columns([3, 2], gap="large")
    with left:
        centre.draw(history, ready)
    with right:
        sliders.draw(history, ready)
else:
    saved.draw()
if directions is not None:
    tabs.draw(history, directions, ready)
