"""The page *Basis directions*: learn a basis of images, curves, tables, sounds or activations and move it."""

import streamlit as st

from core.ui.frame import device_line, header, steps
from core.ui.history import History
from core.ui.owner import remember_owner
from pages.directions import fitting, left, mix, tabs, waiting
from pages.directions.view import DirectionsView

history = History("directions", DirectionsView)

header(
    "Basis directions",
    "Learn a basis of your data, look at its directions, and move a sample along them.",
    "PCA to learned lattices: Pearson 1901 · Olshausen & Field 1996 · Kavukcuoglu et al. 2008 · Khalil et al. 2023",
)
with st.sidebar:
    steps(history)
    dataset, origin = left.choose_data(history)
    model_class, settings = left.choose_model(history, dataset)
    device_line()
    remember_owner()

fitted = fitting.get(history, dataset, origin, model_class, settings)
if fitted is None:
    waiting.draw(dataset, awaited=fitting.learns_from(history, dataset))
else:
    mix.draw(history, fitted)
    tabs.draw(history, fitted)
