"""What the page shows: the graph ready to be drawn and filtered, the task, and the fits that were asked for."""

import json
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp
import streamlit as st

from core.errors import InputError
from core.graphs.drawing import Drawing, drawing
from core.graphs.graph import Graph
from core.graphs.polynomials import KINDS, Krylov, optimal
from core.graphs.regression import Fit, Regression, RegressionSettings, regress
from core.graphs.signals import choices
from core.graphs.study import DRAWN, Task, filter_of, most_degree, seconds, spectrum_degree, task
from core.progress import Run
from core.ui.background import background
from core.ui.components.graph import Geometry
from core.ui.history import History
from core.ui.newest import newest
from core.ui.text import say_error
from pages.graphs.data import source_of
from pages.graphs.view import GraphsView

QUICK_SECONDS = 1.5
LARGE = 40_000  # nodes and edges above which even the layout runs beside the page
_LAST = "graphs:last"


@dataclass(frozen=True, eq=False)
class Opened:
    """A graph with what every view of it needs; shared by all sessions that look at the same."""

    graph: Graph
    p: sp.csr_array
    drawing: Drawing

    @cached_property
    def geometry(self) -> Geometry:
        """For the browser."""
        d = self.drawing
        return Geometry(d.places, d.edges, d.names, d.cell)


@dataclass(frozen=True, eq=False)
class Shown:
    """What was chosen, worked out.

    Attributes:
        opened: the graph.
        source, goal: the choices of the signal and of the values to be reached (empty for a filter).
        settings: of the fit.
        key: names graph, signal, target and noise.
        task: source and target signal.
        found: the fit of the chosen basis, without its columns.
        exact: the weights shown are those of least squares.
        answer: `(N,)` the fitted signal.
        wide: the signal's own basis of high degree, for its spectrum.
    """

    opened: Opened
    source: str
    goal: str
    settings: RegressionSettings
    key: str
    task: Task
    found: Regression
    basis: str
    exact: bool
    answer: np.ndarray
    wide: Krylov

    @property
    def graph(self) -> Graph:
        return self.opened.graph

    @property
    def fit(self) -> Fit:
        """Of the chosen basis."""
        return self.found.fits[self.basis]

    @cached_property
    def weights(self) -> np.ndarray:
        """`(K+1,)` coefficients that are shown: of the descent, or of least squares."""
        return self.fit.coefficients if self.exact else self.fit.descended

    @property
    def gain(self) -> np.ndarray:
        """Their filter over the grid."""
        return self.fit.gain if self.exact else self.fit.descended_gain

    @property
    def relative(self) -> float:
        """Length of what is missing over the target's length."""
        return float(np.linalg.norm(self.answer - self.task.y) / (np.linalg.norm(self.task.y) or 1.0))


def get(history: History[GraphsView], graph: Graph) -> Shown | None:
    """What the view asks for, or the last that worked with a sentence why; None while it is computed."""
    try:
        found = _get(history, graph)
    except InputError as error:
        say_error(error)
        return st.session_state.get(_LAST)
    if found is not None:
        st.session_state[_LAST] = found
    return found


def settings_of(view: GraphsView, graph: Graph) -> RegressionSettings:
    """The settings of the fit; the degree stays within what memory holds."""
    degree = min(view.degree, most_degree(len(graph)))
    method = "gradient" if view.method == "exact" else view.method
    return RegressionSettings(degree=degree, steps=view.steps, method=method, lr=view.lr)


def _get(history: History[GraphsView], graph: Graph) -> Shown | None:
    view = history.now
    opened = _opened(graph)
    if opened is None:
        return None
    source = source_of(history, graph)
    goal = (view.goal if view.goal in choices(graph) else source) if view.target == "values" else ""
    wanted = dict(
        graph=graph.fingerprint, source=source, node=view.node if "impulse" in (source, goal) else 0, noise=view.noise,
        seed=view.seed, goal=goal, filter="" if goal else view.filter,
        points=view.points if view.filter == DRAWN and not goal else [],
    )  # fmt: skip
    settings, exact = settings_of(view, graph), view.method == "exact"
    key = json.dumps(wanted, sort_keys=True)
    kinds = (view.basis,)
    asked = json.dumps([key, settings.as_dict(), kinds])
    heavy = seconds(graph, settings, kinds) > QUICK_SECONDS

    def compute(run: Run) -> tuple:
        made = _task(key, opened, wanted)
        wide = _wide(json.dumps([wanted[n] for n in ("graph", "source", "node", "noise", "seed")]), opened, made)
        found = regress(opened.p, made.x, made.y, settings, kinds=kinds, run=run)
        fit = found.fits[view.basis]
        answers = [found.signal(view.basis, weights) for weights in (fit.descended, fit.coefficients)]
        return made, found.light(), answers, wide

    if heavy:
        result = background("graphs:fit", f"graphs:{asked}", compute, "Fitting the polynomial")
    else:
        with newest("graphs"):
            result = _computed(asked, compute)
    if result is None:
        return None
    made, found, answers, wide = result
    return Shown(opened, source, goal, settings, key, made, found, view.basis, exact, answers[exact], wide)


def all_bases(on: Shown) -> Regression | None:
    """The same fit with every basis; None while it is computed beside the page."""
    asked = json.dumps([on.key, on.settings.as_dict(), KINDS])

    def compute(run: Run) -> Regression:
        return regress(on.opened.p, on.task.x, on.task.y, on.settings, kinds=KINDS, run=run).light()

    if seconds(on.graph, on.settings, KINDS) > QUICK_SECONDS:
        return background("graphs:all", f"graphs:{asked}", compute, "Descending in all bases")
    with newest("graphs:all"):
        return _computed(asked, compute)


def _opened(graph: Graph) -> Opened | None:
    make = lambda _run: Opened(graph, graph.propagation(), drawing(graph))  # noqa: E731
    key = f"graphs:open:{graph.fingerprint}"
    if len(graph) + graph.edges > LARGE:
        return background("graphs:open", key, make, "Laying out the graph")
    return _computed(key, make)


@st.cache_resource(max_entries=64, show_spinner=False)
def _computed(key: str, _compute):
    return _compute(Run())


@st.cache_resource(max_entries=16, show_spinner=False)
def _task(key: str, _opened: Opened, _wanted: dict) -> Task:
    w = _wanted
    target = None if w["goal"] else filter_of(w["filter"], w["points"])
    return task(
        _opened.graph, _opened.p, w["source"], node=w["node"], noise=w["noise"], seed=w["seed"],
        goal=w["goal"] or None, target=target,
    )  # fmt: skip


@st.cache_resource(max_entries=16, show_spinner=False)
def _wide(key: str, _opened: Opened, _task: Task) -> Krylov:
    made = optimal(_opened.p, _task.x, spectrum_degree(len(_opened.graph)))
    return replace(made, columns=np.empty((0, 0)))  # only its coefficients are shown
