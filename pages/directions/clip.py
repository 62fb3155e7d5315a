"""A whole sound clip, as it is, through the basis, and with the mixer's changes in every frame."""

import io

import numpy as np
import streamlit as st

from core.datasets.sound import to_waveform
from core.directions.gains import gains
from core.ui.components import MixerState
from core.ui.components.state import apply
from pages.directions.shown import Fitted


def is_clip(fitted: Fitted) -> bool:
    """Whether the samples are the frames of one sound."""
    return fitted.dataset.kind == "audio" and "hop" in fitted.dataset.extra


def draw(fitted: Fitted, code: np.ndarray, state: MixerState) -> None:
    """Three players side by side; the edited one follows the mixer."""
    original, rebuilt, edited = st.columns(3)
    factors = gains(code, apply(state, code, fitted.basis.scale))
    for place, name, key in (
        (original, "The clip", None),
        (rebuilt, "Through the basis", ()),
        (edited, "Edited in every frame", tuple(factors.tolist())),
    ):
        with place:
            st.caption(name)
            st.audio(_wave(fitted.key, key, fitted), format="audio/wav")
    st.caption(
        "A direction that the mixer makes twice as strong in this frame becomes twice as strong in all of them; "
        "what is muted is muted everywhere."
    )


@st.cache_resource(max_entries=24, show_spinner="Rendering the sound ...")
def _wave(key: str, factors: tuple[float, ...] | None, _fitted: Fitted) -> bytes:
    import soundfile

    frames = None
    if factors is not None:
        frames = _fitted.model.decode(_fitted.codes * (np.array(factors) if factors else 1.0))
    rate, wave = to_waveform(_fitted.dataset, frames)
    out = io.BytesIO()
    soundfile.write(out, np.clip(wave, -1, 1), int(rate), format="WAV")
    return out.getvalue()
