"""Left side of the page: a sample, or the embeddings of one's own two models."""

import streamlit as st

from core.compatible.loading import Embeddings, load_embeddings
from core.compatible.samples import SAMPLES, SOURCE, digit_embeddings
from core.datasets import ACCEPTED
from core.errors import InputError
from core.ui.background import background
from core.ui.brought import Brought, ask_again
from core.ui.history import History
from core.ui.text import escape, say_error
from pages.compatible.view import FRESH_DATA, LARGEST_SEED, CompatibleView

FALLBACK = "sample:digits-learned"
_HOW = """\
import numpy as np
np.save("old.npy", old)  # (N, d_old)
np.save("new.npy", new)  # (N, d_new), same items, same order
"""


def choose(history: History[CompatibleView]) -> str:
    """The chooser and the drop zone; returns what is chosen, `sample:<name>` or `upload:<fingerprint>`."""
    own = Brought[Embeddings].of("compatible")
    chooser = st.container()
    _drop_zone(history, own)
    titles = {f"sample:{n}": t for n, t in SAMPLES.items()}
    titles |= {f"upload:{p}": f"{d.title} (yours)" for p, d in reversed(own.things.items())}
    chosen = history.now.data
    if chosen not in titles:
        ask_again(history.now.data, history.now.title, several=True)
        chosen = FALLBACK
    history.bind(
        "data", chooser.selectbox, "Data", list(titles), value=chosen, format_func=titles.get,
        after={**FRESH_DATA, "title": ""},
        help="Embeddings of the same items by an old and a new model: a sample, or two files of yours.",
    )  # fmt: skip
    return chosen


def get(history: History[CompatibleView], chosen: str) -> Embeddings | None:
    """The embeddings; None while the networks of a sample are still in training (the page then shows how far)."""
    place, _, name = chosen.partition(":")
    if place == "upload":
        return Brought[Embeddings].of("compatible").things[name]
    seed = history.now.seed
    return background(
        "compatible:sample",
        f"compatible:sample:{name}:{seed}",
        lambda run: digit_embeddings(name, seed=seed, run=run),
        "Training two small networks on the digits, once for everybody",
    )


def options(history: History[CompatibleView], given: Embeddings) -> None:
    """How matches are judged, which part is for fitting, and the seed."""
    if given.labels is not None:
        history.bind(
            "by", st.segmented_control, "A match is right by", ("label", "identity"), required=True,
            help="By label: the nearest item has the same label. By identity: it is the very same item.",
        )  # fmt: skip
    if given.fitted is None:
        history.bind(
            "share", st.slider, "Items to fit the map on", 5, 95, step=5, format="%d%%",
            help="Drawn at random; the map is judged on the rest.",
        )  # fmt: skip
    history.bind(
        "seed", st.number_input, "Seed", min_value=0, max_value=LARGEST_SEED, step=1,
        help="Of the random split, and of the networks of a sample.",
    )  # fmt: skip
    with st.popover("About this data", icon=":material/info:"):
        st.markdown(
            f"**{escape(given.title)}**: {len(given):,} items; old embeddings of {given.old.shape[1]:,} numbers, new "
            f"of {given.new.shape[1]:,}."
        )
        lines = (*given.notes, SOURCE) if given.fitted is not None else given.notes
        for line in lines:
            st.caption(escape(line))


def _drop_zone(history: History[CompatibleView], own: Brought[Embeddings]) -> None:
    with st.expander("Your own embeddings", icon=":material/upload:", expanded=bool(own.error)):
        files = {}
        for what, label in (("old", "Old model"), ("new", "New model"), ("labels", "Labels (optional)")):
            files[what] = st.file_uploader(
                label, key=f"compatible:upload:{what}:{own.generation}",
                help="Nothing leaves this server, nobody else sees it, and it is forgotten when the session ends.",
            )  # fmt: skip
        st.caption(
            f"One row an item, the same items in the same order: {', '.join(ACCEPTED['activations'])}. "
            "Or one npz with arrays `old`, `new` and perhaps `labels`, in either field."
        )
        pressed = st.button("Compare", key="compatible:compare", type="primary", disabled=not any(files.values()))
        with st.popover("How do I save them?"):
            st.code(_HOW, language="python")
        if pressed:
            _read(history, own, files)
        if own.error:
            say_error(own.error)


def _read(history: History[CompatibleView], own: Brought[Embeddings], files: dict) -> None:
    own.error = ""
    labels = files.pop("labels")
    try:
        with st.spinner("Reading ..."):
            made = load_embeddings(
                [(f.name, f.getvalue()) for f in files.values() if f is not None],
                (labels.name, labels.getvalue()) if labels else None,
            )
    except InputError as error:
        own.error = str(error)
        return
    own.generation += 1  # empty uploaders let go of the bytes
    wanted = f"upload:{own.keep(made.fingerprint, made)}"
    if history.now.data != wanted:  # a link that waited for these very files keeps its view
        history.change(**{**FRESH_DATA, "data": wanted, "title": made.title})
    st.rerun()
