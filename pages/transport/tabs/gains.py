"""Tab *Band gains*: the signal edited through its spectrum, everywhere or in a region."""

import numpy as np
import streamlit as st

from core.figures.text import number
from core.transport.gains import SILENT, Band, bands
from core.transport.sound import hertz
from core.ui.history import History
from core.ui.view import entry
from pages.transport import edits, look
from pages.transport.shown import Shown
from pages.transport.tabs import region
from pages.transport.view import TransportView

_OWN = "own gains"
_WHERE = {
    "everywhere": "everywhere",
    "rectangle": "rectangle",
    "drawn": "drawn by hand",
    "times": "between two times",
}


def draw(history: History[TransportView], on: Shown) -> None:
    """What the edit gives, then presets, the region and the gains."""
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
    whole = entry(now.edit, "rest", True) and edits.pitches(on, now) is None
    before = on.signal.values if whole else on.drawn
    change = after - before
    one, two, three = look.panels(on.signal, "edited")
    look.values(one, on.signal, before, "**Before**", "before")
    look.values(two, on.signal, after, "**After**" + (f", {len(now.kept) + 1} edits" if now.kept else ""), "after")
    size = float(np.sqrt(np.mean(change**2)))
    said = f"; root mean square {number(size)}" if size > 1e-6 else "; nothing is changed"  # but for rounding
    look.error(three, on.signal, change, "Difference", "change", said)


def _where(history: History[TransportView], on: Shown) -> None:
    now, options = history.now, edits.presets(on)
    chosen = entry(now.edit, "preset", "")
    chosen = chosen if chosen in options else ""
    history.bind(
        "edit.preset", st.selectbox, "Edit", ["", *options], value=chosen, format_func=lambda p: p or _OWN,
        help="A ready edit, or gains of your own for each band.",
    )  # fmt: skip
    if chosen in ("low-pass", "high-pass", "notch"):
        most = float(max(np.linalg.norm(on.spectrum.carriers, axis=1).max(), 1.0).round())
        history.bind(
            "edit.cut", st.slider, "Cycles a side", 0.0, most, step=0.5, format="%.1f",
            value=min(edits.frequency_of(on, now.edit), most),
            help="Where it cuts. A carrier is kept or dropped whole.",
        )  # fmt: skip
    if chosen == "one orientation":
        history.bind(
            "edit.angle", st.slider, "Angle of the wave vector", 0.0, 180.0,
            value=entry(now.edit, "angle", 0.0, 0.0, 180.0), step=5.0, format="%d°",
            help="Carriers within 30 degrees of it stay.",
        )  # fmt: skip
    if len(edits.WHERE[on.kind]) > 1:
        history.bind(
            "edit.where", st.segmented_control, "Where it acts", list(edits.WHERE[on.kind]), required=True,
            value=edits.where(on, now.edit), format_func=_WHERE.get,
            help="A global filter cannot act in a region: the gains act on S, which knows places.",
        )  # fmt: skip
    _region(history, on)
    if on.kind == "sound":
        history.bind(
            "edit.pitch", st.slider, "Pitch, semitones", -edits.LARGEST_PITCH, edits.LARGEST_PITCH,
            value=edits.pitch(on, now.edit),
            help="Every carrier's phase runs faster or slower; timing and amplitudes stay. What the fit missed is left "
            "out.",
        )  # fmt: skip
    history.bind(
        "edit.rest", st.toggle, "Add what the fit missed", value=entry(now.edit, "rest", True),
        help="So that a photograph keeps the detail that the carriers cannot serve.",
    )  # fmt: skip
    _buttons(history)


def _region(history: History[TransportView], on: Shown) -> None:
    now, where = history.now, edits.where(on, history.now.edit)
    if where == "drawn":
        region.draw(history, on)
    sides = {
        "rectangle": (("rows", "Rows, percent from the top"), ("columns", "Columns, percent from the left")),
        "times": (("times", "Percent of the sound"),),
    }
    for name, label in sides.get(where, ()):
        history.bind(f"edit.{name}", st.slider, label, 0, 100, value=edits.span(now.edit, name), key=f"edit.{name}")


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
    if entry(history.now.edit, "preset", "") in edits.presets(on):
        st.caption("A preset sets the gains. Choose *own gains* to move the bands.")
        return
    found = bands(on.spectrum)
    st.markdown("**Gain of each band, dB**", help="Octaves of frequency by orientation; a band at −60 dB is silent.")
    unit, name = (hertz(on.spectrum, on.signal.rate), "Hz") if on.kind == "sound" else (1.0, "cycles a side")
    if on.spectrum.d != 2:
        for i, band in enumerate(found):
            if i % 4 == 0:
                columns = st.columns(4)
            with columns[i % 4]:
                _gain(history, band, f"{number(band.low * unit)} to {number(band.high * unit)} {name}")
        return
    for low in sorted({b.low for b in found}):
        row = [b for b in found if b.low == low]
        st.caption(f"{low:g} to {row[0].high:g} {name}")
        for column, band in zip(st.columns(4), row, strict=False):
            with column:
                _gain(history, band, f"{band.angle:g}°")


def _gain(history: History[TransportView], band: Band, label: str) -> None:
    many = len(band.carriers)
    told = "; the wave vector lies within 22.5 degrees of it" if band.angle is not None else ""
    history.bind(
        f"gains.{band.name}", st.slider, label, SILENT, edits.LARGEST_DB, step=1.0, format="%d",
        value=history.now.gains.get(band.name, 0.0), help=f"{many} carrier{'s' if many > 1 else ''}{told}.",
    )  # fmt: skip
