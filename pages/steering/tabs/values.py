"""Tab *Value vectors*: what single hidden units of the MLPs write, found by word, scaled or drowned in noise."""

import streamlit as st

from core.errors import InputError
from core.figures.text import number, percent
from core.steering.mlp_values import Edit, MLPValues, Unit
from core.steering.shared import shared
from core.ui.background import background
from core.ui.history import History
from core.ui.text import say_error
from pages.steering.opened import Opened, Ready
from pages.steering.tabs.common import digest, needs_model, table
from pages.steering.view import SteeringView

WORD = "money"  # the smallest model has a unit for it; for many other words it has none
RELATED = "She went to the bank and deposited all her\nHe opened his wallet and took out some"
UNRELATED = "The capital of France is\nTwo plus two makes"
MOST_PROMPTS = 6


def draw(history: History[SteeringView], opened: Opened, ready: Ready | None) -> None:
    """Search, the list of units, the chosen one, and what changes."""
    if ready is None:
        needs_model()
        return
    now = history.now.values
    word = str(now.get("word", WORD))[:100]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        history.bind("values.word", st.text_input, "Search by word", value=word, help="Several with commas.", width=280)
        st.caption(
            "Each hidden unit of an MLP adds one vector to the residual stream when it is on. Read through the "
            "unembedding it raises some words (Geva et al. 2022; ConceptVectors, Hong et al. 2024)."
        )
    words = [w.strip() for w in word.split(",") if w.strip()]
    if not words:
        st.info("Give a word to search for.", icon=":material/search:")
        return

    def search(run) -> tuple[list[tuple[Unit, list[tuple[str, float]]]], float]:
        values = MLPValues(shared(opened.source))
        return [(unit, values.words(unit, 10)) for unit in values.search(words, 12)], values.chance

    found = background(
        "steering:values", f"steering:values:{opened.source}:{digest(words)}", search, "Reading every value vector"
    )
    if not found:
        return
    found, chance = found
    refs = [f"{u.block}.{u.index}" for u, _ in found]
    chosen = now.get("unit") if now.get("unit") in refs else refs[0]
    table(
        [
            {
                "block": u.block,
                "unit": u.index,
                "score / sd": number(u.score),
                "raises most": ", ".join(t.strip() or repr(t) for t, _ in raised),
            }
            for u, raised in found
        ]
    )
    st.caption(
        f"Among so many vectors the largest score would be about {number(chance)} by chance: "
        + (
            "what lies below has little to do with the word."
            if found[0][0].score > chance
            else "**this model has no unit of its own for it.**"
        )
        + " A unit can also be on with a minus sign; taking it out then raises its words."
    )
    titles = {
        ref: f"block {u.block}, unit {u.index}: {', '.join(t.strip() for t, _ in raised[:4])}"
        for ref, (u, raised) in zip(refs, found, strict=True)
    }
    with st.container(horizontal=True, vertical_alignment="bottom"):
        history.bind("values.unit", st.selectbox, "Unit", refs, value=chosen, format_func=titles.get, width=420)
        all_ = history.bind(
            "values.all", st.toggle, "All twelve at once", value=bool(now.get("all", False)),
            help="A single unit rarely carries a concept alone.",
        )  # fmt: skip
    left, right = st.columns(2)
    with left:
        scale = history.bind(
            "values.scale", st.slider, "Its vector times", -10.0, 10.0, step=0.5,
            value=_within(now.get("scale"), 0.0, 10),
            help="0 takes it out, 1 leaves it, more makes it louder.",
        )  # fmt: skip
    with right:
        noise = history.bind(
            "values.noise", st.slider, "Noise added", 0.0, 10.0, step=0.5,
            value=abs(_within(now.get("noise"), 0.0, 10)),
            help="As a multiple of the vector's own length.",
        )  # fmt: skip
    units = [u for u, _ in found] if all_ else [found[refs.index(chosen)][0]]
    _changes(history, opened, [Edit(u, scale, noise, seed=i) for i, u in enumerate(units)])


def _changes(history: History[SteeringView], opened: Opened, edits: list[Edit]) -> None:
    now, given = history.now.values, []
    for place, (name, title, usual) in zip(
        st.columns(2),
        (("related", "Related prompts", RELATED), ("unrelated", "Unrelated prompts", UNRELATED)),
        strict=True,
    ):
        with place:
            text = str(now.get(name, usual))[:2000]
            history.bind(f"values.{name}", st.text_area, f"{title}, one a line", value=text, height=90)
            given.append([line.strip() for line in text.splitlines() if line.strip()][:MOST_PROMPTS])
    prompts = [p for part in given for p in part]
    if not prompts:
        return

    def compute(run):
        return MLPValues(shared(opened.source)).changes(edits, prompts)

    wanted = [(e.unit.block, e.unit.index, e.scale, e.noise) for e in edits]
    key = f"steering:changes:{opened.source}:{digest(wanted, prompts)}"
    try:
        found = background("steering:changes", key, compute, "Asking for the next token")
    except InputError as error:
        say_error(error)
        return
    if not found:
        return
    rows = []
    for i, change in enumerate(found):
        rows.append(
            {
                "": "related" if i < len(given[0]) else "unrelated",
                "prompt": change.prompt,
                "next token before": _likely(change.before),
                "after": _likely(change.after),
                "KL / nats": number(change.kl),
            }
        )
    table(rows)
    kls = [[c.kl for c in found[: len(given[0])]], [c.kl for c in found[len(given[0]) :]]]
    if all(kls):
        near, far = (sum(k) / len(k) for k in kls)
        st.caption(
            f"Mean KL: {number(near)} nats for related and {number(far)} for unrelated prompts."
            + ("" if near > far else " **The unrelated ones change as much: this is no clean concept.**")
        )


def _likely(tokens) -> str:
    return ", ".join(f"{t.strip() or repr(t)} {percent(p)}" for t, p in tokens[:4])


def _within(value, usual: float, end: float) -> float:
    number_ = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= end
    return float(value) if number_ else usual
