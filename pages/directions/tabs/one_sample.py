"""Tab *One sample*: which directions it uses, and how the error falls as they are added."""

import json

import numpy as np
import streamlit as st

from core import diagnostics
from core.figures import chart
from core.figures.palette import BASIS, CONTROL, REFERENCE
from core.figures.text import number, percent
from core.ui.components.pictures import pictures
from core.ui.history import History
from core.ui.text import escape, told_apart
from pages.directions.control import control
from pages.directions.naming import has_names, label_text
from pages.directions.shown import Fitted, names_of
from pages.directions.view import DirectionsView

_KEY = "directions:sample-tab"
MOST_BARS = 24


def draw(history: History[DirectionsView], fitted: Fitted) -> None:
    """The sample that is in the mixer: its code, largest parts first, and what it needs."""
    names = names_of(fitted, history.now.names)
    index = _choose(history, fitted)
    code = fitted.codes[index]
    order = diagnostics.own_order(fitted.basis, code)
    left, right = st.columns(2, gap="large")
    with left:
        _code(fitted, names, index, order)
    with right:
        _errors(fitted, index)
    _steps(fitted, index, order)
    with st.expander("All weights as a table"):
        parts = diagnostics.contributions(fitted.basis, code)
        table = {
            "direction": [names[i] for i in order],
            "weight": code[order],
            "in units of scale": code[order] / fitted.basis.scale[order],
            "size of its part": parts[order],
        }
        st.dataframe(table, hide_index=True, key=f"{_KEY}:table", alt="Weights of the sample, largest part first")


def _choose(history: History[DirectionsView], fitted: Fitted) -> int:
    data, n = fitted.dataset, len(fitted.dataset)
    index = min(max(history.now.sample, 0), n - 1)
    shared = dict(key="sample-tab:index", value=index, after=dict(mix={}))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if has_names(fitted) and n <= 2000:
            history.bind(
                "sample", st.selectbox, "Sample", range(n), width=280, **shared,
                format_func=told_apart(range(n), lambda i: data.names[i]),
                help="The same sample as in the mixer above; type to search.",
            )  # fmt: skip
        else:
            history.bind(
                "sample", st.number_input, "Sample", min_value=0, max_value=n - 1, step=1, width=160, **shared,
                help="The same sample as in the mixer above; 0 is the first.",
            )  # fmt: skip
        if data.labels is not None:
            with st.container(key="level-sample", width="content"):
                st.markdown(f"label **{escape(label_text(data.labels[index]))}**")
    return index


def _code(fitted: Fitted, names: list[str], index: int, order: np.ndarray) -> None:
    code, random = fitted.codes[index], control(fitted).codes[index]
    st.subheader("Its largest parts", anchor=False)
    kept = order[:MOST_BARS]
    figure = chart.bars(
        [names[i] for i in kept], (code / fitted.basis.scale)[kept], value="weight / units of scale", signed=True,
        horizontal=True, height=max(180, 18 * len(kept) + 60),
    )  # fmt: skip
    st.plotly_chart(figure, key=f"{_KEY}:bars", alt=f"The {len(kept)} weights with the largest parts")
    used, other = (int(diagnostics.l0(c[None])[0]) for c in (code, random))
    need, others = (int(diagnostics.energy_count(c[None])[0]) for c in (code, random))
    st.caption(
        f"Sorted by the size of the part, $|c_k| \\lVert d_k \\rVert$. It uses {used} of {len(code)} directions "
        f"(random control {other}); {need} hold 90% of the energy of its code (random control {others})."
    )


def _errors(fitted: Fitted, index: int) -> None:
    st.subheader("Error as directions are added", anchor=False)
    paths = _paths(json.dumps([fitted.key, index]), fitted, index)
    counts = np.arange(fitted.basis.k + 1)
    figure = chart.lines(
        {name: (counts, path) for name, path in paths.items()},
        x="directions", y="error / share of ‖x − x₀‖²", percent=True,
        colours=(BASIS, REFERENCE, CONTROL), dashed=("by energy over all samples",), height=380,
    )  # fmt: skip
    mine, _, random = (path[-1] for path in paths.values())
    st.plotly_chart(
        figure,
        key=f"{_KEY}:errors",
        alt=f"Error falls from 100% to {percent(mine)} with all directions; random control {percent(random)}",
    )
    st.caption(
        "$\\lVert x - x_m \\rVert^2 / \\lVert x - x_0 \\rVert^2$ with the first $m$ directions. With all "
        f"{fitted.basis.k}: {percent(mine)}; random directions: {percent(random)}."
    )
    if mine > random + 0.002:
        st.warning(
            f"For this sample the basis leaves out {percent(mine)}; random directions of equal number leave out "
            f"{percent(random)}.",
            icon=":material/warning:",
        )


@st.cache_resource(max_entries=128, show_spinner=False)
def _paths(key: str, _fitted: Fitted, _index: int) -> dict[str, np.ndarray]:
    """Errors with 0, 1, .. K directions, in the sample's own order, by energy, and of the control."""
    random, code, sample = control(_fitted), _fitted.codes[_index], _fitted.dataset.matrix[_index]
    counts = range(_fitted.basis.k + 1)
    orders = {
        "largest part of this sample first": diagnostics.own_order(_fitted.basis, code),
        "by energy over all samples": np.array(_fitted.order("energy", ())),
    }
    paths = {n: diagnostics.error_path(_fitted.model.decode, code, sample, o, counts) for n, o in orders.items()}
    own = random.codes[_index]
    order = diagnostics.own_order(random.basis, own)
    return paths | {"random control": diagnostics.error_path(random.basis.decode, own, sample, order, counts)}


def _steps(fitted: Fitted, index: int, order: np.ndarray) -> None:
    counts = diagnostics.first_counts(fitted.basis.k)
    code, sample = fitted.codes[index], fitted.dataset.matrix[index]
    rebuilt = fitted.model.decode(diagnostics.partial_codes(code, order, counts))
    errors = diagnostics.error_path(fitted.model.decode, code, sample, order, counts)
    st.subheader("The sample from more and more of its directions", anchor=False)
    pictures(
        f"{_KEY}:steps",
        np.concatenate([rebuilt, sample[None]]),
        fitted.form,
        names=[f"{c} direction{'s' if c > 1 else ''}" for c in counts] + ["the sample itself"],
        captions=[f"error {percent(e)}" for e in errors] + [f"range {number(sample.min())} to {number(sample.max())}"],
        tile=110 if fitted.form.kind == "image" else 170,
        label="Rebuilt from 1, 2, 4, 8, ... directions",
    )
