"""Tabs of the part *Operators*."""

import json

import numpy as np
import streamlit as st

from core.figures import chart
from core.figures.palette import BASIS, CATEGORICAL, CONTROL, REFERENCE
from core.figures.text import number
from core.tables import to_csv
from core.transforms.beside import trunk_errors
from core.transforms.operators import OPERATORS, operator_pairs
from core.transforms.sensors import DRAWS, FILLS, SHARES, draw_dead, dropout_errors, without
from core.transforms.takeaway import npz
from core.ui.history import History
from core.ui.takeaway import download, recipe
from pages.transforms import training
from pages.transforms.view import TransformsView

PART = "operators"
MOST_PAIRS = 200  # that dead sensors are tried on
LENGTHS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5)


def pair_chart(on, index: int, key: str) -> None:
    """Input, output and what is predicted of one test pair."""
    u, v = on.inputs[index], on.outputs[index]
    curves = {"input": (np.linspace(0, 1, len(u)), u), "output": (on.x, v)}
    colours, dashed = [CONTROL, CATEGORICAL[1]], ["input"]
    curves["POD, linear"] = (on.x, on.pod.predict(u[None])[0])
    colours.append(REFERENCE)
    if on.model is not None:
        curves["DeepONet"] = (on.x, on.model.predict(u[None])[0])
        colours.append(BASIS)
    figure = chart.lines(curves, x="x", y="value", height=320, colours=colours, dashed=(*dashed, "POD, linear"))
    st.plotly_chart(figure, key=key, alt="An input function, the output and the predictions")


def outputs_chart(on) -> None:
    """The first few outputs."""
    curves = {f"pair {i}": (on.x, v) for i, v in enumerate(on.outputs[:8])}
    figure = chart.lines(curves, x="x", y="value", height=320, legend=False)
    st.plotly_chart(figure, key="transforms:outputs", alt="Output functions")


def one_pair(history: History[TransformsView], on) -> None:
    """A test pair and its errors."""
    count = len(on.pod.test)
    index = history.now.entry(PART, "pair", 0, 0, count - 1)
    left, right = st.columns([1, 3], gap="large")
    with left:
        history.bind("operators.pair", st.number_input, "Test pair", 0, count - 1, step=1, value=index)
        u, v = on.inputs[[index]], on.outputs[[index]]
        st.markdown(f"POD, linear: relative error **{number(100 * on.pod.error(u, v))} %**")
        if on.model is not None:
            st.markdown(f"DeepONet: **{number(100 * on.model.score(u, v)[0])} %**")
    with right:
        pair_chart(on, index, "transforms:pair")


def sizes(history: History[TransformsView], on) -> None:
    """Error over the number of functions kept."""
    counts = on.pod.counts
    percent = {
        "POD, best weights": (counts, on.pod.projection),
        "POD, linear": (counts, on.pod.linear),
    }
    colours = [CONTROL, REFERENCE]
    if on.model is not None:
        kept = np.unique(np.geomspace(1, on.settings.k, min(on.settings.k, 24)).round().astype(int))
        percent["DeepONet, strongest kept"] = (kept, trunk_errors(on.model, on.dataset, kept, on.pod.test))
        colours.append(BASIS)
    figure = chart.lines(
        {n: (x, np.maximum(y, 1e-9)) for n, (x, y) in percent.items()}, x="functions", y="mean relative error",
        log_y=True, colours=colours, height=360,
    )  # fmt: skip
    figure.update_yaxes(tickformat=".3~g")
    st.plotly_chart(figure, key="transforms:operator-sizes", alt="Error over the number of functions")
    st.caption(
        "POD modes are made so that the first ones matter most. Trunk functions share the work: dropping a few spoils "
        "the sum, although together they span nearly the same space."
    )


def overlap(on) -> None:
    """How much of each POD mode lies in the span of the trunk functions; singular values."""
    left, right = st.columns(2, gap="large")
    values = on.pod.singular_values[: max(2, min(24, len(on.pod.singular_values)))]
    with left:
        figure = chart.lines(
            {"singular value": (np.arange(1, len(values) + 1), np.maximum(values / values[0], 1e-12))}, x="mode",
            y="singular value / first", log_y=True, height=320, legend=False,
        )  # fmt: skip
        st.plotly_chart(figure, key="transforms:singular", alt="Singular values of the outputs")
    with right:
        if on.model is None:
            st.caption("Train DeepONet to see how much of each POD mode its functions hold.")
            return
        shares = on.model.pod_overlap()[:24]
        figure = chart.bars(
            [str(i + 1) for i in range(len(shares))], shares, value="share in the span", name="mode", height=320
        )
        figure.update_yaxes(range=[0, 1.02])
        st.plotly_chart(
            figure, key="transforms:overlap", alt="Share of each POD mode in the span of the trunk functions"
        )
        held = int(np.argmax(np.append(shares < 0.99, True)))
        st.caption(f"The first {held} modes lie in the span of the learned functions to 99 %.")


def other_inputs(history: History[TransformsView], on) -> None:
    """Rougher and smoother inputs than those of the training."""
    name = history.now.chosen(PART).removeprefix("sample:")
    if name not in OPERATORS:
        st.caption(
            "For the built-in operators, inputs of another smoothness can be drawn here. Uploads have only theirs."
        )
        return
    rows = _shifted(json.dumps([name, on.dataset.fingerprint]), name, on.inputs.shape[1], on.dataset.shape[0])
    curves = {"POD, linear": (LENGTHS, [on.pod.error(d.extra["inputs"], d.samples) for d in rows])}
    colours = [REFERENCE]
    if on.model is not None:
        curves["DeepONet"] = (LENGTHS, [on.model.score(d.extra["inputs"], d.samples)[0] for d in rows])
        colours.append(BASIS)
    figure = chart.lines(
        curves, x="correlation length of the inputs", y="mean relative error", log_y=True, height=340, colours=colours
    )
    figure.add_vline(x=0.2, line=dict(color=CONTROL, width=1))
    figure.update_yaxes(tickformat=".3~g")
    st.plotly_chart(figure, key="transforms:shift", alt="Error for rougher and smoother inputs")
    st.caption("Trained on inputs of correlation length 0.2 (the line). To its left inputs are rougher than any seen.")


@st.cache_resource(max_entries=6, show_spinner="Drawing other inputs ...")
def _shifted(key: str, _name: str, _sensors: int, _points: int) -> list:
    return [operator_pairs(_name, 60, sensors=_sensors, points=_points, length=v, seed=1000) for v in LENGTHS]


def sensors(history: History[TransformsView], on) -> None:
    """Some sensors of the input are dead: the error over their share, and one pair."""
    fill = history.now.one_of(PART, "fill", FILLS, "mean")
    m = on.inputs.shape[1]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        history.bind(
            "operators.fill", st.segmented_control, "What a dead sensor says", list(FILLS), value=fill,
            format_func=FILLS.get, required=True,
        )  # fmt: skip
        dead = history.now.entry(PART, "dead", min(m // 10, m - 1), 0, m - 1)
        history.bind(
            "operators.dead", st.slider, "Dead sensors of the pair that is drawn", 0, m - 1, value=dead, width=320,
            help=f"Of {m}, at random.",
        )  # fmt: skip
    index, mean = history.now.entry(PART, "pair", 0, 0, len(on.pod.test) - 1), on.sensor_means
    few = slice(0, MOST_PAIRS)
    models = {"POD, linear": (on.pod.predict, REFERENCE)}
    if on.model is not None:
        models["DeepONet"] = (on.model.predict, BASIS)
    left, right = st.columns(2, gap="large")
    with left:
        figure = chart.figure("share of sensors that are dead", "mean relative error", height=320, legend=True)
        x = np.array(SHARES)
        for name, (predict, colour) in models.items():
            errors = dropout_errors(predict, on.inputs[few], on.outputs[few], fill, mean)
            figure.add_scatter(
                x=x, y=errors.mean(axis=1), mode="lines+markers", name=name, line=dict(color=colour),
                error_y=dict(array=errors.std(axis=1), thickness=1, width=3),
            )  # fmt: skip
        figure.update_yaxes(rangemode="tozero", tickformat=".0%")
        figure.update_xaxes(tickformat=".0%")
        st.plotly_chart(figure, key="transforms:sensors", alt="Error over the share of dead sensors")
        st.caption(f"{len(on.inputs[few]):,} test pairs; mean and spread over {DRAWS} draws of the dead sensors.")
    with right:
        gone, u, v = draw_dead(m, dead, 0), on.inputs[[index]], on.outputs[index]
        heard = without(u, gone, fill, mean)
        at = np.linspace(0, 1, m)
        curves = {"input as heard": (at, heard[0]), "output": (on.x, v)}
        curves |= {name: (on.x, predict(heard)[0]) for name, (predict, _) in models.items()}
        figure = chart.lines(
            curves, x="x", y="value", height=320, dashed=("input as heard", "POD, linear"),
            colours=(CONTROL, CATEGORICAL[1], *(c for _, c in models.values())),
        )  # fmt: skip
        figure.add_scatter(
            x=at[gone], y=u[0][gone], mode="markers", name="not heard", marker=dict(color=CONTROL, symbol="x", size=7)
        )
        st.plotly_chart(figure, key="transforms:sensors-pair", alt="One pair with dead sensors")
        st.caption(f"Test pair {index} (chosen in *One pair*), {dead} of {m} sensors dead.")


def takeaway(history: History[TransformsView], on) -> None:
    """Files on the left, code on the right."""
    files, code = st.columns([2, 3], gap="large")
    with files:
        if on.model is not None:
            training.keep(history, PART, on.model, on.dataset)
        st.subheader("Functions", anchor=False)
        arrays = dict(
            x=on.x, pod=on.pod.modes, mean=on.pod.mean, singular_values=on.pod.singular_values, test=on.pod.test
        )
        if on.model is not None:
            arrays |= dict(trunk=on.model.functions(), offset=on.model.offset(), order=on.model.by_energy(on.inputs))
        with st.container(horizontal=True):
            download(history.page, "Functions as npz", lambda: npz(**arrays), "operator.npz")
            download(history.page, "Functions as csv", lambda: _csv(on, arrays), "functions.csv")
            download(
                history.page, "The pairs as npz",
                lambda: npz(inputs=on.dataset.extra["inputs"], outputs=on.dataset.samples), "pairs.npz",
            )  # fmt: skip
            if on.model is not None:
                download(
                    history.page, "Predictions as npz",
                    lambda: npz(inputs=on.inputs, outputs=on.outputs, predicted=on.model.predict(on.inputs)),
                    "predictions.npz",
                )  # fmt: skip
        recipe(history)
    with code:
        if on.model is None:
            st.caption("Train DeepONet for a snippet that trains it again.")
        else:
            training.snippet(
                history, PART, on.model, 'print("relative error", model.error_, model.functions().shape)\n'
            )


def _csv(on, arrays) -> bytes:
    rows = [[kind, i + 1, *f] for kind in ("trunk", "pod") if kind in arrays for i, f in enumerate(arrays[kind])]
    return to_csv(["kind", "function", *(f"{v:.6g}" for v in on.x)], rows)


_LEFT = r"""
#### The operator as a sum
An operator takes a function $u$ to a function $G(u)$. DeepONet writes

$$G(u)(x)\approx\sum_{k=1}^K b_k\big(u(x_1),\dots,u(x_m)\big)\;t_k(x)+b_0$$

The **branch** reads $u$ at $m$ sensors and gives weights; the **trunk** gives K functions of $x$. Both are small
networks, learned together. $t_k$ are a basis for the outputs, made by the task.

#### POD
The outputs themselves have a best basis: their singular vectors (POD, the same as PCA). No K functions hold more of
the training outputs. *Basis: pod* fixes $t_k$ at these modes and learns the branch alone.
"""
_RIGHT = r"""
#### What is compared
All share the training pairs and the test pairs. *Best weights* projects the true output on the modes: a bound, not a
method. *Linear* predicts the weights by a ridge regression on the sensors; for a linear operator that is all one needs.

#### Samples
*Antiderivative* $s'=u$ and *heat* (a bar after 0.01) are linear; the *pendulum* $s''=-\sin s+u$ is not, but swings
little here. Inputs are draws of a Gaussian process with correlation length 0.2.

#### Limits to know
- On these smooth, (nearly) linear operators the linear baseline wins. DeepONet earns its keep where the answer is far
  from linear in the input.
- Trunk functions are no ordered basis: only their span, and the sum, mean something.
- Outside the inputs of the training (*Other inputs*) nothing is promised, nor for sensors that fail later (*Missing
  sensors*): the branch was never told that one may.
"""


def how() -> None:
    """Equations, words and honest limits."""
    left, right = st.columns(2, gap="large")
    left.markdown(_LEFT)
    right.markdown(_RIGHT)
    st.caption(
        "Chen and Chen 1995 · Lumley 1967 (POD) · Lu and others 2021 (DeepONet) · Lu and others 2022 (POD-DeepONet)"
    )
