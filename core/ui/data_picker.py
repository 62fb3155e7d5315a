"""Choose a built-in sample or bring a file of one's own."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.datasets import ACCEPTED, SAMPLES, Dataset, sample
from core.ui.brought import ask_again
from core.ui.history import History
from core.ui.text import escape, say_error, told_apart
from core.ui.uploads import Uploads, uploads

FALLBACK = "digits"


def data_picker(history: History, kinds: Sequence[str], fresh: dict[str, Any]) -> tuple[str, Dataset]:
    """Widgets to choose the data, bound to the fields `data` and `title` of the view.

    Args:
        kinds: the kinds of data that the page takes.
        fresh: fields of the view to reset when the data changes.

    Returns:
        What is shown, `sample:<name>` or `upload:<fingerprint>`, and the data as loaded. While a link waits for an
        upload that is a sample, whatever the view says. A bad upload leaves the data as it was and shows one sentence.
    """
    own = uploads()
    chooser = st.container()
    _drop_zone(history, own, kinds, fresh)  # before the chooser, which then already lists a new upload
    choices = [f"sample:{n}" for n, info in SAMPLES.items() if info.kind in kinds]
    choices += [f"upload:{p}" for p, d in reversed(own.datasets.items()) if d.kind in kinds]
    chosen = history.now.data
    if chosen not in choices:
        ask_again(history.now.data, history.now.title)
        chosen = f"sample:{FALLBACK}"
    after = {**fresh, "title": ""}
    history.bind(
        "data", chooser.selectbox, "Data", choices, value=chosen, after=after,
        format_func=told_apart(choices[::-1], lambda c: _title(c, own)),  # the oldest upload keeps its plain name
        help="A built-in sample, or a file that you brought in this session.",
    )  # fmt: skip
    return chosen, _get(chosen, own)


@st.cache_resource(max_entries=16, show_spinner="Opening the sample ...")
def built_in(name: str) -> Dataset:
    """A built-in sample, opened once per server."""
    return sample(name)


def about(dataset: Dataset) -> None:
    """Size, source, licence and what the loader did, one line and a popover."""
    shape = "×".join(map(str, dataset.shape)) or "texts"
    with st.popover(
        f"{len(dataset):,}", icon=":material/info:", help="Where this data comes from, what was done to it."
    ):
        st.markdown(f"**{escape(dataset.title)}**, {dataset.kind}: {len(dataset):,} samples of {shape}")
        for line in (dataset.source, dataset.licence and f"Licence: {dataset.licence}", *dataset.notes):
            if line:
                st.caption(escape(line))


def _title(choice: str, own: Uploads) -> str:
    place, _, name = choice.partition(":")
    return SAMPLES[name].title if place == "sample" else f"{own.datasets[name].title} (yours)"


def _get(choice: str, own: Uploads) -> Dataset:
    place, _, name = choice.partition(":")
    return built_in(name) if place == "sample" else own.datasets[name]


def _drop_zone(history: History, own: Uploads, kinds: Sequence[str], fresh: dict[str, Any]) -> None:
    with st.expander("Your own data", icon=":material/upload:", expanded=bool(own.error or own.missing)):
        said = st.container()  # above the uploader, as what is below it can lie below the window
        kind = st.selectbox(
            "Read as", [None, *kinds], format_func=lambda k: k or "what it looks like", key=f"{history.page}:read-as"
        )
        files = st.file_uploader(  # of any type: what is refused gets a sentence of ours, not an exception
            "Drop files here",
            accept_multiple_files=True,
            key=f"{history.page}:upload:{own.generation}",
            help="Nothing leaves this server, nobody else sees it, and it is forgotten when the session ends.",
        )
        st.caption("Takes " + ", ".join(sorted({e for k in kinds for e in ACCEPTED[k]})) + ".")
        found = None
        if files:
            with st.spinner("Reading ..."):
                found = own.read([(f.name, f.getvalue()) for f in files], kind, awaited=_awaited(history, own))
            own.generation += 1  # an empty uploader lets go of the bytes
            if not found:
                st.rerun()
        with said:
            if own.missing:
                found = _what_about_missing(history, own) or found
            if own.error:
                say_error(own.error)
        if found:
            _show(history, own, found, fresh)


def _what_about_missing(history: History, own: Uploads) -> str | None:
    st.warning(escape(str(own.missing)), icon=":material/rule:")
    for how in ("drop rows", "fill mean", "fill median"):
        if st.button(how.capitalize(), key=f"{history.page}:missing:{how}"):
            return own.read_again(own.kind, _awaited(history, own), missing=how)
    return None


def _awaited(history: History, own: Uploads) -> str:
    """The fingerprint of the upload that the view shows and this session lacks, or an empty string."""
    place, _, name = history.now.data.partition(":")
    return name if place == "upload" and name not in own.datasets else ""


def _show(history: History, own: Uploads, found: str, fresh: dict[str, Any]) -> None:
    wanted = f"upload:{found}"
    if history.now.data != wanted:  # a link that waited for this very file keeps its view
        history.change(**{**fresh, "data": wanted, "title": own.datasets[found].title})
    st.rerun()
