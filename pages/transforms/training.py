"""The model of a part: offered for training, followed while it trains, opened when it is there."""

import json

import streamlit as st

from core.datasets import Dataset
from core.errors import InputError
from core.models import Model, Settings, family
from core.store import Card, find, list_models, load
from core.transforms.takeaway import model_snippet
from core.ui.history import History
from core.ui.keep import keep as keep_model
from core.ui.owner import owner_key
from core.ui.run_panel import run_panel, train_button
from core.ui.server_runs import runs
from core.ui.settings_form import settings_form
from core.ui.text import escape, say_error, told_apart
from pages.transforms.data import sources
from pages.transforms.view import FAMILIES, FIRST, LARGEST_SEED, TransformsView


def choose_settings(
    history: History[TransformsView], part: str, dataset: Dataset, most: dict | None = None, leave=()
) -> Settings:
    """A model of the library, or settings of the part's family and the seed."""
    cls = family(FAMILIES[part])
    ref = _saved(history, part, dataset)
    if ref.startswith("model:"):
        try:
            return _opened(ref, dataset.identity, dataset).settings
        except InputError:
            return cls.Settings()
    after = history.now.fresh_model(part)
    settings = settings_form(history, f"{part}_settings", cls.Settings, after=after, most=most, leave=leave)
    history.bind(
        "seed", st.number_input, "Seed", min_value=0, max_value=LARGEST_SEED, step=1, after=after,
        help="Everything drawn at random follows from it: the same seed gives the same numbers.",
    )  # fmt: skip
    return settings


def _saved(history: History[TransformsView], part: str, dataset: Dataset) -> str:
    now = history.now.models.get(part, "")
    entries = {
        f"model:{e.id}": e for e in list_models(owner_key(), family=FAMILIES[part], shape=dataset.shape) if e.card
    }
    if not entries and not now.startswith("model:"):
        return now
    options = ["", *entries]
    history.bind(
        f"models.{part}", st.selectbox, "Model", options, value=now if now in options else "",
        format_func=told_apart(
            options, lambda r: f"{entries[r].card.name} ({entries[r].place})" if r else "Learn from this data"
        ),
        help="Learn from the data here, or take a model of the library that was made for samples of this shape.",
    )  # fmt: skip
    return now


def model_of(history: History[TransformsView], part: str, dataset: Dataset) -> Model | None:
    """The trained model, or None with the run's panel or a sentence on the page."""
    ref = history.now.models.get(part, "")
    kind, _, name = ref.partition(":")
    try:
        if kind == "run":
            before = runs().follow(name)
            with st.expander("Training", icon=":material/model_training:", expanded=before.active or not before.kept):
                view = run_panel(name, key=f"transforms:run:{part}")
            if view is None or view.active or not view.kept:
                return None
            if view.data["fingerprint"] != dataset.fingerprint:
                raise InputError(
                    f"This training was made on other data ({view.data['title']}); choose that data to see it."
                )
            return _opened(ref, f"{dataset.identity}:{view.step}", dataset)
        if kind != "model":
            return None
        model, card = _opened(ref, dataset.identity, dataset), find(name, owner_key()).card
        if card.fingerprint != dataset.fingerprint:
            st.caption(
                f":material/info: Trained on other data, {escape(card.data)}; its figures here are for this data."
            )
        return model
    except InputError as error:
        say_error(error)
        return None


def offer(
    history: History[TransformsView], part: str, dataset: Dataset, settings: Settings, label: str, sentence: str = ""
) -> None:
    """The button that starts a run, unless there is one already."""
    if history.now.models.get(part):
        return
    cls = family(FAMILIES[part])

    def start(here: bool) -> str:
        return runs().submit(
            cls.family,
            dataset,
            settings.as_dict(),
            seed=history.now.seed,
            owner=owner_key(),
            name=f"{cls.title} of {dataset.title}",
            here=here,
            more={"data": history.now.chosen(part)},
        )

    with st.container(border=True):
        if sentence:
            st.markdown(sentence)
        started = train_button(
            label, start, key=f"transforms:train:{part}", estimate=cls(settings).seconds(dataset),
            what=(cls.family, settings.as_dict(), dataset),
        )  # fmt: skip
    if started:
        now = history.now
        history.change(**{**now.fresh_model(part), "models": {**now.models, part: f"run:{started}"}})
        st.rerun()


def again(history: History[TransformsView], part: str) -> None:
    """A button that lets go of the model."""
    pressed = st.button(
        "Back to before training", icon=":material/restart_alt:", key=f"transforms:before:{part}",
        on_click=lambda: history.change(**history.now.fresh_model(part)),
    )  # fmt: skip
    if pressed:  # in a fragment too, which would go on with the model that it was given
        st.rerun()


def keep(history: History[TransformsView], part: str, model: Model, dataset: Dataset) -> None:
    """Put the model into the library."""
    ref, more = history.now.models.get(part, ""), {"data": history.now.chosen(part)}
    card = lambda name: Card.of(model, dataset, name=name, more=more)  # noqa: E731
    keep_model("transforms", ref, model, dataset.title, card, key=f"{part}:{dataset.identity}")


def _opened(ref: str, identity: str, dataset: Dataset) -> Model:
    who = owner_key() if ref.startswith("model:own") else ""
    model = _load(json.dumps([ref, identity, who]), ref)
    if tuple(model.shape_) != dataset.shape:
        raise InputError(
            f"This model takes samples of the shape {model.shape_}; this data has the shape {dataset.shape}."
        )
    return model


@st.cache_resource(max_entries=16, show_spinner="Opening the model ...")
def _load(key: str, _ref: str) -> Model:
    kind, _, name = _ref.partition(":")
    if kind == "run":
        return runs().result(name)[0]
    return load(find(name, owner_key()).folder)[0]


def snippet(history: History[TransformsView], part: str, model: Model, last: str) -> None:
    """Code that trains the model again and shows something of it."""
    choice = history.now.chosen(part)
    source = sources(part, choice) or (choice if choice.startswith("sample:") else FIRST[part]).removeprefix("sample:")
    files = "" if isinstance(source, str) else ", with the uploaded files beside it"
    st.subheader("Train it again", anchor=False)
    st.caption(f"Run it from the project's folder{files}.")
    st.code(model_snippet(part, source, model, last), language="python")
