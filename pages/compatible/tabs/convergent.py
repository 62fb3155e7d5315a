"""Tab *Convergent learning*: do the two networks learn the same units, or the same spaces?"""

import json

import numpy as np
import streamlit as st

from core.compatible.convergent import (
    MAX_UNITS,
    Matches,
    OneToMany,
    Subspaces,
    match_units,
    one_to_many,
    shared_subspaces,
    shuffled,
    units,
)
from core.compatible.loading import Embeddings
from core.compatible.pairs import Pairs
from core.errors import InputError
from core.figures import chart
from core.figures.palette import BASIS, CATEGORICAL, CONTROL
from core.ui.history import History
from core.ui.newest import newest
from core.ui.text import say_error
from pages.compatible.shown import Shown
from pages.compatible.view import CompatibleView

DRAWN = 96
TARGETS = 64
ALPHAS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4)


def draw(history: History[CompatibleView], on: Shown) -> None:
    """Which units, then the match matrix, one-to-many, and subspaces."""
    layers = ["embeddings", *on.given.units]
    layer = history.now.one_of("convergent", "layer", layers, layers[-1])
    if len(layers) > 1:
        history.bind(
            "convergent.layer", st.segmented_control, "Units", layers, value=layer, required=True,
            help="A unit is one number of the table: its values over all items are compared.",
        )  # fmt: skip
    key = json.dumps([on.given.fingerprint, layer])
    try:
        both = _units(key, on.given, layer)
        matches, chance = _matches(key, both)
        spaces, space_chance = _spaces(key, both)
    except InputError as error:
        say_error(error)
        return
    _summary(matches, chance, spaces, space_chance)
    left, right = st.columns(2, gap="large")
    with left:
        _matrix(matches)
    with right:
        _subspaces(spaces, space_chance)
    _many(history, key, both, matches)


@st.cache_resource(max_entries=8, show_spinner=False)
def _units(key: str, _given: Embeddings, _layer: str) -> Pairs:
    return units(_given, _layer)


@st.cache_resource(max_entries=8, show_spinner="Matching the units ...")
def _matches(key: str, _both: Pairs) -> tuple[Matches, Matches]:
    return match_units(_both), match_units(shuffled(_both))


@st.cache_resource(max_entries=8, show_spinner="Comparing the spaces ...")
def _spaces(key: str, _both: Pairs) -> tuple[Subspaces, Subspaces]:
    return shared_subspaces(_both), shared_subspaces(shuffled(_both))


@st.cache_resource(max_entries=32, show_spinner=False)
def _lasso(key: str, alpha: float, _both: Pairs, _targets: np.ndarray) -> OneToMany:
    return one_to_many(_both, alpha, _targets)


def _summary(m: Matches, m0: Matches, s: Subspaces, s0: Subspaces) -> None:
    cards = (
        ("Best match", m.best_value.mean(), m0.best_value.mean(), "Semi-matching: mean |correlation| of each new "
         "unit with its best old one; several may share one."),
        ("One to one", m.pair_value.mean(), m0.pair_value.mean(), "Mean |correlation| of the assignment that pairs "
         "every unit once."),
        ("Canonical", s.canonical.mean(), s0.canonical.mean(), "Mean canonical correlation of the principal parts "
         "that hold 99% of the variance."),
        ("CKA", s.cka, s0.cka, "Linear centred kernel alignment: 1 where the spaces are equal up to rotation and "
         "scale."),
    )  # fmt: skip
    for place, (name, value, control, help) in zip(st.columns(4), cards, strict=True):
        place.metric(name, f"{value:.3f}", f"chance {control:.3f}", delta_color="off", delta_arrow="off", help=help,
                     border=True)  # fmt: skip
    axes, space = m.pair_value.mean() - m0.pair_value.mean(), s.canonical.mean() - s0.canonical.mean()
    word = "more" if space > axes else "no more"
    st.markdown(
        f"Here the networks share **{word} as spaces than as units**: {space:.2f} above chance by canonical "
        f"correlation, {axes:.2f} above chance by one-to-one matching. *Chance*: the items of one side shuffled."
    )


def _matrix(m: Matches) -> None:
    st.subheader("Match matrix", anchor=False)
    z = m.sorted[:DRAWN, :DRAWN]
    fig = chart.heatmap(
        z, x="old unit, in the order of its partner", y="new unit, best pair first", value="correlation", largest=1.0,
        x_names=[str(i) for i in m.order_b[:DRAWN]], y_names=[str(i) for i in m.order_a[:DRAWN]], height=420,
    )  # fmt: skip
    st.plotly_chart(fig, key="compatible:match", alt="Correlations of all units, with the pairs on the diagonal")
    cut = f"The {DRAWN} best pairs. " if max(m.correlation.shape) > DRAWN else ""
    st.caption(f"{cut}One-to-one pairs stand on the diagonal; a strong column off it is a unit that many resemble.")


def _subspaces(s: Subspaces, s0: Subspaces) -> None:
    st.subheader("Shared subspaces", anchor=False)
    curves = {
        "canonical correlation": (np.arange(1, len(s.canonical) + 1), s.canonical),
        "cosine of principal angle": (np.arange(1, len(s.angles) + 1), np.cos(s.angles)),
        "canonical, chance": (np.arange(1, len(s0.canonical) + 1), s0.canonical),
    }
    fig = chart.lines(
        curves, x="number", y="similarity", dashed=("canonical, chance",), height=420,
        colours=(BASIS, CATEGORICAL[1], CONTROL),
    )  # fmt: skip
    fig.update_yaxes(range=[0, 1.03])
    st.plotly_chart(
        fig, key="compatible:subspaces",
        alt=f"Canonical correlations from {s.canonical[0]:.2f} to {s.canonical[-1]:.2f}",
    )  # fmt: skip
    st.caption(
        f"Principal parts of {s.kept[0]} new and {s.kept[1]} old directions; angles between the spaces of the first "
        f"{len(s.angles)} principal scores: " + ", ".join(f"{np.degrees(a):.0f}°" for a in s.angles) + "."
    )


def _many(history: History[CompatibleView], key: str, both: Pairs, m: Matches) -> None:
    st.subheader("One to many", anchor=False)
    alpha = history.now.one_of("convergent", "alpha", ALPHAS, 0.05)
    left, right = st.columns([1, 2], gap="large")
    targets = m.order_a[: min(TARGETS, len(m.pairs))]
    with left:
        history.bind(
            "convergent.alpha", st.select_slider, "Penalty α", ALPHAS, value=alpha,
            help="LASSO predicts each new unit from few old ones; a larger penalty leaves fewer.",
        )  # fmt: skip
        with newest("compatible:lasso"):
            found = _lasso(key, alpha, both, targets)
        names = [str(t) for t in targets]
        unit = history.now.one_of("convergent", "unit", names, names[0])
        history.bind(
            "convergent.unit", st.selectbox, "New unit", names, value=unit, help="The best-matched come first."
        )
        at = names.index(unit)
        single = m.correlation[targets[at], m.best[targets[at]]] ** 2
        st.metric(
            "Explained by few", f"{found.r2[at]:.1%}", f"by its best single unit {single:.1%}", delta_color="off",
            delta_arrow="off", help="Share of variance, judged on the half of the items that was not used to fit.",
        )  # fmt: skip
        st.caption(
            f"{int(found.used[at])} old units are used for it. Over the {len(targets)} best-matched units: "
            f"{found.used.mean():.1f} used, {found.r2.mean():.1%} explained."
        )
    with right:
        weights = found.weights[at]
        top = np.argsort(-np.abs(weights), kind="stable")[: max(1, min(16, int(found.used[at])))]
        fig = chart.bars(
            [str(i) for i in top], weights[top], value="weight on standardised units", name="old unit", signed=True,
            height=320,
        )  # fmt: skip
        st.plotly_chart(fig, key="compatible:many", alt=f"Old units that new unit {unit} is predicted from")
    if max(m.correlation.shape) > DRAWN:
        st.caption(f"Up to {MAX_UNITS:,} units on a side are matched.")
