"""Tab *Train*: a small EDTalk on renders of the parametric head, or the shipped one fitted to one person."""

import streamlit as st

from core.datasets import Dataset
from core.errors import InputError
from core.face.assets import HEAD
from core.face.clip.reading import Clip
from core.face.editing.person import person_of
from core.models import family
from core.store import Card, load
from core.store.library import SHIPPED
from core.ui.background import background
from core.ui.history import History
from core.ui.keep import keep
from core.ui.owner import owner_key
from core.ui.run_panel import run_panel, train_button
from core.ui.server_runs import runs
from core.ui.settings_form import settings_form
from core.ui.text import escape, say_error
from pages.face.drive.source import clips
from pages.face.opened import Opened
from pages.face.view import FRESH_FACE, FaceView

HEADS, PERSON = "face.small", "face.personal"
_LEAVE = ("batch", "known", "moved")


def draw(history: History[FaceView], on: Opened | None) -> None:
    """The run that was started, or what can be trained."""
    asked = history.now.train.get("run")
    if isinstance(asked, str) and asked:
        _running(history, asked)
        return
    left, right = st.columns(2, gap="large")
    with left:
        _heads(history)
    with right:
        _person(history)


def _heads(history: History[FaceView]) -> None:
    st.subheader("On renders of the parametric head", anchor=False)
    st.markdown(
        "A small EDTalk from nothing: codes anchored to exact factors, mouths and poses swapped between people, then "
        "the expression as what is left."
    )
    if sentence := HEAD.missing():
        st.info(escape(sentence), icon=":material/download:")
        return
    kind = family(HEADS)
    with st.expander("Settings", icon=":material/tune:"):
        settings = settings_form(history, "train", kind.Settings, leave=_LEAVE)
    data = _renders(settings.side)
    _button(history, HEADS, data, settings.as_dict(), "Train it", float(kind(settings).seconds(data)))


@st.cache_resource(max_entries=4, show_spinner="Drawing heads ...")
def _renders(side: int) -> Dataset:
    from core.face.small.train import renders

    return renders(side)


def _person(history: History[FaceView]) -> None:
    st.subheader("On a clip of one person", anchor=False)
    st.markdown("The shipped small EDTalk learns how one person looks; its sliders keep their meaning.")
    if not (SHIPPED / "face-small").is_dir():
        st.caption("No small EDTalk is shipped with this version, so there is nothing to go on from.")
        return
    brought = clips()
    chosen = next(reversed(brought.things), None)
    if chosen is None:
        st.caption("Bring a clip in *Drive* first.")
        return
    clip = brought.things[chosen]
    st.caption(escape(f"{clip.name}, {clip.seconds:.1f} s."))
    side = _shipped_side()
    data = background(
        "face:person", f"{chosen}:{side}:{id(clip)}", lambda run: person_of(clip, side, end=_end(clip), run=run),
        "Cutting out the face", ask="Take its frames", lane="face",
    )  # fmt: skip
    if data is None:
        return
    st.caption(f"{len(data)} frames show a face.")
    kind = family(PERSON)
    every = kind.Settings()
    steps = st.select_slider("Steps", (50, 100, 300, 1000, 3000), 300, key="face:person-steps")
    _button(history, PERSON, data, {**every.as_dict(), "steps": steps}, "Fit it", 0.5 * steps)


def _end(clip: Clip) -> float:
    return min(clip.seconds, 60.0)


@st.cache_resource(show_spinner=False)
def _shipped_side() -> int:
    return load(SHIPPED / "face-small")[0].settings.side


def _button(history: History[FaceView], name: str, data: Dataset, settings: dict, label: str, seconds: float) -> None:
    started = train_button(
        label, lambda here: _submit(history, name, data, settings, here), key=f"face:train:{name}", estimate=seconds,
        what=(name, settings, data),
    )  # fmt: skip
    if started:
        history.change(train={**history.now.train, "run": started})
        st.rerun()


def _submit(history: History[FaceView], name: str, data: Dataset, settings: dict, here: bool) -> str:
    return runs().submit(
        name, data, settings, seed=history.now.seed, owner=owner_key(), name=f"{family(name).title} of {data.title}",
        here=here, more={"view": {}},
    )  # fmt: skip


def _running(history: History[FaceView], run: str) -> None:
    st.button(
        "Another training", icon=":material/restart_alt:", key="face:another",
        on_click=lambda: history.change(train={k: v for k, v in history.now.train.items() if k != "run"}),
    )  # fmt: skip
    view = run_panel(run, key="face:run")
    if view is None or view.active or not view.kept:
        return
    ref = f"run:{run}"
    st.button(
        "Move the face with it", icon=":material/face:", key="face:use", type="primary",
        disabled=history.now.model == ref, on_click=lambda: history.change(**FRESH_FACE, model=ref),
    )  # fmt: skip
    try:
        model = runs().result(run)[0]
    except InputError as error:
        say_error(error)
        return
    keep("face", ref, model, "a face", lambda name: Card.of(model, kind="images", name=name), key=ref)
