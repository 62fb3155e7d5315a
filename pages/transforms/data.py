"""Left side of the page: a sample or a file of one's own, for each part."""

from collections.abc import Callable

import streamlit as st

from core.datasets import ACCEPTED, Dataset
from core.transforms.clips import read_clips
from core.transforms.samples import SAMPLES, sample
from core.transforms.uploads import read_curves, read_pairs, read_signals
from core.ui.brought import Brought, ask_again
from core.ui.data_picker import about
from core.ui.history import History
from core.ui.text import say_error, told_apart
from pages.transforms.view import FIRST, TransformsView

_TABLES = ", ".join(ACCEPTED["curves"])
_TAKES = {
    "wavelets": f"A series (a column or rows of {_TABLES}), a sound, or an image.",
    "spectrogram": "A zip of folders with sounds (wav, flac, ogg, mp3); the folder's name is the label.",
    "curves": f"A table with one curve a row and a column with the number to predict ({_TABLES}).",
    "operators": f"Two matrices with one function a row, inputs first ({_TABLES}), or an npz with `inputs` and "
    "`outputs`.",
}
_FILES = {"operators": ("Inputs", "Outputs")}


def choose(history: History[TransformsView], part: str) -> Dataset:
    """The chooser and the drop zone; a bad upload leaves the data as it was and shows one sentence."""
    own = st.session_state.setdefault(f"transforms:brought:{part}", Brought())
    chooser = st.container()
    _drop_zone(history, part, own)
    titles = {f"sample:{n}": title for n, (title, _) in SAMPLES[part].items()}
    titles |= {f"upload:{p}": f"{d.title} (yours)" for p, d in reversed(own.things.items())}
    now = history.now
    chosen = now.chosen(part)
    if chosen not in titles:
        ask_again(chosen, now.titles.get(part, ""))
        chosen = FIRST[part]
    history.bind(
        f"data.{part}", chooser.selectbox, "Data", list(titles), value=chosen, after=now.fresh_data(part),
        format_func=told_apart(list(titles)[::-1], titles.get),
        help="A built-in sample, or a file that you brought in this session.",
    )  # fmt: skip
    place, _, name = chosen.partition(":")
    dataset = own.things[name] if place == "upload" else built_in(part, name)
    about(dataset)
    return dataset


def sources(part: str, choice: str) -> list[str] | None:
    """Names of the files of an upload of this session, None for a sample."""
    return st.session_state.get(f"transforms:files:{part}", {}).get(choice.removeprefix("upload:"))


@st.cache_resource(max_entries=12, show_spinner="Opening the sample ...")
def built_in(part: str, name: str) -> Dataset:
    """A built-in sample, opened once per server."""
    return sample(part, name)


def _drop_zone(history: History[TransformsView], part: str, own: Brought) -> None:
    key = f"transforms:upload:{part}:{own.generation}"
    with st.expander("Your own data", icon=":material/upload:", expanded=bool(own.error)):
        files = [
            st.file_uploader(
                label, key=f"{key}:{i}", label_visibility="visible" if part in _FILES else "collapsed",
                help="Nothing leaves this server, nobody else sees it, and it is forgotten when the session ends.",
            )
            for i, label in enumerate(_FILES.get(part, ("File",)))
        ]  # fmt: skip
        st.caption(_TAKES[part])
        read, options = _reader(part)
        given = [f for f in files if f is not None]
        # one field is read at once; of two somebody must say that there is no second
        wanted = bool(given) and (
            part not in _FILES or len(given) == 2 or st.button("Read", key="transforms:read", type="primary")
        )
        if wanted:
            _read(history, part, own, [(f.name, f.getvalue()) for f in given], read, options)
        if own.error:
            say_error(own.error)


def _reader(part: str) -> tuple[Callable[..., Dataset], dict]:
    """The function that reads an upload, and what it is told besides the files."""
    if part == "wavelets":
        return lambda files: read_signals(*files[0]), {}
    if part == "operators":
        return read_pairs, {}
    if part == "spectrogram":
        seconds = st.number_input(
            "Seconds of each clip", 0.05, 10.0, 1.0, step=0.25, key="transforms:clip-seconds",
            help="Longer sounds are cut, shorter ones go on with silence.",
        )  # fmt: skip
        return lambda files, seconds: read_clips(*files[0], seconds=seconds), {"seconds": seconds}
    target = st.text_input(
        "Column to predict", key="transforms:target", placeholder="target, y, label, or the last column"
    ).strip()
    return lambda files, target: read_curves(*files[0], target=target), {"target": target}


def _read(history: History[TransformsView], part: str, own: Brought, files, read, options: dict) -> None:
    made = own.read(lambda: read(files, **options))
    fingerprint = own.keep(made.fingerprint, made)
    st.session_state.setdefault(f"transforms:files:{part}", {})[fingerprint] = ([n for n, _ in files], options)
    now, wanted = history.now, f"upload:{fingerprint}"
    if now.chosen(part) != wanted:  # a link that waited for this very file keeps its view
        fresh = now.fresh_data(part)
        fresh["titles"] = {**fresh["titles"], part: made.title}
        history.change(**{**fresh, "data": {**now.data, part: wanted}})
    st.rerun()
