"""Tab *Diagnostics*: what the basis is worth, beside random directions and PCA."""

import numpy as np
import streamlit as st

from core import diagnostics
from core.figures import chart
from core.figures.palette import BASIS, CONTROL, REFERENCE
from core.figures.text import number, percent
from core.ui.history import History
from pages.directions.control import control
from pages.directions.reference import pca_energy
from pages.directions.shown import Fitted, names_of
from pages.directions.tabs import stability
from pages.directions.view import DirectionsView

_KEY = "directions:diagnostics"
_SHARES = ("explained_energy",)
_COUNTS = ("dead",)
FORMULAS = {
    "explained_energy": "1 − Σ‖x − x̂‖² / Σ‖x − μ‖²",
    "orthogonality_error": "max |D Dᵀ − I|",
    "coherence": "max over i ≠ j of |dᵢ·dⱼ| / (‖dᵢ‖ ‖dⱼ‖)",
    "effective_rank": "exp(−Σ p ln p), p = singular values of D / their sum",
    "participation_ratio": "(Σ v)² / Σ v², v = variances of x̂ along its principal axes",
    "dead": "number with rms(cₖ) ‖dₖ‖ < 10⁻⁴ of the largest",
    "l0": "mean number of k with cₖ² > 10⁻⁴ Σ c²",
    "energy_count": "mean smallest number of weights with 90% of Σ c²",
    "hoyer": "mean of (√K − |c|₁ / |c|₂) / (√K − 1)",
    "kurtosis": "mean over k of E[(c − c̄)⁴] / Var(c)² − 3",
}


def draw(history: History[DirectionsView], fitted: Fitted) -> None:
    """One table and a verdict, then energy, Gram matrix, kurtosis and stability."""
    found = _summary(fitted.key, fitted)
    pca, why = pca_energy(fitted)
    _verdict(fitted, found, pca)
    _table(found, pca)
    if why:
        st.caption(why)
    left, right = st.columns(2, gap="large")
    with left:
        _energy(fitted, pca)
        _privileged(found)
    with right:
        _gram(history, fitted)
    stability.draw(history, fitted)


@st.cache_resource(max_entries=24, show_spinner="Measuring ...")
def _summary(key: str, _fitted: Fitted) -> dict:
    rebuilt = None if _fitted.model.affine else _fitted.model.decode(_fitted.codes)
    return diagnostics.summary(
        _fitted.basis, _fitted.codes, _fitted.dataset.samples, control=control(_fitted).basis, rebuilt=rebuilt
    )


def _verdict(fitted: Fitted, found: dict, pca: np.ndarray | None) -> None:
    against = diagnostics.verdict(found["here"], found["control"], None if pca is None else float(pca.sum()))
    if against:
        st.warning("**Where this basis does worse.** " + " ".join(against), icon=":material/balance:")
    else:
        st.success(
            "On none of these numbers does this basis do worse than random directions or PCA.",
            icon=":material/balance:",
        )


def _table(found: dict, pca: np.ndarray | None) -> None:
    st.subheader("Numbers", anchor=False)
    rows = []
    for name, formula in FORMULAS.items():
        title, meaning = diagnostics.LABELS[name]
        row = {
            "measure": title,
            "this basis": _text(name, found["here"][name]),
            "random": _text(name, found["control"][name]),
        }
        row["PCA"] = _text(name, float(pca.sum())) if name == "explained_energy" and pca is not None else ""
        rows.append({**row, "formula": formula, "what it says": meaning})
    st.table(rows, hide_index=True)
    st.caption(
        f"Computed just now on {found['samples']:,} samples. Random: as many random directions about the same mean, "
        "orthonormal where they fit, with their least-squares codes of the same data."
    )


def _text(name: str, value: float) -> str:
    if name in _SHARES:
        return percent(value)
    return str(int(value)) if name in _COUNTS else number(value)


def _energy(fitted: Fitted, pca: np.ndarray | None) -> None:
    st.subheader("Explained energy", anchor=False)
    sums = {"this basis": fitted.energy, "random control": control(fitted).energy}
    if pca is not None:
        sums["PCA"] = pca
    curves = {n: (np.arange(len(e) + 1), np.concatenate([[0.0], np.sort(e)[::-1].cumsum()])) for n, e in sums.items()}
    figure = chart.lines(
        curves, x="directions", y="explained energy / % of all", percent=True, colours=(BASIS, CONTROL, REFERENCE),
        dashed=("PCA",), height=360,
    )  # fmt: skip
    words = ", ".join(f"{n} {percent(e.sum())}" for n, e in sums.items())
    st.plotly_chart(figure, key=f"{_KEY}:energy", alt=f"Explained energy with all directions: {words}")
    st.caption("Directions are added one by one, each time the one that explains most of what is left.")


def _gram(history: History[DirectionsView], fitted: Fitted) -> None:
    st.subheader("Gram matrix", anchor=False)
    names = names_of(fitted, history.now.names)
    order = fitted.order(history.now.order, names)
    cosines = diagnostics.cosines(fitted.basis)[np.ix_(order, order)]
    shown = [names[i] for i in order]
    figure = chart.heatmap(
        cosines, x="direction", y="direction", value="cosine", x_names=shown, y_names=shown, largest=1.0, height=520
    )
    coherence = diagnostics.coherence(fitted.basis)
    st.plotly_chart(
        figure, key=f"{_KEY}:gram", alt=f"Cosines between all directions; the largest is {number(coherence)}"
    )
    st.caption(
        "Cosines $d_i \\cdot d_j / (\\lVert d_i \\rVert \\lVert d_j \\rVert)$ in the order of the tab *Directions*. "
        f"Coherence {number(coherence)}, random control {number(diagnostics.coherence(control(fitted).basis))}."
    )


def _privileged(found: dict) -> None:
    st.subheader("Is this basis privileged?", anchor=False)
    test = found["privileged"]
    figure = chart.histogram(
        test.draws, x="mean excess kurtosis of the weights", y="random rotations", bins=20, mark=test.here, height=300
    )
    figure.data[0].marker.color = CONTROL
    figure.add_vrect(test.low, test.high, fillcolor=CONTROL, opacity=0.18, line_width=0)
    st.plotly_chart(
        figure, key=f"{_KEY}:privileged",
        alt=f"Excess kurtosis here {number(test.here)}; random rotations {number(test.low)} to {number(test.high)}",
    )  # fmt: skip
    answer = "heavier tails than" if test.privileged else "no heavier tails than"
    st.caption(
        f"Dotted: this basis, {number(test.here)}. Grey band: 5% to 95% of {len(test.draws)} random rotations of the "
        f"same span, {number(test.low)} to {number(test.high)}. Its weights have {answer} the band "
        f"(p = {number(test.p)}): {'its axes are special' if test.privileged else 'any rotation would do as well'}."
    )
