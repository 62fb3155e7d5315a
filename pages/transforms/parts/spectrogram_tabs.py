"""Tabs of the part *Spectrogram*."""

import io
import json

import numpy as np
import soundfile
import streamlit as st

from core.figures import chart
from core.figures.palette import BASIS, CONTROL
from core.tables import to_csv
from core.transforms.masking import WAYS, masked_accuracy
from core.transforms.takeaway import npz
from core.ui.background import background
from core.ui.history import History
from core.ui.takeaway import download, recipe
from core.ui.text import escape
from pages.transforms import training
from pages.transforms.view import TransformsView

PART = "spectrogram"
BANDS = (8, 16, 32, 64)


def one_filter(history: History[TransformsView], on, index: int) -> None:
    """The chosen filter before and after, to see and to hear."""
    order = [int(i) for i in np.argsort(-on.now.importance_)]
    peak = on.hertz[on.now.responses().argmax(axis=1)]
    history.bind(
        "spectrogram.filter", st.selectbox, "Filter, the most important first", order, value=index,
        format_func=lambda i: f"{i + 1}: strongest at {peak[i]:.0f} Hz",
    )  # fmt: skip
    left, right = st.columns([3, 2], gap="large")
    curves = {"before": (on.hertz, on.fixed.responses()[index])}
    if on.model is not None:
        curves["after"] = (on.hertz, on.model.responses()[index])
    with left:
        figure = chart.lines(curves, x="frequency / Hz", y="gain of power", colours=(CONTROL, BASIS), height=280)
        st.plotly_chart(figure, key="transforms:one-filter", alt="The filter's response before and after")
    with right:
        for name, model in (("before", on.fixed), ("after", on.model)):
            if model is not None:
                st.caption(f"Noise through the filter, {name}")
                st.audio(model.filter_sound(index), sample_rate=round(model.rate_))


def one_clip(history: History[TransformsView], on) -> None:
    """A clip: its sound, its spectrogram and its energy in the filters."""
    dataset, count = on.dataset, len(on.dataset)
    index = history.now.entry(PART, "clip", 0, 0, count - 1)
    left, right = st.columns([1, 3], gap="large")
    with left:
        history.bind(
            "spectrogram.clip", st.number_input, "Clip", 0, count - 1, step=1, value=index, help="0 is the first one."
        )
        clip = dataset.samples[index]
        st.audio(clip, sample_rate=round(dataset.rate))
        st.markdown(f"Label: **{escape(dataset.labels[index])}**")
        for name, model in (("fixed", on.fixed), ("trained", on.model)):
            if model is not None:
                st.caption(f"Said with {name} filters: {escape(model.classes_[model.predict(clip[None])[0]])}")
    with right:
        power, energy = on.now.pictures(clip)
        seconds = (np.arange(power.shape[1]) * on.now.settings.hop + on.now.settings.n_fft / 2) / dataset.rate
        a, b = st.columns(2)
        for place, field, names, y, key in (
            (a, power, on.hertz, "frequency / Hz", "power"),
            (b, energy, np.arange(1, len(energy) + 1), "filter", "energy"),
        ):
            figure = chart.figure("time / s", y, height=300)
            figure.add_heatmap(
                z=field, x=seconds, y=names, colorscale="Cividis", zmin=float(field.max()) - 60,
                zmax=float(field.max()), colorbar=dict(title=dict(text="dB", side="right"), thickness=10),
            )  # fmt: skip
            place.plotly_chart(figure, key=f"transforms:clip:{key}", alt=f"{y} over time")


def kernels(history: History[TransformsView], on) -> None:
    """One pair of kernels in time and in frequency."""
    bins = len(on.hertz)
    index = history.now.entry(PART, "kernel", bins // 2, 0, bins - 1)
    history.bind(
        "spectrogram.kernel", st.slider, "Kernel", 0, bins - 1, value=index,
        help="Number of the frequency it starts from; kernel 0 is the constant.",
    )  # fmt: skip
    before, after = on.fixed.kernels()[:, index], on.now.kernels()[:, index]
    t = np.arange(before.shape[1])
    left, right = st.columns(2, gap="large")
    curves, spectra = {"before": (t, before[0])}, {"before": (on.hertz, _decibel(before))}
    if on.model is not None:
        curves["after"], spectra["after"] = (t, after[0]), (on.hertz, _decibel(after))
    for place, what, x, y, key in (
        (left, curves, "sample", "cosine kernel", "kernel-time"),
        (right, spectra, "frequency / Hz", "gain of power / dB", "kernel-spectrum"),
    ):
        figure = chart.lines(what, x=x, y=y, colours=(CONTROL, BASIS), height=280)
        place.plotly_chart(figure, key=f"transforms:{key}", alt=f"{y} before and after training")
    if on.model is None or on.model.settings.trained not in ("kernels", "both"):
        st.caption("Kernels are trained only when *Trained* on the left says *kernels* or *both*.")
    else:
        st.caption(f"Kernel for {on.hertz[index]:.0f} Hz. Relative change: {_change(before, after):.1%}.")


def _decibel(pair: np.ndarray) -> np.ndarray:
    power = (np.abs(np.fft.rfft(pair, axis=-1)) ** 2).sum(axis=0) / (pair.shape[-1] / 4) ** 2
    return 10 * np.log10(np.maximum(power, 1e-8))


def _change(before: np.ndarray, after: np.ndarray) -> float:
    return float(np.linalg.norm(after - before) / max(np.linalg.norm(before), 1e-12))


def confusion(on) -> None:
    """What is taken for what, fixed beside trained."""
    places = st.columns(2, gap="large")
    for place, name, key in zip(places, ("Fixed filters", "Trained"), ("fixed", "trained"), strict=True):
        if key not in on.judged:
            place.caption("Train the filters to see their matrix here.")
            continue
        with place:
            st.subheader(name, anchor=False)
            names = [str(c) for c in on.now.classes_]
            figure = chart.heatmap(
                on.judged[key][2], x="said", y="true", value="clips", x_names=names, y_names=names, signed=False,
                height=340,
            )  # fmt: skip
            if len(names) <= 12:
                figure.update_traces(texttemplate="%{z}")
            st.plotly_chart(figure, key=f"transforms:confusion:{name}", alt=f"Confusion matrix, {name.lower()}")


def masked(history: History[TransformsView], on) -> None:
    """Accuracy when a band of frequencies is taken away: what the classifier listens to."""
    way = history.now.one_of(PART, "masking", WAYS, "exchange")
    bands = history.now.one_of(PART, "bands", BANDS, BANDS[1])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        history.bind(
            "spectrogram.masking", st.segmented_control, "The band is", list(WAYS), value=way, format_func=WAYS.get,
            required=True,
            help="Silence is unlike any clip, and may mislead a filter by itself. The band of another clip sounds as "
            "usual and only says nothing of the label.",
        )  # fmt: skip
        history.bind("spectrogram.bands", st.select_slider, "Bands", BANDS, value=bands, width=220)
    found = {"fixed": _masked(history, on, on.fixed, "fixed", bands, way)}
    if on.model is not None:
        found["trained"] = _masked(history, on, on.model, "trained", bands, way)
    if any(m is None for m in found.values()):
        return
    figure = chart.lines(
        {n: (m.centres, m.accuracy) for n, m in found.items()}, x="frequency of the masked band / Hz",
        y="accuracy without it", percent=True, colours=(CONTROL, BASIS), height=320, legend=True,
    )  # fmt: skip
    for trace in figure.data:
        trace.line.shape = "hvh"
    for m, colour in zip(found.values(), (CONTROL, BASIS), strict=False):
        figure.add_hline(y=m.whole, line=dict(color=colour, width=1, dash="dot"))
    st.plotly_chart(figure, key="transforms:masked", alt="Accuracy with each band of frequencies masked")
    said = "; ".join(
        f"the {n} one falls from {m.whole:.1%} to {m.accuracy[m.most]:.1%} without "
        f"{m.edges[m.most]:.0f} to {m.edges[m.most + 1]:.0f} Hz"
        for n, m in found.items()
    )
    st.caption(
        f"{next(iter(found.values())).clips:,} held-out clips; dotted: nothing masked. Where it matters most, {said}."
    )


def _masked(history: History[TransformsView], on, model, name: str, bands: int, way: str):
    ref = history.now.models.get(PART, "") if name == "trained" else ""
    facts = ["masked", on.dataset.identity, model.settings.as_dict(), model.seed_, ref, bands, way]
    key = json.dumps(facts, sort_keys=True)
    return background(
        f"transforms:masked:{name}", key,
        lambda run: masked_accuracy(model, on.dataset, bands=bands, way=way, run=run),
        f"Listening to {bands} masked copies of the clips with the {name} filters",
    )  # fmt: skip


def takeaway(history: History[TransformsView], on) -> None:
    """Files on the left, code on the right."""
    files, code = st.columns([2, 3], gap="large")
    model = on.now
    with files:
        if on.model is not None:
            training.keep(history, PART, on.model, on.dataset)
        st.subheader("Filters and kernels", anchor=False)
        with st.container(horizontal=True):
            download(
                history.page, "All as npz",
                lambda: npz(filters=model.filters(), kernels=model.kernels(), hertz=on.hertz, rate=model.rate_,
                            importance=model.importance_, classes=model.classes_,
                            confusion=next(reversed(on.judged.values()))[2]),
                "spectrogram.npz",
            )  # fmt: skip
            download(
                history.page, "Filters as csv",
                lambda: to_csv(["filter", *(f"{h:g} Hz" for h in on.hertz)],
                               ([i + 1, *row] for i, row in enumerate(model.filters()))),
                "filters.csv",
            )  # fmt: skip
            index = history.now.entry(PART, "filter", int(np.argmax(model.importance_)), 0, model.settings.mels - 1)
            download(
                history.page, f"Filter {index + 1} as sound", lambda: _wav(model, index), f"filter-{index + 1}.wav"
            )
            download(history.page, "Codes as csv", lambda: _codes(on), "codes.csv")
        if on.model is None:
            st.caption("These are the fixed ones; train them to take the trained ones away.")
        recipe(history)
    with code:
        training.snippet(history, PART, model, 'print(f"accuracy {model.accuracy_:.1%}", model.filters().shape)\n')


def _wav(model, index: int) -> bytes:
    out = io.BytesIO()
    soundfile.write(out, model.filter_sound(index), round(model.rate_), format="WAV")
    return out.getvalue()


def _codes(on) -> bytes:
    codes = on.now.encode(on.dataset.samples)
    header = ["clip", "label", *(f"filter {i + 1}" for i in range(codes.shape[1]))]
    rows = ([n, str(v), *c] for n, v, c in zip(on.dataset.names, on.dataset.labels, codes, strict=True))
    return to_csv(header, rows)


_LEFT = r"""
#### The spectrogram as layers
A clip is cut into frames $x$ of *n_fft* samples, *hop* apart. Kernels are windowed cosines and sines
$k_f^{\cos},k_f^{\sin}$; a mel filter $m_j$ is a triangle over frequency:

$$e_j=\log\Big(\sum_f m_j(f)\,\big[(k_f^{\cos}\!\cdot x)^2+(k_f^{\sin}\!\cdot x)^2\big]+10^{-5}\Big)$$

The mean of $e_j$ over time is the code, and a linear classifier reads the label from it. All of this can be
differentiated, so kernels, filters, or both, go on learning from where Fourier and mel start.
"""
_RIGHT = r"""
#### What is compared
The fixed spectrogram has the same classifier, clips, seed and steps; only its filters rest. Accuracy is on clips that
neither saw.

#### Limits to know
- The gain is large where few coarse filters miss what matters (*narrow bands*) and small where they do not (*vowels*).
  Cheuk and others saw it vanish as the models behind grow.
- The code forgets order in time: words that differ only in the order of their sounds look alike.
- Trained filters are not smooth and may listen to the noise of the training clips. Look at both accuracies.
- *Masked bands* shows what the classifier leans on. Two bands that say the same can replace each other, and then
  neither seems to matter.
- Noise *through a filter* is made for listening. It is not part of the model.
"""


def how() -> None:
    """Equations, words and honest limits."""
    left, right = st.columns(2, gap="large")
    left.markdown(_LEFT)
    right.markdown(_RIGHT)
    st.caption(
        "Stevens, Volkmann and Newman 1937 (mel) · Cheuk and others 2020 (nnAudio) · Cheuk and others 2022 (trainable "
        "spectrogram) · Peterson and Barney 1952 (vowels)"
    )
