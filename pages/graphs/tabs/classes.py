"""Tab *Node classes*: FavardGNN and OptBasisGNN on the graph's labels, beside plain filters and no graph at all."""

import json

import numpy as np
import streamlit as st

from core.figures import chart
from core.figures.palette import CATEGORICAL
from core.figures.text import number, percent
from core.graphs.classify import BASES, ClassifySettings
from core.graphs.comparison import NAMES, Score, compare, labelled, verdict
from core.ui.background import background
from core.ui.components.graph import Panel, graphs
from core.ui.history import History
from core.ui.run_panel import duration
from core.ui.settings_form import settings_form
from pages.graphs.shown import Shown
from pages.graphs.view import GraphsView

MOST_SEEDS = 10


def draw(history: History[GraphsView], on: Shown) -> None:
    """What is learned, the button, and once it is there the accuracies and the drawn predictions."""
    known = labelled(on.graph)
    if not known:
        st.info(
            "The nodes of this graph have no labels: a text or whole number for each node, with 2 to 100 different "
            "values. Bring a table of node values on the left, or choose *Similar digits* or *Karate club*.",
            icon=":material/label_off:",
        )
        return
    left, right = st.columns([1, 2], gap="large")
    with left:
        attribute, bases, seeds, settings = _choices(history, known)
    with right:
        if not bases:
            st.info("Choose at least one basis.", icon=":material/tune:")
            return
        scores = _scores(on, attribute, bases, seeds, settings)
        if scores:
            _results(on, attribute, scores, settings)


def _choices(history: History[GraphsView], known: dict[str, int]) -> tuple[str, list[str], int, ClassifySettings]:
    now = history.now.classes
    attribute = history.now.one_of("classes", "attribute", known, next(iter(known)))
    history.bind(
        "classes.attribute", st.selectbox, "Labels", list(known), value=attribute,
        format_func=lambda a: f"{a} ({known[a]} classes)",
    )  # fmt: skip
    asked = now.get("bases")
    bases = [b for b in BASES if b in (asked if isinstance(asked, list) else BASES)]
    history.bind("classes.bases", st.multiselect, "Compare", list(BASES), value=bases, format_func=NAMES.get)
    seeds = now.get("seeds")
    seeds = min(max(seeds, 1), MOST_SEEDS) if isinstance(seeds, int) and not isinstance(seeds, bool) else 3
    history.bind(
        "classes.seeds", st.slider, "Seeds", 1, MOST_SEEDS, value=seeds,
        help="Each draws another split and other initial weights, the same for every basis.",
    )  # fmt: skip
    settings = settings_form(history, "classes", ClassifySettings, leave=("basis",))
    return attribute, bases, seeds, settings


def _scores(on: Shown, attribute: str, bases: list[str], seeds: int, settings: ClassifySettings) -> list[Score] | None:
    graph = on.graph
    plain = {**settings.as_dict(), "basis": ""}
    key = json.dumps(["graphs:classes", graph.fingerprint, attribute, sorted(bases), seeds, plain], sort_keys=True)
    kinds = [b for b in BASES if b in bases]
    if graph.features is None:
        st.caption(
            "The nodes have no features, so every network starts from random ones smoothed along the edges: it "
            "learns by the edges alone."
        )
    many = len(kinds) * seeds
    guess = many * settings.steps * (6e-3 + 1.5e-7 * settings.degree * graph.adjacency.nnz)
    return background(
        "graphs:classes", key, lambda run: compare(graph, attribute, settings, kinds, range(seeds), run=run),
        f"Training {many} classifiers", ask=f"Train {many} classifiers (about {duration(guess)})",
    )  # fmt: skip


def _results(on: Shown, attribute: str, scores: list[Score], settings: ClassifySettings) -> None:
    st.markdown(verdict(scores, features=on.graph.features is not None))
    rows = [
        {
            "model": NAMES[s.basis],
            "test": percent(s.mean),
            "± over seeds": percent(s.spread) if len(s.fits) > 1 else "one seed",
            "validation": percent(float(np.mean([f.validation for f in s.fits]))),
            "largest class": percent(float(np.mean([f.majority for f in s.fits]))),
            "steps": ", ".join(str(f.steps) for f in s.fits),
        }
        for s in scores
    ]
    st.dataframe(rows, hide_index=True, key="graphs:classes:table", alt="Accuracy of each model")
    first = scores[0].fits[0]
    train, check, test = first.sizes
    last = len(scores[0].fits) - 1
    st.caption(
        f"{'Seed 0' if last == 0 else f'Seeds 0 to {last}'}. Each splits the labelled nodes anew, classes in equal "
        f"shares: {train:,} to train on, {check:,} to stop by, {test:,} to test on. Steps are those done when "
        "validation stopped improving."
    )
    best = max((s for s in scores), key=lambda s: s.mean)
    _drawn(on, attribute, best)
    _filters(scores, settings)


def _drawn(on: Shown, attribute: str, score: Score) -> None:
    y, names = on.graph.classes(attribute)
    nodes, fit = on.opened.drawing.nodes, score.fits[0]
    colours = [(chart.short(n, 24), CATEGORICAL[i % len(CATEGORICAL)]) for i, n in enumerate(names)]
    repeat = "; colours repeat" if len(names) > len(CATEGORICAL) else ""
    wrong = np.where(y < 0, -1, (fit.predicted != y).astype(int))
    graphs(
        "graphs:classes:drawing",
        on.opened.geometry,
        [
            Panel("Predicted", fit.predicted[nodes], f"{NAMES[score.basis]}, seed 0{repeat}", classes=colours),
            Panel(
                "Right or wrong", wrong[nodes], "all labelled nodes, also those trained on",
                classes=[("right", "#56b4e9"), ("wrong", "#d55e00")],
            ),
        ],
        height=300,
    )  # fmt: skip


def _filters(scores: list[Score], settings: ClassifySettings) -> None:
    learned = [s for s in scores if s.basis in ("favard", "optimal")]
    if not learned:
        return
    st.subheader("Learned weights", anchor=False)
    curves = {NAMES[s.basis]: (np.arange(settings.degree + 1), np.abs(s.fits[0].weights).mean(axis=1)) for s in learned}
    figure = chart.lines(curves, x="k", y="mean |weight| over classes", height=240, legend=True)
    ends = "; ".join(f"{n} {', '.join(number(v) for v in w[:5])}" for n, (_, w) in curves.items())
    st.plotly_chart(figure, key="graphs:classes:weights", alt=f"Weights by degree: {ends}")
    st.caption("Seed 0. Weight at low k keeps a node's own features; at high k it listens to nodes k edges away.")
