"""Tab *Build*: a basis of one's own texts, a direction between two sets, or one from the words of a concept."""

from dataclasses import replace

import numpy as np
import streamlit as st

from core.datasets import Dataset
from core.errors import InputError
from core.models import family
from core.steering.contrast import WAYS, concept_texts, two_sets
from core.store import new_folder, places, save
from core.ui.history import History
from core.ui.owner import owner_key
from core.ui.run_panel import run_panel, train_button
from core.ui.server_runs import runs
from core.ui.settings_form import settings_form, settings_of
from core.ui.text import escape, say_error
from core.ui.uploads import uploads
from pages.steering.opened import Opened, Ready, may_choose
from pages.steering.tabs.common import bring_texts
from pages.steering.view import FRESH_MODEL, SteeringView

FEWEST = 60
MODES = {"skills": "Skills of my texts", "sets": "Two sets of texts", "words": "Words of a concept"}
FAMILIES = {"skills": "steering.skills", "sets": "steering.contrast", "words": "steering.contrast"}
LONGEST_PASTE = 2_000_000
_SHOWS = 3.0  # sigma of a direction of one's own when it is first taken up; the slider's ends hold it within r = 0.35


def draw(history: History[SteeringView], opened: Opened, ready: Ready | None) -> None:
    """The texts on the left, settings and the training on the right; below, what came out."""
    mode = history.now.one_of("build", "mode", MODES, "skills")
    history.bind(
        "build.mode", st.segmented_control, "Make", list(MODES), value=mode, format_func=MODES.get, required=True
    )
    left, right = st.columns([3, 2], gap="large")
    with left:
        dataset = {"skills": _texts, "sets": _sets, "words": _words}[mode](history)
    with right:
        _train(history, mode, dataset)
    if run_id := str(history.now.build.get("run", "")):
        _result(history, run_id)


def _texts(history: History[SteeringView]) -> Dataset | None:
    own = uploads()
    st.caption(
        f"At least {FEWEST} texts: one a line, or a file (txt, csv, jsonl). The more kinds of writing they hold, the "
        "more directions there are to find. A column of labels names the directions and makes presets."
    )
    pasted = _area("Texts, one a line", "texts", 220)
    bring_texts(history, "build", "Or a file", "steering:upload")
    lines = [line.strip() for line in pasted.splitlines() if line.strip()]
    if lines:
        samples = np.empty(len(lines), dtype=object)
        samples[:] = lines
        found = Dataset(samples, "text", title="pasted texts")
    else:
        found = own.datasets.get(str(history.now.build.get("data", "")))
    if found is None:
        return None
    said = f"{len(found):,} text{'s' if len(found) != 1 else ''}"
    st.caption(f"{said} of *{escape(found.title)}*.")
    for note in found.notes:
        st.caption(escape(note))
    if len(found) < FEWEST:
        say_error(
            f"A basis needs at least {FEWEST} texts, and there {'are' if len(found) != 1 else 'is'} {len(found)}."
        )
        return None
    return found


def _sets(history: History[SteeringView]) -> Dataset | None:
    st.caption("Two sets of at least five texts each, one a line: for instance polite and rude e-mails.")
    now = history.now.build
    sides, names = [], []
    for place, (n, usual) in zip(st.columns(2), (("one", "polite"), ("other", "rude")), strict=True):
        with place:
            value = str(now.get(f"name-{n}", usual))[:40]
            history.bind(f"build.name-{n}", st.text_input, f"Name of the {n} set", value=value, max_chars=40)
            names.append(value.strip() or n)
            sides.append(_area(f"Texts of the {n} set", n, 260).splitlines())
    if not any(line.strip() for side in sides for line in side):
        return None
    try:
        found = two_sets(*sides, names=(names[0], names[1]))
    except InputError as error:
        say_error(error)
        return None
    st.caption(f"**{len(found):,}** texts; the direction points from *{escape(names[1])}* to *{escape(names[0])}*.")
    return found


def _words(history: History[SteeringView]) -> Dataset | None:
    st.caption("Words that stand for one idea. They are put into short sentences, against the same with empty words.")
    text = str(history.now.build.get("words", ""))[:500]
    history.bind("build.words", st.text_input, "Words, with commas", value=text, placeholder="ocean, wave, tide, beach")
    if not text.strip():
        return None
    try:
        return concept_texts(text.split(","))
    except InputError as error:
        say_error(error)
        return None


def _area(label: str, name: str, height: int) -> str:
    """A field for many texts, kept in the session while another tab is open, and in no link."""
    kept, key = f"steering:kept:{name}", f"steering:area:{name}"
    if key not in st.session_state:
        st.session_state[key] = st.session_state.get(kept, "")
    text = st.text_area(label, key=key, height=height, max_chars=LONGEST_PASTE)
    st.session_state[kept] = text
    return text


def _train(history: History[SteeringView], mode: str, dataset: Dataset | None) -> None:
    cls = family(FAMILIES[mode])
    leave = {"towards", *(() if may_choose() else ("source",))}
    if mode == "words":
        leave |= {"way", "chat", "pooling"}
    st.caption(cls.summary)
    settings = settings_form(history, "build", cls.Settings, leave=leave)
    if mode == "sets":
        st.caption("  \n".join(f"**{name}**: {text}" for name, text in WAYS.items()))
    usual = _suggested(mode, dataset)
    name = st.text_input("Name", usual, max_chars=120, key=f"steering:build:name:{usual}")
    if dataset is None:
        st.button("Build", disabled=True, icon=":material/model_training:", help="Give the texts first.")
        return
    values = settings.as_dict() | ({} if may_choose() else {"source": "smollm2"})
    if mode != "skills":
        values["towards"] = str(dataset.labels[0])

    def start(here: bool) -> str:
        return runs().submit(
            cls.family, dataset, values, owner=owner_key(), name=name.strip() or cls.title, here=here,
        )  # fmt: skip

    try:
        estimate = cls(settings_of(cls.Settings, values)).seconds(dataset)
        what = (cls.family, values, dataset)
        started = train_button("Build", start, key="steering:build:go", estimate=estimate, what=what)
    except InputError as error:
        say_error(error)
        return
    if started:
        history.change(build={**history.now.build, "run": started})
        st.rerun()


def _suggested(mode: str, dataset: Dataset | None) -> str:
    title = "my texts" if dataset is None else dataset.title
    return f"Skills of {title}" if mode == "skills" else f"Direction: {title}"


def _use(history: History[SteeringView], run_id: str, ref: str) -> None:
    """Steer by a finished build; its one direction, where it has no more, so strongly that it shows."""
    basis = runs().result(run_id)[0].bases()["directions"]
    weights = {basis.names[0]: _SHOWS} if basis.k == 1 else {}
    history.change(**{**FRESH_MODEL, "model": ref, "weights": weights})


def _result(history: History[SteeringView], run_id: str) -> None:
    view = run_panel(run_id, key="steering:run")
    if view is None or view.active or not view.kept:
        return
    ref = f"run:{run_id}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if history.now.model != ref:
            st.button(
                "Steer with it", type="primary", icon=":material/tune:", key="steering:build:use",
                on_click=lambda: _use(history, run_id, ref),
            )  # fmt: skip
        name = st.text_input("Name in the library", view.name, max_chars=120, key=f"steering:build:keep-name:{run_id}")
        pressed = st.button("Keep in my library", icon=":material/bookmark:", key="steering:build:keep")
    if pressed:
        try:
            _keep(history, run_id, ref, name)
        except InputError as error:
            say_error(error)
        else:
            st.success(f"*{escape(name)}* is in the library now.", icon=":material/inventory_2:")
    metrics = view.history[-1] if view.history else {}
    if "auc" in metrics:
        st.caption(
            f"Held-out texts are told apart with an AUC of **{metrics['auc']:.3f}**; 95 of 100 shuffled labellings "
            f"stay below {metrics.get('chance', float('nan')):.3f} (p = {metrics.get('p', float('nan')):.3g})."
        )


def _keep(history: History[SteeringView], run_id: str, ref: str, name: str) -> None:
    """Into one's own place of the library, with the names that were given here."""
    model, card = runs().result(run_id)
    given = history.now.names if history.now.model == ref else {}
    model.basis_ = model.basis_.rename({i: given.get(n, n) for i, n in enumerate(model.basis_.names)})
    place = places(owner_key())["own"]
    card = replace(card, name=name.strip() or card.name)
    save(model, new_folder(place, card.name), card)
