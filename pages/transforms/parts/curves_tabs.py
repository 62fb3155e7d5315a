"""Tabs of the part *Curves*."""

import numpy as np
import streamlit as st

from core.figures import chart
from core.figures.palette import BASIS, CONTROL, ramp, sequential_stops
from core.figures.text import number
from core.tables import to_csv
from core.transforms.takeaway import npz
from core.ui.history import History
from core.ui.takeaway import download, recipe
from pages.transforms import training
from pages.transforms.view import TransformsView

PART, MOST_CURVES = "curves", 60
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24)


def coloured_curves(on, key: str, height: int = 320) -> None:
    """Some curves, coloured by the number to predict."""
    picked = np.unique(np.linspace(0, len(on.dataset) - 1, MOST_CURVES).astype(int))
    order = picked[np.argsort(on.target[picked])]
    low, high = np.percentile(on.target, [2, 98])
    shares = np.clip((on.target[order] - low) / ((high - low) or 1.0), 0, 1)
    colours = ramp(shares, sequential_stops())
    figure = chart.figure(on.axis, "value", height=height)
    for i, (r, g, b) in zip(order, colours.tolist(), strict=True):
        figure.add_scatter(
            x=on.t, y=on.dataset.samples[i], mode="lines", line=dict(color=f"rgb({r},{g},{b})", width=1),
            hovertemplate=f"curve {i}, target {on.target[i]:.3g}<extra></extra>",
        )  # fmt: skip
    st.plotly_chart(figure, key=key, alt="Curves coloured by the number to predict")
    st.caption(
        f"{len(order)} of {len(on.dataset):,} curves; "
        f"blue: target {number(low)} or less, yellow: {number(high)} or more."
    )


def curves(on) -> None:
    """The data, and the mean curves of the highest and lowest targets."""
    left, right = st.columns(2, gap="large")
    with left:
        if on.model is None:  # they are above already
            figure = chart.histogram(on.target, x="number to predict", y="curves", bins=24, height=320)
            st.plotly_chart(figure, key="transforms:targets", alt="How often targets fall in equal intervals")
        else:
            coloured_curves(on, "transforms:curves-tab")
    with right:
        order = np.argsort(on.target)
        part = max(1, len(order) // 5)
        ends = {"lowest fifth": order[:part], "highest fifth": order[-part:]}
        figure = chart.lines(
            {n: (on.t, on.dataset.samples[i].mean(axis=0)) for n, i in ends.items()}, x=on.axis, y="mean", height=320
        )
        st.plotly_chart(figure, key="transforms:fifths", alt="Mean curves of low and high targets")


def predictions(on, name: str, given) -> None:
    """Predicted against true numbers of the held-out curves."""
    truth = on.target[on.test]
    sides = [(name, given.predicted, given.rmse, CONTROL)]
    if on.model is not None:
        sides.insert(0, ("AdaFNN", on.model.predict(on.dataset.samples[on.test]), on.error[0], BASIS))
    places = st.columns(2, gap="large")
    ends = [float(truth.min()), float(truth.max())]
    for place, (title, said, error, colour) in zip(places, sides, strict=False):
        figure = chart.figure("true", "predicted", height=340)
        figure.add_scatter(
            x=ends, y=ends, mode="lines", line=dict(color=CONTROL, dash="dash", width=1), hoverinfo="skip"
        )
        figure.add_scatter(
            x=truth, y=said, mode="markers", marker=dict(color=colour, size=7, opacity=0.7),
            hovertemplate="true %{x:.3g}, predicted %{y:.3g}<extra></extra>",
        )  # fmt: skip
        place.markdown(f"**{title}**, root mean squared error {number(error)}")
        place.plotly_chart(figure, key=f"transforms:predicted:{title}", alt=f"Predicted against true numbers, {title}")
    if on.model is None:
        places[1].caption("Train AdaFNN to see its predictions here.")


def sizes(on) -> None:
    """Errors of the classical bases over the number of functions, and where AdaFNN stands."""
    from pages.transforms.parts.curves import beside

    most = min(on.dataset.shape[0], len(on.fit) - 1)
    counts = [k for k in SIZES if k <= most]
    every = {k: beside(on.dataset, k, on.settings.test_share, on.seed) for k in counts}
    curves_ = {n: (counts, [every[k][n].rmse for k in counts]) for n in every[counts[0]]}
    figure = chart.lines(curves_, x="number of functions", y="root mean squared error", height=360)
    if on.model is not None:
        figure.add_scatter(
            x=[on.settings.k], y=[on.error[0]], mode="markers", name="AdaFNN",
            marker=dict(symbol="star", size=16, color=BASIS, line=dict(color="white", width=1)),
        )  # fmt: skip
    st.plotly_chart(figure, key="transforms:sizes", alt="Error over the number of functions")
    st.caption("Classical bases here with linear regression on their scores. One split, one seed.")


def takeaway(history: History[TransformsView], on) -> None:
    """Files on the left, code on the right."""
    files, code = st.columns([2, 3], gap="large")
    with files:
        if on.model is not None:
            training.keep(history, PART, on.model, on.dataset)
        st.subheader("Functions and scores", anchor=False)
        found = {n: b.functions for n, b in on.linear.items()}
        if on.model is not None:
            found = {"AdaFNN": on.model.functions(), **found}
        with st.container(horizontal=True):
            download(history.page, "Functions as npz", lambda: npz(t=on.t, test=on.test, **found), "functions.npz")
            download(history.page, "Functions as csv", lambda: _functions(on, found), "functions.csv")
            download(history.page, "Errors as csv", lambda: _errors(on), "errors.csv")
            if on.model is not None:
                download(history.page, "Scores as csv", lambda: _scores(on), "scores.csv")
        recipe(history)
    with code:
        if on.model is None:
            st.caption("Train AdaFNN for a snippet that trains it again.")
        else:
            training.snippet(
                history, PART, on.model, 'print("error", model.rmse_, "R2", model.r2_, model.functions().shape)\n'
            )


def _functions(on, found) -> bytes:
    rows = ([name, i + 1, *f] for name, functions in found.items() for i, f in enumerate(functions))
    return to_csv(["basis", "function", *(f"{v:g}" for v in on.t)], rows)


def _errors(on) -> bytes:
    rows = [[n, len(b.functions), "linear", b.rmse, b.r2] for n, b in on.linear.items()]
    rows += [[n, len(b.functions), "network", b.rmse, b.r2] for n, b in on.network.items()]
    if on.model is not None:
        rows.insert(0, ["AdaFNN", on.settings.k, "network", *on.error])
    return to_csv(["basis", "functions", "regression", "rmse", "r2"], rows)


def _scores(on) -> bytes:
    codes = on.model.encode(on.dataset.samples)
    header = ["curve", "target", *(f"score {i + 1}" for i in range(codes.shape[1]))]
    return to_csv(header, ([n, y, *c] for n, y, c in zip(on.dataset.names, on.target.tolist(), codes, strict=True)))


_LEFT = r"""
#### The layer
A curve $X(t)$ becomes K scores, each an integral against a function of its own:

$$c_k=\int\beta_k(t)\,X(t)\,dt,\qquad \hat y=\mathrm{net}(c_1,\dots,c_K)$$

Each $\beta_k$ is a small network of $t$; the integral is the trapezoid rule. Functions and predictor learn together.
Penalties: *lasso* shortens the support of the functions, *orthogonality* keeps them apart.

#### Training rests before it drops
The target is standardised, so a loss of 1 means that nothing is predicted. It often stays there for hundreds of steps,
until the first useful function is found, and then falls within a few. Stop too early and you have learned nothing.
"""
_RIGHT = r"""
#### What stands beside it
- **FPCA**: functions of largest variance of the curves; they do not know the target.
- **B-spline**: smooth bumps on even knots; they know neither curves nor target.
- **PLS**: linear functions of largest covariance with the target.

All have K functions, the same training and the same held-out curves. Their scores go into linear regression and into a
small network; the better one is shown.

#### Limits to know
- On smooth spectra with a nearly linear target, PLS and FPCA are hard to beat; the page says where they win.
- One split of a small set is noisy. Change the seed before you believe a difference.
- Curves must be sampled at the same, evenly spaced places. The drawn functions have unit size: their scale is
  arbitrary, as the predictor undoes it.
"""


def how() -> None:
    """Equations, words and honest limits."""
    left, right = st.columns(2, gap="large")
    left.markdown(_LEFT)
    right.markdown(_RIGHT)
    st.caption(
        "Ramsay and Silverman 2005 (FPCA, B-splines) · Wold 1975 (PLS) · Yao, Mueller and Wang 2021 (AdaFNN) · "
        "Borggaard and Thodberg 1992 (Tecator)"
    )
