"""What the page shows where no language model can be had: results that were made and saved before."""

import streamlit as st

from core.figures.text import number
from core.steering.examples import Strip, Written, examples
from core.ui.components.tokens import Column, tokens


def draw(place: str = "top") -> None:
    """One strip of strengths of a direction, chosen here.

    Args:
        place: on the page, for the keys of its widgets.
    """
    try:
        saved = examples()
    except OSError:
        return
    st.subheader("Saved results", anchor=False)
    st.caption(f"Written by {saved.model} with a steer behind block {saved.block}, and kept; made by `{saved.made}`.")
    names = list(dict.fromkeys(s.direction for s in saved.strips))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "Direction",
            names,
            index=names.index("question") if "question" in names else 0,
            key=f"steering:saved:{place}",
            width=240,
        )
        strips = [s for s in saved.strips if s.direction == name]
        prompt = st.segmented_control(
            "Prompt", range(len(strips)), format_func=lambda i: strips[i].prompt, default=0, required=True,
            key=f"steering:saved:{place}:prompt",
        )  # fmt: skip
    strip(strips[prompt], place)


def strip(found: Strip, place: str) -> None:
    """The texts of all strengths, below each other."""
    tokens(f"steering:saved:{place}:strip", [_column(found, w) for w in found.rows], stacked=True, least_height=30)


def _column(found: Strip, w: Written) -> Column:
    return Column(
        f"{found.direction}:{found.prompt}:{w.strength}",
        f"{w.strength:+.1f} sigma" if w.strength else "Unsteered",
        f"r = {w.ratio:.2f}",
        "" if found.chat else found.prompt,
        [(piece, kl, float("nan")) for piece, kl in zip(w.pieces, w.kl, strict=True)],
        facts=[f"KL {number(sum(w.kl) / max(len(w.kl), 1), 2)}", f"perplexity {number(w.perplexity)}"],
    )
