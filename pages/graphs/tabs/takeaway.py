"""Tab *Take away*: files, the recipe, and a snippet that computes the same again."""

import streamlit as st

from core.graphs import takeaway
from core.ui.history import History
from core.ui.takeaway import download, recipe
from pages.graphs.data import sources_of_upload
from pages.graphs.shown import Shown, all_bases
from pages.graphs.view import GraphsView


def draw(history: History[GraphsView], on: Shown) -> None:
    """Downloads and the recipe on the left, code on the right."""
    files, code = st.columns([2, 3], gap="large")
    with files:
        st.subheader("Signal and coefficients", anchor=False)
        with st.container(horizontal=True):
            download(
                history.page,
                "Fitted signal as csv",
                lambda: takeaway.filtered_csv(on.graph, on.task, on.answer),
                "filtered.csv",
            )
            found = all_bases(on)
            if found is not None:
                download(
                    history.page, "Coefficients as npz", lambda: takeaway.coefficients_npz(found), "coefficients.npz"
                )
                download(history.page, "Gains as csv", lambda: takeaway.response_csv(on.task, found), "gains.csv")
        st.caption(
            "The npz holds the weights of all bases, by least squares and after the descent, with the recurrence "
            "coefficients of OptBasis and Favard. Every chart has its own camera button."
        )
        recipe(history)
    with code:
        st.subheader("The same in Python", anchor=False)
        st.caption("Run it from the project's folder; it prints the condition number and the error.")
        st.code(_snippet(history, on), language="python")


def _snippet(history: History[GraphsView], on: Shown) -> str:
    view = history.now
    sample, files = sources_of_upload(history)
    return takeaway.snippet(
        sample=sample,
        files=files,
        source=on.source,
        node=view.node if "impulse" in (on.source, on.goal) else 0,
        noise=view.noise,
        seed=view.seed,
        goal=on.goal,
        filter_name=view.filter,
        points=view.points,
        settings=on.settings.as_dict(),
        basis=on.basis,
        exact=on.exact,
    )
