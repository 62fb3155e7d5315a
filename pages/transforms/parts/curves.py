"""The part *Curves*: basis functions learned with the number they predict, beside FPCA, B-splines and PLS."""

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
from core.transforms.adafnn import AdaFNN, AdaFNNSettings, split_curves
from core.transforms.beside import curve_baselines, unit_functions
from core.transforms.curves import BASELINES, Baseline
from core.ui.background import background
from core.ui.history import History
from core.ui.newest import newest
from core.ui.tabs import draw_tabs
from core.ui.text import say_error
from pages.transforms import training
from pages.transforms.parts import curves_tabs as tabs
from pages.transforms.view import TransformsView

PART = "curves"
MOST_DRAWN = 8


@dataclass(frozen=True, eq=False)
class Shown:
    """Baselines, and the model where there is one.

    Attributes:
        linear, network: by basis, with linear regression and with a small network on the scores (the latter empty while
            it is computed).
        target: `(N,)`.
        fit, test: indices.
        t: `(T,)` places, and their name `axis`.
    """

    dataset: Dataset
    settings: AdaFNNSettings
    seed: int
    model: AdaFNN | None
    target: np.ndarray
    fit: np.ndarray
    test: np.ndarray
    linear: dict[str, Baseline]
    network: dict[str, Baseline]
    t: np.ndarray
    axis: str

    @cached_property
    def error(self) -> tuple[float, float]:
        """AdaFNN's root mean squared error and R2 on the held-out curves of this data, whatever it was trained on."""
        return self.model.score(self.dataset.samples[self.test], self.target[self.test])


def left(history: History[TransformsView], dataset: Dataset) -> AdaFNNSettings:
    """Settings."""
    return training.choose_settings(history, PART, dataset, {"k": min(dataset.shape[0], max(1, len(dataset) // 3), 64)})


def draw(history: History[TransformsView], dataset: Dataset, settings: AdaFNNSettings) -> None:
    """Training, errors, functions, tabs."""
    model = training.model_of(history, PART, dataset)
    settings = model.settings if model else settings
    training.offer(
        history, PART, dataset, settings, "Train AdaFNN",
        f"Learn **{settings.k} functions** together with the number they predict. The loss often *rests* near its "
        "start for hundreds of steps before it drops: that is the search for the first useful function. Let it go on.",
    )  # fmt: skip
    if model is not None:
        training.again(history, PART)
    try:
        with newest("transforms:curves"):
            on = shown(dataset, settings, history.now.seed if model is None else model.seed_, model)
    except InputError as error:
        say_error(error)
        return
    _numbers(on)
    _functions(history, on)
    draw_tabs(
        history,
        {
            "Curves": lambda: tabs.curves(on),
            "Predictions": lambda: tabs.predictions(on, _beside(history), better(on, _beside(history))),
            "Number of functions": lambda: tabs.sizes(on),
            "Take away": lambda: tabs.takeaway(history, on),
            "How it works": tabs.how,
        },
    )


def shown(dataset: Dataset, settings: AdaFNNSettings, seed: int, model: AdaFNN | None) -> Shown:
    """Everything computed once for equal data, size and seed.

    Raises:
        InputError: targets that are no numbers, or too few curves.
    """
    target = AdaFNN.target(dataset.labels)
    fit, test = split_curves(len(target), settings.test_share, seed)
    linear = beside(dataset, settings.k, settings.test_share, seed)
    network = _networks(dataset, settings.k, settings.test_share, seed) or {}
    try:
        t, axis = np.array([float(f) for f in dataset.features]), dataset.axis
    except (TypeError, ValueError):
        t, axis = (
            np.linspace(0, 1, dataset.shape[0]),
            dataset.axis if dataset.features is None else "share of the curve",
        )
    return Shown(dataset, settings, seed, model, target, fit, test, linear, network, t, axis or "place")


def beside(dataset: Dataset, k: int, share: float, seed: int) -> dict[str, Baseline]:
    """The classical bases with k functions and linear regression."""
    return _beside_of(json.dumps([dataset.identity, k, share, seed]), dataset, k, share, seed)


@st.cache_resource(max_entries=64, show_spinner="Fitting the classical bases ...")
def _beside_of(key: str, _dataset, _k, _share, _seed) -> dict[str, Baseline]:
    return curve_baselines(_dataset, _k, share=_share, seed=_seed)


def _networks(dataset: Dataset, k: int, share: float, seed: int) -> dict[str, Baseline] | None:
    """The same with a small network on the scores; it takes seconds, so it is done in the background."""
    key = "transforms:networks:" + json.dumps([dataset.identity, k, share, seed])
    return background(
        "transforms:networks", key, lambda run: curve_baselines(dataset, k, share=share, seed=seed, network=True),
        "Training small networks on the scores of the classical bases",
    )  # fmt: skip


def _beside(history: History[TransformsView]) -> str:
    return history.now.one_of(PART, "beside", BASELINES, BASELINES[0])


def best_of(on: Shown) -> dict[str, float]:
    """The smaller error of each classical basis."""
    return {n: better(on, n).rmse for n in BASELINES}


def better(on: Shown, name: str) -> Baseline:
    """A classical basis with the regression that errs less."""
    return min((b[name] for b in (on.linear, on.network) if b), key=lambda b: b.rmse)


def _numbers(on: Shown) -> None:
    best = best_of(on)
    places = st.columns(4)
    spread = float(on.target[on.test].std())
    help = f"Root mean squared error on {len(on.test):,} held-out curves; their targets spread by {number(spread)}."
    if on.model is None:
        places[0].metric("AdaFNN", "not trained yet", help=help)
    else:
        low = min(best.values())
        places[0].metric(
            f"AdaFNN, {on.settings.k} functions", number(on.error[0]),
            f"{number(on.error[0] - low)} to the best classical", delta_color="inverse", help=help,
        )  # fmt: skip
    for place, (name, value) in zip(places[1:], best.items(), strict=True):
        tried = f"linear regression ({number(on.linear[name].rmse)})"
        if on.network:
            tried = f"the better of {tried} and a small network ({number(on.network[name].rmse)})"
        place.metric(
            f"{name}, {len(on.linear[name].functions)} functions", number(value),
            help=f"{help} On the scores: {tried}.",
        )  # fmt: skip
    if on.model is not None:
        winner = min(best, key=best.get)
        if on.error[0] > best[winner]:
            st.caption(
                f":material/info: On this data {winner} does better than AdaFNN: {number(best[winner])} against "
                f"{number(on.error[0])}."
            )
        if on.error[1] < 0.05:
            st.caption(":material/info: The training still rests: nothing is predicted yet. Give it more steps.")


def _functions(history: History[TransformsView], on: Shown) -> None:
    learned, classical = st.columns(2, gap="large")
    with learned:
        if on.model is None:
            tabs.coloured_curves(on, "transforms:data")
        else:
            st.markdown("**AdaFNN**: learned with the task")
            _plot(on, on.model.functions(), "learned")
    with classical:
        name = _beside(history)
        history.bind(
            "curves.beside", st.segmented_control, "Beside", BASELINES, value=name, required=True,
            label_visibility="collapsed",
        )  # fmt: skip
        _plot(on, on.linear[name].functions, "classical")


def _plot(on: Shown, functions: np.ndarray, key: str) -> None:
    unit = unit_functions(functions)[:MOST_DRAWN]
    figure = chart.lines(
        {f"{i + 1}": (on.t, f) for i, f in enumerate(unit)}, x=on.axis, y="function, unit size", height=320,
        colours=CATEGORICAL,
    )  # fmt: skip
    st.plotly_chart(figure, key=f"transforms:functions:{key}", alt=f"{key} basis functions")
    if len(functions) > MOST_DRAWN:
        st.caption(f"The first {MOST_DRAWN} of {len(functions)}.")
