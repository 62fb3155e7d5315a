"""Centre and tabs of the part *Wavelets*."""

import numpy as np
import streamlit as st

from core.figures import chart
from core.figures.palette import CATEGORICAL, CONTROL
from core.figures.text import number
from core.tables import to_csv
from core.transforms.takeaway import columns, npz, wavelet_snippet
from core.ui.history import History
from core.ui.takeaway import download, recipe
from pages.transforms import training
from pages.transforms.parts.wavelets_shown import PART, Shown, equal, worth
from pages.transforms.view import TransformsView

_COLOURS = (CATEGORICAL[0], CATEGORICAL[1], CATEGORICAL[2], CATEGORICAL[3])


def centre(on: Shown) -> None:
    """Numbers, functions and responses."""
    _numbers(on)
    left, right = st.columns(2, gap="large")
    with left:
        _functions(on)
    with right:
        _responses(on)
    st.markdown(worth(on))


def _numbers(on: Shown) -> None:
    a, b, c, d = st.columns(4)
    low_pass = abs(on.shape.sum - np.sqrt(2)) < 1e-6
    best = min((v.at for n, v in on.looks.items() if n != on.title), default=None)
    a.metric(
        f"Energy lost at {min(on.settings.keep, on.dataset.d):,}", f"{number(100 * on.this.at)} %",
        None if best is None else _against(on.this.at, best),
        delta_color="off" if best is None or equal(on.this.at, best) else "inverse",
        delta_arrow="off" if best is None or equal(on.this.at, best) else "auto",
        help="Share of the energy outside that many largest coefficients, mean over all samples; the change is against "
        "the best classical wavelet of this length, in points.",
    )  # fmt: skip
    b.metric("Vanishing moments", on.shape.vanishing, help="Polynomials up to this degree less one give no details.")
    c.metric(
        "Sum of the low taps", f"{on.shape.sum:.4f}", "low-pass" if low_pass else "not low-pass",
        delta_color="off", delta_arrow="off", help="The square root of 2, 1.4142, makes the first filter low-pass.",
    )  # fmt: skip
    d.metric(
        "Rebuilding error", number(on.this.error, 2),
        help="Largest error after transforming and back, relative to the largest sample. Orthogonal filters and "
        "lifting steps come back exactly, up to rounding; free taps need not.",
    )  # fmt: skip


def _against(mine: float, best: float) -> str:
    return "as the best classical" if equal(mine, best) else f"{100 * (mine - best):+.3g} to the best classical"


def _functions(on: Shown) -> None:
    x = on.shape.x
    figure = chart.lines(
        {"scaling function": (x, on.shape.scaling), "wavelet": (x, on.shape.wavelet)},
        x="place / samples", y="value", height=300, colours=_COLOURS,
    )  # fmt: skip
    st.plotly_chart(figure, key="transforms:functions", alt="Scaling function and wavelet")
    if abs(on.shape.sum - np.sqrt(2)) > 1e-6:
        st.caption("Not low-pass: these are the filters after seven refinements; no limit curve exists.")


def _responses(on: Shown) -> None:
    f = on.shape.frequency / (2 * np.pi)
    curves = {"low filter": (f, on.shape.low_gain), "high filter": (f, on.shape.high_gain)}
    figure = chart.lines(curves, x="frequency / cycles a sample", y="gain", height=300, colours=_COLOURS)
    figure.update_yaxes(rangemode="tozero")
    st.plotly_chart(figure, key="transforms:responses", alt="Frequency response of both filters")


def compression(on: Shown) -> None:
    """Energy lost over the number of coefficients, and the sample rebuilt from few."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        curves = {name: (lk.counts, lk.lost) for name, lk in on.looks.items()}
        figure = chart.lines(
            curves, x="coefficients kept", y="energy lost", log_x=True, log_y=True, height=340, colours=_COLOURS,
            dashed=tuple(n for n in curves if n != on.title),
        )  # fmt: skip
        for trace in figure.data:
            trace.mode = "lines"
        figure.add_vline(x=min(on.settings.keep, on.dataset.d), line=dict(color=CONTROL, width=1))
        figure.update_yaxes(dtick=1, exponentformat="power")
        figure.update_xaxes(dtick=1)
        st.plotly_chart(figure, key="transforms:lost", alt="Share of energy lost over coefficients kept, by wavelet")
    with right:
        _rebuilt(on)


def _rebuilt(on: Shown) -> None:
    x, again = on.dataset.samples[on.index], on.this.rebuilt
    share = min(on.settings.keep, on.dataset.d) / on.dataset.d
    if x.ndim == 1:
        at = np.arange(len(x)) if on.dataset.rate is None else np.arange(len(x)) / on.dataset.rate
        thin = slice(None, None, max(1, len(x) // 4096))
        figure = chart.lines(
            {"sample": (at[thin], x[thin]), f"from {min(on.settings.keep, on.dataset.d):,}": (at[thin], again[thin])},
            x=on.dataset.axis or "sample", y="value", height=340, colours=(CONTROL, CATEGORICAL[0]),
        )  # fmt: skip
        st.plotly_chart(figure, key="transforms:rebuilt", alt="The sample and what few coefficients rebuild")
    else:
        a, b = st.columns(2)
        low, high = float(x.min()), float(x.max())
        scaled = lambda v: np.clip((v - low) / ((high - low) or 1.0), 0, 1)  # noqa: E731
        a.image(scaled(x), caption="The image", width="stretch")
        b.image(scaled(again), caption=f"From {on.settings.keep:,} coefficients", width="stretch")
    st.caption(f"{share:.1%} of the coefficients are kept, those of largest absolute value.")


def filters(on: Shown) -> None:
    """Taps and moments."""
    left, right = st.columns(2, gap="large")
    with left:
        figure = chart.figure("tap", "value", height=300, legend=True)
        for name, taps, colour in (("low", on.shape.low, _COLOURS[0]), ("high", on.shape.high, _COLOURS[1])):
            figure.add_bar(x=np.arange(len(taps)), y=taps, name=name, marker_color=colour)
        st.plotly_chart(figure, key="transforms:taps", alt="Taps of both filters")
        st.caption(f"Shifts by even numbers fail to be orthonormal by at most {number(on.shape.orthogonality, 2)}.")
    with right:
        names = [str(i) for i in range(len(on.shape.moments))]
        figure = chart.bars(names, np.maximum(on.shape.moments, 1e-17), value="relative size", name="moment")
        figure.update_yaxes(type="log", dtick=4, exponentformat="power")
        figure.update_traces(base=1e-18)
        st.plotly_chart(figure, key="transforms:moments", alt="Moments of the high filter")
        st.caption("Moments of the high filter; those below 1e-6, counted from 0, are said to vanish.")


def takeaway(history: History[TransformsView], on: Shown) -> None:
    """Files on the left, code on the right."""
    files, code = st.columns([2, 3], gap="large")
    with files:
        if on.model is not None:
            training.keep(history, PART, on.model, on.dataset)
        st.subheader("The wavelet", anchor=False)
        facts = dict(low=on.shape.low, high=on.shape.high)
        if on.angles is not None:
            facts["angles"] = np.radians(on.angles)
        with st.container(horizontal=True):
            download(history.page, "Filters as npz", lambda: npz(**facts), "wavelet.npz")
            download(
                history.page, "Filters as csv", lambda: columns(dict(low=on.shape.low, high=on.shape.high)),
                "filters.csv",
            )  # fmt: skip
            download(
                history.page, "Functions as csv",
                lambda: columns(dict(x=on.shape.x, scaling=on.shape.scaling, wavelet=on.shape.wavelet)),
                "functions.csv",
            )  # fmt: skip
            download(history.page, "Energy lost as csv", lambda: _lost(on), "energy-lost.csv")
        recipe(history)
    with code:
        st.subheader("Use it with PyWavelets", anchor=False)
        if on.settings.form == "orthogonal":
            st.caption(
                "Needs NumPy and PyWavelets only. PyWavelets starts elsewhere on the circle; the energies agree."
            )
            st.code(wavelet_snippet(on.shape.low, on.shape.high, on.settings.levels), language="python")
        else:
            st.caption("PyWavelets takes orthogonal filters this way; this form is not orthogonal by construction.")
        if on.model is not None:
            training.snippet(
                history, PART, on.model, 'print("energy lost", model.start_, "->", model.loss_)\nprint(model.angles_)\n'
            )


def _lost(on: Shown) -> bytes:
    counts = on.this.counts
    rows = ([int(n), *(float(v.lost[i]) for v in on.looks.values())] for i, n in enumerate(counts))
    return to_csv(["coefficients", *on.looks], rows)


_LEFT = r"""
#### The transform
A pair of filters $h$ (low) and $g$ (high) splits a series into a coarse and a fine half; the coarse half is split
again, *levels* times. Images are split along both sides. Series go on periodically.

#### Angles
$M$ angles make $2M$ taps: a rotation, a delay of two samples in one branch, a rotation, and so on (Vaidyanathan and
Hoang 1988):

$$\begin{pmatrix}H\\G\end{pmatrix}=R(\theta_M)\begin{pmatrix}1&\\&z^{-2}\end{pmatrix}R(\theta_{M-1})\cdots R(\theta_1)
\begin{pmatrix}1\\z^{-1}\end{pmatrix}$$

Whatever the angles are, all shifts by even numbers are orthonormal, so the transform is a rotation: the samples come
back exactly and energies agree. Daubechies wavelets and symlets are points of this space. Only if the angles add up to
45 degrees is $h$ low-pass, $\sum h=\sqrt2$; then a scaling function and a wavelet exist,
$\varphi(x)=\sqrt2\sum_k h_k\,\varphi(2x-k)$.
"""
_RIGHT = r"""
#### What is learned
The mean share of energy outside the $K$ largest coefficients (*keep*), by gradient descent on the angles. Also there:
**free taps**, with the mirror filter and the transpose, as in WavSpA's free form; they need not rebuild the samples.
**Lifting steps** (Sweldens 1996) predict odd samples from even ones and update; they always come back.

#### Limits to know
- A learned wavelet is fitted to these very samples and compared on them. With few angles there is little to overfit;
  on several samples, compare with *beats* held out before you believe a small gain.
- Daubechies wavelets have the most vanishing moments for their length. A learned one usually gives that up.
- Energy in few coefficients measures compression. It says nothing of a later classifier.
- The descent finds a minimum near its start. Start from *sym*, *db* and *random*, and compare.
"""


def how() -> None:
    """Equations, words and honest limits."""
    left, right = st.columns(2, gap="large")
    left.markdown(_LEFT)
    right.markdown(_RIGHT)
    st.caption(
        "Vaidyanathan and Hoang 1988 · Daubechies 1992 · Donoho and Johnstone 1994 · Sweldens 1996 · Zhuang and others "
        "2024 (WavSpA)"
    )
