"""The random control that stands beside every number of a basis."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from core import diagnostics
from core.basis import Basis
from pages.directions.shown import Fitted


@dataclass(frozen=True, eq=False)
class Control:
    """Random directions of equal number about the same mean, orthonormal where they fit.

    Attributes:
        codes: `(N, K)` least-squares codes of the same data.
        energy: `(K,)` share of the data's energy that each direction explains.
    """

    basis: Basis
    codes: np.ndarray
    energy: np.ndarray


def control(fitted: Fitted) -> Control:
    """The control of a basis, computed once."""
    return _control(fitted.key, fitted)


@st.cache_resource(max_entries=24, show_spinner=False)
def _control(key: str, _fitted: Fitted) -> Control:
    basis = diagnostics.control_basis(_fitted.basis)
    codes = basis.encode(_fitted.dataset.matrix)
    return Control(basis, codes, diagnostics.explained_energy(basis, codes, _fitted.dataset.matrix))
