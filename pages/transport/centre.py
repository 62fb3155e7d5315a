"""The centre of the page: the signal, what the spectrum draws of it, what is missed, and the four sliders."""

import streamlit as st

from core.transport.carriers import coverage
from core.ui.history import History
from pages.transport import look, saved, shown
from pages.transport.data import Chosen
from pages.transport.shown import MOST_CARRIERS, MOST_REFINED, SETTINGS, Shown
from pages.transport.view import TransportView

_PRICES = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
_CARRIERS = {
    "auto": "best of both",
    "data": "from the signal",
    "cover": "to cover its spectrum",
    "log-uniform": "log-uniform",
    "random": "random",
}

_AFTER = dict(gains={}, kept=[], model="")


def more_settings(history: History[TransportView], chosen: Chosen) -> None:
    """The settings that are not below the picture."""
    now, name = shown.settings(history, chosen.signal), SETTINGS[chosen.signal.kind]
    with st.expander("More of the fit", icon=":material/tune:"):
        history.bind(
            f"{name}.spline", st.segmented_control, "Spline", ("cubic", "bilinear"), value=now.spline, required=True,
            after=_AFTER, help="How S runs between the knots; only the cubic one has a slope without jumps.",
        )  # fmt: skip
        history.bind(
            f"{name}.mean", st.toggle, "Un-modulated grid", value=now.mean, after=_AFTER,
            help="Also fit a grid without a carrier, for slow brightness.",
        )  # fmt: skip
        history.bind(
            f"{name}.refine", st.slider, "Steps that move the carriers", 0, MOST_REFINED, value=now.refine, step=20,
            after=_AFTER,
            help="After the exact fit: carriers follow the slope of the error (Adam), S is solved again after each "
            "step, and exactly at the end. Takes some seconds.",
        )  # fmt: skip


def draw(history: History[TransportView], chosen: Chosen) -> Shown:
    """Three pictures and the sliders; a picture is drawn from a coarse fit until the fine one is there."""
    kept = saved.spectrum_of(history, chosen)
    place = st.container()  # the pictures before stay in it until there are new ones; an empty one would go blank
    _sliders(history, chosen)
    if kept is not None:
        with place.empty().container():
            _pictures(kept, "A model of the library. Moving a slider fits anew.")
        return kept
    pictures = None
    if chosen.signal.kind == "picture" and not shown.is_there(history, chosen):
        coarse = shown.get(history, chosen, coarse=True)
        pictures = place.empty()
        with pictures.container():
            note = "A coarse fit first; the fine one is on its way." if shown.is_large(chosen.signal) else ""
            _pictures(coarse, note, "coarse")
    on = shown.refined(history, shown.get(history, chosen))
    with (place.empty() if pictures is None else pictures).container():
        _pictures(on)
    return on


def _pictures(on: Shown, note: str = "", name: str = "centre") -> None:
    left, middle, right = look.panels(on.signal, name)
    signal, knots = on.signal, " × ".join(map(str, on.spectrum.grid.knots[::-1]))
    size = (
        " × ".join(map(str, signal.shape[::-1])) if signal.kind != "sound" else f"{signal.shape[0] / signal.rate:g} s"
    )
    look.values(
        left, signal, signal.values, f"**Signal**, {size}" + (", colour" if len(signal.values) == 3 else ""), "a"
    )
    look.values(middle, signal, on.drawn, f"**{on.spectrum.k} carriers**, {knots} knots each", "b")
    look.error(right, signal, on.rest, "Error", "c")
    _numbers(on, note, name == "coarse")


def _numbers(on: Shown, note: str, coarse: bool) -> None:
    samples = on.signal.values.size
    picture = on.kind == "picture"
    with st.container(horizontal=True, gap="medium"):
        st.metric(
            "PSNR" if picture else "SNR", f"{on.psnr:.1f} dB", width="content",
            help=None if picture else "Power of the signal, its mean left out, over the power of the error.",
        )  # fmt: skip
        for name, value, what in _shape_numbers(on):
            st.metric(name, value, width="content", help=what)
        st.metric(
            "Stored numbers", f"{on.spectrum.stored:,}", width="content",
            help=f"Two for each carrier, knot and channel, and the un-modulated grid; the signal has {samples:,}.",
        )  # fmt: skip
        st.metric(
            "Spectrum covered", f"{_covered(on.key, on):.0%}", width="content",
            help="Share of the signal's spectral energy within half the grid's cells of a carrier or of zero.",
        )  # fmt: skip
        st.metric(
            "Solve", f"{1000 * on.fitted.solved.seconds:.0f} ms" if on.fitted.solved else "saved", width="content",
            help=f"Processor time of {on.fitted.solved.iterations} steps of conjugate gradients; the carriers took "
            "their own, once for each signal and number." if on.fitted.solved else None,
        )  # fmt: skip
        st.metric(
            "DCT, as many numbers", f"{_dct(on):.1f} dB", width="content",
            help="A truncated cosine transform of the same size: the largest coefficients, their positions charged.",
        )  # fmt: skip
    if coarse and not note:
        return  # what was said of the fit before stays until the fine one is there
    sentences = [note] if note else []
    ahead = on.psnr - _dct(on)
    if ahead < -0.05:
        sentences.append(f"On this signal a truncated cosine transform of equal size is {-ahead:.1f} dB better.")
    if on.spectrum.stored >= samples:
        sentences.append("The fit stores more numbers than the signal has, so a low error says nothing here.")
    # an empty one takes the place of what the coarse fit or the one before said; nothing at all would leave that there
    st.caption(" ".join(sentences)) if sentences else st.empty()


def _shape_numbers(on: Shown) -> list[tuple[str, str, str]]:
    if on.kind not in ("outline", "solid"):
        return []
    overlap, apart = _overlap(on.key, on)
    found = [("IoU", f"{overlap:.3f}", "Intersection over union of the two insides.")]
    if apart is not None:
        told = "Mean distance from each surface to the other, in sides of the box; the grid's step is "
        found.append(("Chamfer", f"{apart:.4f}", f"{told}{1 / max(on.signal.shape):.4f}."))
    return found


@st.cache_resource(max_entries=64, show_spinner=False)
def _overlap(key: str, _on: Shown) -> tuple[float, float | None]:
    from core.transport.shapes import chamfer, iou, surface

    apart = chamfer(surface(_on.signal.values[0]), surface(_on.drawn[0])) if _on.kind == "solid" else None
    return iou(_on.signal.values[0], _on.drawn[0]), apart


@st.cache_resource(max_entries=64, show_spinner=False)
def _covered(key: str, _on: Shown) -> float:
    return coverage(_on.signal.mono, _on.spectrum.carriers, max(_on.spectrum.grid.cells))


def _dct(on: Shown) -> float:
    return _dct_of(f"{on.key}:dct", on)


@st.cache_resource(max_entries=64, show_spinner=False)
def _dct_of(key: str, _on: Shown) -> float:
    from core.transport.codecs import truncated_dct

    return shown.quality(_on.signal, truncated_dct(_on.signal.values, _on.spectrum.stored).values)


def _sliders(history: History[TransportView], chosen: Chosen) -> None:
    now, name = shown.settings(history, chosen.signal), SETTINGS[chosen.signal.kind]
    one, two, three, four = st.columns(4)
    with one:
        history.bind(
            f"{name}.k", st.slider, "Carriers K", 1, MOST_CARRIERS, value=now.k, after=_AFTER,
            help="How many global sinusoids share the signal.",
        )  # fmt: skip
    with two:
        most = shown.most_cells(chosen.signal)
        history.bind(
            f"{name}.cells", st.slider, "Cells of the grid", 2, most, value=min(now.cells, most), after=_AFTER,
            help="Along the longest side; a carrier serves frequencies within half of this number around it.",
        )  # fmt: skip
    with three:
        price = min(_PRICES, key=lambda p: abs(p - now.smoothness))
        history.bind(
            f"{name}.smoothness", st.select_slider, "Smoothness", _PRICES, value=price, after=dict(model=""),
            format_func=lambda p: f"{p:g}", help="The price of bending S.",
        )  # fmt: skip
    with four:
        history.bind(
            f"{name}.carriers", st.selectbox, "Where carriers come from", list(_CARRIERS), value=now.carriers,
            format_func=_CARRIERS.get, after=_AFTER,
            help="Carriers decide whether the fit can work at all; random ones show what the choice is worth.",
        )  # fmt: skip
