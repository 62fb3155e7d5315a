"""Left side of the page: directions, how they are applied, how text is written."""

import streamlit as st

from core.steering.generate import Writing
from core.steering.steer import METHODS, PLACES
from core.ui.history import History
from core.ui.settings_form import settings_form
from core.ui.text import escape
from pages.steering.opened import Ready, names_of
from pages.steering.view import OWN_BLOCK, SteeringView

_METHODS = {
    "add": "Add the vector",
    "keep_norm": "Add, keep the norm",
    "cap": "Raise the projection to it",
    "ablate": "Project out",
}


def writing(history: History[SteeringView]) -> None:
    """How text is written."""
    settings_form(history, "writing", Writing, leave=("chat", "cache"))
    history.bind(
        "auto", st.toggle, "Write by itself", help="Write anew as soon as something has changed; otherwise at *Write*."
    )


def steering(history: History[SteeringView], ready: Ready) -> None:
    """How the directions are applied."""
    view, o = history.now, ready.opened
    if len(o.blocks) == 1:
        history.bind(
            "method", st.selectbox, "Method", list(METHODS), format_func=_METHODS.get,
            help="  \n".join(f"**{_METHODS[m]}**: {text}" for m, text in METHODS.items()),
        )  # fmt: skip
    history.bind("where", st.selectbox, "Where", list(PLACES), format_func=lambda p: PLACES[p].capitalize())
    with st.expander("More"):
        if len(o.blocks) == 1:
            own = o.blocks[0]
            history.bind(
                "block", st.number_input, "Block", min_value=0, max_value=len(ready.norms) - 1, step=1,
                value=ready.block(view),
                help=f"Behind which block it is added. These directions were found behind block {own}.",
            )  # fmt: skip
            if view.block not in (OWN_BLOCK, own):
                st.caption(f"Found behind block {own}; elsewhere they may mean something else.")
            names = dict(zip(o.names, names_of(o, view), strict=True))
            options = ["", *o.names]
            history.bind(
                "against", st.selectbox, "Leave alone", options, value=view.against if view.against in options else "",
                format_func=lambda n: names.get(n, "nothing"),
                help="What lies along this direction is taken out of the steer (FluxSpace's rule).",
            )  # fmt: skip
        if "told" in view.beside:
            history.bind("told", st.text_input, "Told in words", help="Left empty, it follows from the weights.")
        if "random" in view.beside:
            history.bind("random", st.number_input, "Seed of the random direction", min_value=0, step=1)
        if len(o.blocks) != 1:
            st.caption(f"Added behind blocks {o.blocks[0]} to {o.blocks[-1]}, each its part.")
        st.caption(escape(f"Language model: {o.model.about_.get('model', o.source)}"))
