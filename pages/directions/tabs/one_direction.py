"""Tab *One direction*: what one direction looks like, which samples use it, and what is like it."""

import numpy as np
import streamlit as st

from core import diagnostics
from core.figures import chart
from core.figures.text import number, percent
from core.ui.components.pictures import pictures
from core.ui.history import History
from core.ui.text import told_apart
from pages.directions.control import control
from pages.directions.naming import feature_names, labels_of, sample_name
from pages.directions.shown import Fitted, names_of
from pages.directions.tabs import attribution
from pages.directions.view import DirectionsView

MOST = 12
GROUPS = 5
_KEY = "directions:one"
_RENAMED = f"{_KEY}:renamed"


@st.fragment
def draw(history: History[DirectionsView], fitted: Fitted) -> None:
    """One direction, from its picture to the samples, groups and features behind it."""
    if st.session_state.pop(_RENAMED, False):
        st.rerun()  # the mixer shows names too
    names = names_of(fitted, history.now.names)
    k = min(max(history.now.direction, 0), fitted.basis.k - 1)
    _choose(history, fitted, names, k)
    left, middle, right = st.columns([5, 3, 10], gap="medium")
    with left:
        _portrait(fitted, names, k)
    with middle, st.container(horizontal=True):
        _numbers(fitted, k)
    with right:
        _histogram(fitted, k)
    _extremes(history, fitted, k)
    _groups(fitted, k)
    _alike(history, fitted, names, k)
    attribution.draw(history, fitted, k)


def _choose(history: History[DirectionsView], fitted: Fitted, names: list[str], k: int) -> None:
    order = fitted.order(history.now.order, names)
    at = order.index(k)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        history.bind(
            "direction", st.selectbox, "Direction", order, value=k, width=260,
            format_func=told_apart(order, lambda i: f"{names[i]} ({percent(fitted.energy[i])})"),
            help="All directions, in the order chosen in the tab *Directions*.",
        )  # fmt: skip
        for label, icon, step in (("Previous", "arrow_back", -1), ("Next", "arrow_forward", 1)):
            to = order[(at + step) % len(order)]
            st.button(
                label,
                icon=f":material/{icon}:",
                key=f"{_KEY}:{label}",
                on_click=history.change,
                kwargs=dict(direction=to),
                disabled=len(order) == 1,
            )
        _rename(history, fitted, names, k)


def _rename(history: History[DirectionsView], fitted: Fitted, names: list[str], k: int) -> None:
    key = f"{_KEY}:name"
    if st.session_state.get(key) != names[k]:
        st.session_state[key] = names[k]

    def told() -> None:
        name = " ".join(st.session_state[key].split())
        others = {i: n for i, n in history.now.names.items() if i != str(k)}
        own = {} if name in ("", fitted.basis.names[k]) else {str(k): name}
        history.change(names={**others, **own})
        st.session_state[_RENAMED] = True

    st.text_input(
        "Its name", key=key, max_chars=60, on_change=told, width=240,
        help="Say what it is; the name is part of the link and of everything you take away. Empty: its number again.",
    )  # fmt: skip


def _portrait(fitted: Fitted, names: list[str], k: int) -> None:
    pictures(
        f"{_KEY}:portrait",
        fitted.basis.directions[[k]],
        fitted.form,
        names=[names[k]],
        captions=[f"largest entry ±{number(np.abs(fitted.basis.directions[k]).max())}"],
        directions=True,
        tile=220,
        label="The direction",
    )


def _numbers(fitted: Fitted, k: int) -> None:
    random = control(fitted)
    _beside(
        "Energy",
        percent(fitted.energy[k]),
        percent(random.energy.mean()),
        "Share of the squared distance of all samples from the mean, $\\sum \\lVert x - \\mu \\rVert^2$, that this "
        "direction takes away when it is added in its turn.",
    )
    _beside(
        "Used by",
        percent(fitted.use[k]),
        percent(diagnostics.use(random.codes).mean()),
        "Share of samples in which $c_k^2$ is more than 1/10000 of $\\sum_j c_j^2$.",
    )
    _beside(
        "Scale",
        number(fitted.basis.scale[k]),
        number(random.codes.std(axis=0).mean()),
        "Standard deviation of its weight over the samples, in units of the data.",
    )


def _beside(label: str, value: str, random: str, help: str) -> None:
    """A number and, below it, the mean of the random directions."""
    st.metric(label, value, delta=f"random {random}", delta_color="off", delta_arrow="off", help=help, width="content")


def _histogram(fitted: Fitted, k: int) -> None:
    weights = fitted.codes[:, k]
    log = st.toggle(
        "Count on a log scale",
        value=bool(fitted.use[k] < 0.5),
        key=f"{_KEY}:log:{fitted.key}",
        help="Shows the few samples far out, which matter most where weights are sparse.",
    )
    figure = chart.histogram(weights, x="weight / units of the data", control=control(fitted).codes[:, k], log_y=log)
    st.plotly_chart(
        figure,
        key=f"{_KEY}:histogram",
        alt=f"Histogram of {len(weights)} weights from {number(weights.min())} to {number(weights.max())}",
    )
    kurtosis, other = (diagnostics.excess_kurtosis(c[:, [k]])[0] for c in (fitted.codes, control(fitted).codes))
    st.caption(
        f"Excess kurtosis {number(kurtosis)}, random control {number(other)} "
        "(0 for normal weights, larger when a few samples use the direction much)."
    )


def _extremes(history: History[DirectionsView], fitted: Fitted, k: int) -> None:
    low, high = diagnostics.extremes(fitted.codes, k, min(MOST, len(fitted.codes) // 2))
    st.subheader("Samples at the ends", anchor=False)
    if fitted.form.kind == "bars":
        for title, chosen in (("Largest weights", high), ("Smallest weights", low)):
            st.markdown(f"**{title}**")
            _rows(fitted, chosen, k, title)
        return
    chosen = np.concatenate([high, low])
    pictures(
        f"{_KEY}:extremes",
        fitted.dataset.matrix[chosen],
        fitted.form,
        names=[sample_name(fitted, i) for i in chosen],
        captions=[number(fitted.codes[i, k]) for i in chosen],
        sections=[
            ("Largest weights", "most positive first", len(high)),
            ("Smallest weights", "nearest to zero first" if fitted.nonnegative else "most negative first", len(low)),
        ],
        tile={"image": 70, "curve": 120, "spectrum": 120}[fitted.form.kind],
        picks="Show in the mixer",
        on_pick=lambda i: take_sample(history, int(chosen[i])),
        label="Samples with the largest and smallest weights",
    )


def _rows(fitted: Fitted, chosen: np.ndarray, k: int, title: str) -> None:
    columns = np.argsort(-np.abs(fitted.basis.dual[k]), kind="stable")[:8]
    features = feature_names(fitted)
    table = {"sample": [sample_name(fitted, i) for i in chosen], "weight": fitted.codes[chosen, k]}
    table |= {f"{features[j]}": fitted.dataset.matrix[chosen, j] for j in columns}
    st.dataframe(table, hide_index=True, key=f"{_KEY}:{title}", alt=f"{title}: samples and the columns that count most")


def _groups(fitted: Fitted, k: int) -> None:
    groups = diagnostics.describe_groups(fitted.codes, k, fitted.dataset.matrix, fitted.dataset.labels, GROUPS)
    st.subheader("From small to large weights", anchor=False)
    pictured = fitted.form.kind != "bars"
    mean = "; each picture is a group's mean." if pictured else "."
    st.caption(f"All samples in groups of equal size by their weight on this direction{mean}")
    names = [f"Group {i + 1}" for i in range(len(groups))]
    spans = [f"{number(g.low)} to {number(g.high)}" for g in groups]
    if pictured:
        pictures(
            f"{_KEY}:groups",
            np.stack([g.mean for g in groups]),
            fitted.form,
            names=names,
            captions=spans,
            tile=120,
            label="Mean sample of each group",
        )
    table = {"group": names, "weights": spans, "samples": [len(g.indices) for g in groups]}
    if fitted.dataset.labels is not None:
        table["labels"] = [labels_of(g) for g in groups]
    if fitted.form.kind == "bars":
        columns, features = np.argsort(-np.abs(fitted.basis.dual[k]), kind="stable")[:6], feature_names(fitted)
        table |= {f"mean {features[j]}": [g.mean[j] for g in groups] for j in columns}
    st.dataframe(table, hide_index=True, key=f"{_KEY}:group-table", alt="Weights, counts and labels of the groups")


def _alike(history: History[DirectionsView], fitted: Fitted, names: list[str], k: int) -> None:
    similar = _worth(diagnostics.most_similar(fitted.basis, k, 6))
    correlated = _worth(diagnostics.most_correlated(fitted.codes, k, 6))
    st.subheader("Directions like it", anchor=False)
    if not similar:
        st.caption("Its cosine with every other direction is zero: it stands at right angles to all of them.")
    if not correlated:
        st.caption("Its weights are uncorrelated with those of every other direction.")
    chosen = [i for i, _ in similar + correlated]
    if not chosen:
        return
    values = [f"cosine {v:.2f}" for _, v in similar] + [f"r = {v:.2f}" for _, v in correlated]
    sections = [
        ("Most similar", "by the cosine of the directions", len(similar)),
        ("Most correlated", "by the correlation of the weights over all samples", len(correlated)),
    ]
    pictures(
        f"{_KEY}:alike",
        fitted.basis.directions[chosen],
        fitted.form,
        names=[names[i] for i in chosen],
        captions=values,
        sections=[s for s in sections if s[2]],
        directions=True,
        picks="Go to",
        on_pick=lambda i: history.change(direction=chosen[i]),
        label="Directions like this one",
    )


def _worth(found: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Those that differ from zero by more than rounding."""
    return [(i, v) for i, v in found if abs(v) >= 0.005]


def take_sample(history: History[DirectionsView], index: int) -> None:
    """Put a sample into the mixer."""
    history.change(sample=index, mix={})
    st.session_state[_RENAMED] = True
