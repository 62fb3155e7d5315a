"""What the page shows while there is no basis yet: the data itself."""

import streamlit as st

from core.datasets import Dataset
from core.figures.samples import montage
from core.ui.components import Form
from core.ui.text import escape

SHOWN = 48


def draw(dataset: Dataset, *, awaited: bool = True) -> None:
    """The first samples, drawn in their form.

    Args:
        awaited: whether it is their basis that comes.
    """
    count = min(SHOWN, len(dataset))
    st.image(
        montage(dataset.matrix[:count], Form.of(dataset), columns=12),
        caption=f"{count} of {len(dataset):,} samples of {escape(dataset.title)}. "
        + ("Their basis will stand here." if awaited else "The training is of other data, which has to be brought."),
        alt="Samples of the data",
        width="stretch",
    )
