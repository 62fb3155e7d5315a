"""Left side of the page: a sample, or a picture, sound or mesh of one's own."""

import hashlib
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from core.errors import InputError
from core.transport.meshes import MESHES
from core.transport.samples import MADE, PACKAGED, photograph
from core.transport.shapes import SOLIDS, mask_outline, outline, solid, star
from core.transport.signal import Signal, picture_signal, window_of
from core.transport.sound import glide, spoken
from core.transport.uploads import PICTURES, SOUNDS, read_upload
from core.ui.brought import Brought, ask_again
from core.ui.history import History
from core.ui.text import escape, say_error, told_apart
from pages.transport.view import FIRST, FRESH_DATA, FRESH_SIGNAL, LARGEST_SEED, SIZES, WINDOWS, TransportView

_MADE_HERE = "Made here, with known local frequency."
SHAPES = {"star": "outline", **dict.fromkeys(SOLIDS, "solid")}
SOUNDS_MADE = {"glide": glide, "made speech": spoken}
SAMPLES = (*MADE, *PACKAGED, *SOUNDS_MADE, *SHAPES)
COLOURED = ("astronaut",)
_TAKEN = f"pictures ({', '.join(PICTURES)}), sounds ({', '.join(SOUNDS)}), meshes ({', '.join(MESHES)})"


@dataclass(frozen=True, eq=False)
class Chosen:
    """A signal, and the text that names it and how it was cut, reduced or read."""

    signal: Signal
    identity: str
    source: str


def choose(history: History[TransportView]) -> Chosen:
    """The chooser and the drop zone; a bad upload leaves the signal as it was and shows one sentence."""
    own = Brought[Signal].of("transport")
    chooser = st.container()
    _drop_zone(history, own)
    titles = {f"sample:{n}": f"{n.capitalize()}{_mark(n)}" for n in SAMPLES}
    titles |= {f"upload:{p}": f"{s.title} (yours)" for p, s in reversed(own.things.items())}
    now, chosen = history.now, history.now.data
    if chosen not in titles:
        ask_again(chosen, now.title)
        chosen = FIRST
    history.bind(
        "data", chooser.selectbox, "Signal", list(titles), value=chosen, after=FRESH_DATA,
        format_func=told_apart(list(titles)[::-1], titles.get),
        help="The first four pictures and the glide are made, so that their true local frequency is known.",
    )  # fmt: skip
    place, _, name = chosen.partition(":")
    whole = own.things[name] if place == "upload" else None
    kind = whole.kind if whole else "sound" if name in SOUNDS_MADE else SHAPES.get(name, "picture")
    read = {"picture": _picture, "sound": _sound}.get(kind, _shape)
    made = read(history, chosen, whole)
    _about(made)
    return made


def _mark(name: str) -> str:
    return " (sound)" if name in SOUNDS_MADE else f" ({SHAPES[name]})" if name in SHAPES else ""


def _picture(history: History[TransportView], chosen: str, whole: Signal | None) -> Chosen:
    name, now = chosen.partition(":")[2], history.now
    coloured = len(whole.values) == 3 if whole else name in COLOURED
    with st.container(horizontal=True, vertical_alignment="bottom"):
        history.bind(
            "size", st.selectbox, "Long side", list(SIZES), after=dict(field={}, path={}, model=""), width=110,
            format_func=lambda n: f"{n} px",
            help="Pictures are reduced to this many pixels by means over areas, so that the sliders answer at once.",
        )  # fmt: skip
        if coloured and not now.outline:
            history.bind(
                "colour", st.toggle, "Colour", after=dict(model=""),
                help="Fit red, green and blue with the same carriers.",
            )  # fmt: skip
        if whole:
            history.bind(
                "outline", st.toggle, "As an outline", after=FRESH_SIGNAL,
                help="Fit the signed distance to the edge of the dark part, as of a drawing or a silhouette.",
            )  # fmt: skip
    colour = coloured and now.colour and not now.outline
    identity = f"{chosen}:{now.size}:{colour}"
    if not whole:
        return Chosen(built_in(name, now.size, colour), identity, PACKAGED.get(name, _MADE_HERE))
    signal = _reduced(identity, whole, now.size, colour)
    if now.outline:
        try:
            outlined = mask_outline(signal.mono < 0.5, signal.title)
            return Chosen(replace(outlined, notes=signal.notes), f"{identity}:outline", "")
        except InputError as error:
            say_error(error)
    return Chosen(signal, identity, "")


def _sound(history: History[TransportView], chosen: str, whole: Signal | None) -> Chosen:
    name = chosen.partition(":")[2]
    signal = whole or made_sound(name)
    total = signal.shape[0] / signal.rate
    start, seconds = window(history.now, total)
    if total > WINDOWS[0]:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            history.bind(
                "window.seconds", st.selectbox, "Fitted", list(WINDOWS), value=seconds, after=FRESH_SIGNAL, width=110,
                format_func=lambda s: f"≤ {s:g} s",
                help="At most this much: a window of the sound, so that the sliders answer at once.",
            )  # fmt: skip
            if total > seconds:
                history.bind(
                    "window.start", st.slider, "From, s", 0.0, total - seconds, value=start, after=FRESH_SIGNAL,
                    step=0.05 if total < 30 else 0.5,
                )  # fmt: skip
    source = "" if whole else _MADE_HERE if signal.frequency is not None else "Made here, a pulse train through vowels."
    return Chosen(window_of(signal, start, seconds), f"{chosen}:{start:g}:{seconds:g}", source)


def window(view: TransportView, total: float) -> tuple[float, float]:
    """Start and seconds of what is fitted of a sound that lasts `total` seconds."""
    seconds = min(WINDOWS, key=lambda s: abs(s - view.entry("window", "seconds", 2.0)))
    return view.entry("window", "start", 0.0, 0.0, max(0.0, total - seconds)), seconds


def _shape(_history: History[TransportView], chosen: str, whole: Signal | None) -> Chosen:
    return Chosen(whole or made_shape(chosen.partition(":")[2]), chosen, "" if whole else "Made here.")


def seed(history: History[TransportView]) -> None:
    """The seed of everything drawn at random."""
    history.bind(
        "seed", st.number_input, "Seed", min_value=0, max_value=LARGEST_SEED, step=1,
        help="Everything drawn at random follows from it: the same seed gives the same numbers.",
    )  # fmt: skip


@st.cache_resource(max_entries=16, show_spinner="Opening the sample ...")
def built_in(name: str, size: int, colour: bool = False) -> Signal:
    """A built-in picture at a resolution, made once per server."""
    if name in MADE:
        values, truth = MADE[name](size)
        return Signal(values[None].astype(np.float32), "picture", name, frequency=truth.frequency)
    return replace(picture_signal(photograph(name, size, colour=colour), longest=size), title=name)


@st.cache_resource(show_spinner="Opening the sample ...")
def made_sound(name: str) -> Signal:
    """A built-in sound."""
    return SOUNDS_MADE[name]()


@st.cache_resource(show_spinner="Opening the sample ...")
def made_shape(name: str) -> Signal:
    """A built-in outline or solid."""
    return outline(star(), title=name) if name == "star" else solid(name)


@st.cache_resource(max_entries=8, show_spinner=False)
def _reduced(key: str, _signal: Signal, size: int, colour: bool) -> Signal:
    values = _signal.values if colour else _signal.values.mean(0, keepdims=True)
    made = picture_signal(np.moveaxis(values, 0, -1), longest=size, title=_signal.title)
    return replace(made, notes=(*_signal.notes, *made.notes))


def _about(chosen: Chosen) -> None:
    signal = chosen.signal
    size = " × ".join(map(str, signal.shape[::-1]))
    what = {
        "picture": f"{size} pixels, {'colour' if len(signal.values) == 3 else 'grey'}",
        "sound": f"{signal.shape[0] / (signal.rate or 1):.2f} s, {signal.rate or 0:,.0f} samples a second",
        "outline": f"signed distance on {size} samples, negative inside",
        "solid": f"signed distance on {size} samples, negative inside",
    }[signal.kind]
    label = f"{signal.shape[0] / (signal.rate or 1):.2f} s" if signal.kind == "sound" else size
    with st.popover(label, icon=":material/info:", help="Where this signal comes from, what was done to it."):
        st.markdown(f"**{escape(signal.title)}**: {what}.")
        for line in (chosen.source, *signal.notes):
            if line:
                st.caption(escape(line))


def _drop_zone(history: History[TransportView], own: Brought[Signal]) -> None:
    with st.expander("Your own signal", icon=":material/upload:", expanded=bool(own.error)):
        file = st.file_uploader(
            "Signal", key=f"transport:upload:{own.generation}", label_visibility="collapsed",
            max_upload_size=250,
            help="Nothing leaves this server, nobody else sees it, and it is forgotten when the session ends.",
        )  # fmt: skip
        st.caption(
            f"Takes {_TAKEN}. Pictures of up to 40 million pixels, sounds of up to 250 MB (ten minutes of them "
            "are read), 500,000 triangles."
        )
        if file is not None:
            _read(history, own, file.name, file.getvalue())
        if own.error:
            say_error(own.error)


def _read(history: History[TransportView], own: Brought[Signal], name: str, content: bytes) -> None:
    made = own.read(lambda: read_upload(name, content))
    print_ = hashlib.sha256(made.values.tobytes() + str((made.kind, made.shape, made.rate)).encode()).hexdigest()[:16]
    wanted = f"upload:{own.keep(print_, made, (name,))}"
    if history.now.data != wanted:  # a link that waited for this very file keeps its view
        history.change(**{**FRESH_DATA, "data": wanted, "title": made.title})
    st.rerun()
