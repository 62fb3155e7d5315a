"""The centre of the page: the drawn graph with its signal and the fitted one, the filter, and the polynomial."""

import numpy as np
import streamlit as st

from core.figures.palette import BASIS, REFERENCE
from core.figures.text import number, percent
from core.graphs.filters import TARGETS
from core.graphs.polynomials import KINDS
from core.graphs.signals import IMPULSE, choices
from core.graphs.study import DRAWN, filter_of, most_degree, spectrum
from core.graphs.verdict import NAMES, ROUNDED
from core.ui.components.curve import Line, curve
from core.ui.components.graph import Panel, graphs
from core.ui.history import History
from core.ui.text import escape
from pages.graphs.shown import Shown
from pages.graphs.view import BESIDE, DOMAIN, LIMITS, METHODS, STEPS, TARGET_KINDS, GraphsView

_START = np.linspace(*DOMAIN, 9)  # where the points of a preset stand


def draw(history: History[GraphsView], on: Shown) -> None:
    """Drawings on top; filter and controls below."""
    _drawings(history, on)
    left, right = st.columns([5, 4], gap="large")
    with left:
        _target(history, on)
    with right:
        _polynomial(history, on)


def _drawings(history: History[GraphsView], on: Shown) -> None:
    d, task = on.opened.drawing, on.task
    shown = {"answer": on.answer, "target": task.y, "difference": on.answer - task.y}[history.now.beside]
    notes = {
        "answer": f"{NAMES[on.basis]}, degree {on.found.degree}, {_how(history, on)}",
        "target": "the filter applied exactly" if task.gain is not None else "the values to be reached",
        "difference": f"{_share(on.relative)} of the target's length",
    }
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        history.bind(
            "basis", st.segmented_control, "Basis", list(KINDS), format_func=NAMES.get, required=True,
            help="All five span the same polynomials of P = I − L; they differ in how well descent finds the weights.",
        )  # fmt: skip
        history.bind(
            "beside", st.segmented_control, "Beside the signal", list(BESIDE), format_func=BESIDE.get, required=True
        )
    source = choices(on.graph)[on.source] + (" with noise" if history.now.noise else "")
    both = [task.y[d.nodes], on.answer[d.nodes]]
    low, high = min(v.min() for v in both), max(v.max() for v in both)  # fitted and target compare on one scale
    ends = {} if history.now.beside == "difference" else dict(low=float(low), high=float(high))
    graphs(
        "graphs:drawing",
        on.opened.geometry,
        [
            Panel("Signal", task.x[d.nodes], source),
            Panel(BESIDE[history.now.beside], shown[d.nodes], notes[history.now.beside], **ends),
        ],
        height=360,
        current=_impulse(history, on),
        hint=f"Drag to {'turn' if d.places.shape[1] == 3 else 'move'}; a click on a node puts an impulse there.",
        on_pick=lambda i: history.change(source=IMPULSE, node=int(d.nodes[i])),
    )
    said = []
    if d.partial:
        said.append(
            f"Drawn are {len(d.nodes):,} of {d.total[0]:,} nodes and {len(d.edges):,} of {d.total[1]:,} edges, chosen "
            "at random; everything is computed on all of them."
        )
    if on.source == IMPULSE and _impulse(history, on) is None:
        said.append("The node with the impulse is not among them; a click on a drawn node moves it there.")
    if d.computed:
        said.append("The nodes have no places of their own, so they are laid out by the edges.")
    if said:
        st.caption(" ".join(said))


def _impulse(history: History[GraphsView], on: Shown) -> int | None:
    if on.source != IMPULSE:
        return None
    at = np.searchsorted(on.opened.drawing.nodes, history.now.node)
    there = at < len(on.opened.drawing.nodes) and on.opened.drawing.nodes[at] == history.now.node
    return int(at) if there else None


def _how(history: History[GraphsView], on: Shown) -> str:
    if on.exact:
        return "least squares"
    method = METHODS["adam"] if on.basis == "favard" else METHODS[history.now.method].lower()
    return f"{on.settings.steps:,} steps of {method}"


def _target(history: History[GraphsView], on: Shown) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        history.bind(
            "target", st.segmented_control, "Target", list(TARGET_KINDS), format_func=TARGET_KINDS.get, required=True,
            help="A filter that the polynomial should imitate, or values of the nodes that it should reach.",
        )  # fmt: skip
        if history.now.target == "filter":
            presets = [*TARGETS, DRAWN] if history.now.points else list(TARGETS)
            history.bind("filter", st.selectbox, "Filter", presets, format_func=str.capitalize, width=180)
        else:
            known = choices(on.graph)
            goal = history.now.goal if history.now.goal in known else on.source
            history.bind(
                "goal", st.selectbox, "Values", list(known), value=goal, format_func=known.get, width=240,
                help="The same as the signal (without its noise), or other values.",
            )  # fmt: skip
    _curve(history, on)


def _curve(history: History[GraphsView], on: Shown) -> None:
    task, view = on.task, history.now
    lines = [Line(f"{NAMES[on.basis]}, degree {on.found.degree}", on.gain, BASIS)]
    points = [[*DOMAIN]] * 0
    if task.gain is not None:
        lines.insert(0, Line("target", task.gain, REFERENCE, dash=True, own=True))
        points = view.points if view.filter == DRAWN else _start(view.filter)
    value, share = spectrum(on.wide)
    size = np.sqrt(share / (share.max() or 1.0))
    curve(
        "graphs:curve",
        points,
        lines,
        domain=DOMAIN,
        limits=LIMITS,
        axis="frequency: eigenvalue λ of the normalised Laplacian",
        bars=[(float(np.clip(v, *DOMAIN)), float(s)) for v, s in zip(value, size, strict=True)],
        bar_name="amplitudes of the signal",
        height=250,
        label="Gain of the filter over frequency",
        hint="Drag the points to draw a filter; a double click adds one."
        if points
        else "The filter that was learned from the values.",
        editable=bool(points),
        on_change=lambda made: history.change(filter=DRAWN, points=made),
    )
    if task.how:
        st.caption(task.how)


def _start(name: str) -> list[list[float]]:
    gain = np.clip(filter_of(name, [])(_START), *LIMITS)
    return [[round(float(x), 4), round(float(y), 4)] for x, y in zip(_START, gain, strict=True)]


def _polynomial(history: History[GraphsView], on: Shown) -> None:
    most = most_degree(len(on.graph))
    history.bind(
        "degree", st.slider, "Degree K", 1, most, value=min(history.now.degree, most),
        help="The filter looks K edges far. With degree K there are K + 1 weights.",
    )  # fmt: skip
    left, right = st.columns(2)
    with left:
        history.bind("method", st.selectbox, "Weights by", list(METHODS), format_func=METHODS.get)
    with right:
        if history.now.method != "exact" or on.basis == "favard":
            history.bind("steps", st.select_slider, "Steps", list(STEPS), format_func="{:,}".format)
    if history.now.method == "adam" or on.basis == "favard":
        history.bind(
            "lr", st.number_input, "Learning rate", min_value=1e-4, max_value=1.0, format="%g",
            help="Of Adam, which also learns Favard's recurrence.",
        )  # fmt: skip
    if on.found.degree < on.settings.degree:
        st.caption(
            f"The signal is made of {on.found.degree + 1} eigenvectors only, so degree {on.found.degree} already says "
            "everything."
        )
    fit = on.fit
    best = fit.relative
    row = st.container(horizontal=True)
    row.metric("Left over", _share(on.relative), help="‖fitted − target‖ / ‖target‖ with the weights shown.")
    row.metric("Least squares", _share(best), help="The same with the best weights of this degree.")
    row.metric(
        "Condition", number(fit.condition) if fit.condition < ROUNDED else "> 1e15",
        help="Largest over smallest singular value of the basis signals pₖ(P)x; 1 is best.",
    )  # fmt: skip
    if history.now.target == "values":
        _values(history, on)


def _share(value: float) -> str:
    return percent(value) if value >= 0.001 else f"{number(100 * value, 2)}%"


def _values(history: History[GraphsView], on: Shown) -> None:
    """Whether filtering helps: beside leaving the signal as it is."""
    y = on.task.y
    plain = float(np.linalg.norm(on.task.x - y) / (np.linalg.norm(y) or 1.0))
    name = escape(choices(on.graph)[on.source])
    if plain > on.relative:
        st.caption(f"Unfiltered, *{name}* misses the values by {percent(plain)} of their length; filtered, by less.")
    else:
        st.caption(
            f"Here filtering does worse than nothing: unfiltered, *{name}* misses the values by {percent(plain)} only."
        )
