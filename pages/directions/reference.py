"""PCA with as many directions as the basis that is shown: the reference for explained energy."""

import numpy as np
import streamlit as st

from core import diagnostics
from core.errors import InputError
from core.models import family
from pages.directions.fitting import QUICK_SECONDS
from pages.directions.shown import Fitted


def pca_energy(fitted: Fitted) -> tuple[np.ndarray | None, str]:
    """`(K,)` energy that PCA's directions explain, or None with a sentence that says why it is not there."""
    cls = family("directions.pca")
    k = min(fitted.basis.k, len(fitted.dataset), fitted.dataset.d)
    try:
        seconds = cls(k=k).seconds(fitted.dataset)
        if seconds > QUICK_SECONDS:
            return None, f"PCA with {k} directions would take about {seconds:.0f} seconds here, so it is left out."
        return _energy(fitted.key, k, fitted), ""
    except InputError as error:
        return None, str(error)


@st.cache_resource(max_entries=24, show_spinner=False)
def _energy(key: str, k: int, _fitted: Fitted) -> np.ndarray:
    model = family("directions.pca")(k=k).fit(_fitted.dataset)
    basis = model.bases()["directions"]
    return diagnostics.explained_energy(basis, model.encode(_fitted.dataset.samples), _fitted.dataset.matrix)
