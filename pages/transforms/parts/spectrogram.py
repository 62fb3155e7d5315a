"""The part *Spectrogram*: kernels and mel filters before and after training, and what they bring."""

import json
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from core.datasets import Dataset
from core.errors import InputError
from core.figures import chart
from core.figures.palette import BASIS, CATEGORICAL, CONTROL
from core.transforms.spectrogram import SpectrogramSettings, TrainableSpectrogram
from core.ui.background import background
from core.ui.history import History
from core.ui.tabs import draw_tabs
from core.ui.text import say_error
from pages.transforms import training
from pages.transforms.parts import spectrogram_tabs as tabs
from pages.transforms.view import TransformsView

PART = "spectrogram"
_WHAT = {"mel": "mel filters", "kernels": "kernels", "both": "kernels and mel filters"}


@dataclass(frozen=True, eq=False)
class Shown:
    """The fixed spectrogram, and the trained one where there is one.

    Attributes:
        judged: for `fixed` and `trained` accuracy on held-out and on training clips of this data, and the confusion.
    """

    dataset: Dataset
    fixed: TrainableSpectrogram
    model: TrainableSpectrogram | None
    judged: dict[str, tuple[float, float, np.ndarray]]

    @property
    def now(self) -> TrainableSpectrogram:
        return self.model or self.fixed

    @property
    def hertz(self) -> np.ndarray:
        """Frequency of each bin."""
        return np.linspace(0, self.fixed.rate_ / 2, self.fixed.settings.n_fft // 2 + 1)


def left(history: History[TransformsView], dataset: Dataset) -> SpectrogramSettings:
    """Settings."""
    return training.choose_settings(history, PART, dataset, {"n_fft": dataset.d, "hop": dataset.d})


def draw(history: History[TransformsView], dataset: Dataset, settings: SpectrogramSettings) -> None:
    """Training, accuracy, filters, tabs."""
    model = training.model_of(history, PART, dataset)
    settings = model.settings if model else settings
    if settings.trained == "none":
        st.caption("*Trained* is *none*: choose mel filters, kernels or both on the left to let the task bend them.")
    else:
        training.offer(
            history, PART, dataset, settings, "Train",
            f"Train the **{_WHAT[settings.trained]}** with a classifier of the {len(set(dataset.labels))} labels.",
        )  # fmt: skip
    if model is not None:
        training.again(history, PART)
    fixed = _fixed(dataset, settings, history.now.seed if model is None else model.seed_)
    if fixed is None:
        _clip_only(history, dataset)
        return
    try:
        on = Shown(dataset, fixed, model, _judged(history, dataset, fixed, model))
    except InputError as error:
        say_error(error)
        return
    _numbers(on)
    index = chosen(history, on)
    first, second = st.columns([3, 2], gap="large")
    with first:
        _filters(on, index)
    with second:
        _importance(on)
    draw_tabs(
        history,
        {
            "One filter": lambda: tabs.one_filter(history, on, index),
            "One clip": lambda: tabs.one_clip(history, on),
            "Kernels": lambda: tabs.kernels(history, on),
            "Confusion": lambda: tabs.confusion(on),
            "Masked bands": lambda: tabs.masked(history, on),
            "Take away": lambda: tabs.takeaway(history, on),
            "How it works": tabs.how,
        },
    )


def _fixed(dataset: Dataset, settings: SpectrogramSettings, seed: int) -> TrainableSpectrogram | None:
    """The classifier on fixed filters, trained in the background once for equal settings."""
    plain = replace(settings, trained="none")
    key = json.dumps(["fixed", dataset.identity, plain.as_dict(), seed], sort_keys=True)

    def compute(run):
        made = TrainableSpectrogram(plain).fit(dataset, seed=seed, run=run)
        return None if run.should_stop() else made

    return background(
        "transforms:fixed", key, compute, "Training the classifier on the fixed mel filters, for comparison"
    )


def _judged(history: History[TransformsView], dataset: Dataset, fixed, model) -> dict:
    """A model of the library may come from other clips: what counts here is what it says of these."""
    found = {"fixed": (fixed.accuracy_, fixed.train_accuracy_, fixed.confusion_)}
    if model is not None:
        found["trained"] = _judge(json.dumps([dataset.identity, history.now.models[PART]]), dataset, model)
    return found


@st.cache_resource(max_entries=16, show_spinner=False)
def _judge(key: str, _dataset: Dataset, _model: TrainableSpectrogram) -> tuple[float, float, np.ndarray]:
    return _model.judge(_dataset)


def _clip_only(history: History[TransformsView], dataset: Dataset) -> None:
    """While the comparison is computed: the sound itself."""
    index = history.now.entry(PART, "clip", 0, 0, len(dataset) - 1)
    wave = dataset.samples[index]
    step = max(1, len(wave) // 4000)
    figure = chart.lines(
        {"wave": (np.arange(0, len(wave), step) / dataset.rate, wave[::step])}, x="time / s", y="sound pressure",
        height=240, legend=False,
    )  # fmt: skip
    st.plotly_chart(figure, key="transforms:wave", alt="A clip's wave")
    st.audio(wave, sample_rate=round(dataset.rate))


def chosen(history: History[TransformsView], on: Shown) -> int:
    """The filter looked at: by default the most important."""
    best = int(np.argmax(on.now.importance_))
    return history.now.entry(PART, "filter", best, 0, on.now.settings.mels - 1)


def _numbers(on: Shown) -> None:
    a, b, c = st.columns(3)
    fixed, _, confusion = on.judged["fixed"]
    trained, on_training, _ = on.judged.get("trained", (fixed, fixed, None))
    tested = int(confusion.sum())
    a.metric(
        "Accuracy, fixed",
        f"{fixed:.1%}",
        help=f"Held-out clips: {tested:,}. Only the classifier is trained.",
    )
    if on.model is None:
        b.metric("Accuracy, trained", "not trained yet")
    else:
        gain = 100 * (trained - fixed)
        b.metric(
            "Accuracy, trained", f"{trained:.1%}", f"{gain:+.1f} points",
            delta_color="off" if abs(gain) < 0.05 else "normal",
            delta_arrow="off" if abs(gain) < 0.05 else "auto",
            help=f"The same held-out clips, seed and steps. On the training clips: {on_training:.1%}.",
        )  # fmt: skip
    most = confusion.sum(axis=1).max() / tested
    c.metric("Always the most frequent label", f"{most:.1%}", help="What no listening at all would reach.")
    if trained < fixed:
        st.caption(":material/info: On this data the fixed filters do better.")
    elif on.model is not None and trained - fixed < 0.01:
        st.caption(":material/info: On this data training brings next to nothing: the fixed filters hear what matters.")


def _filters(on: Shown, index: int) -> None:
    before, after, hertz = on.fixed.responses(), on.now.responses(), on.hertz
    figure = chart.figure("frequency / Hz", "gain of power", height=340, legend=True)
    for i, row in enumerate(before):
        figure.add_scatter(
            x=hertz, y=row, mode="lines", line=dict(color=CONTROL, width=1, dash="dash"), name="before",
            legendgroup="before", showlegend=i == 0, hoverinfo="skip",
        )  # fmt: skip
    if on.model is not None:
        for i, row in enumerate(after):
            figure.add_scatter(
                x=hertz, y=row, mode="lines", name="after", legendgroup="after", showlegend=i == 0,
                line=dict(color=BASIS, width=1),
                hovertemplate=f"filter {i + 1}, %{{x:.0f}} Hz: %{{y:.3g}}<extra></extra>",
            )  # fmt: skip
    figure.add_scatter(
        x=hertz, y=after[index], mode="lines", name=f"filter {index + 1}", line=dict(color=CATEGORICAL[3], width=3)
    )
    st.plotly_chart(figure, key="transforms:filters", alt="Mel filters over frequency, before and after training")


def _importance(on: Shown) -> None:
    order = np.argsort(-on.now.importance_)[:12]
    peak = on.hertz[on.now.responses().argmax(axis=1)]
    names = [f"{i + 1}: {peak[i]:.0f} Hz" for i in order]
    figure = chart.bars(names, on.now.importance_[order], value="importance", horizontal=True, height=340)
    st.plotly_chart(figure, key="transforms:importance", alt="Filters by importance")
    st.caption("Importance: size of the classifier's weights on the filter times the spread of its energy over clips.")
