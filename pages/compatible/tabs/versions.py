"""Tab *Versions*: any number of model versions, each searched with each."""

import numpy as np
import streamlit as st

from core.compatible.loading import load_version
from core.compatible.matrix import Compatibility
from core.compatible.study import rigid_chain, scores_of
from core.compatible.versions import VersionSettings
from core.errors import InputError
from core.figures import chart
from core.ui.history import History
from core.ui.text import escape, say_error
from pages.compatible.shown import Shown
from pages.compatible.tabs.training import known_of, trained, version_settings
from pages.compatible.view import CompatibleView

MOST_VERSIONS = 8
NETWORKS = VersionSettings(steps=150)
MEASURES = {"recall": "recall@1", "mean_ap": "mAP"}
_SCHEDULES = ("5, 10", "4, 6, 8, 10", "2, 4, 6, 8, 10", "10, 10, 10")


def draw(history: History[CompatibleView], on: Shown) -> None:
    """Networks trained in the page for a sample; further files for an upload."""
    if on.given.fitted is not None:
        found = _train(history)
    else:
        found = _further(history, on)
    if found is None:
        return
    names, fit, test, labels = found
    measure = _measured(history)
    plain, rigid = st.columns(2, gap="large")
    for place, title, tables, key in (
        (plain, "As they are", test, "plain"),
        (rigid, "Each brought rigidly to the first", rigid_chain(fit, test), "rigid"),
    ):
        with place:
            st.subheader(title, anchor=False)
            _matrix(scores_of(tables, labels, measure), names, key)
    st.caption(
        "Row: model of the queries; column: model of the gallery; recall of a newer query on an older gallery stands "
        "below the diagonal. *Average compatibility*: the share of pairs in which the newer queries beat the old ones "
        "on the old gallery; papers differ in whether a tie counts, so both are given."
    )


def _matrix(found: Compatibility, names: list[str], key: str) -> None:
    fig = chart.heatmap(
        np.nan_to_num(found.scores, nan=np.nan), x="gallery", y="queries", value="score", x_names=names, y_names=names,
        signed=False, largest=1.0, height=340,
    )  # fmt: skip
    fig.update_traces(texttemplate="%{z:.1%}", hoverongaps=False)
    st.plotly_chart(fig, key=f"compatible:versions:{key}", alt="Score of each query model on each gallery model")
    a, b, c = st.columns([4, 2, 4])
    a.metric("Average compatibility", f"{found.average:.0%}", help="Ties do not count.")
    b.metric("with ties", f"{found.average_ties:.0%}", help="Ties count.")
    c.metric("Mean below diagonal", f"{found.mean_cross:.1%}")


def _train(history: History[CompatibleView]):
    row = st.columns(4, gap="medium")
    with row[0]:
        chosen = history.now.versions.get("known", _SCHEDULES[1])
        history.bind(
            "versions.known", st.selectbox, "Classes of each version", _SCHEDULES,
            value=chosen if chosen in _SCHEDULES else _SCHEDULES[1],
            help="How many digits, from 0 up, each version is trained on, the oldest first.",
        )  # fmt: skip
    values = NETWORKS
    for place, name in zip(row[1:3], ("head", "align"), strict=True):
        with place:
            values = version_settings(history, "versions", (name,), values)
    with row[3]:
        _measure(history)
    known = known_of(chosen if chosen in _SCHEDULES else _SCHEDULES[1])
    done = trained("versions", known, values, history.now.seed)
    if done is None:
        return None
    names = [f"v{i + 1}: {len(v.classes)}" for i, v in enumerate(done.versions)]
    accuracies = ", ".join(f"v{i + 1} {v.accuracy:.1%}" for i, v in enumerate(done.versions))
    st.caption(
        f"v1: {len(done.versions[0].classes)} is the first version, of {len(done.versions[0].classes)} classes, and so "
        f"on. Accuracy on held-out digits of the classes each knows: {accuracies}."
    )
    return (
        names,
        [v.train_features for v in done.versions],
        [v.features for v in done.versions],
        done.test_y,
    )


def _measure(history: History[CompatibleView]) -> None:
    history.bind(
        "versions.measure", st.segmented_control, "Measure", list(MEASURES), required=True, format_func=MEASURES.get,
        value=_measured(history),
    )  # fmt: skip


def _measured(history: History[CompatibleView]) -> str:
    return history.now.one_of("versions", "measure", MEASURES, "recall")


def _further(history: History[CompatibleView], on: Shown):
    _measure(history)
    key = f"compatible:further:{on.given.fingerprint}"
    kept: dict[str, np.ndarray] = st.session_state.setdefault(key, {})
    turn = st.session_state.setdefault("compatible:further-turn", 0)
    files = st.file_uploader(
        "Further versions, newer than the two, oldest first", accept_multiple_files=True,
        key=f"compatible:further-files:{turn}",
        help="Each a matrix of the same items in the same order, like the first two.",
    )  # fmt: skip
    errors = []
    for file in files:  # one that cannot be read does not keep the others out
        try:
            if file.name not in kept and len(kept) + 2 >= MOST_VERSIONS:
                raise InputError(f"At most {MOST_VERSIONS} versions are compared at once.")
            kept[file.name] = load_version((file.name, file.getvalue()), len(on.given))
        except InputError as error:
            errors.append(error)
    for error in errors:
        say_error(error)
    if files and not errors:
        st.session_state["compatible:further-turn"] += 1
        st.rerun()
    if kept:
        st.caption("With " + ", ".join(escape(n) for n in kept) + ".")
        if st.button("Leave the further versions out", icon=":material/close:", key="compatible:further-clear"):
            del st.session_state[key]
            st.session_state["compatible:further-turn"] += 1
            st.rerun()
    fit, test = on.study.further([on.given.old, on.given.new, *kept.values()])
    names = [chart.short(n, 16) for n in (*on.given.names, *kept)]
    return names, fit, test, on.study.test.labels
