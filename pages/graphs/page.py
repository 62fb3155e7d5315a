"""The page *Graph spectra*: polynomial bases of a graph and a signal, compared on the drawn graph."""

import streamlit as st

from core.ui.frame import device_line, header, steps
from core.ui.history import History
from core.ui.owner import remember_owner
from pages.graphs import centre, data, shown, tabs
from pages.graphs.view import GraphsView

history = History("graphs", GraphsView)

header(
    "Graph spectra",
    "Filter a signal on a graph by a polynomial, and see which basis finds that polynomial.",
    "Guo & Wei 2023 · Defferrard et al. 2016 · He et al. 2021",
)
with st.sidebar:
    steps(history)
    graph = data.choose(history)
    data.choose_signal(history, graph)
    device_line()
    remember_owner()

on = shown.get(history, graph)
if on is not None:
    centre.draw(history, on)
    tabs.draw(history, on)
