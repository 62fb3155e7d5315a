"""The part *Operators*: DeepONet's trunk functions beside the modes of proper orthogonal decomposition."""

import json
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from core.datasets import Dataset
from core.errors import InputError
from core.figures import chart
from core.figures.palette import CATEGORICAL
from core.figures.text import number
from core.transforms.beside import PodBeside, pod_beside, unit_functions
from core.transforms.deeponet import DeepONet, DeepONetSettings
from core.ui.history import History
from core.ui.newest import newest
from core.ui.tabs import draw_tabs
from core.ui.text import say_error
from pages.transforms import training
from pages.transforms.parts import operators_tabs as tabs
from pages.transforms.view import TransformsView

PART = "operators"
DRAWN = 6
NEARLY_LINEAR = 0.02  # relative error of a linear regression


@dataclass(frozen=True, eq=False)
class Shown:
    """POD and the linear operator on it, and DeepONet where it is trained."""

    dataset: Dataset
    settings: DeepONetSettings
    model: DeepONet | None
    pod: PodBeside

    @cached_property
    def error(self) -> float:
        """DeepONet's on the test pairs of this data, whatever it was trained on."""
        return self.model.score(self.inputs, self.outputs)[0]

    @property
    def inputs(self) -> np.ndarray:
        """Of the test pairs."""
        return self.dataset.extra["inputs"][self.pod.test]

    @property
    def outputs(self) -> np.ndarray:
        """Of the test pairs."""
        return self.dataset.samples[self.pod.test]

    @property
    def sensor_means(self) -> np.ndarray:
        """`(m,)` of the training inputs."""
        inputs = self.dataset.extra["inputs"]
        return np.delete(inputs, self.pod.test, axis=0).mean(axis=0)

    @property
    def x(self) -> np.ndarray:
        return np.linspace(0, 1, self.dataset.shape[0])


def left(history: History[TransformsView], dataset: Dataset) -> DeepONetSettings:
    """Settings."""
    return training.choose_settings(history, PART, dataset, {"train_count": len(dataset) - 1})


def draw(history: History[TransformsView], dataset: Dataset, settings: DeepONetSettings) -> None:
    """Training, errors, functions, tabs."""
    model = training.model_of(history, PART, dataset)
    settings = model.settings if model else settings
    which = "trunk functions" if settings.basis == "trunk" else "a branch on POD modes"
    training.offer(
        history, PART, dataset, settings, "Train DeepONet",
        f"Learn **{which}** from {settings.train_count:,} of {len(dataset):,} pairs of functions.",
    )  # fmt: skip
    if model is not None:
        training.again(history, PART)
    try:
        with newest("transforms:operators"):
            seed = history.now.seed if model is None else model.seed_
            on = Shown(dataset, settings, model, pod_of(dataset, settings, seed))
    except InputError as error:
        say_error(error)
        return
    _numbers(on)
    learned, classical = st.columns(2, gap="large")
    with learned:
        if model is None:
            st.markdown("**Outputs** of some test pairs")
            tabs.outputs_chart(on)
        else:
            st.markdown(f"**DeepONet**: the {min(DRAWN, settings.k)} functions that carry most")
            _plot(on, model.functions()[model.by_energy(on.inputs)], "trunk")
    with classical:
        st.markdown("**POD**: the modes of largest variance")
        _plot(on, on.pod.modes, "pod")
    draw_tabs(
        history,
        {
            "One pair": lambda: tabs.one_pair(history, on),
            "Number of functions": lambda: tabs.sizes(history, on),
            "Overlap with POD": lambda: tabs.overlap(on),
            "Other inputs": lambda: tabs.other_inputs(history, on),
            "Missing sensors": lambda: tabs.sensors(history, on),
            "Take away": lambda: tabs.takeaway(history, on),
            "How it works": tabs.how,
        },
    )


def pod_of(dataset: Dataset, settings: DeepONetSettings, seed: int) -> PodBeside:
    """POD with as many modes, on the same split."""
    key = json.dumps([dataset.identity, settings.k, settings.train_count, seed])
    return _pod(key, dataset, settings.k, settings.train_count, seed)


@st.cache_resource(max_entries=32, show_spinner="Decomposing the outputs ...")
def _pod(key: str, _dataset: Dataset, _k: int, _count: int, _seed: int) -> PodBeside:
    return pod_beside(_dataset, _k, train_count=_count, seed=_seed)


def _numbers(on: Shown) -> None:
    a, b, c = st.columns(3)
    help = f"Mean relative L2 error on {len(on.pod.test):,} pairs that were not trained on."
    linear, least = float(on.pod.linear[-1]), float(on.pod.projection[-1])
    if on.model is None:
        a.metric("DeepONet", "not trained yet", help=help)
    else:
        a.metric(f"DeepONet, {on.settings.k} functions", f"{number(100 * on.error)} %", help=help)
    b.metric(
        f"POD, {on.pod.counts[-1]} modes, linear", f"{number(100 * linear)} %",
        help=f"{help} The weights of the modes come from a linear regression on the inputs.",
    )  # fmt: skip
    c.metric(
        "POD, best weights",
        f"{number(100 * least)} %",
        help=f"{help} What these modes could reach with perfect weights.",
    )
    if on.model is not None and on.error > linear:
        why = " The operator is linear, or nearly so, for these inputs." if linear < NEARLY_LINEAR else ""
        st.caption(
            f":material/info: On this data POD with a linear regression does better: {number(100 * linear)} % against "
            f"{number(100 * on.error)} %.{why}"
        )


def _plot(on: Shown, functions: np.ndarray, key: str) -> None:
    figure = chart.lines(
        {f"{i + 1}": (on.x, f) for i, f in enumerate(unit_functions(functions[:DRAWN]))}, x="x",
        y="function, unit size", height=320, colours=CATEGORICAL,
    )  # fmt: skip
    st.plotly_chart(figure, key=f"transforms:functions:{key}", alt=f"{key} functions")
