"""The part *Wavelets*: angles as dials, what they make of the functions, the filters and the data."""

import json
from dataclasses import replace

import numpy as np
import streamlit as st

from core.datasets import Dataset
from core.errors import InputError
from core.transforms.look import held, max_levels, preset_angles, presets, random_angles
from core.transforms.wavelet_model import WaveletModel, WaveletSettings
from core.ui.background import background
from core.ui.history import History
from core.ui.newest import newest
from core.ui.tabs import draw_tabs
from core.ui.text import say_error
from pages.transforms import training
from pages.transforms.parts import wavelets_tabs as tabs
from pages.transforms.parts.wavelets_shown import PART, shown_of
from pages.transforms.view import TransformsView

QUICK_STEPS, PER_ROW = 60, 8
_QUICK, _DRAWN, _TURN, _BY_HAND = (f"transforms:{n}" for n in ("quick", "drawn", "turn", "by-hand"))


def left(history: History[TransformsView], dataset: Dataset) -> WaveletSettings:
    """The sample looked at and the settings of the wavelet."""
    if len(dataset) > 1:
        history.bind(
            "wavelets.sample", st.number_input, "Sample", 0, len(dataset) - 1, step=1,
            value=history.now.entry(PART, "sample", 0, 0, len(dataset) - 1),
            help="The one that is drawn; 0 is the first.",
        )  # fmt: skip
    most = {"levels": max_levels(dataset.shape), "keep": dataset.d}
    return training.choose_settings(history, PART, dataset, most, leave=("low_pass",))


def draw(history: History[TransformsView], dataset: Dataset, settings: WaveletSettings) -> None:
    """Training, dials, figures, tabs."""
    model = training.model_of(history, PART, dataset)
    _centre(history, dataset, model.settings if model else settings, model)


@st.fragment
def _centre(history: History[TransformsView], dataset: Dataset, settings: WaveletSettings, model) -> None:
    """Reruns alone when a dial is let go. The toggle and the model are looked up anew: they may have changed here."""
    low_pass = history.now.wavelets_settings.get("low_pass", settings.low_pass)
    settings = replace(settings, low_pass=low_pass if isinstance(low_pass, bool) else True)
    angles = None
    if settings.form == "orthogonal":
        _quick(history, dataset, settings, model)
        angles = _angles(history, settings, model)
        _dials(history, settings, angles)
    else:
        st.caption(
            f"The {settings.form} form has no angles; its {'taps' if settings.form == 'free' else 'lifting steps'} are "
            "learned as they are. Choose *orthogonal* on the left for dials."
        )
    with st.container(horizontal=True, vertical_alignment="center"):
        _learn(history, dataset, settings, model)
    training.offer(history, PART, dataset, settings, "Learn it in a run")
    try:
        with newest("transforms:look"):
            on = shown_of(history, dataset, settings, model, angles)
    except InputError as error:
        say_error(error)
        return
    tabs.centre(on)
    draw_tabs(
        history,
        {
            "Compression": lambda: tabs.compression(on),
            "Filters": lambda: tabs.filters(on),
            "Take away": lambda: tabs.takeaway(history, on),
            "How it works": tabs.how,
        },
    )


def _angles(history: History[TransformsView], s: WaveletSettings, model) -> list[float]:
    """Degrees: moved by hand, learned, or those that learning starts from."""
    count, own = s.taps // 2, history.now.wavelets.get("angles")
    good = isinstance(own, list) and len(own) == count
    if good and all(isinstance(a, (int, float)) and not isinstance(a, bool) and abs(a) <= 180 for a in own):
        angles = np.radians(own)
    elif model is not None and model.angles_ is not None:
        angles = model.angles_
    elif s.start == "random":
        angles = random_angles(count, history.now.seed)
    else:
        angles = preset_angles("haar" if count == 1 else f"{s.start}{count}")
    angles = held(angles) if s.low_pass else np.angle(np.exp(1j * np.asarray(angles)))
    return [float(a) for a in np.degrees(angles)]


def _dials(history: History[TransformsView], s: WaveletSettings, angles: list[float]) -> None:
    """One slider an angle; with the low-pass held, the last one follows from the others."""
    set_to = lambda new: history.change(wavelets={**history.now.wavelets, "angles": [float(a) for a in new]})  # noqa: E731
    bar = st.container(horizontal=True, vertical_alignment="center")
    with bar:
        history.bind(
            "wavelets_settings.low_pass", st.toggle, "Force low-pass", value=s.low_pass,
            help="Holds the sum of the angles at 45 degrees, so that the first filter passes constants. Off, any "
            "angles go: the wavelet stays orthogonal, but its first filter may pass anything.",
        )  # fmt: skip
        for name, title in presets(s.taps).items():
            st.button(
                title, key=f"transforms:preset:{name}",
                on_click=lambda n=name: set_to(np.degrees(preset_angles(n))), help="Set the dials to this wavelet.",
            )  # fmt: skip
        st.button(
            "Random", icon=":material/casino:", key="transforms:random",
            on_click=lambda: set_to(np.degrees(random_angles(len(angles), np.random.default_rng().integers(2**31)))),
        )  # fmt: skip
        st.button(
            "Reset", icon=":material/restart_alt:", key="transforms:reset",
            disabled="angles" not in history.now.wavelets,
            on_click=lambda: history.change(wavelets={k: v for k, v in history.now.wavelets.items() if k != "angles"}),
            help="Back to the learned angles, or to those that learning starts from.",
        )  # fmt: skip
    if st.session_state.get(_DRAWN) != angles:
        by_hand = st.session_state.pop(_BY_HAND, False)
        st.session_state[_DRAWN] = angles
        st.session_state[_TURN] = st.session_state.get(_TURN, 0) + (not by_hand)
    for first in range(0, len(angles), PER_ROW):
        row = st.columns(min(PER_ROW, max(len(angles), 4)))
        for i, place in zip(range(first, min(first + PER_ROW, len(angles))), row, strict=False):
            _dial(place, history, i, angles, s, set_to)


def _dial(place, history, i: int, angles: list[float], s: WaveletSettings, set_to) -> None:
    turn, last = st.session_state[_TURN], s.low_pass and i == len(angles) - 1
    # Angles that no hand set get new sliders: a message under way may still carry the value of the old one.
    key, value = f"transforms:angle:{i}:{turn}", float(np.clip(round(angles[i], 1), -180, 180))
    if st.session_state.get(key) != value:
        st.session_state[key] = value

    def moved():
        if turn == st.session_state[_TURN]:
            st.session_state[_BY_HAND] = True
            set_to([st.session_state[key] if j == i else round(a, 3) for j, a in enumerate(angles)])

    place.slider(
        f"Angle {i + 1} / degrees", -180.0, 180.0, step=0.1, format="%.1f", key=key, disabled=last,
        on_change=None if last else moved, help="Follows from the others while the low-pass is held." if last else None,
    )  # fmt: skip


def _learn(history: History[TransformsView], dataset: Dataset, s: WaveletSettings, model) -> None:
    """Buttons to learn: a few steps from where the dials are, or a whole run."""
    if model is not None:
        training.again(history, PART)
    if s.form == "orthogonal":
        st.button(
            "Quick fit from here", icon=":material/bolt:", key="transforms:quick-go",
            on_click=lambda: st.session_state.update({_QUICK: True}),
            help=f"{QUICK_STEPS} steps that turn the dials so that less energy lies outside the {s.keep} largest "
            "coefficients.",
        )  # fmt: skip


def _quick(history: History[TransformsView], dataset: Dataset, s: WaveletSettings, model) -> None:
    """Carry on a quick fit that was asked for; when it is there, the dials turn to it."""
    if not st.session_state.get(_QUICK):
        return
    angles, seed = np.radians(_angles(history, s, model)), history.now.seed
    short = replace(s, steps=QUICK_STEPS)
    key = json.dumps(["quick", dataset.identity, short.as_dict(), angles.tolist(), seed])

    def compute(run):
        learned = WaveletModel(short).fit_from(angles, dataset, seed=seed, run=run)
        return None if run.should_stop() else np.degrees(learned.angles_)

    found = background("transforms:quickly", key, compute, "Turning the dials")
    if found is not None:
        st.session_state.pop(_QUICK)
        history.change(wavelets={**history.now.wavelets, "angles": [round(float(a), 3) for a in _wrapped(found)]})
        st.rerun()


def _wrapped(degrees: np.ndarray) -> np.ndarray:
    return (np.asarray(degrees) + 180) % 360 - 180
