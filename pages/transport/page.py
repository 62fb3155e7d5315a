"""The page *Frequency transport*: a signal as a few sinusoids whose amplitudes change over space, opened up."""

import streamlit as st

from core.ui.frame import device_line, header, steps
from core.ui.history import History
from core.ui.owner import remember_owner
from pages.transport import centre, data, tabs
from pages.transport.view import TransportView

history = History("transport", TransportView)

header(
    "Frequency transport",
    "Write a picture, sound or shape as a few waves whose strength varies with place; look inside, and edit it.",
    "after arXiv 2511.18384, 2025 (withdrawn)",
)
with st.sidebar:
    steps(history)
    chosen = data.choose(history)
    centre.more_settings(history, chosen)
    data.seed(history)
    device_line()
    remember_owner()
on = centre.draw(history, chosen)
tabs.draw(history, on)
