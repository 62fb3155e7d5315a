"""The moving picture of the start page: a face as a sum of directions."""

import streamlit as st

from core.datasets import sample
from core.models import family
from core.ui.components import Form, Payload, mixer

K, FACE = 16, 63


@st.cache_resource(show_spinner=False)
def _learned():
    """PCA of the sample's faces; the payload, and the code and pixels of one face."""
    data = sample("faces")
    model = family("directions.pca")(k=K).fit(data, seed=0)
    (basis,) = model.bases().values()
    payload = Payload(basis.directions, Form.of(data), basis.mean, basis.scale)
    return payload, model.encode(data.samples[FACE : FACE + 1])[0], data.matrix[FACE], basis.names


def draw() -> None:
    """The face and its sliders; they move it inside the browser."""
    payload, code, face, names = _learned()
    mixer("home:mixer", payload=payload, code=code, original=face, names=names, first=4)
