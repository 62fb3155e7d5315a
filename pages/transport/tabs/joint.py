"""Part of the tab *Equation*: S and F trained together, with the weight of the equation as a choice."""

import json

import streamlit as st

from core.figures.text import number
from core.transport.joint import JointSettings, fit_joint
from core.ui.background import background
from core.ui.history import History
from pages.transport.shown import Shown, quality
from pages.transport.view import TransportView

_WEIGHTS, _STEPS = (0.0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0), (100, 400, 1600)


def draw(history: History[TransportView], on: Shown) -> None:
    """The weight and the button, then a row for every weight that was tried on this spectrum."""
    st.subheader("Train S with the equation", anchor=False)
    st.markdown(
        "The paper asks for both at once: $\\lVert f_S-f\\rVert^2+\\lambda\\lVert\\nabla S-F(x,S)\\rVert^2$, the "
        "second in units of $|\\nabla S|^2$ before. A flat S obeys at no cost: $|\\nabla S|^2$ stands beside it."
    )
    weight = min(_WEIGHTS, key=lambda w: abs(w - history.now.entry("joint", "weight", 1e-3)))
    steps = min(_STEPS, key=lambda n: abs(n - history.now.entry("joint", "steps", 400)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        history.bind(
            "joint.weight", st.select_slider, "Weight λ of the equation", _WEIGHTS, value=weight, width=300,
            format_func=lambda w: f"{w:g}",
        )  # fmt: skip
        history.bind("joint.steps", st.select_slider, "Steps", _STEPS, value=steps, width=160)
    settings = JointSettings(weight=weight, steps=steps)
    key = json.dumps([on.key, "joint", settings.as_dict()])
    found = background(
        "transport:joint", key, lambda run: _trained(on, settings, run), "Training S and F together",
        ask=f"Train with weight {weight:g}",
    )  # fmt: skip
    tried = st.session_state.setdefault("transport:joint-tried", {}).setdefault(on.key, {})
    if found is not None:
        tried[weight, steps] = found
    if tried:
        _table(on, tried)


def _trained(on: Shown, settings: JointSettings, run) -> tuple[float, float, float] | None:
    made = fit_joint(on.signal.values, on.fitted, settings, seed=on.seed, run=run)
    if run.should_stop():
        return None
    decibels = quality(on.signal, made.spectrum.synthesise())
    return decibels, made.unexplained, made.gradient / max(made.gradient_before, 1e-30)


def _table(on: Shown, tried: dict[tuple[float, int], tuple[float, float, float]]) -> None:
    import pandas as pd

    unit = "PSNR, dB" if on.kind == "picture" else "SNR, dB"
    rows = {"exact fit": (f"{on.psnr:.1f}", "", "100%")}
    for (weight, steps), (decibels, left, flat) in sorted(tried.items()):
        rows[f"weight {weight:g}, {steps} steps"] = (f"{decibels:.1f}", f"{left:.0%}", f"{flat:.0%}")
    names = [unit, "left of ∇S at other places", "|∇S|² beside before"]
    st.dataframe(pd.DataFrame(rows.values(), index=list(rows), columns=names), width="stretch")
    (weight, _), (decibels, _, flat) = max(tried.items())
    if flat < 0.7:
        st.caption(
            f"At weight {weight:g} part of the gain is emptiness: S went flatter, |∇S|² fell to {flat:.0%}, and "
            f"{number(on.psnr - decibels, 2)} dB are lost."
        )
    st.caption("Places of the test lie between those of the training here, since the equation is asked for everywhere.")
