"""The centre of the page: one sample, its code as sliders, and what comes of moving them."""

import random
from collections.abc import Callable

import numpy as np
import streamlit as st

from core.errors import InputError
from core.figures.text import percent
from core.ui.components import MixerState, mixer
from core.ui.components.state import apply
from core.ui.history import History
from core.ui.text import escape
from pages.directions import clip
from pages.directions.shown import Fitted, names_of
from pages.directions.view import DirectionsView

_WHOLE = "directions:rerun-all"


@st.fragment
def draw(history: History[DirectionsView], fitted: Fitted) -> None:
    """Choose a sample and mix it. A slider's release reruns only this part of the page."""
    if st.session_state.pop(_WHOLE, False):
        st.rerun()
    index = _choose(history, fitted)
    state = mix_of(history, fitted.basis.k)
    names = names_of(fitted, history.now.names)
    code = fitted.codes[index]
    mixer(
        "directions:mixer",
        payload=fitted.payload,
        code=code,
        original=fitted.dataset.matrix[index],
        state=state,
        names=names,
        captions=[percent(e) for e in fitted.energy],
        order=fitted.order(history.now.order, names),
        nonnegative=fitted.nonnegative,
        affine=fitted.model.affine,
        pictures=None if fitted.model.affine else pictures(fitted, code, state),
        can_undo=history.can_undo,
        can_redo=history.can_redo,
        seed=history.now.seed,
        on_change=lambda new: history.change(mix=new.as_dict()),
        on_undo=lambda: _step(history, history.undo),
        on_redo=lambda: _step(history, history.redo),
    )
    if clip.is_clip(fitted):
        clip.draw(fitted, code, state)


def _step(history: History[DirectionsView], step: Callable[[], None]) -> None:
    """Undo or redo; where more than the mix changed, the whole page follows."""
    before = history.now
    step()
    st.session_state[_WHOLE] = history.now.having(mix={}) != before.having(mix={})


def mix_of(history: History[DirectionsView], k: int) -> MixerState:
    """The mixer's state in the view; a link made for another basis counts as untouched."""
    try:
        return MixerState.from_dict(history.now.mix, k)
    except InputError:
        return MixerState()


def pictures(fitted: Fitted, code: np.ndarray, state: MixerState) -> dict[str, np.ndarray]:
    """Reconstruction and edited sample of a model that the browser cannot decode."""
    edited = apply(state, code, fitted.basis.scale)
    reconstruction, changed = fitted.model.decode(np.stack([code, edited]))
    return {"reconstruction": reconstruction, "edited": changed}


def _follow(history: History[DirectionsView]) -> None:
    st.session_state[_WHOLE] = history.now.tab == "One sample"  # the only other part that shows the sample


def _choose(history: History[DirectionsView], fitted: Fitted) -> int:
    n = len(fitted.dataset)
    index = min(max(history.now.sample, 0), n - 1)
    label = fitted.dataset.labels
    with st.container(horizontal=True, vertical_alignment="bottom"):
        history.bind(
            "sample", st.number_input, "Sample", value=index, min_value=0, max_value=n - 1, step=1, width=160,
            after=dict(mix={}), help="Which sample the sliders move; 0 is the first.", then=lambda: _follow(history),
        )  # fmt: skip
        st.button(
            "Another",
            icon=":material/shuffle:",
            on_click=lambda: (history.change(sample=random.randrange(n), mix={}), _follow(history)),
            key="directions:another",
            help="A sample drawn at random.",
        )
        name = fitted.dataset.names[index]
        named = f"**{escape(name)}**" if name != str(index) else ""
        with st.container(key="level-mix", width="content"):
            st.markdown(" · ".join(t for t in (named, "" if label is None else f"label {escape(label[index])}") if t))
    return index
