"""The page *Learned transforms*: what does the task make of Fourier, wavelets and splines?"""

import streamlit as st

from core.ui.frame import device_line, header, steps
from core.ui.history import History
from core.ui.owner import remember_owner
from pages.transforms import data
from pages.transforms.parts import curves, operators, spectrogram, wavelets
from pages.transforms.view import PARTS, TransformsView

_DRAW = {"wavelets": wavelets, "spectrogram": spectrogram, "curves": curves, "operators": operators}

history = History("transforms", TransformsView)

header(
    "Learned transforms",
    "Start from wavelets, Fourier, splines or POD, let the task bend them, and see what it changed.",
    "Zhuang et al. 2024 · Cheuk et al. 2022 · Yao, Mueller & Wang 2021 · Lu et al. 2021",
)
history.bind(
    "part", st.segmented_control, "Part", list(PARTS), format_func=PARTS.get, required=True,
    label_visibility="collapsed", after={"tab": ""},
)  # fmt: skip
part = _DRAW[history.now.part]
with st.sidebar:
    steps(history)
    dataset = data.choose(history, history.now.part)
    settings = part.left(history, dataset)
    device_line()
    remember_owner()
part.draw(history, dataset, settings)
