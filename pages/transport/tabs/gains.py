"""Tab *Band gains*: the picture edited through its spectrum, everywhere or inside a rectangle."""

import numpy as np
import streamlit as st

from core.figures import fields
from core.figures.text import number
from core.transport.gains import PRESETS, SILENT, bands
from core.ui.history import History
from pages.transport import edits
from pages.transport.shown import Shown
from pages.transport.view import TransportView, entry

_OWN = "own gains"


def draw(history: History[TransportView], on: Shown) -> None:
    """What the edit gives, then presets, the rectangle and the gains."""
    pictures = st.container()
    left, right = st.columns([2, 3], gap="large")
    with left:
        _where(history, on)
    with right:
        _gains(history, on)
    with pictures:
        _pictures(history, on)


def _pictures(history: History[TransportView], on: Shown) -> None:
    now = history.now
    after = edits.rendered(on, now)
    before = on.signal.values if entry(now.edit, "rest", True) else on.drawn
    change = after - before
    one, two, three = st.columns(3)
    one.image(fields.enlarged(fields.shown(before)), width="stretch")
    one.caption("**Before**")
    two.image(fields.enlarged(fields.shown(after)), width="stretch")
    two.caption("**After**" + (f", {len(now.kept) + 1} edits" if now.kept else ""))
    top = max(float(np.percentile(np.abs(change), 99.5)), 1e-4)
    three.image(fields.enlarged(fields.difference(change, top)), width="stretch")
    size = float(np.sqrt(np.mean(change**2)))
    three.caption(f"**Difference**, blue to orange is ±{number(top, 2)}; root mean square {number(size)}")


def _where(history: History[TransportView], on: Shown) -> None:
    now = history.now
    chosen = entry(now.edit, "preset", "")
    chosen = chosen if chosen in PRESETS else ""
    history.bind(
        "edit.preset", st.selectbox, "Edit", ["", *PRESETS], value=chosen, format_func=lambda p: p or _OWN,
        help="A ready edit, or gains of your own for each band.",
    )  # fmt: skip
    if chosen in ("low-pass", "high-pass", "notch"):
        most = float(max(on.signal.shape) // 2)
        history.bind(
            "edit.cut", st.slider, "Cycles a side", 0.0, most, step=0.5,
            value=min(edits.frequency_of(on, now.edit), most),
            help="Where it cuts. A carrier is kept or dropped whole.",
        )  # fmt: skip
    if chosen == "one orientation":
        history.bind(
            "edit.angle", st.slider, "Angle of the wave vector", 0.0, 180.0,
            value=entry(now.edit, "angle", 0.0, 0.0, 180.0), step=5.0, help="Carriers within 30 degrees of it stay.",
        )  # fmt: skip
    history.bind(
        "edit.inside", st.toggle, "Only inside a rectangle", value=entry(now.edit, "inside", False),
        help="A global filter cannot do this: the gains act on S, which knows places.",
    )  # fmt: skip
    if entry(now.edit, "inside", False):
        for name, label in (("rows", "Rows, percent from the top"), ("columns", "Columns, percent from the left")):
            history.bind(f"edit.{name}", st.slider, label, 0, 100, value=edits.span(now.edit, name), key=f"edit.{name}")
    history.bind(
        "edit.rest", st.toggle, "Add what the fit missed", value=entry(now.edit, "rest", True),
        help="So that a photograph keeps the detail that the carriers cannot serve.",
    )  # fmt: skip
    _buttons(history)


def _buttons(history: History[TransportView]) -> None:
    now = history.now
    fresh = {n: v for n, v in now.edit.items() if n == "rest"}
    kept = [*now.kept, dict(gains=now.gains, edit=now.edit)]
    with st.container(horizontal=True):
        st.button(
            "Keep, and edit on", icon=":material/add:", key="transport:keep-edit", disabled=len(now.kept) >= 8,
            help="This edit stays, and the next one comes on top of it.",
            on_click=lambda: history.change(kept=kept, gains={}, edit=fresh),
        )  # fmt: skip
        st.button(
            "Reset all", icon=":material/restart_alt:", key="transport:reset",
            on_click=lambda: history.change(kept=[], gains={}, edit={}),
        )  # fmt: skip
    if now.kept:
        st.caption(f"{len(now.kept)} kept before this one.")


def _gains(history: History[TransportView], on: Shown) -> None:
    if entry(history.now.edit, "preset", "") in PRESETS:
        st.caption("A preset sets the gains. Choose *own gains* to move the bands.")
        return
    found = bands(on.spectrum)
    octaves = sorted({b.low for b in found})
    st.markdown("**Gain of each band, dB**", help="Octaves of frequency by orientation; a band at −60 dB is silent.")
    for low in octaves:
        row = [b for b in found if b.low == low]
        st.caption(f"{low:g} to {row[0].high:g} cycles a side")
        for column, band in zip(st.columns(4), row, strict=False):
            with column:
                many = len(band.carriers)
                history.bind(
                    f"gains.{band.name}", st.slider, f"{band.angle:g}°" if band.angle is not None else "all",
                    SILENT, edits.LARGEST_DB, value=history.now.gains.get(band.name, 0.0), step=1.0,
                    help=f"{many} carrier{'s' if many > 1 else ''}; the wave vector lies within 22.5 degrees of it.",
                )  # fmt: skip
