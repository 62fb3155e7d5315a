"""Left side of the page: a sample or a picture of one's own."""

import hashlib
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from core.errors import InputError
from core.transport.samples import MADE, PACKAGED, photograph
from core.transport.signal import Signal, picture_signal
from core.transport.uploads import PICTURES, read_picture
from core.ui.brought import Brought, ask_again
from core.ui.history import History
from core.ui.text import escape, say_error, told_apart
from pages.transport.view import FIRST, FRESH_DATA, LARGEST_SEED, SIZES, TransportView

SAMPLES = (*MADE, *PACKAGED)
COLOURED = ("astronaut",)


@dataclass(frozen=True, eq=False)
class Chosen:
    """A signal, the text that names it and its resolution, and whether it could have colours."""

    signal: Signal
    identity: str
    source: str
    coloured: bool


def choose(history: History[TransportView]) -> Chosen:
    """The chooser and the drop zone; a bad upload leaves the picture as it was and shows one sentence."""
    own = Brought[Signal].of("transport")
    chooser = st.container()
    _drop_zone(history, own)
    titles = {f"sample:{n}": n.capitalize() for n in SAMPLES}
    titles |= {f"upload:{p}": f"{s.title} (yours)" for p, s in reversed(own.things.items())}
    now, chosen = history.now, history.now.data
    if chosen not in titles:
        ask_again(chosen, now.title)
        chosen = FIRST
    history.bind(
        "data", chooser.selectbox, "Picture", list(titles), value=chosen, after=FRESH_DATA,
        format_func=told_apart(list(titles)[::-1], titles.get),
        help="The first four are made, so that their true local frequency is known.",
    )  # fmt: skip
    place, _, name = chosen.partition(":")
    coloured = len(own.things[name].values) == 3 if place == "upload" else name in COLOURED
    with st.container(horizontal=True, vertical_alignment="bottom"):
        history.bind(
            "size", st.selectbox, "Long side", list(SIZES), after=dict(field={}, path={}), width=110,
            format_func=lambda n: f"{n} px",
            help="Pictures are reduced to this many pixels by means over areas, so that the sliders answer at once.",
        )  # fmt: skip
        if coloured:
            history.bind("colour", st.toggle, "Colour", help="Fit red, green and blue with the same carriers.")
    colour = coloured and now.colour
    if place == "upload":
        signal = _reduced(f"{name}:{now.size}:{colour}", own.things[name], now.size, colour)
    else:
        signal = built_in(name, now.size, colour)
    made = Chosen(signal, f"{chosen}:{now.size}:{colour}", _source(place, name), coloured)
    _about(made)
    return made


def seed(history: History[TransportView]) -> None:
    """The seed of everything drawn at random."""
    history.bind(
        "seed", st.number_input, "Seed", min_value=0, max_value=LARGEST_SEED, step=1,
        help="Everything drawn at random follows from it: the same seed gives the same numbers.",
    )  # fmt: skip


@st.cache_resource(max_entries=16, show_spinner="Opening the sample ...")
def built_in(name: str, size: int, colour: bool = False) -> Signal:
    """A built-in signal at a resolution, made once per server."""
    if name in MADE:
        values, truth = MADE[name](size)
        return Signal(values[None].astype(np.float32), "picture", name, frequency=truth.frequency)
    return replace(picture_signal(photograph(name, size, colour=colour), longest=size), title=name)


@st.cache_resource(max_entries=8, show_spinner=False)
def _reduced(key: str, _signal: Signal, size: int, colour: bool) -> Signal:
    values = _signal.values if colour else _signal.values.mean(0, keepdims=True)
    made = picture_signal(np.moveaxis(values, 0, -1), longest=size, title=_signal.title)
    return replace(made, notes=(*_signal.notes, *made.notes))


def _source(place: str, name: str) -> str:
    if place == "upload":
        return ""
    return PACKAGED.get(name, "Made here, with known local frequency.")


def _about(chosen: Chosen) -> None:
    signal = chosen.signal
    h, w = signal.shape
    with st.popover(f"{w} × {h}", icon=":material/info:", help="Where this picture comes from, what was done to it."):
        st.markdown(f"**{escape(signal.title)}**: {w} × {h} pixels, {'colour' if len(signal.values) == 3 else 'grey'}.")
        for line in (chosen.source, *signal.notes):
            if line:
                st.caption(escape(line))


def _drop_zone(history: History[TransportView], own: Brought[Signal]) -> None:
    with st.expander("Your own picture", icon=":material/upload:", expanded=bool(own.error)):
        file = st.file_uploader(
            "Picture", key=f"transport:upload:{own.generation}", label_visibility="collapsed",
            help="Nothing leaves this server, nobody else sees it, and it is forgotten when the session ends.",
        )  # fmt: skip
        st.caption(f"One picture ({', '.join(PICTURES)}), of any size up to 40 million pixels.")
        if file is not None:
            _read(history, own, file.name, file.getvalue())
        if own.error:
            say_error(own.error)


def _read(history: History[TransportView], own: Brought[Signal], name: str, content: bytes) -> None:
    own.error = ""
    own.generation += 1  # an empty uploader lets go of the bytes
    try:
        with st.spinner("Reading ..."):
            made = read_picture(name, content)
    except InputError as error:
        own.error = str(error)
        st.rerun()
    print_ = hashlib.sha256(made.values.tobytes() + str(made.shape).encode()).hexdigest()[:16]
    wanted = f"upload:{own.keep(print_, made, (name,))}"
    if history.now.data != wanted:  # a link that waited for this very file keeps its view
        history.change(**{**FRESH_DATA, "data": wanted, "title": made.title})
    st.rerun()
