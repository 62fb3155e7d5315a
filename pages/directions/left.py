"""Left side of the page: which data, how it is prepared, which model."""

import json

import streamlit as st

from core.datasets import Dataset
from core.datasets.preparation import PREPARATIONS, prepare
from core.errors import InputError
from core.models import Model, Settings, families
from core.store import Entry, list_models
from core.ui.data_picker import about, data_picker
from core.ui.history import History
from core.ui.owner import owner_key
from core.ui.settings_form import settings_form, settings_of
from core.ui.text import escape, say_error, told_apart
from pages.directions.shown import Origin
from pages.directions.view import FRESH_BASIS, FRESH_DATA, LARGEST_SEED, DirectionsView

KINDS = ("table", "images", "curves", "audio", "text", "activations")
FALLBACK = "directions.pca"


def choose_data(history: History[DirectionsView]) -> tuple[Dataset, Origin]:
    """The data picker and how the data is prepared; returns the prepared data and where it came from."""
    ref, raw = data_picker(history, KINDS, fresh=FRESH_DATA)
    settings_class = PREPARATIONS[raw.kind]
    row = st.container(horizontal=True, gap="xsmall")
    with row, st.popover("Prepare", icon=":material/tune:", help="How the data is made ready for a basis."):
        settings = settings_form(history, "preparation", settings_class, after=dict(FRESH_BASIS, sample=0))
    try:
        dataset = _prepared(raw.identity, _key(settings), raw, settings)
    except InputError as error:
        say_error(error)
        settings = settings_class()
        dataset = _prepared(raw.identity, _key(settings), raw, settings)
    with row:
        about(dataset)
    return dataset, Origin(ref, raw.kind, settings.as_dict())


def choose_model(history: History[DirectionsView], dataset: Dataset) -> tuple[type[Model], Settings]:
    """A saved model for data of this shape, or a family with its settings."""
    _saved(history, dataset)
    known = families("directions")
    chosen = known.get(history.now.family, known[FALLBACK])
    if history.now.model.startswith("model:"):
        return chosen, settings_of(chosen.Settings, history.now.settings)
    history.bind(
        "family",
        st.selectbox,
        "Family",
        list(known),
        value=chosen.family,
        format_func=lambda name: known[name].title,
        after=FRESH_BASIS,
        help="How the directions are learned.",
    )
    if history.now.family not in known:
        st.warning(
            f"There is no family *{escape(history.now.family[:60])}* here; {chosen.title} stands in.",
            icon=":material/link_off:",
        )
    st.caption(chosen.summary)
    limit = chosen.most(dataset)
    settings = settings_form(
        history, "settings", chosen.Settings, after=FRESH_BASIS, most=None if limit is None else {"k": limit}
    )
    history.bind(
        "seed", st.number_input, "Seed", min_value=0, max_value=LARGEST_SEED, step=1, after=FRESH_BASIS,
        help="Everything drawn at random follows from it: the same seed gives the same numbers.",
    )  # fmt: skip
    return chosen, settings


def _saved(history: History[DirectionsView], dataset: Dataset) -> None:
    """Choose between learning anew and the models of the library that take samples of this shape."""
    entries = {
        f"model:{e.id}": e for e in list_models(owner_key(), family="directions.", shape=dataset.shape) if e.card
    }
    now = history.now.model
    if not entries and not now.startswith("model:"):
        return
    options = ["", *entries]
    history.bind(
        "model",
        st.selectbox,
        "Model",
        options,
        value=now if now in options else "",
        format_func=told_apart(options, lambda ref: _called(entries[ref]) if ref else "Learn from this data"),
        after={k: v for k, v in FRESH_BASIS.items() if k != "model"},
        help="Learn a basis from the data here, or take one of the library that was made for samples of this shape.",
    )


def _called(entry: Entry) -> str:
    return f"{entry.card.name} ({entry.place})"


@st.cache_resource(max_entries=6, show_spinner="Preparing the data ...")
def _prepared(identity: str, key: str, _raw: Dataset, _settings: Settings) -> Dataset:
    return prepare(_raw, _settings)


def _key(settings: Settings) -> str:
    return json.dumps(settings.as_dict(), sort_keys=True)
