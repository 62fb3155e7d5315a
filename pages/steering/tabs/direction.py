"""Tab *One direction*: what it makes likelier, which texts lie on it, and where the prompt does."""

import numpy as np
import streamlit as st

from core.errors import InputError
from core.figures import chart
from core.figures.text import number, percent
from core.linear import numbers
from core.steering.activations import activations
from core.steering.corpus import TITLE, corpus
from core.steering.shared import shared
from core.steering.skills import Distractor, distractor_check
from core.steering.words import extremes
from core.ui.background import background
from core.ui.history import History
from core.ui.text import say_error
from pages.steering.opened import Opened, Ready, names_of
from pages.steering.tabs.common import SLOW, codes_of, pick_direction, table
from pages.steering.view import SteeringView

TEXTS = 6


def draw(history: History[SteeringView], opened: Opened, ready: Ready | None) -> None:
    """Names on the left, texts on the right."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        i = pick_direction(history, opened)
        name = opened.names[i]
        history.bind(
            f"names.{name}", st.text_input, "Your name for it", value=history.now.names.get(name, ""),
            placeholder=name, max_chars=60, key=f"names:{i}", width=260,
        )  # fmt: skip
    _numbers(history, opened, ready, i)
    left, right = st.columns(2, gap="large")
    with left:
        _tokens(opened, i)
        _words(opened, i)
    with right:
        _histogram(history, opened, ready, i)
    _texts(opened, i)
    if ready is not None and len(opened.blocks) == 1 and opened.model.texts_:
        _distractor(opened)


def _numbers(history: History[SteeringView], opened: Opened, ready: Ready | None, i: int) -> None:
    e, sigma = opened.model.evidence_[i], float(opened.basis.scale[i])
    row = st.container(horizontal=True)
    row.metric("Share of variance", percent(e.share), help="Of the activations of the texts.")
    row.metric("Sigma", number(sigma), help="Standard deviation of its weight over the texts.")
    if ready is not None:
        block = ready.block(history.now)
        row.metric("Token length", number(ready.norms[block]), help=f"Mean length of a token behind block {block}.")
        row.metric("r of 1 sigma", number(sigma / ready.norms[block], 2), help="Length against a token's.")
    about = opened.model.about_
    if about.get("auc") is not None:
        row.metric(
            "Held-out AUC", f"{about['auc']:.3f}",
            help=f"Five folds; 95 of 100 shuffled labellings stay below {about['chance']:.3f} (p = {about['p']:.3g}).",
        )  # fmt: skip


def _tokens(opened: Opened, i: int) -> None:
    e = opened.model.evidence_[i]
    if not (e.raised or e.lowered):
        return
    st.subheader("Next tokens it makes likelier", anchor=False)
    sides = [("up", e.raised), ("down", e.lowered)]
    for place, (side, found) in zip(st.columns(2), sides, strict=True):
        if found:
            names, ratios = zip(*found, strict=True)
            figure = chart.bars(names, np.array(ratios), value="times as likely", horizontal=True)
            figure.update_xaxes(type="log")
            said = ", ".join(f"{t.strip()} {number(r, 2)} times" for t, r in found)
            with place:
                st.caption(f"{side.capitalize()}, + weight" if side == "up" else "Down, − weight")
                st.plotly_chart(figure, key=f"steering:direction:{side}", alt=f"Likelier going {side}: {said}")
    st.caption("After sixteen neutral openings, at four sigma or r = 0.35 if that is less; ratio of probabilities.")


def _words(opened: Opened, i: int) -> None:
    e = opened.model.evidence_[i]
    if e.words or e.opposite:
        st.subheader("Words of its texts", anchor=False)
        table([{"top texts": ", ".join(e.words) or "none", "bottom texts": ", ".join(e.opposite) or "none"}])


def _histogram(history: History[SteeringView], opened: Opened, ready: Ready | None, i: int) -> None:
    st.subheader("Where texts lie on it", anchor=False)
    mark = None
    if ready is not None and history.now.prompt.strip():
        try:
            found = codes_of(opened, [history.now.prompt], "prompt-code", "Reading the prompt")
            mark = None if found is None or np.isnan(found[0, i]) else float(found[0, i])
        except InputError as error:
            say_error(error)
    name = names_of(opened, history.now)[i]
    figure = chart.histogram(
        opened.codes[:, i], x=f"weight of {chart.short(name)} / sigma", y="texts", mark=mark, bins=36, height=300
    )
    st.plotly_chart(figure, key="steering:direction:histogram", alt=f"Weights of {len(opened.codes)} texts")
    if mark is not None:
        below = float((opened.codes[:, i] < mark).mean())
        st.caption(f"Dotted: your prompt, at {mark:+.2f} sigma, above {percent(below)} of the texts.")


def _texts(opened: Opened, i: int) -> None:
    texts = opened.model.texts_
    if not texts:
        st.caption("These directions were found in activations, so there are no texts to show.")
        return
    labels = opened.model.labels_
    top, bottom = extremes(opened.codes[:, i], TEXTS)
    for place, (title, chosen) in zip(
        st.columns(2, gap="large"), (("Top texts", top), ("Bottom texts", bottom)), strict=True
    ):
        with place:
            st.subheader(title, anchor=False)
            rows = [
                {"sigma": f"{opened.codes[n, i]:+.1f}", **({"label": labels[n]} if labels else {}), "text": texts[n]}
                for n in chosen
            ]
            table(rows)


def _distractor(opened: Opened) -> None:
    """Plant a loud feature that means nothing, and see whether it wins a direction."""
    with st.expander("Would a loud feature that means nothing win a direction?", icon=":material/report:"):
        st.caption(
            "A random direction is planted in a tenth of the activations and the basis is found anew. A method that "
            "looks for variance takes whatever is loud; this tells how loud."
        )

        def compute(run) -> list[Distractor] | None:
            texts = opened.model.texts_
            whole = corpus()
            if len(texts) == len(whole) and opened.title.lower().endswith(TITLE.lower()):
                texts = [str(t) for t in whole.samples]
            s = opened.model.settings
            read = activations(shared(opened.source), texts, blocks=opened.blocks[0], pooling=s.pooling, run=run)
            if run.should_stop():
                return None
            method = getattr(s, "method", "pca")
            return distractor_check(numbers(read), opened.basis.k, method)

        found = background(
            "steering:distractor", f"steering:distractor:{opened.key}", compute,
            f"Reading {len(opened.model.texts_):,} texts again", ask="Plant it", lane=SLOW,
        )  # fmt: skip
        if found:
            table(
                [
                    {
                        "loudness": f"{d.loudness:g} × the strongest direction",
                        "nearest direction": f"|cos| {d.cosine:.2f}",
                        "won a direction": "yes" if d.wins else "no",
                        "directions kept": f"{d.kept} of {opened.basis.k}",
                    }
                    for d in found
                ]
            )
