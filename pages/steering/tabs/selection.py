"""Tab *Selection*: which texts to take, along directions or spread over them, and how well they cover the rest."""

import numpy as np
import streamlit as st

from core.datasets import Dataset
from core.errors import InputError
from core.figures import chart
from core.figures.palette import BASIS, CONTROL
from core.figures.text import number
from core.steering.activations import activations
from core.steering.selection import coverage, export, farthest_points, random_choice, rank
from core.steering.shared import shared
from core.ui.background import background
from core.ui.history import History
from core.ui.takeaway import download
from core.ui.text import escape
from core.ui.uploads import uploads
from pages.steering.opened import Opened, Ready, names_of
from pages.steering.tabs.common import SLOW, bring_texts
from pages.steering.view import SteeringView

WAYS = {"along": "Along directions", "spread": "As far apart as possible", "random": "At random"}
DRAWS, SHOWN = 10, 200


def draw(history: History[SteeringView], opened: Opened, ready: Ready | None) -> None:
    """Whose texts, how they are chosen, how well that covers, and the files."""
    found = _whose(history, opened, ready)
    if found is None:
        return
    texts, codes, labels = found
    if len(texts) < 2:
        st.info("There are no texts to choose from.", icon=":material/info:")
        return
    now = history.now.selection
    way = history.now.one_of("selection", "way", WAYS, "along")
    most = min(len(texts), 2000)
    count = now.get("count") if isinstance(now.get("count"), int) else 30
    with st.container(horizontal=True, vertical_alignment="bottom"):
        history.bind(
            "selection.way", st.segmented_control, "Choose", list(WAYS), value=way, format_func=WAYS.get, required=True
        )
        count = history.bind(
            "selection.count", st.number_input, "Texts", min_value=1, max_value=most, step=1,
            value=min(max(count, 1), most), width=140,
        )  # fmt: skip
        weights = _weights(history, opened) if way == "along" else None
    try:
        if way == "along":
            order = rank(codes, weights)[:count]
        else:
            order = farthest_points(codes, count) if way == "spread" else random_choice(len(texts), count)
    except InputError as error:
        st.info(escape(str(error)), icon=":material/info:")
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        _table(opened, history.now, texts, codes, labels, order, weights)
    with right:
        _coverage(codes, order, way)
    _files(history, opened, texts, codes, labels, order)


def _weights(history: History[SteeringView], opened: Opened) -> np.ndarray:
    """One or several directions, each with a sign."""
    names = dict(zip(opened.names, names_of(opened, history.now), strict=True))
    signs = {f"{s}{n}": (n, 1 if s == "+" else -1) for n in opened.names for s in "+−"}
    given = history.now.selection.get("signed")
    given = given if isinstance(given, list) else [f"+{opened.names[0]}"]
    now = list(dict.fromkeys(s for s in given if isinstance(s, str) and s in signs))
    history.bind(
        "selection.signed", st.multiselect, "Along", list(signs), value=now, width=420,
        format_func=lambda s: f"{s[0]} {names[signs[s][0]]}", help="The sum of these weights ranks the texts.",
    )  # fmt: skip
    weights = np.zeros(opened.basis.k)
    for s in now:
        n, sign = signs[s]
        weights[opened.number(n)] += sign
    return weights


def _whose(history: History[SteeringView], opened: Opened, ready: Ready | None):
    """Texts, their weights in sigma `(N, K)`, and labels or None."""
    own, model = uploads(), opened.model
    loaded = {p: d for p, d in own.datasets.items() if d.kind == "text"}
    titles = {"": "The texts of these directions", **{p: f"{d.title} (yours)" for p, d in loaded.items()}}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = history.now.one_of("selection", "data", titles, "")
        history.bind(
            "selection.data", st.selectbox, "From", list(titles), value=chosen, format_func=titles.get, width=320
        )
        with st.popover("Your own texts", icon=":material/upload:", disabled=ready is None):
            bring_texts(history, "selection", "A file of texts (txt, csv, jsonl)", "steering:selection:upload")
    if not chosen:
        if not model.texts_:
            st.info("These directions were found in activations, so there are no texts.", icon=":material/info:")
            return None
        return model.texts_, opened.codes, model.labels_
    return _read(opened, loaded[chosen])


def _read(opened: Opened, dataset: Dataset):
    """A person's own texts, read by the language model beside the page."""

    def compute(run):
        model, s = shared(opened.source), opened.model.settings
        opened.model.check(model)
        blocks = opened.blocks if len(opened.blocks) > 1 else opened.blocks[0]
        read = activations(model, dataset, blocks=blocks, pooling=s.pooling, chat=s.chat, run=run)
        if run.should_stop():
            return None
        kept = read.extra["text"]
        codes = opened.model.encode(read.samples) / opened.basis.scale
        labels = None if read.labels is None else [str(v) for v in read.labels]
        return [str(t) for t in dataset.samples[kept]], codes, labels, read.notes

    found = background(
        "steering:selection", f"steering:selection:{opened.key}:{dataset.identity}", compute,
        f"Reading {len(dataset):,} texts", lane=SLOW,
    )  # fmt: skip
    if found is None:
        return None
    for note in found[3]:
        st.caption(escape(note))
    return found[:3]


def _table(opened, view, texts, codes, labels, order, weights) -> None:
    names = names_of(opened, view)
    at = int(np.argmax(np.abs(weights))) if weights is not None and np.any(weights) else None
    score = codes @ weights if at is not None else None
    st.dataframe(
        [
            {
                "number": int(i) + 1,
                **({"label": labels[i]} if labels else {}),
                **({"score": f"{score[i]:+.2f}"} if score is not None else {}),
                "most": names[int(np.argmax(np.abs(codes[i])))],
                "text": texts[i],
            }
            for i in order[:SHOWN]
        ],
        hide_index=True, key="steering:selection:table", height=420, alt="The chosen texts",
    )  # fmt: skip
    if len(order) > SHOWN:
        st.caption(f"Shown are the first {SHOWN}; the files hold all {len(order):,}.")


def _coverage(codes, order, way) -> None:
    st.subheader("Coverage", anchor=False)
    counts = np.unique(np.linspace(1, len(order), min(len(order), 40)).astype(int))
    own = coverage(codes, order, counts)
    draws = np.array([coverage(codes, random_choice(len(codes), len(order), s), counts) for s in range(DRAWS)])
    lines = {"random": (counts, draws.mean(axis=0))}
    if way != "random":
        lines = {"chosen": (counts, own), **lines}
    figure = chart.lines(
        lines, x="texts taken", y="distance to the nearest taken one", colours=[BASIS, CONTROL][-len(lines) :],
        dashed=("random",), height=300, legend=True,
    )  # fmt: skip
    chart.add_band(figure, counts, draws.min(axis=0), draws.max(axis=0), f"{DRAWS} draws")
    st.plotly_chart(
        figure, key="steering:selection:coverage",
        alt=f"Distance to the nearest taken text: {number(own[-1])}, at random {number(draws[:, -1].mean())}",
    )  # fmt: skip
    said = f"Root mean square distance in whitened weights: {number(own[-1])}"
    if way != "random":
        mean = draws[:, -1].mean()
        said += f", and {number(mean)} for as many at random; " + (
            "this choice covers better." if own[-1] < draws[:, -1].min() else
            "this choice covers worse." if own[-1] > draws[:, -1].max() else "no clear difference."
        )  # fmt: skip
    st.caption(said)


def _files(history: History[SteeringView], opened: Opened, texts, codes, labels, order) -> None:
    columns = {"number": np.arange(1, len(texts) + 1)}
    if labels:
        columns["label"] = labels
    names = names_of(opened, history.now)
    scores = {f"sigma: {n}": np.round(codes[:, i], 4) for i, n in enumerate(names)}
    with st.container(horizontal=True):
        for form in ("jsonl", "csv", "txt"):
            more = columns | (scores if form != "txt" else {})
            download(
                history.page, f"Chosen texts as {form}", lambda f=form, m=more: export(texts, order, f, **m),
                f"chosen.{form}",
            )  # fmt: skip
    if any(len(t) >= 300 for t in opened.model.texts_) and texts is opened.model.texts_:
        st.caption("The model keeps the first 300 characters of each text; the numbers tell which of yours they are.")
