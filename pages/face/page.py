"""The page *Facial motion*: mouth, pose and expression of a photographed face as banks of orthogonal directions."""

import streamlit as st

from core.ui.frame import device_line, header, steps
from core.ui.history import History
from core.ui.owner import remember_owner
from pages.face import centre, data, model, tabs
from pages.face.opened import opened
from pages.face.view import FaceView

history = History("face", FaceView)

header(
    "Facial motion",
    "Move mouth, pose and expression of a face by the weights of orthogonal directions. Animate only faces that you "
    "may animate.",
    "after EDTalk, Tan et al., ECCV 2024",
)
with st.sidebar:
    steps(history)
    photo, face, identity = data.choose(history)
    network = model.choose(history)
    model.note(network)
    history.bind(
        "whole", st.toggle, "Whole photograph", help="Show all of it, and not only the surroundings of the face."
    )
    device_line()
    remember_owner()
if face is None:
    st.image(photo.picture, caption="Mark the face at the left to go on.", width=480)
    on = None
else:
    with st.spinner("Opening the face ..."):
        on = opened(photo, face, identity, history.now, network)
    centre.draw(history, on)
tabs.draw(history, on)
